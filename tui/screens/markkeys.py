"""The keys that mark runs of the list and join the marked ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from npuscope.parsers.joined import joined_run
from npuscope.tui.messages import OpenRun
from npuscope.tui.runs.view import READABLE
from npuscope.tui.screens.runkeys import RunKeys
from npuscope.tui.text import t

FEWEST = 2


class MarkKeys(RunKeys):
    """A page with a RunList whose runs can be marked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("m", "mark", show=False),
        Binding("J", "join", show=False),
    ]

    def keys(self) -> Sequence[tuple[str, str, str]]:
        """With runs to join, joining them comes first."""
        marked = (("J", "key.join", "join"), ("esc", "key.unmark", "clear")) if len(self.view.marks) >= FEWEST else ()
        return (*super().keys()[:1], *marked, ("m", "key.mark", "mark"), *super().keys()[1:])

    def action_mark(self) -> None:
        """Mark the run at the cursor, or take its mark away, and go on to the next."""
        run = self.view.run
        if run is None or self.is_job(run):
            return
        if run.state not in READABLE:
            self.say(t("opprof.mark.not", name=run.name, state=t("profiles.state." + run.state)))
            return
        marked = self.view.marks.toggle(run)
        if marked:
            self.view.move(1)
        self.moved()
        count = len(self.view.marks)
        if marked:
            self.say(t("opprof.mark.first" if count < FEWEST else "opprof.mark.join", n=count))

    def action_join(self) -> None:
        """The marked runs as one, with the counters of all."""
        runs = self.view.marks.runs(self.view.runs)
        if len(runs) < FEWEST:
            self.say(t("opprof.mark.few"))
            return
        self.complaint = ""
        self.post_message(OpenRun(joined_run(runs)))

    def action_clear(self) -> None:
        """Esc: first the filter goes, then the marks."""
        if not self.filter_text:
            self.view.marks.clear()
        super().action_clear()
