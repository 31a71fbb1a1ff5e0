"""A list with a cursor that follows its row, and the window of it that is shown. Pure state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

Row = TypeVar("Row")


class Listing(Generic[Row]):
    """Rows in the order they are shown; `key_of` tells a row from the others when the rows are made anew."""

    def __init__(self, key_of: Callable[[Row], Hashable]) -> None:
        self._key_of = key_of
        self.rows: Sequence[Row] = ()
        self.cursor = 0
        self.top = 0

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    def show(self, rows: Sequence[Row]) -> None:
        """Other rows; the cursor stays on its row while that is there."""
        before = self._key_of(self.rows[self.cursor]) if self.rows else None
        self.rows = rows
        self.cursor = min(self.cursor, max(0, len(rows) - 1))
        if before is not None:
            self.go_to(lambda row: self._key_of(row) == before)

    def move(self, steps: int) -> None:
        """The cursor, bounded."""
        self.cursor = max(0, min(len(self.rows) - 1, self.cursor + steps))

    def go_to(self, wanted: Callable[[Row], bool]) -> bool:
        """The cursor on the first row that is wanted; False when there is none."""
        for position, row in enumerate(self.rows):
            if wanted(row):
                self.cursor = position
                return True
        return False

    def reveal(self, wanted: Callable[[Row], bool], height: int) -> None:
        """Move the window, not the cursor, so that the first wanted row is in it."""
        for position, row in enumerate(self.rows):
            if wanted(row):
                self.top = max(position - height + 1, min(self.top, position))
                return

    def window(self, height: int, follow: bool = True) -> Sequence[Row]:
        """The rows in a window of `height` lines; it moves as little as the cursor demands (when it is followed)."""
        height = max(1, height)
        if follow:
            self.top = max(min(self.top, self.cursor), self.cursor - height + 1)
        self.top = max(0, min(self.top, len(self.rows) - height))
        return self.rows[self.top : self.top + height]
