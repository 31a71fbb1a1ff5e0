"""The last line: the keys that apply now. Help and quit stand right and are never dropped, export where it is wide."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events
from textual.strip import Strip

from npuscope.tui.messages import KeyChosen
from npuscope.tui.paint import Row
from npuscope.tui.text import t
from npuscope.tui.widgets.canvas import Canvas

EXPORT = ("e", "key.export", "app.export")  # on every screen; in a narrow window it is the first to give way
WIDE = 100
FIXED = (("?", "key.help", "app.help"), ("q", "key.quit", "app.quit"))


class KeyLine(Canvas):
    """Keys as (key, catalogue key of its meaning, action)."""

    DEFAULT_CSS = "KeyLine { height: 1; dock: bottom; }"

    def __init__(self) -> None:
        super().__init__()
        self.keys: Sequence[tuple[str, str, str]] = ()
        self._spans: list[tuple[int, int, str]] = []

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        row = Row(self.look, width)
        gap = 3 if width >= WIDE else 2
        fixed = (EXPORT, *FIXED) if width >= WIDE else FIXED
        right = width - 2 - sum(self._width(key, text) for key, text, _ in fixed) - gap * (len(fixed) - 1)
        self._spans = []
        x = 2
        for key, text, action in self.keys if width >= WIDE else (*self.keys, EXPORT):
            if x + self._width(key, text) > right - gap:
                break
            x = self._put(row, x, key, text, action) + gap
        x = right
        for key, text, action in fixed:
            x = self._put(row, x, key, text, action) + gap
        return [row.strip()]

    @staticmethod
    def _width(key: str, text: str) -> int:
        return len(key) + 1 + cell_len(t(text))

    def _put(self, row: Row, x: int, key: str, text: str, action: str) -> int:
        end = row.parts(x, [(key, "text"), (t(text), "dim")], gap=1) - 1
        self._spans.append((x, end, action))
        return end

    def show(self, keys: Sequence[tuple[str, str, str]]) -> None:
        """Other keys."""
        self.keys = keys
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        """A click on a key presses it."""
        for start, end, action in self._spans:
            if start <= event.x < end:
                self.post_message(KeyChosen(action))
