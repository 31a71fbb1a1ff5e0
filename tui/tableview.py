"""What an operator table shows of a `Table`: order, filter, cursor and window, as pure state without a screen.

The table itself is never copied or sorted: `order` holds the row numbers to show, and a cursor follows its row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.table import Strings, Table
from npuscope.tui.filtering import Condition

BIG_ROWS = 100_000  # from here on a table is made and put in order beside the screen
Rows = NDArray[np.int64]
Units = Mapping[str, tuple[str, float, int]]  # of each time column: its unit, us in it, decimals


@dataclass(frozen=True)
class Arrangement:
    """What is shown and in which order: a column ("" = as in the table) and the conditions that rows must meet."""

    column: str = ""
    descending: bool = True
    conditions: tuple[Condition, ...] = ()
    search: str = "type"


def arranged(table: Table, how: Arrangement) -> Rows:
    """The row numbers to show. Takes a tenth of a second for a million rows, mostly outside Python's lock."""
    kept: NDArray[np.bool_] | None = None
    for condition in how.conditions:
        met = matches(table, condition, how.search)
        kept = met if kept is None else kept & met
    if not how.column or how.column not in table:
        return np.arange(len(table), dtype=np.int64) if kept is None else np.flatnonzero(kept)
    ordered = sorted_rows(table, how.column, how.descending)
    return ordered if kept is None else ordered[kept[ordered]]


class TableView:
    """One way to look at a table. Positions count what is shown, rows count the table; `units` are the columns' own."""

    def __init__(self, table: Table, sort: str = "", descending: bool = True) -> None:
        self.table = table
        self.how = Arrangement()
        self.units: Units | None = None
        self.cursor = 0
        self.top = 0
        self.order: Rows = np.arange(len(table), dtype=np.int64)
        if sort:
            self.arrange(Arrangement(sort, descending))
            self.cursor = 0

    def __len__(self) -> int:
        return len(self.order)

    @property
    def row(self) -> int | None:
        """The table row under the cursor."""
        return int(self.order[self.cursor]) if len(self.order) else None

    def sorted_by(self, column: str, descending: bool | None = None) -> Arrangement:
        """Order by a column; text starts ascending, numbers descending, the same column again reverses."""
        if descending is None:
            same = column == self.how.column
            descending = not self.how.descending if same else not isinstance(self.table.columns.get(column), Strings)
        return replace(self.how, column=column, descending=descending)

    def filtered_by(self, conditions: Sequence[Condition], search: str) -> Arrangement:
        """Only rows that meet all conditions."""
        return replace(self.how, conditions=tuple(conditions), search=search)

    def arrange(self, how: Arrangement) -> None:
        """Show it that way; the cursor follows its row."""
        self.adopt(how, arranged(self.table, how))

    def adopt(self, how: Arrangement, order: Rows) -> None:
        """The same with an order that was worked out elsewhere."""
        row = self.row
        self.how, self.order = how, order
        self.cursor = min(self.cursor, max(0, len(order) - 1))
        if row is not None:
            self.go_to_row(row)

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
