"""step_trace_*.csv of msprof: one row per iteration of a graph, and behind it as many Reduce pairs as there were."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from npuscope.parsers.columns import start_cell
from npuscope.parsers.msprof.tables.small_csv import not_this_table, number, read_rows, whole
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.say import Problem, say

PATTERN = re.compile(r"step_trace(?:_\d{1,10})*?(?:_\d{14})?\.csv")

_BLANKS = re.compile(r"[\s_]+")
_REDUCE_START, _REDUCE_DURATION = "reduce start(us)", "reduce duration(us)"
_NO_MODEL = 4294967295
_LONGEST_CELL = 40  # longer than any time: such a cell is garbage, and its exponent could be anything


@dataclass(frozen=True)
class Iteration:
    """One iteration; moments in ns, times in us, None = not told. `reduces` = (start in ns, duration in us)."""

    iteration: int
    model: int | None = None
    fp_start_ns: int | None = None
    bp_end_ns: int | None = None
    end_ns: int | None = None
    time_us: float | None = None
    fp_to_bp_us: float | None = None
    refresh_us: float | None = None
    data_aug_us: float | None = None
    reduces: tuple[tuple[int | None, float | None], ...] = ()


@dataclass(frozen=True)
class IterationFile:
    """The iterations of a file in its order."""

    iterations: tuple[Iteration, ...]
    problems: tuple[Problem, ...] = ()


def read(path: str) -> IterationFile:
    """The iterations of a csv. A row without a number of its iteration (N/A) is left out. Raises ParseError."""
    table = read_rows(path)
    names = [_BLANKS.sub(" ", cell.casefold()) for cell in table.header]
    if not {"iteration id", "iteration time(us)"} <= set(names):
        raise not_this_table(path, table.header, "ranks.problem.no-iteration-table")
    pairs_from = names.index(_REDUCE_START) if _REDUCE_START in names else len(names)
    places = {name: at for at, name in reversed(list(enumerate(names))) if at < pairs_from}
    found = [_iteration(places, row, pairs_from) for row in table.rows]
    kept = tuple(one for one in found if one is not None)
    problems = list(table.problems)
    if len(kept) < len(found):
        text = say("ranks.problem.iterations-left-out", file=Path(path).name, rows=len(found) - len(kept))
        problems.append(Problem("rows-skipped", text, None, path))
    return IterationFile(kept, tuple(problems))


def _iteration(places: Mapping[str, int], row: Sequence[str], pairs_from: int) -> Iteration | None:
    def cell(name: str) -> str:
        at = places.get(name, len(row))
        return row[at] if at < len(row) else ""

    number_of = whole(cell("iteration id"))
    if number_of is None or number_of < 0:
        return None
    model = whole(cell("model id"))
    return Iteration(
        iteration=number_of,
        model=model if model is not None and 0 <= model < _NO_MODEL else None,
        fp_start_ns=_moment(cell("fp start(us)")),
        bp_end_ns=_moment(cell("bp end(us)")),
        end_ns=_moment(cell("iteration end(us)")),
        time_us=number(cell("iteration time(us)")),
        fp_to_bp_us=number(cell("fp to bp time(us)")),
        refresh_us=number(cell("iteration refresh(us)")),
        data_aug_us=number(cell("data aug bound(us)")),
        reduces=_pairs(row[pairs_from:]),
    )


def _pairs(cells: Sequence[str]) -> tuple[tuple[int | None, float | None], ...]:
    """Starts and durations in turn, to the end of what this row has; empty cells fill up a shorter row."""
    found = [(_moment(start), number(length)) for start, length in zip(cells[::2], cells[1::2])]
    return tuple(pair for pair in found if pair != (None, None))


def _moment(text: str) -> int | None:
    if len(text) > _LONGEST_CELL:
        return None
    value = start_cell(text)
    return None if value == UNKNOWN else value
