"""A csv file as a Table: the exact way row by row, and a fast way for clean blocks of big files.

Rows with a wrong number of cells, or (for operator tables) without a duration, are left out, counted and named; a
negative one is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Union

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers import columns as c
from npuscope.parsers.csv_gather import Gatherer, Piece, coded, keep_freed_memory
from npuscope.parsers.csv_text import ENCODINGS, CsvFile, LineFeed, inspect, refusal, rows
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Table

BLOCK_BYTES = 1 << 22
FAST_FROM_BYTES = 8 << 20
_ROWS_AT_ONCE = 20_000
_LINES_NAMED = 3
_MARGIN = 1.02

Accept = Callable[[Sequence[c.Column]], bool]
Named = Callable[[Sequence[str]], tuple[c.Column, ...]]
Fast = Callable[[bytes, Sequence[c.Column], int], Union[Mapping[str, Piece], None]]


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
        file = Path(self.path).name
        return {column.name: f"{file}:{column.header}" for column in self.columns}


def read_csv(
    path: str,
    accept: Accept,
    fast: Fast | None = None,
    progress: Progress | None = None,
    named: Named = c.columns_of,
) -> CsvTable:
    """Read a csv file whose columns `accept` approves. Raises ParseError.

    `fast` reads a block of whole lines (UTF-8), or returns None when anything in it is odd: then it is read exactly.
    `named` gives the columns of a header: those of operator tables unless another kind of file is read.
    """
    file = inspect(path)
    try:
        with Path(path).open("rb") as handle:
            try:
                return _Reading(file, handle, ENCODINGS[0], accept, named).run(fast, progress)
            except UnicodeDecodeError:
                return _Reading(file, handle, ENCODINGS[1], accept, named).run(fast, progress)
    except OSError as error:
        raise refusal(path, error) from None


@dataclass
class _Skipped:
    rows: int = 0
    lines: list[int] = field(default_factory=list)
    incomplete_line: int | None = None
    rounded_starts: int = 0

    def add(self, line: int) -> None:
        """Count a row that begins at this line."""
        self.rows += 1
        if len(self.lines) < _LINES_NAMED:
            self.lines.append(line)


class _Reading:
    """One file being read: the header first, then blocks."""

    def __init__(self, file: CsvFile, handle: IO[bytes], encoding: str, accept: Accept, named: Named) -> None:
        self._file = file
        self._encoding = encoding
        self._handle = handle
        feed = LineFeed(handle, encoding, file.start)
        header = next(rows(feed, file.path), [])
        self.width = len(header)
        self.columns = named(header)
        if not accept(self.columns):
            raise ParseError(_not_a_table(file.path, header))
        self._position, self._lines = feed.position, feed.lines
        self._skipped = _Skipped()
        self._gathered = Gatherer(self.columns)
        self._required = next((column for column in self.columns if column.required), None)

    def run(self, fast: Fast | None, progress: Progress | None) -> CsvTable:
        """Read to the end."""
        first = self._position
        if fast is not None:
            keep_freed_memory()
        while self._position < self._file.size:
            if fast is None:
                self._exact_block(self._file.size)
            elif not self._fast_block(fast):
                self._exact_block(self._position + BLOCK_BYTES)
            self._gathered.reserve(self._expected(first))
            if progress is not None:
                progress(self._position / self._file.size)
        problems = _problems(self._file, self._encoding, self._skipped, self.width)
        return CsvTable(self._file.path, self._gathered.table(), self.columns, self._skipped.rows, problems)

    def _expected(self, first: int) -> int:
        share = (self._position - first) / (self._file.size - first)
        return int(self._gathered.rows / share * _MARGIN)

    def _fast_block(self, fast: Fast) -> bool:
        self._handle.seek(self._position)
        block = self._handle.read(BLOCK_BYTES)
        block = block[: block.rfind(b"\n") + 1]
        if not block:  # no line feed far and wide: whole files were written so, and are read in one go
            self._exact_block(self._file.size)
            return True
        text = block if self._encoding == ENCODINGS[0] else block.decode(self._encoding, "replace").encode()
        pieces = fast(text, self.columns, self.width)
        if pieces is None:
            return False
        lines = self._gathered.add(pieces)
        self._position += len(block)
        self._lines += lines
        return True

    def _exact_block(self, stop: int) -> None:
        feed = LineFeed(self._handle, self._encoding, self._position, self._lines)
        good: list[list[str]] = []
        line = feed.lines + 1
        for row in rows(feed, self._file.path):
            if len(row) == self.width and self._is_row(row):
                good.append(row)
            else:
                self._skip(row, line, feed.position)
            line = feed.lines + 1
            if len(good) >= _ROWS_AT_ONCE:
                self._keep(good)
                good = []
            if feed.position >= stop:
                break
        self._keep(good)
        self._position, self._lines = feed.position, feed.lines

    def _is_row(self, row: Sequence[str]) -> bool:
        """A time that is less than nothing is none."""
        return self._required is None or 0 <= c.number_cell(row[self._required.index]) < math.inf

    def _skip(self, row: Sequence[str], line: int, position: int) -> None:
        self._skipped.add(line)
        at_end = position >= self._file.size and (not self._file.ends_with_newline or "\n" in row[-1])
        if at_end and len(row) != self.width:
            self._skipped.incomplete_line = line

    def _keep(self, good: Sequence[Sequence[str]]) -> None:
        if good:
            cells = list(zip(*good))
            self._gathered.add({column.name: self._piece(column, cells[column.index]) for column in self.columns})

    def _piece(self, column: c.Column, texts: Sequence[str]) -> Piece:
        if column.kind in (c.TEXT, c.SHAPE):
            return coded(texts)
        if column.kind == c.START:
            self._skipped.rounded_starts += sum(map(c.is_rounded, texts))
        return numbers(column, texts)


def numbers(column: c.Column, texts: Sequence[str]) -> NDArray[Any]:
    """The cells of a number column as its array."""
    if column.kind == c.INTEGER:
        return np.array([c.integer_cell(text) for text in texts], dtype=np.int64)
    if column.kind == c.START:
        return np.array([c.start_cell(text, column.scale) for text in texts], dtype=np.int64)
    return measured(column, np.array([c.number_cell(text) for text in texts], dtype=np.float64))


def measured(column: c.Column, values: NDArray[np.float64]) -> NDArray[Any]:
    """The numbers of a column in its unit. An infinite one is unknown; a counter's stays, for it is told of."""
    found = values if column.scale == 1.0 else values * column.scale
    if column.kind == c.COUNTER:
        return found.astype(np.float32)
    return np.where(np.isinf(found), np.nan, found)


