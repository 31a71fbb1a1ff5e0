"""A csv file as a Table: the exact way row by row, and a fast way for clean blocks of big files.

Rows with a wrong number of cells, or (for operator tables) without a duration, are left out, counted and named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Union

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers import columns as c
from npuscope.parsers.csv_text import BLOCK_BYTES, CsvFile, LineFeed, inspect, refusal, rows
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Column, Strings, Table

FAST_FROM_BYTES = 8 << 20
_ROWS_AT_ONCE = 20_000
_LINES_NAMED = 3

Piece = Union[NDArray[Any], tuple[NDArray[np.int32], Sequence[str]]]
Fast = Callable[[bytes, Sequence[c.Column], int], Union[Mapping[str, Piece], None]]
Progress = Callable[[float], None]


@dataclass(frozen=True)
class CsvTable:
    """What a csv file holds. `problems` name the file; `sources` gives "file:Header" per column."""

    path: str
    table: Table
    columns: tuple[c.Column, ...]
    rows_skipped: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def sources(self) -> dict[str, str]:
        """Provenance of each column, "file:Header"."""
        return {column.name: f"{Path(self.path).name}:{column.header}" for column in self.columns}


@dataclass
class _Skipped:
    rows: int = 0
    lines: list[int] = field(default_factory=list)
    incomplete_line: int | None = None
    rounded_starts: int = 0

    def add(self, line: int) -> None:
        self.rows += 1
        if len(self.lines) < _LINES_NAMED:
            self.lines.append(line)


class Gatherer:
    """Columns of a table, block by block; text is coded as it comes."""

    def __init__(self, wanted: Sequence[c.Column]) -> None:
        self._pieces: dict[str, list[NDArray[Any]]] = {column.name: [] for column in wanted}
        self._codes: dict[str, dict[str, int]] = {
            column.name: {} for column in wanted if column.kind in (c.TEXT, c.SHAPE)
        }
        self._raw: dict[str, dict[str, int]] = {name: {} for name in self._codes}

    def add(self, block: Mapping[str, Piece]) -> None:
        """One block: an array per number column, (codes, values) per text column."""
        for name, piece in block.items():
            self._pieces[name].append(self._recoded(name, *piece) if isinstance(piece, tuple) else piece)

    def _recoded(self, name: str, codes: NDArray[np.int32], values: Sequence[str]) -> NDArray[np.int32]:
        known = self._codes[name]
        mapping = np.array([known.setdefault(value, len(known)) for value in values] + [-1], dtype=np.int32)
        return mapping[codes]

    def codes(self, column: c.Column, texts: Sequence[str]) -> NDArray[np.int32]:
        """Codes of plain cells."""
        raw, known = self._raw[column.name], self._codes[column.name]
        meaning = c.shape_cell if column.kind == c.SHAPE else c.text_cell
        for text in set(texts) - raw.keys():
            value = meaning(text)
            raw[text] = -1 if value is None else known.setdefault(value, len(known))
        return np.array([raw[text] for text in texts], dtype=np.int32)

    def finish(self) -> Table:
        """The table; the pieces are given up column by column so that memory is not held twice."""
        table: dict[str, Column] = {}
        for name in list(self._pieces):
            pieces = self._pieces.pop(name)
            array = pieces[0] if len(pieces) == 1 else np.concatenate(pieces) if pieces else np.empty(0)
            known = self._codes.get(name)
            table[name] = array if known is None else Strings(array.astype(np.int32, copy=False), tuple(known))
        return Table(table)


def read_csv(
    path: str,
    accept: Callable[[Sequence[c.Column]], bool],
    fast: Fast | None = None,
    progress: Progress | None = None,
    only: frozenset[str] | None = None,
) -> CsvTable:
    """Read a csv file whose columns `accept` approves; `only` keeps some of the columns.

    `fast` reads a block of whole lines, or returns None when anything in it is odd. Raises ParseError.
    """
    file = inspect(path)
    try:
        with Path(path).open("rb") as handle:
            return _Reading(file, handle, accept, only).run(fast, progress)
    except OSError as error:
        raise refusal(path, error) from None


class _Reading:
    """One file being read: the header first, then blocks."""

    def __init__(
        self,
        file: CsvFile,
        handle: BinaryIO,
        accept: Callable[[Sequence[c.Column]], bool],
        only: frozenset[str] | None,
    ) -> None:
        self._file = file
        self._handle = handle
        feed = LineFeed(handle, file.encoding, file.start)
        header = next(rows(feed, file.path), [])
        self.width = len(header)
        self.columns = c.columns_of(header)
        if not accept(self.columns):
            raise ParseError(_not_a_table(file.path, header))
        if only is not None:
            self.columns = tuple(column for column in self.columns if column.name in only)
        self._position, self._lines = feed.position, feed.lines
        self._skipped = _Skipped()
        self._gathered = Gatherer(self.columns)
        self._duration = next((column for column in self.columns if column.name == "duration_us"), None)
        self._start = next((column for column in self.columns if column.name == "start_ns"), None)

    def run(self, fast: Fast | None, progress: Progress | None) -> CsvTable:
        while self._position < self._file.size:
            if fast is None or not self._fast_block(fast):
                self._exact_block(self._position + BLOCK_BYTES)
            if progress is not None:
                progress(self._position / self._file.size)
        self._gathered.add(self._converted([]))
        return CsvTable(self._file.path, self._gathered.finish(), self.columns, self._skipped.rows, self._problems())

    def _fast_block(self, fast: Fast) -> bool:
        self._handle.seek(self._position)
        block = self._handle.read(BLOCK_BYTES)
        block = block[: block.rfind(b"\n") + 1]
        pieces = fast(block, self.columns, self.width) if block else None
        if pieces is None:
            return False
        self._gathered.add(pieces)
        self._position += len(block)
        self._lines += block.count(b"\n")
        return True

    def _exact_block(self, stop: int) -> None:
        feed = LineFeed(self._handle, self._file.encoding, self._position, self._lines)
        good: list[list[str]] = []
        lines: list[int] = []
        line = feed.lines + 1
        for row in rows(feed, self._file.path):
            if len(row) == self.width:
                good.append(row)
                lines.append(line)
            else:
                self._skip(row, line, feed.position)
            line = feed.lines + 1
            if len(good) >= _ROWS_AT_ONCE:
                self._keep(good, lines)
                good, lines = [], []
            if feed.position >= stop:
                break
        self._keep(good, lines)
        self._position = max(feed.position, self._position + 1)
        self._lines = feed.lines

    def _skip(self, row: Sequence[str], line: int, position: int) -> None:
        self._skipped.add(line)
        at_end = position >= self._file.size and (not self._file.ends_with_newline or "\n" in row[-1])
        if at_end:
            self._skipped.incomplete_line = line

    def _keep(self, good: list[list[str]], lines: Sequence[int]) -> None:
        if self._duration is not None:
            index = self._duration.index
            timed = [np.isfinite(c.number_cell(row[index])) for row in good]
            for line, known in zip(lines, timed):
                if not known:
                    self._skipped.add(line)
            good = [row for row, known in zip(good, timed) if known]
        if good:
            self._gathered.add(self._converted(good))

    def _converted(self, good: Sequence[Sequence[str]]) -> dict[str, Piece]:
        cells = list(zip(*good))
        return {column.name: self._array(column, cells[column.index] if cells else ()) for column in self.columns}

    def _array(self, column: c.Column, texts: Sequence[str]) -> NDArray[Any]:
        if column.kind in (c.TEXT, c.SHAPE):
            return self._gathered.codes(column, texts)
        if column.kind == c.INTEGER:
            return np.array([c.integer_cell(text) for text in texts], dtype=np.int64)
        if column.kind == c.START:
            self._skipped.rounded_starts += sum(map(c.is_rounded, texts))
            return np.array([c.start_cell(text, column.scale) for text in texts], dtype=np.int64)
        numbers = np.array([c.number_cell(text) for text in texts], dtype=np.float64) * column.scale
        return numbers.astype(np.float32) if column.kind == c.COUNTER else numbers

    def _problems(self) -> tuple[Problem, ...]:
        path, skipped = self._file.path, self._skipped
        name = Path(path).name
        found: list[Problem] = []
        if self._file.encoding != "utf-8":
            found.append(Problem("encoding", say("profiles.problem.encoding", file=name), file=path))
        if skipped.incomplete_line is not None:
            text = say("profiles.problem.incomplete", file=name, line=skipped.incomplete_line)
            found.append(Problem("rows-skipped", text, say("profiles.hint.incomplete"), path, skipped.incomplete_line))
        others = [line for line in skipped.lines if line != skipped.incomplete_line]
        count = skipped.rows - (skipped.incomplete_line is not None)
        if count:
            listed = ", ".join(map(str, others)) + (", …" if count > len(others) else "")
            text = say("profiles.problem.rows-skipped", file=name, rows=count, lines=listed, cells=self.width)
            found.append(Problem("rows-skipped", text, None, path, others[0] if others else None))
        if skipped.rounded_starts:
            text = say("profiles.problem.lost-precision", file=name, rows=skipped.rounded_starts)
            found.append(Problem("lost-precision", text, say("profiles.hint.lost-precision"), path))
        return tuple(found)


def _not_a_table(path: str, header: Sequence[str]) -> Problem:
    shown = ", ".join(text.strip() for text in header[:4])[:80]
    text = say("profiles.problem.no-operator-table", file=Path(path).name, header=shown)
    return Problem("no-operator-table", text, say("profiles.hint.no-operator-table"), path)
