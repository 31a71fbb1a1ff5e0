"""Operators: where the time goes, by type, by shape and by instance, with the bottleneck of each."""

from __future__ import annotations

from collections.abc import Iterable

from textual.message import Message
from textual.widget import Widget

from npuscope.tui.operators.answer import answer_of, matching_meta, table_meta
from npuscope.tui.operators.levels import Levels
from npuscope.tui.screens.operatorkeys import OperatorKeys
from npuscope.tui.screens.page import ROOMY_ROWS
from npuscope.tui.session import Part
from npuscope.tui.tableview import TableView
from npuscope.tui.text import t
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.gap import Gap
from npuscope.tui.widgets.opdetail import OperatorDetail
from npuscope.tui.widgets.optable import OperatorTable
from npuscope.tui.widgets.panelrule import PanelRule
from npuscope.tui.widgets.sharebar import ShareLine
from npuscope.tui.widgets.stageline import StageLine


class OperatorsScreen(OperatorKeys):
    """The table of one profile; enter goes deeper."""

    MODE = "operators"
    DEFAULT_CSS = """
    OperatorsScreen ShareLine { display: block; }
    OperatorsScreen.-tall OperatorDetail { height: 9; }
    OperatorsScreen.-low ShareLine, OperatorsScreen.-narrow ShareLine,
    OperatorsScreen.-low StageLine.-silent, OperatorsScreen.-narrow StageLine.-silent,
    OperatorsScreen.-low .share-gap, OperatorsScreen.-narrow .share-gap { display: none; }
    """

    class LevelMade(Message):
        """A thread has made the view of a level."""

        def __init__(self, levels: Levels, level: str, view: TableView) -> None:
            super().__init__()
            self.levels, self.level, self.view = levels, level, view

    def __init__(self) -> None:
        super().__init__()
        self._path = ""
        self._making: tuple[Levels, str] | None = None

    def body(self) -> Iterable[Widget]:
        yield ShareLine()
        yield StageLine()
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

    def answer(self) -> Answer:
        if self._complaint:
            return Answer("warn", self._complaint)
        return answer_of(self.opened, self.size.width, self.size.height >= ROOMY_ROWS)

    def session_changed(self, part: Part) -> None:
        if not part & (Part.SUMMARY | Part.LOOK):
            return
        opened = self.opened
        summary = opened.summary if opened else None
        path = opened.run.path if opened else ""
        if path != self._path:
            self.level, self._filter, self._complaint = "types", "", ""
        if summary is not None and summary is not self._shown:
            self._levels = self._levels.again(summary) if path == self._path else Levels(summary)
        elif summary is None:
            first = opened.first if opened else None
            if path != self._path or first is not self._levels.first:
                self._levels = Levels.of_totals(first) if first is not None else Levels(None)
        self._path = path
        self.query_one(ShareLine).show(summary.label_us if summary else {})
        self.query_one(StageLine).show(summary)
        self._show_table()

    def _show_table(self) -> None:
        if self._levels.is_heavy(self.level):
            self._make_level()
            return
        table = self.query_one(OperatorTable)
        summary, view = self._shown, self._levels.view(self.level)
        if view is None:
            reading = self.opened is not None and self.opened.progress is not None
            self._show_nothing("" if reading else t("operators.empty"))
            return
        matching = t("operators.no_match", filter=self._filter, n=len(view.table))
        table.note = matching if self._filter else t("operators.no_rows")
        table.show(view, self.level, summary.totals.once_us if summary else 0.0)
        self._show_rule()
        if view.how != self._levels.wanted(self.level):
            table.put_in_order(self._levels.wanted(self.level))
        if self._wanted_row is not None:
            table.go_to(self._wanted_row())
            self._wanted_row = None

    def _show_rule(self) -> None:
        # what is seen: a big level that is asked for may still be on its way
        table, summary = self.query_one(OperatorTable), self._shown
        view, level = table.view, self.level if table.view is None else table.level
        meta, title = "", t("operators.level." + level)
        if summary is not None:
            meta = table_meta(summary, self.size.width, title)
            if self._filter and view is not None:
                if view.order is not self._matching[0]:
                    self._matching = (view.order, matching_meta(view, summary.totals.once_us))
                meta = self._matching[1]
        elif view is not None:
            meta = t("operators.meta.first")
        self.query_one("#table-rule", PanelRule).show(title, meta)

    def _show_nothing(self, note: str) -> None:
        table = self.query_one(OperatorTable)
        table.view, table.note = None, note
        table.repaint()
        self._show_rule()
        self._show_detail(None)

    def _make_level(self) -> None:
        # a million instances: what the screen shows of this profile stays until they are there
        levels, level = self._levels, self.level
        if not levels.owns(self.query_one(OperatorTable).view):
            self._show_nothing("")
        if self._making == (levels, level):
            return
        self._making = (levels, level)

        def work() -> None:
            self.post_message(self.LevelMade(levels, level, levels.made(level)))

        self.run_worker(work, thread=True, exclusive=True, group="level")

    def on_operators_screen_level_made(self, message: LevelMade) -> None:
        """A big table is ready; it is shown if it is still asked for."""
        message.levels.adopt(message.level, message.view)
        self._making = None
        if message.levels is self._levels and message.level == self.level:
            self._show_table()

    def _show_detail(self, row: int | None) -> None:
        detail, rule = self.query_one(OperatorDetail), self.query_one("#detail-rule", PanelRule)
        if row is None or self._shown is None:
            rule.show("", "")
            detail.clear()
            return
        title, meta = detail.show(self._shown, self.query_one(OperatorTable).level, row)
        rule.show(title, meta)

    def on_operator_table_moved(self, message: OperatorTable.Moved) -> None:
        """The pane follows the cursor; the rule says what the rows of a filter add up to."""
        self._show_rule()
        self._show_detail(message.row)
