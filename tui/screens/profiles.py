"""Profiles: every run that was found, what state it is in, and the command that brings it on."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from npuscope.parsers.profile import Run
from npuscope.tui.messages import OpenRun, WantHeadlines
from npuscope.tui.paint import fit
from npuscope.tui.runs import folds as runfolds
from npuscope.tui.runs import foldwords
from npuscope.tui.runs.desk import Asked, CommandEnded, CommandSaid, Counted, RunDesk
from npuscope.tui.runs.view import READABLE, wanted_of
from npuscope.tui.runs.words import answer_of, detail_of, meta_of, note_of, title_meta, where
from npuscope.tui.screens.markkeys import MarkKeys
from npuscope.tui.session import Part
from npuscope.tui.text import t
from npuscope.tui.text import told as said
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.gap import Gap
from npuscope.tui.widgets.panelrule import PanelRule
from npuscope.tui.widgets.rundetail import RunDetail
from npuscope.tui.widgets.runlist import RunList

PANE_LOW, PANE = 4, 7  # lines of the pane at less than 30 rows, and from there on
OF_A_COMMAND = ("run_command", "copy")  # keys that need a run with a command
OF_A_RUN = ("open", "files", "mark", *OF_A_COMMAND)  # keys that need a run
TITLE_LEAVES = 34  # cells for what stands right of the pane's title


class ProfilesScreen(MarkKeys):
    """The list and, under it, what the run at the cursor holds, lacks and needs."""

    MODE = "profiles"
    DEFAULT_CSS = f"""
    ProfilesScreen RunDetail {{ height: {PANE}; }}
    ProfilesScreen.-low RunDetail {{ height: {PANE_LOW}; }}
    """
    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        ("enter", "key.operators", "open"),
        ("F", "key.files", "files"),
        ("x", "key.run_export", "run_command"),
        ("o", "key.open", "ask_path"),
        ("/", "key.filter", "filter"),
        ("s", "key.sort", "sort(1)"),
        ("r", "key.rescan", "rescan"),
        ("y", "key.copy_command", "copy"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,right,l", "open", show=False),
        Binding("F", "files", show=False),
        Binding("r", "rescan", show=False),
        Binding("o", "ask_path", show=False),
        Binding("y", "copy", show=False),
        Binding("x", "run_command", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.desk = RunDesk(self.post_message)
        self._taken: tuple[Run, ...] | None = None
        self._go_to = ""

    def keys(self) -> Sequence[tuple[str, str, str]]:
        """Only what can be done with the run at the cursor: one without a command has none to run or to copy."""
        run = self.view.run
        without = OF_A_RUN if run is None else OF_A_COMMAND if not run.next_command else ()
        offered = super().keys()
        return tuple(key for key in offered if key[2] not in without)

    def body(self) -> Iterable[Widget]:
        yield PanelRule(id="runs-rule")
        yield RunList(self.view)
        yield Gap()
        yield PanelRule(id="run-rule")
        yield RunDetail()

    def on_unmount(self) -> None:
        """A command that was started here ends with the screens."""
        self.desk.stop()

    # ---- what is shown

    def session_changed(self, part: Part) -> None:
        if not part & (Part.RUNS | Part.LOOK):
            return
        runs = self.query_one(RunList)
        if self.session.runs is not self._taken:
            self._taken = self.session.runs
            self.view.roots = tuple(str(Path(root).absolute()) for root in self.session.roots)
            self.view.take(self.session.runs)
            runs.take_runs(time.time())
            if self._go_to:
                self._go_to = "" if self._reached(self._go_to) else self._go_to
        self._refresh()

    def _reached(self, folder: str) -> bool:
        found = next((run for run in self.view.shown if run.path == folder or run.path.startswith(folder + "/")), None)
        if found is not None:
            self.view.go_to(found.path)
        return found is not None

    def answer(self) -> Answer:
        answer = answer_of(self.view, self.session.runs_known, self._place(), self.size.width)
        return Answer("warn", answer.first, self.complaint) if self.complaint else answer

    def _place(self) -> str:
        return where(self.session.roots, str(Path.cwd()))

    def _refresh(self) -> None:
        """Paint list and pane, and ask for what the window shows and nobody has read yet."""
        runs = self.query_one(RunList)
        runs.note = note_of(self.view, self.session.runs_known, self.filter_text, self.session.closed)
        height = list_height(self.size.height, self.has_class("-low"), len(self.view.shown) or len(runs.note))
        if runs.styles.height is None or runs.styles.height.value != height:
            runs.styles.height = height
        runs.repaint()
        watched, closed = self.session.watched, self.session.closed
        meta = meta_of(self.view, self.filter_text, self._place(), watched, closed)
        self.query_one("#runs-rule", PanelRule).show(t("profiles_screen.title"), meta)
        self._show_detail()
        wanted = wanted_of(self.view, self.view.window(height - 1))
        if wanted:
            self.post_message(WantHeadlines(wanted))

    def _show_detail(self) -> None:
        run, rule, pane = self.view.run, self.query_one("#run-rule", PanelRule), self.query_one(RunDetail)
        if run is None:
            rule.show("", "")
            pane.show(())
            return
        job = self.view.folds.job(run)
        if job is not None:
            rule.show(runfolds.name(job), title_meta(run))
            pane.show(foldwords.job_lines(job))
            return
        place = self.desk.place(run)
        rule.show(
            fit(run.name, self.size.width - TITLE_LEAVES, self.scope.look.glyphs.cut),
            title_meta(run, self.view.headline(run)),
        )
        pane.show(detail_of(self.view, run, place))

    # ---- what arrives

    def on_counted(self, message: Counted) -> None:
        """A folder was counted."""
        message.stop()
        self.desk.counted(message)
        self._show_detail()

    def on_command_said(self, message: CommandSaid) -> None:
        """The command that runs wrote a line."""
        message.stop()
        self.desk.command_said(message)
        self._show_detail()

    def on_command_ended(self, message: CommandEnded) -> None:
        """The command is over: see what it made."""
        message.stop()
        self.say(said(self.desk.command_ended(message)))
        self.scope.runs.rescan()

    def on_asked(self, message: Asked) -> None:
        """What the path that was typed is."""
        message.stop()
        if message.run is not None:
            self.post_message(OpenRun(message.run))
        if message.folder:
            self._go_to = message.folder
            self.session.roots = tuple(dict.fromkeys((*self.session.roots, message.folder)))
            self.scope.runs.watch(Path(message.folder))
        if message.complaint is not None:
            self.say(said(message.complaint))

    # ---- keys

    def action_rescan(self) -> None:
        """Look at the folders now."""
        self.scope.runs.rescan()
        self.moved()

    def action_open(self) -> None:
        """The operators of the run at the cursor, or what it needs before it has any."""
        run = self.view.run
        if run is None:
            return
        if self.open_job(run):
            return
        if run.state in READABLE:
            self.complaint = ""
            self.post_message(OpenRun(run))
            return
        reason = said(run.reason) if run.reason else ""
        self.say(t("profiles_screen.needs", name=run.name, state=t("profiles.state." + run.state), reason=reason))

    def action_files(self) -> None:
        """All files of the run at the cursor."""
        from npuscope.tui.screens.files import FilesScreen

        run = self.view.run
        if run is not None and not self.is_job(run):
            self.app.push_screen(FilesScreen(run, self.MODE))

    def action_ask_path(self) -> None:
        """Ask for a folder, a run or a file to open."""
        self.ask(t("profiles_screen.open"), "", None, self._path_done, t("profiles_screen.open.hint"))

    def _path_done(self, text: str | None) -> None:
        if text and text.strip():
            self.desk.look_at(text.strip())

    def action_copy(self) -> None:
        """The command of the run at the cursor into the terminal's clipboard."""
        run = self.view.run
        if run is None or self.is_job(run):
            return
        if not run.next_command:
            self.say(t("profiles_screen.no_command", name=run.name))
            return
        self.app.copy_to_clipboard(run.next_command)
        self.say(t("profiles_screen.copied", command=run.next_command))

    def action_run_command(self) -> None:
        """Run the command of the run at the cursor, after asking."""
        run = self.view.run
        if run is None or self.is_job(run):
            return
        refusal = self.desk.refusal(run)
        if refusal is not None:
            self.say(said(refusal))
            return
        self.confirm(t("profiles_screen.run_it", command=run.next_command), lambda yes: self._start(run, yes))

    def _start(self, run: Run, yes: bool) -> None:
        if yes:
            self.desk.start(run)
        self.moved()


def list_height(rows: int, low: bool, wanted: int) -> int:
    """Lines of the list: its runs and the head, as far as a window of `rows` has room above the pane."""
    gaps, pane = (0, PANE_LOW) if low else (3, PANE)
    taken = 1 + 2 + gaps + 1 + 1 + pane + 1 + 1  # tabs, answer, blanks, two rules, pane, blank, keys
    return max(4, min(rows - taken, wanted + 1))
