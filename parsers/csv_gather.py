"""Columns that grow block by block into one Table, without ever being held twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers import columns as c
from npuscope.parsers.table import Column, Strings, Table

Codes = tuple[NDArray[Any], Sequence[str]]  # codes into raw cells, -1 = missing
Piece = Union[NDArray[Any], Codes]
_GROWTH = 1.2
_LARGE_BLOCK = 31 << 20


def keep_freed_memory() -> None:
    """Let the C library reuse freed blocks instead of returning them page by page: a third of the time of a big read.

    glibc keeps up to twice the largest block that was ever freed, so one large block is freed once, untouched.
    """
    np.empty(_LARGE_BLOCK, np.uint8)


def dtype_of(column: c.Column) -> np.dtype[Any]:
    """The array type of a column."""
    if column.kind in (c.TEXT, c.SHAPE):
        return np.dtype(np.int32)
    if column.kind in (c.INTEGER, c.START):
        return np.dtype(np.int64)
    return np.dtype(np.float32 if column.kind == c.COUNTER else np.float64)


class Gatherer:
    """A table being filled. Text is coded as it comes; equal texts share a code whatever block they stood in."""

    def __init__(self, wanted: Sequence[c.Column]) -> None:
        self._columns = {column.name: column for column in wanted}
        self._arrays = {column.name: np.empty(0, dtype_of(column)) for column in wanted}
        texts = [column.name for column in wanted if column.kind in (c.TEXT, c.SHAPE)]
        self._values: dict[str, dict[str, int]] = {name: {} for name in texts}
        self._cells: dict[str, dict[str, int]] = {name: {} for name in texts}
        self._room = 0
        self.rows = 0

    def reserve(self, rows: int) -> None:
        """Make room for so many rows in all, when there is room for fewer."""
        if rows <= self._room:
            return
        self._room = int(rows * _GROWTH) if self._room else rows
        for name, array in self._arrays.items():
            larger = np.empty(self._room, array.dtype)
            larger[: self.rows] = array[: self.rows]
            self._arrays[name] = larger

    def add(self, block: Mapping[str, Piece]) -> int:
        """Append a block of rows, one piece per column; tells how many."""
        end = self.rows + next((len(p[0] if isinstance(p, tuple) else p) for p in block.values()), 0)
        self.reserve(end)
        for name, piece in block.items():
            self._arrays[name][self.rows : end] = self._coded(name, *piece) if isinstance(piece, tuple) else piece
        rows, self.rows = end - self.rows, end
        return rows

    def _coded(self, name: str, codes: NDArray[Any], cells: Sequence[str]) -> NDArray[Any]:
        mapping = np.array([*(self._code(name, cell) for cell in cells), -1], dtype=np.int32)
        recoded: NDArray[Any] = mapping[codes]
        return recoded

    def _code(self, name: str, cell: str) -> int:
        known = self._cells[name]
        code = known.get(cell)
        if code is None:
            meaning = c.shape_cell if self._columns[name].kind == c.SHAPE else c.text_cell
            text, values = meaning(cell), self._values[name]
            code = known[cell] = -1 if text is None else values.setdefault(text, len(values))
        return code

    def table(self) -> Table:
        """What was gathered."""
        found: dict[str, Column] = {}
        for name, array in self._arrays.items():
            cut = array[: self.rows]
            found[name] = Strings(cut, tuple(self._values[name])) if name in self._values else cut
        return Table(found)


def coded(texts: Sequence[str]) -> Codes:
    """Plain cells as codes and distinct cells."""
    seen: dict[str, int] = {}
    codes = np.array([seen.setdefault(text, len(seen)) for text in texts], dtype=np.int32)
    return codes, list(seen)
