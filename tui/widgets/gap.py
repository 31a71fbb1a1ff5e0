"""A blank line between two panels; it goes first when the window is low."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from npuscope.tui.widgets.canvas import Canvas


class Gap(Canvas):
    """Nothing, one line high."""

    DEFAULT_CSS = "Gap { height: 1; }"

    def __init__(self, classes: str = "") -> None:
        super().__init__(classes=f"gap {classes}".strip())

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        return []
