"""What an operator table shows of a `Table`: order, filter, cursor and window, as pure state without a screen.

The table itself is never copied or sorted: `order` holds the row numbers to show, and a cursor follows its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.table import Strings, Table
from npuscope.tui.filtering import Condition

Rows = NDArray[np.int64]


class TableView:
    """One way to look at a table. Positions count what is shown, rows count the table."""

    def __init__(self, table: Table, sort: str = "", descending: bool = True) -> None:
        self.table = table
        self.sort_column = sort
        self.descending = descending
        self.conditions: Sequence[Condition] = ()
        self.search_column = "type"
        self.cursor = 0
        self.top = 0
        self._kept: Rows | None = None
        self.order: Rows = np.arange(len(table), dtype=np.int64)
        if sort:
            self._arrange()

    def __len__(self) -> int:
        return len(self.order)

    @property
    def row(self) -> int | None:
        """The table row under the cursor."""
        return int(self.order[self.cursor]) if len(self.order) else None

    def sort(self, column: str, descending: bool | None = None) -> None:
        """Order by a column; text starts ascending, numbers descending, the same column again reverses."""
        if descending is None:
            same = column == self.sort_column
            descending = not self.descending if same else not isinstance(self.table.columns.get(column), Strings)
        self.sort_column, self.descending = column, descending
        self._keep_row(self._arrange)

    def filter(self, conditions: Sequence[Condition], search_column: str) -> None:
        """Show only rows that meet all conditions."""
        self.conditions, self.search_column = conditions, search_column
        self._kept = None
        if conditions:
            mask = np.ones(len(self.table), dtype=bool)
            for condition in conditions:
                mask &= matches(self.table, condition, search_column)
            self._kept = np.flatnonzero(mask)
        self._keep_row(self._arrange)

    def move(self, steps: int) -> None:
        """The cursor, bounded."""
        self.cursor = max(0, min(len(self.order) - 1, self.cursor + steps))

    def go_to_row(self, row: int) -> None:
        """The cursor on a row of the table, if it is shown."""
        found = np.flatnonzero(self.order == row)
        if len(found):
            self.cursor = int(found[0])

    def window(self, height: int) -> Rows:
        """The rows in a window of `height` lines; the window moves as little as the cursor demands."""
        height = max(1, height)
        self.top = min(self.top, self.cursor, max(0, len(self.order) - height))
        self.top = max(self.top, self.cursor - height + 1, 0)
        return self.order[self.top : self.top + height]

    def _arrange(self) -> None:
        if not self.sort_column or self.sort_column not in self.table:
            self.order = self._kept if self._kept is not None else np.arange(len(self.table), dtype=np.int64)
            return
        ordered = sorted_rows(self.table, self.sort_column, self.descending)
        if self._kept is not None:
            shown = np.zeros(len(self.table), dtype=bool)
            shown[self._kept] = True
            ordered = ordered[shown[ordered]]
        self.order = ordered

    def _keep_row(self, change: Any) -> None:
        row = self.row
        change()
        self.cursor = min(self.cursor, max(0, len(self.order) - 1))
        if row is not None:
            self.go_to_row(row)


def sorted_rows(table: Table, column: str, descending: bool) -> Rows:
    """Row numbers in the order of a column; unknown stands last in both directions, equals keep the table's order."""
    values = table.columns[column]
    keys: NDArray[Any]
    if isinstance(values, Strings):
        keys, unknown = values.order(), values.codes < 0
    else:
        keys = values
        unknown = np.isnan(keys) if keys.dtype.kind == "f" else keys == -1
    if keys.dtype.kind in "iub" or keys.dtype == bool:
        ranked = -keys.astype(np.int64) if descending else keys
    else:
        ranked = -keys if descending else keys
    order = np.argsort(ranked, kind="stable")
    if unknown.any():
        order = np.concatenate([order[~unknown[order]], order[unknown[order]]])
    return order.astype(np.int64, copy=False)


def matches(table: Table, condition: Condition, search_column: str) -> NDArray[np.bool_]:
    """Which rows meet a condition; text is tried once per distinct value, numbers all at once."""
    name = condition.field or search_column
    values = table.columns.get(name)
    if values is None:
        return np.zeros(len(table), dtype=bool)
    if isinstance(values, Strings):
        per_value = np.array([condition.holds(value) for value in values.values] + [condition.holds(None)], dtype=bool)
        return per_value[values.codes]
    limit = condition.number
    if limit is None:
        return np.zeros(len(table), dtype=bool)
    compared = {
        "<": np.less, ">": np.greater, "<=": np.less_equal, ">=": np.greater_equal, "=": np.equal, "!=": np.not_equal,
    }[condition.operator]  # fmt: skip
    result: NDArray[np.bool_] = compared(values, limit)
    return result
