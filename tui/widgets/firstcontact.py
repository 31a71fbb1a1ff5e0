"""The panel of the first contact."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.strip import Strip

from npuscope.tui.firstcontact import Line
from npuscope.tui.messages import KeyChosen
from npuscope.tui.paint import Row, rule
from npuscope.tui.widgets.canvas import Canvas


class FirstContact(Canvas):
    """Lines of tui.firstcontact; a click on a key presses it."""

    DEFAULT_CSS = "FirstContact { height: 1fr; display: none; }"

    def __init__(self) -> None:
        super().__init__()
        self._lines: Sequence[Line] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Other lines."""
        self._lines = lines
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        strips = []
        for line in self._lines:
            if line.title:
                strips.append(rule(self.look, width, line.title, line.meta))
                continue
            row = Row(self.look, width)
            for x, text, token in line.texts:
                row.put(x, text, token, width - x - 1)
            strips.append(row.strip())
        return strips

    def on_click(self, event: events.Click) -> None:
        """A line with a key."""
        line = self._lines[event.y] if event.y < len(self._lines) else None
        if line is not None and line.action:
            self.post_message(KeyChosen(line.action))
