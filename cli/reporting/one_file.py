"""`npuscope report FILE` for a file of a run that is no run itself: what it is, its columns, totals and first rows.

With --json one document, `{"schema": "npuscope.table/1", "path": "…", "files": [FILE…], "problems": [PROBLEM…]}`:

FILE = {"path", "kind": "api_statistic|…|null", "kind_text", "run": path of the run it lies in|null, "run_name",
  "size_bytes", "table": name|null, "tables": [{"table", "rows"}] (of a file that holds several), "rows",
  "rows_skipped", "columns": [COLUMN…], "top": [{column: value}…] (the first --top rows), "problems": [PROBLEM…]}
COLUMN = {"name", "unit": "us|KB|…|null", "kind": "text|whole|moment|number", "source": "file:Header", "known" (rows
  with a value), "distinct" (of texts and names), "min", "max", "sum" (null where adding means nothing)}

A moment is whole ns as the file's clock counts them. Unknown is null. Beside runs the same files stand in
npuscope.report/1 as `"tables": [FILE…]`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.parsers.archives import inside
from npuscope.parsers.discovery.files import fact_of
from npuscope.parsers.profile import Run
from npuscope.parsers.say import ParseError, Problem, say

if TYPE_CHECKING:
    from npuscope.analysis.sheet_totals import ColumnTold
    from npuscope.cli.report import Outcome
    from npuscope.parsers.msprof.sight import Sight

NOTHING_IN_IT = frozenset({"empty-file", "no-rows", "not-found"})


@dataclass(frozen=True)
class FileLooked:
    """One file and what came of it; no sight where it could not be read."""

    path: Path
    kind: str | None
    run: Run | None
    size_bytes: int | None
    sight: Sight | None = None
    columns: tuple[ColumnTold, ...] = ()
    problems: tuple[Problem, ...] = ()


def look(path: Path, table: str | None = None, read: bool = True) -> FileLooked:
    """Read a file, or only see what it is."""
    from npuscope.analysis.sheet_totals import told_of
    from npuscope.parsers.msprof import belongs
    from npuscope.parsers.msprof.files import kind_by_columns, kind_of

    run = belongs.run_of(path, time.time())
    fact = fact_of(path)
    size = fact.size if fact is not None else None
    kind = kind_of(path.name) or kind_by_columns(str(path))
    if not read:
        return FileLooked(path, kind, run, size)
    try:
        sight = belongs.read_at(path, table)
    except ParseError as error:
        return FileLooked(path, kind, run, size, problems=(error.problem,))
    found, problems = sight.found, sight.found.problems
    if not len(found.table):
        problems = (*problems, Problem("no-rows", say("files.problem.no-rows", file=path.name), file=str(path)))
    return FileLooked(path, sight.kind, run, size, sight, told_of(sight.kind, found, path.name), problems)


def split(paths: Sequence[Path], table: str | None = None) -> tuple[list[Path], list[Path]]:
    """The paths of runs, or of nothing, and those of files that are looked at by themselves.

    Where a table is asked for, a database is such a file, also one that is a run.
    """
    one_file = [path for path in paths if fact_of(path) is not None or inside(str(path)) is not None]
    if not one_file:
        return list(paths), []
    from npuscope.parsers.msprof.belongs import is_beside  # imports numpy

    asked = table is not None
    beside = [path for path in one_file if is_beside(path) or (asked and path.suffix.casefold() == ".db")]
    return [path for path in paths if path not in beside], beside


def counted(paths: Iterable[Path], args: argparse.Namespace, outcome: Outcome) -> Iterator[FileLooked]:
    """Read the files one by one, with --list not, and count what the exit code depends on."""
    for path in paths:
        outcome.seen += 1
        looked = look(path, args.table, read=not args.list)
        outcome.read += looked.sight is not None and len(looked.sight.found.table) > 0
        outcome.damaged += (
            bool(looked.problems) and looked.sight is None and looked.problems[0].code not in NOTHING_IN_IT
        )
        yield looked
