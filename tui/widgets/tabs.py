"""The first line: the screens, the host and the time of the reading."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events
from textual.strip import Strip

from npuscope.tui.messages import TabChosen
from npuscope.tui.paint import Row
from npuscope.tui.text import t
from npuscope.tui.widgets.canvas import Canvas

ROOMY = 100  # columns from which the product's name and the host stand on the line


class Clock(Canvas):
    """The time of the reading on screen; a widget of its own, so that a second costs its digits and not the line."""

    WIDTH = 11
    DEFAULT_CSS = "Clock { height: 1; width: 11; }"

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        return [Row(self.look, width).number(0, self.text, width - 2).strip()]

    def show(self, text: str) -> None:
        """Another time; nothing is sent when it is the same."""
        self.text = text
        self.repaint()


class TabBar(Canvas):
    """` npuscope  [1 Live] 2 Profiles 3 Operators      host`."""

    DEFAULT_CSS = "TabBar { height: 1; }"

    def __init__(self, modes: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._modes = modes  # (mode, key)
        self._spans: list[tuple[int, int, str]] = []
        self.active = ""
        self.host = ""

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        row = Row(self.look, width)
        x = 2
        if width + Clock.WIDTH >= ROOMY:
            row.put(x, "npuscope")
            x += 9
        self._spans = []
        for mode, key in self._modes:
            name = f"{key} {t('tab.' + mode)}"
            active = mode == self.active
            shown = f"[{name}]" if active and self.look.mono else f" {name} "
            if active:
                row.styled(x, shown, self.look.style("accent", bold=True, selected=True))
            else:
                row.put(x, shown, "text")
            self._spans.append((x, x + cell_len(shown), mode))
            x += cell_len(shown)
        if width + Clock.WIDTH >= ROOMY and self.host:
            row.put(width - 2 - cell_len(self.host), self.host)
        return [row.strip()]

    def on_click(self, event: events.Click) -> None:
        """A click on a tab goes there."""
        for start, end, mode in self._spans:
            if start <= event.x < end:
                self.post_message(TabChosen(mode))
