"""Operators: where the time goes, by type, by shape and by instance, with the bottleneck of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from textual.binding import Binding, BindingType
from textual.widget import Widget

from npuscope.analysis.summary import Summary
from npuscope.parsers.table import Column, Table
from npuscope.tui.filtering import Condition, FilterError, parse
from npuscope.tui.opanswer import answer_of
from npuscope.tui.screens.page import Page
from npuscope.tui.session import Opened, Part
from npuscope.tui.tableview import TableView
from npuscope.tui.text import t
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.gap import Gap
from npuscope.tui.widgets.opdetail import OperatorDetail
from npuscope.tui.widgets.optable import OperatorTable
from npuscope.tui.widgets.panelrule import PanelRule
from npuscope.tui.widgets.sharebar import ShareLine

LEVELS = ("types", "instances", "shapes")
TEXT_FIELDS = ("type", "name", "label", "detail", "core", "shape", "dtype")
NUMBER_FIELDS = {
    "us": ("median_us", "duration_us"), "total": ("total_us", "duration_us"), "count": ("count",),
    "block": ("block_dim",), "core%": ("aicore_pct",), "x": ("times_over_bound",), "save": ("saving_us",),
    "wait": ("wait_us",), "device": ("device",), "stream": ("stream",), "step": ("step",),
}  # fmt: skip
TEXT_COLUMNS = {"shape": "input_shapes", "dtype": "input_dtypes"}


class OperatorsScreen(Page):
    """The table of one profile; enter goes deeper."""

    MODE = "operators"
    DEFAULT_CSS = """
    OperatorsScreen ShareLine { display: block; }
    OperatorsScreen.-low ShareLine, OperatorsScreen.-narrow ShareLine,
    OperatorsScreen.-low .share-gap, OperatorsScreen.-narrow .share-gap { display: none; }
    """
    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        ("enter", "key.drill", "drill"),
        ("tab", "key.level", "next_level"),
        ("/", "key.filter", "filter"),
        ("s", "key.sort", "sort"),
        ("c", "key.columns", "columns"),
        ("w", "key.worst", "worst"),
        ("g", "key.gaps", "gaps"),
        ("f", "key.findings", "findings"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "drill", show=False),
        Binding("tab", "next_level", show=False, priority=True),
        Binding("slash", "filter", show=False),
        Binding("c", "columns", show=False),
        Binding("w", "worst", show=False),
        Binding("g", "gaps", show=False),
        Binding("f", "findings", show=False),
        Binding("escape", "clear", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.level = "types"
        self._views: dict[str, TableView] = {}
        self._shown: Summary | None = None
        self._filter = ""
        self._complaint = ""

    def body(self) -> Iterable[Widget]:
        yield ShareLine()
        yield Gap("share-gap")
        yield PanelRule(id="table-rule")
        yield OperatorTable()
        yield Gap()
        yield PanelRule(id="detail-rule")
        yield OperatorDetail()
        yield Gap()

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(OperatorTable).focus()

    # ---- what is shown

    @property
    def opened(self) -> Opened | None:
        """The profile of this screen."""
        return self.session.now_open

    def answer(self) -> Answer:
        if self._complaint:
            return Answer("warn", self._complaint)
        return answer_of(self.opened)

    def session_changed(self, part: Part) -> None:
        if not part & (Part.SUMMARY | Part.LOOK):
            return
        opened = self.opened
        summary = opened.summary if opened else None
        if summary is not self._shown:
            self._take(summary)
        if summary is None:
            self._take_first(opened)
        self.query_one(ShareLine).show(summary.label_us if summary else {})
        self._show_table()

    def _take(self, summary: Summary | None) -> None:
        """Another profile, or the same one read again: order, filter and place stay where they can."""
        before = self._views
        same = (
            self._shown is not None and summary is not None and self._shown.profile.run.path == summary.profile.run.path
        )
        self._shown = summary
        self._views = {}
        if summary is None:
            return
        for level in LEVELS:
            view = TableView(level_table(summary, level), sort="duration_us" if level == "instances" else "total_us")
            old = before.get(level)
            if same and old is not None:
                view.sort(old.sort_column, old.descending)
                view.move(old.cursor)
            self._views[level] = view
        self._apply_filter()

    def _take_first(self, opened: Opened | None) -> None:
        """The totals of a big file that is still being read."""
        first = opened.first if opened else None
        if first is None:
            self._views = {}
        elif "types" not in self._views:
            totals = first.numbers("total_us")
            table = first.extended({"share_pct": 100 * totals / totals.sum() if totals.sum() else totals})
            self._views = {"types": TableView(table, sort="total_us")}

    def _show_table(self) -> None:
        table = self.query_one(OperatorTable)
        summary, view = self._shown, self._views.get(self.level)
        rule = self.query_one("#table-rule", PanelRule)
        if summary is None and view is not None:
            table.show(view, self.level, 0.0)
            rule.show(t("operators.level." + self.level), t("operators.meta.first"))
            return
        if summary is None or view is None:
            table.view = None
            table.note = t("operators.empty")
            table.repaint()
            rule.show(t("operators.level." + self.level), "")
            self._show_detail(None)
            return
        table.note = (
            t("operators.no_match", filter=self._filter, n=len(view.table)) if self._filter else t("operators.no_rows")
        )
        rule.show(t("operators.level." + self.level), table_meta(summary, self.size.width))
        table.show(view, self.level, summary.totals.total_us)

    def _show_detail(self, row: int | None) -> None:
        detail, rule = self.query_one(OperatorDetail), self.query_one("#detail-rule", PanelRule)
        if row is None or self._shown is None:
            rule.show("", "")
            detail.clear()
            return
        title, meta = detail.show(self._shown, self.level, row)
        rule.show(title, meta)

    def on_operator_table_moved(self, message: OperatorTable.Moved) -> None:
        """The pane follows the cursor."""
        self._show_detail(message.row)

    # ---- keys

    def action_next_level(self) -> None:
        """Types, instances, shapes; the cursor stays on the same operator."""
        before, row = self.level, self._row()
        self.level = LEVELS[(LEVELS.index(self.level) + 1) % len(LEVELS)]
        view = self._views.get(self.level)
        if view is not None and row is not None and self._shown is not None:
            view.go_to_row(same_operator(self._shown, before, row, self.level))
        self._show_table()

    def _row(self) -> int | None:
        view = self._views.get(self.level)
        return view.row if view is not None else None

    def action_worst(self) -> None:
        """What would give back most."""
        self.query_one(OperatorTable).sort_by("saving_us", fresh=True)
        self.query_one(OperatorTable).action_edge(-1)

    def action_sort(self) -> None:
        """The next column (for the footer's click)."""
        self.query_one(OperatorTable).action_sort(1)

    def action_filter(self) -> None:
        """Ask for a filter; the table follows while it is typed."""
        self.ask(
            t("operators.filter_prompt"),
            self._filter,
            self._filter_typed,
            self._filter_done,
            hint=t("operators.filter_hint"),
        )

    def _filter_typed(self, text: str) -> None:
        self._filter = text
        self._apply_filter()
        self._show_table()
        self.show(Part(0))

    def _filter_done(self, text: str | None) -> None:
        if text is None:
            self._filter_typed("")
        self.query_one(OperatorTable).focus()

    def action_clear(self) -> None:
        """esc: no filter."""
        if self._filter:
            self._filter_typed("")

    def _apply_filter(self) -> None:
        self._complaint = ""
        try:
            conditions = parse(self._filter, TEXT_FIELDS, NUMBER_FIELDS)
        except FilterError as error:
            self._complaint = t(
                "operators.bad_filter", word=error.word, known=", ".join((*TEXT_FIELDS, *NUMBER_FIELDS))
            )
            return
        for level, view in self._views.items():
            view.filter([placed_in(condition, view.table) for condition in conditions], SEARCHED[level])

    def action_drill(self) -> None:
        """Deeper: the operator under the cursor."""
        row = self._row()
        if row is not None:
            self._drill(row)

    def on_operator_table_chosen(self, message: OperatorTable.Chosen) -> None:
        """A double click."""
        self._drill(message.row)

    def _drill(self, row: int) -> None:
        from npuscope.tui.screens.operator import OperatorScreen

        if self._shown is not None:
            self.app.push_screen(OperatorScreen(self._shown, self.level, row))

    def action_columns(self) -> None:
        """Which further columns the table has."""
        from npuscope.tui.screens.columns import ColumnsScreen

        table = self.query_one(OperatorTable)

        def chosen(columns: tuple[str, ...] | None) -> None:
            if columns is not None:
                table.chosen = columns
                table.repaint()

        self.app.push_screen(ColumnsScreen(self.level, table.chosen), chosen)

    def action_gaps(self) -> None:
        """Idle time, the largest first."""
        from npuscope.tui.screens.lists import GapsScreen

        if self._shown is not None:
            self.app.push_screen(GapsScreen(self._shown), self._go_to_instance)

    def action_findings(self) -> None:
        """Patterns over several operators."""
        from npuscope.tui.screens.lists import FindingsScreen

        if self._shown is not None:
            self.app.push_screen(FindingsScreen(self._shown), self._search_for)

    def _go_to_instance(self, row: int | None) -> None:
        if row is not None and "instances" in self._views:
            self.level = "instances"
            self._views["instances"].go_to_row(row)
            self._show_table()

    def _search_for(self, operator: str | None) -> None:
        if operator:
            self._filter_typed(operator)


SEARCHED = {"types": "type", "shapes": "type", "instances": "name"}


def level_table(summary: Summary, level: str) -> Table:
    """The table of a level; % is of all operators' time, instances also say when they start."""
    total = summary.totals.total_us
    table = {"types": summary.types, "shapes": summary.shapes, "instances": summary.ops}[level]
    taken = table.numbers("duration_us" if level == "instances" else "total_us")
    share = 100 * taken / total if total else np.full(len(table), np.nan)
    more: dict[str, Column] = {"share_pct": share}
    if level == "instances":
        more["since_us"] = since_first_us(table)
    return table.extended(more)


def since_first_us(ops: Table) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
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


def placed_in(condition: Condition, table: Table) -> Condition:
    """The condition on the column that carries its field in this table."""
    columns = NUMBER_FIELDS.get(condition.field) or (TEXT_COLUMNS.get(condition.field, condition.field),)
    return (
        replace(condition, field=next((column for column in columns if column in table), columns[0]))
        if condition.field
        else condition
    )


def table_meta(summary: Summary, width: int) -> str:
    """What is true of the whole table: run, chip, versions, span, busy, counts."""
    totals, metadata = summary.totals, summary.profile.metadata
    name = Path(summary.profile.run.path).name
    parts = [name[:11] if name.startswith("PROF_") else name, summary.chip.name]
    if width >= 100:
        parts += [f"CANN {metadata.cann}" if metadata.cann else None, metadata.aic_metrics]
    if totals.span_us is not None:
        parts.append(t("operators.meta.span", us=totals.span_us))
    if totals.busy_pct is not None:
        parts.append(t("operators.meta.busy", pct=totals.busy_pct))
    devices = len(totals.by_device)
    if devices > 1:
        parts.append(t("operators.meta.devices", n=devices))
    if summary.profile.rows_skipped:
        parts.append(t("operators.meta.skipped", n=summary.profile.rows_skipped))
    key = "operators.meta.counts" if width >= 100 else "operators.meta.ops"
    parts.append(t(key, ops=totals.rows, types=len(summary.types)))
    return ("   " if width >= 100 else "  ").join(part for part in parts if part)
