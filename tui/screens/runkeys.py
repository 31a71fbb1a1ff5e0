"""The keys that move in the list of runs, order it and filter it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from npuscope.parsers.profile import Run
from npuscope.tui.filtering import FilterError
from npuscope.tui.runview import NUMBERS, TEXTS, RunView
from npuscope.tui.screens.page import Page
from npuscope.tui.session import Part
from npuscope.tui.text import t
from npuscope.tui.widgets.runlist import RunList


class RunKeys(Page):
    """A page with a RunList. They are the page's own bindings, so that the list moves while a filter is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown,ctrl+f", "page(1)", show=False),
        Binding("pageup,ctrl+b", "page(-1)", show=False),
        Binding("home,g", "edge(-1)", show=False),
        Binding("end,G", "edge(1)", show=False),
        Binding("s", "sort(1)", show=False),
        Binding("S", "sort(-1)", show=False),
        Binding("R", "reverse", show=False),
        Binding("z", "fold", show=False),
        Binding("slash", "filter", show=False),
        Binding("escape", "clear", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.view = RunView(lambda run: self.session.headline(run))
        self.filter_text = ""
        self.complaint = ""

    def moved(self) -> None:
        """Show what changed by a key."""
        self.complaint = ""
        self.show(Part.RUNS)

    def action_move(self, steps: int) -> None:
        """The cursor up or down."""
        self.view.move(steps)
        self.moved()

    def action_page(self, direction: int) -> None:
        """The cursor by a window."""
        self.action_move(direction * max(1, self.query_one(RunList).rows - 1))

    def action_edge(self, direction: int) -> None:
        """The cursor to the first or last run."""
        self.action_move(direction * len(self.view.shown))

    def action_sort(self, step: int) -> None:
        """Order by the next or previous column."""
        self.view.step_sort(step, self.query_one(RunList).columns)
        self.moved()

    def action_reverse(self) -> None:
        """The other way round."""
        self.view.sort(self.view.sort_column)
        self.moved()

    # ---- jobs: the ranks that one line stands for

    def keys(self) -> Sequence[tuple[str, str, str]]:
        """On a job's line enter compares its ranks."""
        if self.view.folds.job(self.view.run) is None:
            return self.KEYS
        return (("enter", "key.ranks", "open"), ("z", "key.unfold", "fold"), *self.KEYS[2:])

    def action_fold(self) -> None:
        """The ranks of the job at the cursor one by one, or as one line again."""
        run = self.view.run
        if run is not None and not self.view.toggle_fold():
            self.say(t("ranks.fold.none", name=run.name))
        else:
            self.moved()

    def open_job(self, line: Run) -> bool:
        """The ranks of a job's line; False for a run."""
        from npuscope.tui.screens.ranks import RanksScreen

        job = self.view.folds.job(line)
        if job is not None:
            self.complaint = ""
            self.app.push_screen(RanksScreen(job))
        return job is not None

    def is_job(self, line: Run) -> bool:
        """Whether a line stands for a job; then it is said that commands are those of its ranks."""
        if self.view.folds.job(line) is None:
            return False
        self.say(t("ranks.fold.one"))
        return True

    def say(self, sentence: str) -> None:
        """A sentence in the place of the second line on top, until the next key."""
        self.complaint = sentence
        self.show(Part.RUNS)

    def action_filter(self) -> None:
        """Ask for a filter; the list follows while it is typed."""
        hint = t("profiles_screen.filter.hint")
        self.ask(t("profiles_screen.filter"), self.filter_text, self._filter_typed, self._filter_done, hint)

    def _filter_typed(self, text: str) -> None:
        self.filter_text, self.complaint = text, ""
        try:
            self.view.filter(text)
        except FilterError as error:
            known = ", ".join((*TEXTS, *NUMBERS))
            self.complaint = t("profiles_screen.bad_filter", word=error.word, known=known)
        self.show(Part.RUNS)

    def _filter_done(self, text: str | None) -> None:
        self._filter_typed(text or "")

    def action_clear(self) -> None:
        """Esc: no filter, no complaint."""
        self._filter_typed("")

    # ---- the mouse

    def on_run_list_pointed(self, message: RunList.Pointed) -> None:
        """A click moves the cursor, a second one opens."""
        self.action_move(message.position - self.view.cursor)
        if message.again:
            self.call_later(self.run_action, "open")

    def on_run_list_head_chosen(self, message: RunList.HeadChosen) -> None:
        """A click on a head sorts; on the head that sorts it reverses."""
        self.view.sort(message.column)
        self.moved()

    def on_run_list_wheel(self, message: RunList.Wheel) -> None:
        """The wheel moves the cursor."""
        self.action_move(message.steps)
