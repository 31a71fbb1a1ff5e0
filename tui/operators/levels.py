"""The three tables of one profile: types, instances and shapes, each as it was last looked at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from npuscope.analysis.summary import Summary
from npuscope.analysis.times.carried import told_once_us
from npuscope.parsers.table import Column, Table
from npuscope.tui.filtering import Condition, parse
from npuscope.tui.operators.columns import units
from npuscope.tui.tableview import BIG_ROWS, Arrangement, TableView

LEVELS = ("types", "instances", "shapes")
SORTED = {"types": "total_us", "instances": "duration_us", "shapes": "total_us"}
SEARCHED = {"types": "type", "shapes": "type", "instances": "name"}
TEXT_FIELDS = ("type", "name", "label", "detail", "core", "shape", "dtype")
NUMBER_FIELDS = {
    "us": ("median_us", "duration_us"), "total": ("total_us", "duration_us"), "count": ("count",),
    "block": ("block_dim",), "core%": ("aicore_pct",), "x": ("times_over_bound",), "save": ("saving_us",),
    "wait": ("wait_us",), "device": ("device",), "stream": ("stream",), "step": ("step",),
}  # fmt: skip
TEXT_COLUMNS = {"shape": "input_shapes", "dtype": "input_dtypes"}


class Levels:
    """Views of one summary, made when first asked for. A filter holds for all of them."""

    def __init__(self, summary: Summary | None) -> None:
        self.summary = summary
        self.first: Table | None = None
        self._views: dict[str, TableView] = {}
        self._how: dict[str, Arrangement] = {}
        self._cursors: dict[str, int] = {}
        self._conditions: tuple[Condition, ...] = ()

    @classmethod
    def of_totals(cls, first: Table) -> Levels:
        """Only the totals per type: of a big file that is still being read."""
        made = cls(None)
        made.first = first
        totals = first.numbers("total_us")
        share = 100 * totals / totals.sum() if totals.sum() else totals
        made._views["types"] = TableView(first.extended({"share_pct": share}), sort="total_us")
        return made

    def again(self, summary: Summary) -> Levels:
        """The same profile, read again: order and filter stay, and the cursor as far as it can."""
        made = Levels(summary)
        made._conditions = self._conditions
        made._how = {**self._how, **{level: view.how for level, view in self._views.items()}}
        made._cursors = {level: view.cursor for level, view in self._views.items()}
        return made

    def is_heavy(self, level: str) -> bool:
        """Whether making a level's view takes so long that it has to be done beside the screen."""
        return level not in self._views and self.summary is not None and len(_rows(self.summary, level)) >= BIG_ROWS

    def owns(self, view: TableView | None) -> bool:
        """Whether a view is one of these."""
        return any(own is view for own in self._views.values())

    def view(self, level: str) -> TableView | None:
        """The view of a level; a new one is made in the order that belongs to it."""
        if level not in self._views and self.summary is not None:
            self._views[level] = self.made(level)
        return self._views.get(level)

    def made(self, level: str) -> TableView:
        """A new view of a level, in the order that belongs to it; from any thread. Another is not put in its place."""
        assert self.summary is not None
        view = TableView(level_table(self.summary, level))
        view.units = units(view.table)
        view.arrange(self._placed(self._how.get(level, Arrangement(SORTED[level])), view.table, level))
        view.cursor = 0
        view.move(self._cursors.get(level, 0))
        return view

    def adopt(self, level: str, view: TableView) -> None:
        """Take a view that was made elsewhere."""
        self._views.setdefault(level, view)

    def wanted(self, level: str) -> Arrangement:
        """The order and filter that belong to a level now."""
        view = self._views.get(level)
        how = view.how if view is not None and view.how.column else self._how.get(level, Arrangement(SORTED[level]))
        return self._placed(how, view.table if view is not None else Table({}), level)

    def _placed(self, how: Arrangement, table: Table, level: str) -> Arrangement:
        conditions = tuple(placed_in(condition, table) for condition in self._conditions)
        return replace(how, conditions=conditions, search=SEARCHED[level])

    def filter(self, text: str) -> None:
        """Another filter line. Raises FilterError, and then the one before stays."""
        self._conditions = parse(text, TEXT_FIELDS, NUMBER_FIELDS)


def placed_in(condition: Condition, table: Table) -> Condition:
    """The condition on the column that carries its field in this table."""
    if not condition.field:
        return condition
    columns = NUMBER_FIELDS.get(condition.field) or (TEXT_COLUMNS.get(condition.field, condition.field),)
    return replace(condition, field=next((column for column in columns if column in table), columns[0]))


def level_table(summary: Summary, level: str) -> Table:
    """The table of a level; % is of all operators' time, instances also say when they start."""
    total = summary.totals.once_us
    table = _rows(summary, level)
    taken = told_once_us(table) if level == "instances" else table.numbers("total_us")
    share = 100 * taken / total if total else np.full(len(table), np.nan)
    more: dict[str, Column] = {"share_pct": share}
    if level == "instances":
        more["since_us"] = since_first_us(table)
    return table.extended(more)


def _rows(summary: Summary, level: str) -> Table:
    return {"types": summary.types, "shapes": summary.shapes, "instances": summary.ops}[level]


def since_first_us(ops: Table) -> NDArray[np.float64]:
    """Start of each instance after the first start, in us; NaN where the file lost it."""
    starts = ops.numbers("start_ns")
    if not len(starts) or starts.dtype.kind == "f" or not (starts >= 0).any():
        return np.full(len(ops), np.nan)
    first = starts[starts >= 0].min()
    return np.where(starts >= 0, (starts - first) / 1000.0, np.nan)


def same_operator(summary: Summary, level: str, row: int, wanted: str) -> int:
    """The row of another level that shows the same operator (the first instance of a type, the type of an instance)."""
    ops = summary.ops
    if wanted == "instances":
        column = "type_row" if level == "types" else "shape_row"
        found = np.flatnonzero(ops.numbers(column) == row)
        return int(found[0]) if len(found) else 0
    if level == "instances":
        return int(ops.numbers("type_row" if wanted == "types" else "shape_row")[row])
    column, other = ("type_row", "shape_row") if level == "types" else ("shape_row", "type_row")
    found = np.flatnonzero(ops.numbers(column) == row)
    return int(ops.numbers(other)[found[0]]) if len(found) else 0
