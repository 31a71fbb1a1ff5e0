"""What the Live screen answers to a person's words: it stands for some seconds and never in place of an alarm."""

from __future__ import annotations

from textual import events
from textual.timer import Timer

from npuscope.tui.screens.page import Page
from npuscope.tui.session import Part
from npuscope.tui.widgets.inputline import InputLine

STANDS_S = 10.0


class Complaining(Page):
    """A page with a complaint: about a path or a filter that was typed. The next key ends it, or STANDS_S."""

    def __init__(self) -> None:
        super().__init__()
        self.complaint = ""
        self._timer: Timer | None = None

    def complain(self, text: str) -> None:
        """Say what is wrong; "" takes back what was said."""
        if self._timer is not None:
            self._timer.stop()
        self.complaint = text
        self._timer = self.set_timer(STANDS_S, self.end_complaint) if text else None

    def end_complaint(self) -> None:
        """Nothing is wrong any more, or it was said long enough."""
        if not self.complaint:
            return
        self.complain("")
        if self.is_current:
            self.show(Part(0))

    def on_key(self, event: events.Key) -> None:
        """The next key; while a filter is typed it is judged anew with every letter."""
        if not self.query_one(InputLine).is_open:
            self.end_complaint()
