"""`F`: all files of a run, what each is and whether it is read; enter shows what stands in one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from npuscope.parsers.msprof.run_files import RunFile
from npuscope.parsers.profile import Run
from npuscope.parsers.say import Problem
from npuscope.tui.files import words as filewords
from npuscope.tui.files.view import NUMBERS, TEXTS, FileRows
from npuscope.tui.filtering import FilterError
from npuscope.tui.paint import fit_middle
from npuscope.tui.screens.listkeys import ListKeys
from npuscope.tui.session import Part
from npuscope.tui.text import t
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.filelist import FileList
from npuscope.tui.widgets.gap import Gap
from npuscope.tui.widgets.panelrule import PanelRule
from npuscope.tui.widgets.rundetail import RunDetail

PANE_LOW, PANE = 4, 6


class FilesScreen(ListKeys):
    """The files of one run, over the screen of `mode` that asked for them."""

    TOPIC = "files"
    DEFAULT_CSS = f"""
    FilesScreen RunDetail {{ height: {PANE}; }}
    FilesScreen.-low RunDetail {{ height: {PANE_LOW}; }}
    """
    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        ("esc", "key.back", "back"),
        ("enter", "key.open", "open"),
        ("/", "key.filter", "filter"),
        ("s", "key.sort", "sort(1)"),
        ("R", "key.reverse", "reverse"),
        ("r", "key.rescan", "rescan"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "rescan", show=False),
        Binding("R", "reverse", show=False),
        Binding("slash", "filter", show=False),
        Binding("enter,right,l", "open", show=False),
        Binding("escape", "leave", show=False),
        Binding("backspace,left,h,F", "back", show=False),
    ]

    def __init__(self, run: Run, mode: str) -> None:
        super().__init__()
        self.MODE = mode
        self.run_shown = run
        self.view = FileRows(lambda one: self.scope.desk.files.rows(one))
        self._filter = ""

    @property
    def listed(self) -> FileRows:
        return self.view

    def body(self) -> Iterable[Widget]:
        yield PanelRule(id="files-rule")
        yield FileList(self.view)
        yield Gap()
        yield PanelRule(id="file-rule")
        yield RunDetail()

    # ---- what is shown

    def session_changed(self, part: Part) -> None:
        if not part & (Part.RUNS | Part.LOOK):
            return
        self.run_shown = next((run for run in self.session.runs if run.path == self.run_shown.path), self.run_shown)
        self.scope.desk.files.want(self.run_shown)
        found = self.scope.desk.files.files(self.run_shown)
        if found is not None:
            self.view.take(() if isinstance(found, Problem) else found.files)
        files = self.query_one(FileList)
        files.note = t("files.no-match", filter=self._filter) if self._filter else ""
        files.repaint()
        meta = t("files.matching", n=len(self.view), of=len(self.view.files)) if self._filter else self.run_shown.path
        room = self.size.width - 30
        title = fit_middle(filewords.title(self.run_shown), room, self.scope.look.glyphs.cut)
        self.query_one("#files-rule", PanelRule).show(title, meta)
        self._show_pane()

    def _show_pane(self) -> None:
        one = self.view.file
        name = one.file.rpartition("/")[2] if one is not None else ""
        self.query_one("#file-rule", PanelRule).show(name)
        self.query_one(RunDetail).show(filewords.pane(one, self.view) if one is not None else ())

    def answer(self) -> Answer:
        if self.complaint:
            return Answer("warn", self.complaint)
        return filewords.answer(self.scope.desk.files.files(self.run_shown), self.view)

    # ---- keys

    def action_open(self) -> None:
        """The file at the cursor as a table."""
        from npuscope.tui.screens.filetable import FileTableScreen

        one = self.view.file
        if one is None:
            return
        if not one.opens:
            key = "files.opens.empty" if not one.size else f"files.opens.{one.use}"
            self.say(t(key, file=one.file.rpartition("/")[2]))
            return
        self.complaint = ""
        self.app.push_screen(FileTableScreen(self.run_shown, one, self.MODE), self._came_back)

    def _came_back(self, chosen: RunFile | None) -> None:
        self.show(Part.RUNS)

    def action_rescan(self) -> None:
        """List them anew."""
        self.scope.desk.files.forget(self.run_shown)
        self.moved()

    def action_filter(self) -> None:
        """Ask for a filter; the list follows while it is typed."""
        self.ask(t("files.filter"), self._filter, self._filter_typed, self._filter_done, t("files.filter.hint"))

    def _filter_typed(self, text: str) -> None:
        self._filter, self.complaint = text, ""
        try:
            self.view.filter(text)
        except FilterError as error:
            self.complaint = t("profiles_screen.bad_filter", word=error.word, known=", ".join((*TEXTS, *NUMBERS)))
        self.show(Part.RUNS)

    def _filter_done(self, text: str | None) -> None:
        self._filter_typed(text or "")

    def action_leave(self) -> None:
        """esc: no filter; without one back."""
        if self._filter:
            self._filter_typed("")
        else:
            self.action_back()

    def action_back(self) -> None:
        """To where it was asked for."""
        self.dismiss(None)
