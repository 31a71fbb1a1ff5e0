"""Files that hold several tables: databases, and visualize_data.bin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.databases import other_db
from npuscope.parsers.msprof.opprof import files as opprof_files
from npuscope.parsers.msprof.sight import Held, Sight
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say

VIEWER = "viewer"
KINDS = ("profile_db", "analysis_db", "database", VIEWER)
_FIRST = ("COMPUTE_TASK_INFO", "COMMUNICATION_OP", "TASK", "TASK_PMU_INFO", "CANN_API", "STEP_TIME")


def tables(path: str, kind: str) -> tuple[Held, ...]:
    """The tables that hold something, the telling ones first. Raises ParseError."""
    if kind == VIEWER:
        return tuple(Held(name, len(table)) for name, table in opprof_files.viewer_tables(path).items())
    held = other_db.tables(path, unknown=kind != "analysis_db")
    return tuple(sorted(held, key=lambda one: _FIRST.index(one.name) if one.name in _FIRST else len(_FIRST)))


def read(path: str, kind: str, table: str | None = None, progress: Progress | None = None) -> Sight:
    """The table of that name, without one the first. Raises ParseError."""
    held = tables(path, kind)
    wanted = table.casefold() if table is not None else None
    chosen = next((one.name for one in held if wanted is None or one.name.casefold() == wanted), None)
    if chosen is None:
        raise ParseError(_no_table(path, table, held))
    if kind == VIEWER:
        found = CsvTable(path, opprof_files.viewer_tables(path)[chosen], ())
    else:
        found = other_db.read(path, progress, chosen, unknown=kind != "analysis_db")
    return Sight(kind, found, chosen, held)


def _no_table(path: str, table: str | None, held: Sequence[Held]) -> Problem:
    name = Path(path).name
    if not held:
        return Problem("no-rows", say("files.problem.no-tables", file=name), file=path)
    listed = ", ".join(one.name for one in held)
    return Problem("no-table", say("files.problem.no-table", file=name, table=table, tables=listed), file=path)
