"""One file of a run as a table: read in the child process, ordered and filtered like the operators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from npuscope.parsers.msprof.run_files import RunFile
from npuscope.parsers.profile import Run
from npuscope.parsers.say import Problem
from npuscope.parsers.table import Strings
from npuscope.tui import numbers
from npuscope.tui.files.jobs import FileSheet
from npuscope.tui.files.sheetanswer import sheet_answer, sheet_meta
from npuscope.tui.files.sheetview import SheetView
from npuscope.tui.files.sheetwords import kind_words
from npuscope.tui.filtering import FilterError
from npuscope.tui.paint import fit_middle
from npuscope.tui.screens.page import Page
from npuscope.tui.session import Part
from npuscope.tui.text import t, told
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.fieldpane import FieldPane
from npuscope.tui.widgets.gap import Gap
from npuscope.tui.widgets.panelrule import PanelRule
from npuscope.tui.widgets.sheettable import SheetTable

PANE_LOW, PANE = 3, 6


class FileTableScreen(Page):
    """The table; tab shows the next one of a file that holds several."""

    TOPIC = "files"
    DEFAULT_CSS = f"""
    FileTableScreen FieldPane {{ height: {PANE}; }}
    FileTableScreen.-low FieldPane {{ height: {PANE_LOW}; }}
    """
    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        ("esc", "key.back", "leave"),
        ("/", "key.filter", "filter"),
        ("s", "key.sort", "sort(1)"),
        ("R", "key.reverse", "reverse"),
        ("← →", "key.shift", "shift(1)"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "filter", show=False),
        Binding("tab", "next_table(1)", show=False, priority=True),
        Binding("shift+tab", "next_table(-1)", show=False, priority=True),
        Binding("R", "reverse", show=False),
        Binding("escape", "leave", show=False),
        Binding("backspace,F", "back", show=False),
        Binding("enter", "again", show=False),
    ]

    def __init__(self, run: Run, one: RunFile, mode: str) -> None:
        super().__init__()
        self.MODE = mode
        self.run_shown, self.one = run, one
        self.table: str | None = None
        self._held: SheetView | None = None
        self._filter = ""
        self._complaint = ""

    def body(self) -> Iterable[Widget]:
        yield PanelRule(id="sheet-rule")
        yield SheetTable()
        yield Gap()
        yield PanelRule(id="row-rule")
        yield FieldPane()

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(SheetTable).focus()
        self.scope.desk.files.open(self.one, self.table)

    # ---- what is shown

    @property
    def _found(self) -> FileSheet | Problem | float | None:
        return self.scope.desk.files.sheet(self.one, self.table)

    def session_changed(self, part: Part) -> None:
        if not part & (Part.RUNS | Part.LOOK):
            return
        found = self._found
        sheet = found if isinstance(found, FileSheet) else None
        if sheet is not None and (self._held is None or self._held.sheet is not sheet):
            self._held, self._filter, self._complaint = SheetView(sheet), "", ""
        elif sheet is None:
            self._held = None
        table = self.query_one(SheetTable)
        table.note = told(found.message) if isinstance(found, Problem) else t("operators.no_rows") if sheet else ""
        if self._filter and sheet is not None:
            table.note = t("files.no-match", filter=self._filter)
        table.show_sheet(self._held)
        self._show_rules()

    def _show_rules(self) -> None:
        table = self.query_one(SheetTable)
        title = f"{self.one.file}" if self._held is None else kind_words(self._held.sheet.kind)
        if self._held is not None and self._held.sheet.name is not None:
            title += f" · {self._held.sheet.name}"
        shown = len(table.view) if table.view is not None and self._filter else None
        meta = sheet_meta(self._held.sheet, shown, table.hidden) if self._held is not None else ""
        room = self.size.width - len(meta) - 12
        self.query_one("#sheet-rule", PanelRule).show(fit_middle(title, room, self.scope.look.glyphs.cut), meta)
        self._show_row(table.view.row if table.view is not None else None)

    def _show_row(self, row: int | None) -> None:
        rule, pane = self.query_one("#row-rule", PanelRule), self.query_one(FieldPane)
        if row is None or self._held is None:
            rule.show("")
            pane.show(())
            return
        rule.show(t("files.row", n=numbers.count(row + 1)), self._held.sheet.columns[0].source.partition(":")[0])
        pane.show([(one.form.head, one.form.cell(self._value(one.name, row))) for one in self._held.columns])

    def _value(self, name: str, row: int) -> object:
        assert self._held is not None
        column = self._held.sheet.table.columns[name]
        return column[row] if isinstance(column, Strings) else column[row].item()

    def answer(self) -> Answer:
        if self._complaint:
            return Answer("warn", self._complaint)
        pace = self.scope.desk.files.bytes_per_s(self.one, self.table)
        return sheet_answer(self.one.file.rpartition("/")[2], self.run_shown.name, self._found, pace)

    def keys(self) -> Sequence[tuple[str, str, str]]:
        if self._held is None or len(self._held.sheet.tables) < 2:
            return self.KEYS
        return (self.KEYS[0], ("tab", "key.next_table", "next_table(1)"), *self.KEYS[1:])

    def on_operator_table_moved(self, message: SheetTable.Moved) -> None:
        """The pane follows the cursor."""
        message.stop()
        self._show_rules()

    # ---- keys

    def action_sort(self, direction: int) -> None:
        """By the next column on the screen."""
        self.query_one(SheetTable).action_sort(direction)

    def action_reverse(self) -> None:
        """The other way round."""
        self.query_one(SheetTable).action_reverse()

    def action_shift(self, direction: int) -> None:
        """Columns sideways."""
        self.query_one(SheetTable).action_shift(direction)
        self._show_rules()

    def action_next_table(self, direction: int) -> None:
        """The next table of a file that holds several."""
        if self._held is None or len(self._held.sheet.tables) < 2:
            return
        names = [one.name for one in self._held.sheet.tables]
        self.table = names[(names.index(self._held.sheet.name or names[0]) + direction) % len(names)]
        self.scope.desk.files.open(self.one, self.table)
        self.show(Part.RUNS)

    def action_filter(self) -> None:
        """Ask for a filter; the table follows while it is typed."""
        if self._held is not None:
            hint = t("files.sheet.filter.hint", column=self._held.main, fields=", ".join(self._held.fields[:4]))
            self.ask(t("files.filter"), self._filter, self._filter_typed, self._filter_done, hint)

    def _filter_typed(self, text: str) -> None:
        held, table = self._held, self.query_one(SheetTable)
        self._filter, self._complaint = text, ""
        if held is None:
            return
        try:
            conditions = held.conditions(text)
        except FilterError as error:
            known = ", ".join(held.fields)
            self._complaint = t("operators.bad_number" if error.number else "operators.bad_filter",
                                word=error.word, known=known)  # fmt: skip
        else:
            table.note = t("files.no-match", filter=text)
            table.put_in_order(held.view.filtered_by(conditions, held.main))
        self.show(Part(0))
        self._show_rules()

    def _filter_done(self, text: str | None) -> None:
        if text is None:
            self._filter_typed("")
        self.query_one(SheetTable).focus()

    def action_again(self) -> None:
        """A file whose reading failed is read once more."""
        if isinstance(self._found, Problem):
            self.scope.desk.files.open(self.one, self.table)
            self.show(Part.RUNS)

    def action_leave(self) -> None:
        """esc: no filter; without one back."""
        if self._filter:
            self._filter_typed("")
        else:
            self.action_back()

    def action_back(self) -> None:
        """To the list of files; what is being read is not read to its end."""
        self.scope.desk.files.drop(self.one, self.table)
        self.dismiss(None)
