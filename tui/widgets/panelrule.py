"""The rule over a panel: `─ Title ───────── meta ─`; over nothing there is none."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from npuscope.tui.paint import rule
from npuscope.tui.widgets.canvas import Canvas


class PanelRule(Canvas):
    """Title left, what is true of the whole panel right."""

    DEFAULT_CSS = "PanelRule { height: 1; }"

    def __init__(self, title: str = "", meta: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.title = title
        self.meta = meta

    def show(self, title: str, meta: str = "") -> None:
        """Other words."""
        self.title, self.meta = title, meta
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        return [rule(self.look, width, self.title, self.meta)] if self.title or self.meta else []
