"""The rule over a panel whose right end changes with every reading: only that end is sent again."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.strip import Strip

from npuscope.tui.paint import Row
from npuscope.tui.text import clean, plain
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.widgets.still import StillHorizontal

GAP = 2  # blanks after what stays; the moving part brings one more


class RuleStart(Canvas):
    """`─ Title ────── what stays`."""

    def __init__(self) -> None:
        super().__init__()
        self.title = ""
        self.fixed = ""
        self.gap = 0

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        row = Row(self.look, width)
        sign = self.look.glyphs.rule
        start = 3 + cell_len(clean(self.title))
        text = plain(self.fixed) if self.look.ascii else clean(self.fixed)
        if cell_len(text) > width - start - self.gap - 2:
            text = ""
        end = width - cell_len(text) - self.gap - 1 if text else width
        row.put(0, sign, "faint").put(2, self.title, "text!")
        row.put(start, sign * (end - start), "faint")
        row.put(end + 1, text, "dim")
        return [row.strip()]


class RuleEnd(Canvas):
    """`what moves ─`; without words only the rule's last sign."""

    DEFAULT_CSS = "RuleEnd { width: 2; }"

    def __init__(self) -> None:
        super().__init__()
        self.moving = ""
        self.after_words = False

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        row = Row(self.look, width)
        sign = self.look.glyphs.rule
        text = plain(self.moving) if self.look.ascii else clean(self.moving)
        start = max(0, width - 2 - cell_len(text)) if text else width if not self.after_words else width - 1
        if not self.after_words:
            row.put(0, sign * max(0, start - 1 if text else start), "faint")
        row.put(start, text, "dim").put(width - 1, sign, "faint")
        return [row.strip()]


class SplitRule(StillHorizontal):
    """Title, words that stay, and words that move; the room for the latter grows and never shrinks."""

    DEFAULT_CSS = "SplitRule { height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self._left = RuleStart()
        self._right = RuleEnd()
        self._room = 2
        self._for_width = 0

    def compose(self) -> ComposeResult:
        yield self._left
        yield self._right

    def show(self, title: str, fixed: str = "", moving: str = "") -> None:
        """Other words."""
        if self.size.width != self._for_width:
            self._for_width, self._room = self.size.width, 2
        needed = (cell_len(clean(moving)) + 3) if moving else 2
        if needed > self._room:
            self._room = min(needed, max(2, self.size.width - cell_len(title) - 6))
            self._right.styles.width = self._room
        self._left.title, self._left.fixed, self._left.gap = title, fixed, GAP if moving else 0
        self._right.moving, self._right.after_words = moving, bool(fixed)
        self._left.repaint()
        self._right.repaint()
