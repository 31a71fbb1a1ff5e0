"""The keys of the Operators screen; what they change is shown by the screen itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from npuscope.analysis.summary import Summary
from npuscope.tui.filtering import FilterError
from npuscope.tui.messages import OpenRun
from npuscope.tui.operators.levels import LEVELS, NUMBER_FIELDS, TEXT_FIELDS, Levels, same_operator
from npuscope.tui.screens.page import Page
from npuscope.tui.session import Opened, Part
from npuscope.tui.tableview import Rows
from npuscope.tui.text import clean, t
from npuscope.tui.widgets.optable import OperatorTable


class OperatorKeys(Page):
    """Levels, filter, and the ways deeper."""

    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        ("enter", "key.drill", "drill"),
        ("tab", "key.level", "next_level"),
        ("/", "key.filter", "filter"),
        ("s", "key.sort", "sort"),
        ("c", "key.columns", "columns"),
        ("w", "key.worst", "worst"),
        ("g", "key.gaps", "gaps"),
        ("f", "key.findings", "findings"),
        ("F", "key.files", "files"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "drill", show=False),
        Binding("tab", "next_level", show=False, priority=True),
        Binding("slash", "filter", show=False),
        Binding("c", "columns", show=False),
        Binding("w", "worst", show=False),
        Binding("g", "gaps", show=False),
        Binding("f", "findings", show=False),
        Binding("F", "files", show=False),
        Binding("escape", "clear", show=False),
        Binding("question_mark", "explain", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.level = "types"
        self._levels = Levels(None)
        self._wanted_row: Callable[[], int] | None = None
        self._matching: tuple[Rows | None, str] = (None, "")  # of which order, and what it adds up to
        self._filter = ""
        self._complaint = ""
        self._finding: int | None = None  # the one whose operators are shown

    def keys(self) -> Sequence[tuple[str, str, str]]:
        """What there is something for: a table, its operators, the files of a run."""
        opened = self.opened
        if opened is None:
            return ()
        if opened.stopped_at is not None:
            return (("enter", "key.open", "drill"), *(key for key in self.KEYS if key[2] == "files"))
        if self._shown is not None:
            return self.KEYS
        there = {"files"} if self._levels.first is None else {"files", "sort", "filter", "columns", "worst"}
        return tuple(key for key in self.KEYS if key[2] in there)

    def named(self) -> Iterator[tuple[str, str, Callable[[], object]]]:
        """The operator types by name, for the palette: name, what it is, and what goes to its line."""
        if self._shown is None:
            return
        types = self._shown.types
        for row, (name, count) in enumerate(zip(types.strings("type").tolist(), types.numbers("count").tolist())):
            if name is None:
                continue
            about = t("palette.operator.one") if count == 1 else t("palette.operator", n=int(count))
            yield clean(name), about, partial(self._go_to_type, row)

    def _go_to_type(self, row: int) -> None:
        self.level = "types"
        self._wanted_row = lambda: row
        self._filter_typed("")

    def _show_table(self) -> None:
        """Show the level as it is now."""
        raise NotImplementedError

    @property
    def opened(self) -> Opened | None:
        """The profile of this screen."""
        return self.session.now_open

    @property
    def _shown(self) -> Summary | None:
        return self._levels.summary

    def action_next_level(self) -> None:
        """Types, instances, shapes; the cursor stays on the same operator."""
        row, summary, before = self._row(), self._shown, self.query_one(OperatorTable).level
        level = LEVELS[(LEVELS.index(self.level) + 1) % len(LEVELS)]
        if row is not None and summary is not None:
            self._wanted_row = partial(same_operator, summary, before, row, level)
        self.level = level
        self._show_table()

    def _row(self) -> int | None:
        view = self.query_one(OperatorTable).view
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
        self._finding = None
        self._complaint = ""
        try:
            self._levels.filter(text)
        except FilterError as error:
            key = "operators.bad_number" if error.number else "operators.bad_filter"
            self._complaint = t(key, word=error.word, known=", ".join((*TEXT_FIELDS, *NUMBER_FIELDS)))
        self._show_table()
        self.show(Part(0))

    def _filter_done(self, text: str | None) -> None:
        if text is None:
            self._filter_typed("")
        self.query_one(OperatorTable).focus()

    def action_clear(self) -> None:
        """esc: no filter, and back to the finding it came from; without one it ends the reading of a big file."""
        opened, finding = self.opened, self._finding
        if self._filter:
            self._filter_typed("")
            if finding is not None:
                self._show_findings(finding)
        elif opened is not None and opened.summary is None and opened.progress is not None:
            self.scope.desk.cancel(opened)
            self.show(Part.SUMMARY)

    def action_drill(self) -> None:
        """Deeper: the operator under the cursor; the file again whose reading was ended."""
        row, opened = self._row(), self.opened
        if opened is not None and opened.stopped_at is not None:
            self.post_message(OpenRun(opened.run))
        elif row is not None:
            self._drill(row)

    def on_operator_table_chosen(self, message: OperatorTable.Chosen) -> None:
        """A double click."""
        self._drill(message.row)

    def _drill(self, row: int) -> None:
        from npuscope.tui.screens.operator import OperatorScreen

        if self._shown is not None:
            self.app.push_screen(OperatorScreen(self._shown, self.query_one(OperatorTable).level, row))

    def action_explain(self) -> None:
        """Why the row under the cursor has its label; the help where there is no row."""
        row, summary, level = self._row(), self._shown, self.query_one(OperatorTable).level
        if row is None or summary is None:
            self.scope.action_help()
            return
        from npuscope.tui.screens.label import LabelScreen
        from npuscope.tui.widgets.opdetail import row_and_verdict

        verdict, values = row_and_verdict(summary, level, row)
        self.app.push_screen(LabelScreen(summary, level, row, values, verdict))

    def action_columns(self) -> None:
        """Which further columns the table has."""
        from npuscope.tui.screens.columns import ColumnsScreen

        table = self.query_one(OperatorTable)

        def chosen(columns: tuple[str, ...] | None) -> None:
            if columns is not None:
                table.chosen = columns
                table.repaint()

        self.app.push_screen(ColumnsScreen(self.level, table.chosen, table.shown), chosen)

    def action_gaps(self) -> None:
        """Idle time, the largest first."""
        from npuscope.tui.screens.lists import GapsScreen

        if self._shown is not None:
            self.app.push_screen(GapsScreen(self._shown), self._go_to_instance)

    def action_findings(self) -> None:
        """Patterns over several operators."""
        self._show_findings(self._finding or 0)

    def _show_findings(self, at: int) -> None:
        from npuscope.tui.screens.findings import FindingsScreen

        if self._shown is not None:
            self.app.push_screen(FindingsScreen(self._shown, at), self._show_operators_of)

    def action_files(self) -> None:
        """All files of the run."""
        from npuscope.tui.screens.files import FilesScreen

        if self.opened is not None:
            self.app.push_screen(FilesScreen(self.opened.run, self.MODE))

    def _go_to_instance(self, row: int | None) -> None:
        if row is not None:
            self.level = "instances"
            self._wanted_row = lambda: row
            self._show_table()

    def _show_operators_of(self, chosen: tuple[str, int] | None) -> None:
        if chosen is not None:
            line, finding = chosen
            self.level = "types"
            self._filter_typed(line)
            self._finding = finding
