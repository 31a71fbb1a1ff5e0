"""The order of rows whose values move: rows keep their place until a change is worth it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Union

EVERY_S = 5.0
POINTS = 3.0  # of the unit a column shows
Value = Union[float, str, None]
Sortable = tuple[Hashable, Value]


@dataclass
class Order:
    """A sort column and direction, and the order that stands on the screen.

    `live` are the columns whose order changes at most every EVERY_S seconds and for a change of POINTS or more.
    """

    column: str
    descending: bool
    live: Collection[str] = ()
    texts: Collection[str] = ()
    rising: Collection[str] = ()
    _keys: list[Hashable] = field(default_factory=list)
    _values: dict[Hashable, Value] = field(default_factory=dict)
    _at: float = float("-inf")
    _asked: bool = True

    def by(self, column: str) -> None:
        """Order by another column (numbers largest first); by the same one: the other way round."""
        if column == self.column:
            self.descending = not self.descending
        else:
            self.column = column
            self.descending = column not in self.texts and column not in self.rising
        self._asked = True

    def step(self, columns: Sequence[str], direction: int) -> None:
        """The next or previous of the columns on screen."""
        if columns:
            now = columns.index(self.column) if self.column in columns else -direction
            self.by(columns[(now + direction) % len(columns)])

    def arrange(self, rows: Sequence[Sortable], now: float) -> list[Hashable]:
        """The keys in their order; `rows` are (key, value) in the natural order, `now` in seconds."""
        values = dict(rows)
        fresh = self._asked or self.column not in self.live
        if not fresh and set(self._keys) == set(values):
            moved = any(_apart(self._values.get(key), value) for key, value in values.items())
            fresh = now - self._at >= EVERY_S and moved
            if not fresh:
                return list(self._keys)
        self._keys = sorted_keys(rows, self.descending)
        self._values, self._at, self._asked = values, now, False
        return list(self._keys)


def sorted_keys(rows: Sequence[Sortable], descending: bool) -> list[Hashable]:
    """Keys by value, unknown last in both directions, equals in the order they came in."""
    known = [row for row in rows if row[1] is not None]
    unknown = [key for key, value in rows if value is None]
    texts = any(isinstance(value, str) for _, value in known)
    ordered = sorted(known, key=lambda row: str(row[1]).casefold() if texts else row[1], reverse=descending)  # type: ignore[arg-type,return-value]
    return [key for key, _ in ordered] + unknown


def _apart(before: Value, now: Value) -> bool:
    if isinstance(before, (int, float)) and isinstance(now, (int, float)):
        return abs(now - before) >= POINTS
    return before != now
