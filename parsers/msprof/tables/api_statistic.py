"""api_statistic_*.csv: host calls by level and name, how often and how long. The device of host data is "host"."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import Problem, say

PATTERN = named("api_statistic")
SHEET = Sheet(
    names={"api name": "name", "time": "total", "avg": "mean"},
    needs=("name", "level", "total_us", "count"),
    texts=frozenset({"device", "level", "name"}),
    floats=frozenset({"variance"}),
)
LONGEST_US = 3.6e9  # a call that was under way when profiling began is written with the time since the box was started
_TIMES = ("total_us", "mean_us", "max_us", "variance")


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """device level name total_us count mean_us min_us max_us variance (us squared). Raises ParseError.

    Times of a name with a call of more than an hour are unknown: such a call had no beginning.
    """
    found = read_sheet(path, SHEET, progress)
    endless = found.table.numbers("max_us") > LONGEST_US
    if not endless.any():
        return found
    unknown = {name: np.where(endless, np.nan, found.table.numbers(name)) for name in _TIMES if name in found.table}
    first = int(np.flatnonzero(endless)[0])
    text = say(
        "files.problem.call-before-start",
        file=Path(path).name,
        rows=int(endless.sum()),
        name=found.table.strings("name")[first],
        us=float(found.table.numbers("max_us")[first]),
    )
    problem = Problem("call-before-start", text, None, path)
    return replace(found, table=found.table.extended(unknown), problems=(*found.problems, problem))
