"""A table as named numpy columns: what parsers hand on, what analysis computes with and what the screen pages through.

Numbers are numpy arrays; text is a `Strings` (codes into distinct values), so that a million rows of five operator
types cost four bytes a row. Saved as .npy files and mapped back, a table opens in milliseconds in another process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]


@dataclass(frozen=True)
class Strings:
    """Text of one column: int32 codes into `values`; code -1 = unknown."""

    codes: NDArray[np.int32]
    values: tuple[str, ...]

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> Strings:
        """From plain texts, None = unknown; values keep the order of first appearance."""
        seen: dict[str, int] = {}
        codes = [-1 if text is None else seen.setdefault(text, len(seen)) for text in texts]
        return cls(np.array(codes, dtype=np.int32), tuple(seen))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str | None:
        code = int(self.codes[row])
        return None if code < 0 else self.values[code]

    def take(self, rows: NDArray[Any]) -> Strings:
        """The same values, other rows."""
        return Strings(self.codes[rows], self.values)

    def tolist(self) -> list[str | None]:
        """Plain texts."""
        return [None if code < 0 else self.values[code] for code in self.codes.tolist()]

    def mask(self, wanted: Iterable[str]) -> NDArray[np.bool_]:
        """Rows whose text is one of `wanted`."""
        codes = [code for code, value in enumerate(self.values) if value in set(wanted)]
        return np.isin(self.codes, codes)

    def order(self) -> NDArray[np.int64]:
        """Sort keys: the rank of each row's text, unknown last."""
        ranks = np.empty(len(self.values) + 1, dtype=np.int64)
        ranks[np.argsort(np.array([value.casefold() for value in self.values], dtype=object), kind="stable")] = (
            (np.arange(len(self.values))) if self.values else 0
        )
        ranks[-1] = len(self.values)
        return ranks[self.codes]


Column = Union[Numbers, Strings]


@dataclass(frozen=True)
class Table:
    """Columns of equal length by name."""

    columns: Mapping[str, Column]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def numbers(self, name: str) -> Numbers:
        """A number column; all NaN when the table has none of that name."""
        column = self.columns.get(name)
        if column is None:
            return np.full(len(self), np.nan)
        if isinstance(column, Strings):
            raise TypeError(f"{name} is text")
        return column

    def strings(self, name: str) -> Strings:
        """A text column; all unknown when the table has none of that name."""
        column = self.columns.get(name)
        if column is None:
            return Strings(np.full(len(self), -1, dtype=np.int32), ())
        if not isinstance(column, Strings):
            raise TypeError(f"{name} is a number")
        return column

    def take(self, rows: NDArray[Any]) -> Table:
        """Other rows (an index or mask array), same columns."""
        return Table({name: c.take(rows) if isinstance(c, Strings) else c[rows] for name, c in self.columns.items()})

    def extended(self, more: Mapping[str, Column]) -> Table:
        """The same rows with further columns."""
        return Table({**self.columns, **more})

    def row(self, row: int) -> dict[str, Any]:
        """One row as plain values: None for unknown text, NaN for unknown numbers."""
        return {name: c[row] if isinstance(c, Strings) else c[row].item() for name, c in self.columns.items()}

    def save(self, folder: Path) -> None:
        """Write as one .npy per column and one index."""
        folder.mkdir(parents=True, exist_ok=True)
        index: list[dict[str, Any]] = []
        for number, (name, column) in enumerate(self.columns.items()):
            np.save(folder / f"{number}.npy", column.codes if isinstance(column, Strings) else column)
            index.append({"name": name, "values": column.values if isinstance(column, Strings) else None})
        (folder / "columns.json").write_text(json.dumps(index), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Table:
        """Map a saved table back; nothing is read until it is looked at."""
        columns: dict[str, Column] = {}
        for number, entry in enumerate(json.loads((folder / "columns.json").read_text(encoding="utf-8"))):
            array = np.load(folder / f"{number}.npy", mmap_mode="r")
            columns[entry["name"]] = array if entry["values"] is None else Strings(array, tuple(entry["values"]))
        return cls(columns)


def concatenate(tables: Sequence[Table]) -> Table:
    """Rows of several tables under each other; columns missing in one are unknown there (-1 in whole numbers)."""
    tables = [table for table in tables if len(table)] or list(tables[:1])
    if len(tables) == 1:
        return tables[0]
    names = list(dict.fromkeys(name for table in tables for name in table.columns))
    return Table({name: _joined(name, tables) for name in names})


def _joined(name: str, tables: Sequence[Table]) -> Column:
    present = next(table.columns[name] for table in tables if name in table)
    if isinstance(present, Strings):
        return _joined_strings([table.strings(name) for table in tables])
    whole = np.issubdtype(present.dtype, np.integer)
    filled = [
        table.numbers(name) if name in table or not whole else np.full(len(table), -1, present.dtype)
        for table in tables
    ]
    return np.concatenate([part.astype(present.dtype, copy=False) for part in filled])


def _joined_strings(parts: Sequence[Strings]) -> Strings:
    known: dict[str, int] = {}
    codes = []
    for part in parts:
        mapping = np.array([*(known.setdefault(value, len(known)) for value in part.values), -1], dtype=np.int32)
        codes.append(mapping[part.codes])
    return Strings(np.concatenate(codes), tuple(known))
