"""What the child process does for the Files screen; runs there, never in the application's own process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from npuscope.analysis.sheet_totals import ColumnTold, told_of
from npuscope.parsers.archive_members import unpacked
from npuscope.parsers.archives import inside
from npuscope.parsers.msprof import belongs, files
from npuscope.parsers.msprof.run_files import RunFiles, files_of
from npuscope.parsers.msprof.sight import Held, Sight, rows_of
from npuscope.parsers.profile import Run
from npuscope.parsers.say import ParseError, Problem, Say, say
from npuscope.parsers.table import Column, Strings, Table

MOST_ROWS = 1_000_000  # of a longer file the first ones are shown
COUNTED_BYTES = 2 << 20  # the rows of a larger file are counted when it is opened
COUNTED_TOGETHER = 24 << 20


@dataclass(frozen=True)
class FileSheet:
    """A file that was read. `columns` tell of all its `rows`, the table holds the first MOST_ROWS of them."""

    path: str
    kind: str
    table: Table
    columns: tuple[ColumnTold, ...]
    rows: int
    rows_skipped: int = 0
    name: str | None = None
    tables: tuple[Held, ...] = ()
    problems: tuple[Problem, ...] = ()
    note: Say | None = None

    @property
    def all_rows(self) -> int:
        """The rows of all tables of the file."""
        return rows_of(self.tables) if self.tables else self.rows


def list_files(run: Run) -> RunFiles:
    """All files of a run."""
    return files_of(run)


def open_file(path: str, table: str | None, progress: Callable[[float], None] | None = None) -> FileSheet:
    """A file as a table. Raises ParseError."""
    sight = belongs.read_at(Path(path), table, progress)
    found, rows = sight.found, len(sight.found.table)
    problems, shown = found.problems, found.table
    if rows > MOST_ROWS:
        shown = first_rows(shown, MOST_ROWS)
        text = say("files.problem.first-rows", file=Path(path).name, rows=MOST_ROWS, of=rows)
        problems = (Problem("rows-left-out", text, file=path), *problems)
    columns = told_of(sight.kind, found, Path(path).name)
    about = (sight.table, sight.tables, problems, sight.note)
    return FileSheet(path, sight.kind, shown, columns, rows, found.rows_skipped, *about)


def first_rows(table: Table, rows: int) -> Table:
    """The first rows, of texts only those that stand there."""
    columns: dict[str, Column] = {}
    for name, column in table.columns.items():
        if isinstance(column, Strings):
            used, codes = np.unique(column.codes[:rows], return_inverse=True)
            shift = int(len(used) > 0 and used[0] < 0)  # unknown stays -1
            values = tuple(column.values[code] for code in used[shift:].tolist())
            columns[name] = Strings((codes.reshape(-1) - shift).astype(np.int32), values)
        else:
            columns[name] = np.array(column[:rows])
    return Table(columns)


def count_rows(paths: Sequence[str]) -> dict[str, int | Problem]:
    """How many rows small files have, or what is wrong with them; of an archive all in one go."""
    found: dict[str, int | Problem] = {}
    packed: dict[Path, dict[str, str]] = {}
    for path in paths:
        where = inside(path)
        if where is None:
            found[path] = _rows(path)
        else:
            packed.setdefault(where[0], {})[where[1]] = path
    for archive, names in packed.items():
        found.update(_rows_inside(archive, names))
    return found


def _rows_inside(archive: Path, names: Mapping[str, str]) -> dict[str, int | Problem]:
    """Of files in an archive, their paths by their names in it."""
    try:
        with unpacked(archive, lambda member: member.name in names) as folder:
            return {path: _rows(str(folder / name)) for name, path in names.items()}
    except ParseError as error:
        return dict.fromkeys(names.values(), error.problem)


def _rows(path: str) -> int | Problem:
    try:
        sight: Sight = files.read_file(path)
    except ParseError as error:
        return error.problem
    return rows_of(sight.tables) if sight.tables else len(sight.found.table)
