"""l2_cache*.csv: hit and victim rates of the L2 cache per task, in percent whatever the file counts in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress
from npuscope.parsers.table import Table

PATTERN = named("l2_cache")
SHEET = Sheet(needs=("stream", "task_id"), texts=frozenset({"name"}), floats=frozenset({"hit_rate", "victim_rate"}))
_SHARE_MAX = 1.05


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """device stream task_id hit_rate_pct victim_rate_pct name. Raises ParseError.

    Files write shares of 1; where a hit rate is above 1 the file counts in percent already. A victim rate may be above
    100 on parts with several vector cores.
    """
    found = read_sheet(path, SHEET, progress)
    columns = dict(found.table.columns)
    hits = found.table.numbers("hit_rate")
    scale = 1.0 if (hits > _SHARE_MAX).any() else 100.0
    for share in SHEET.floats & columns.keys():
        with np.errstate(over="ignore"):
            rates = found.table.numbers(share) * scale
        columns[f"{share}_pct"] = np.where(np.isinf(rates), np.nan, rates)
        del columns[share]
    kept = tuple(replace(one, name=f"{one.name}_pct") if one.name in SHEET.floats else one for one in found.columns)
    return replace(found, table=Table({one.name: columns[one.name] for one in kept}), columns=kept)
