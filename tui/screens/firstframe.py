"""The frame that stands on the screen while the first screen is imported: its tabs and the keys that always work.

Only its two lines are sent: forty lines of blanks would take half a second of a slow connection.
"""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from npuscope.tui.widgets.footer import KeyLine
from npuscope.tui.widgets.tabs import Clock, TabBar


class FirstFrame(Screen[None]):
    """Tabs and keys where every page has them, and nothing between."""

    def __init__(self, modes: Sequence[tuple[str, str]], active: str) -> None:
        super().__init__()
        self._tabs, self._keys = TabBar(modes), KeyLine()
        self._tabs.active = active

    def render_lines(self, crop: Region) -> list[Strip]:
        """The first and the last line; the others are as wide as a line, but nothing of them is sent."""
        width, height = self.size
        (tabs,), (keys,) = self._tabs.lines(width - Clock.WIDTH, 1), self._keys.lines(width, 1)
        lines = {0: tabs.adjust_cell_length(width, self._tabs.look.style("text")), height - 1: keys}
        return [lines.get(y, Strip([], width)) for y in crop.line_range]
