"""The keys that move in the list of runs, order it and filter it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from npuscope.parsers.profile import Run
from npuscope.tui.filtering import FilterError
from npuscope.tui.runs.view import NUMBERS, TEXTS, RunView
from npuscope.tui.screens.listkeys import ListKeys
from npuscope.tui.session import Part
from npuscope.tui.text import t


class RunKeys(ListKeys):
    """A page with a RunList."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("R", "reverse", show=False),
        Binding("z", "fold", show=False),
        Binding("slash", "filter", show=False),
        Binding("escape", "clear", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.view = RunView(lambda run: self.session.headline(run))
        self.filter_text = ""

    @property
    def listed(self) -> RunView:
        return self.view

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