def _problems(file: CsvFile, encoding: str, skipped: _Skipped, width: int) -> tuple[Problem, ...]:
    path, name = file.path, Path(file.path).name
    found: list[Problem] = []
    if encoding != ENCODINGS[0]:
        found.append(Problem("encoding", say("profiles.problem.encoding", file=name), file=path))
    if skipped.incomplete_line is not None:
        text = say("profiles.problem.incomplete", file=name, line=skipped.incomplete_line)
        found.append(Problem("rows-skipped", text, say("profiles.hint.incomplete"), path, skipped.incomplete_line))
    others = [line for line in skipped.lines if line != skipped.incomplete_line]
    count = skipped.rows - (skipped.incomplete_line is not None)
    if count:
        listed = ", ".join(map(str, others)) + (", …" if count > len(others) else "")
        text = say("profiles.problem.rows-skipped", file=name, rows=count, lines=listed, cells=width)
        found.append(Problem("rows-skipped", text, None, path, others[0] if others else None))
    if skipped.rounded_starts:
        text = say("profiles.problem.lost-precision", file=name, rows=skipped.rounded_starts)
        found.append(Problem("lost-precision", text, say("profiles.hint.lost-precision"), path))
    return tuple(found)


def _not_a_table(path: str, header: Sequence[str]) -> Problem:
    shown = ", ".join(text.strip() for text in header[:4])[:80]
    text = say("profiles.problem.no-operator-table", file=Path(path).name, header=shown)
    return Problem("no-operator-table", text, say("profiles.hint.no-operator-table"), path)
