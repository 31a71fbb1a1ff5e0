"""A widget that is painted as whole lines and sends only the lines that changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from rich.cells import cell_len
from textual.color import Color
from textual.filter import ANSIToTruecolor
from textual.geometry import Region, Size
from textual.strip import Strip

from npuscope.tui.theming import Look
from npuscope.tui.widgets.still import Still


class HasLook(Protocol):
    """The application, as far as a widget needs it."""

    look: Look


def changed_width(old: Strip, new: Strip) -> int:
    """Cells up to the last one that differs: Textual sends a line from the widget's left edge, so the rest is saved."""
    before, after = list(old), list(new)
    while before and after and before[-1] == after[-1]:
        before.pop()
        after.pop()
    width = sum(cell_len(segment.text) for segment in after)
    if before and after and before[-1].style == after[-1].style:
        width -= cell_len(common_end(before[-1].text, after[-1].text))
    return width if before or after else 0


def common_end(one: str, other: str) -> str:
    """What both texts end with."""
    kept = 0
    while kept < min(len(one), len(other)) and one[-1 - kept] == other[-1 - kept]:
        kept += 1
    return one[len(one) - kept :]


class Canvas(Still):
    """Base of all own widgets: a subclass says in `lines` what stands on each line; `repaint` sends the difference."""

    DEFAULT_CSS = "Canvas { width: 1fr; height: auto; }"
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._strips: list[Strip] = []
        self._painted = Size(-1, -1)
        self._behind, self._true = Color(0, 0, 0), False

    @property
    def look(self) -> Look:
        """Colours and signs of the application."""
        return cast(HasLook, self.app).look

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        """What the widget shows, top to bottom; fewer or more than `height` lines are blank or cut."""
        raise NotImplementedError

    def repaint(self) -> None:
        """Show the present state: lines that are as they were are not sent again."""
        size = self.outer_size  # there is no border: the same as `size`, which takes far longer to tell
        if size.width == 0 or not self.is_attached:
            return
        if self._painted != size:
            self.refresh()
            return
        fresh = list(self.lines(*size))
        old, self._strips = self._strips, fresh
        changed = []
        for y in range(min(size.height, max(len(old), len(fresh)))):
            known = y < len(old) and y < len(fresh)
            if known and (old[y] is fresh[y] or old[y] == fresh[y]):
                continue
            changed.append(Region(0, y, changed_width(old[y], fresh[y]) if known else size.width, 1))
        if changed:
            self.refresh(*changed)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines, painted when the size or the theme changed, else from memory.

        A canvas has no border, padding or tint: Textual's own way, which works them in, takes three times as long.
        """
        size = self.outer_size
        if self._painted != size:
            self._painted = size
            self._strips = list(self.lines(*size))
            self._behind, self._true = self.background_colors[1], self.look.true_colors
        known = len(self._strips)
        strips = [self._strips[y] if y < known else self._blank(size.width) for y in crop.line_range]
        for one in self.get_line_filters():
            if not (self._true and isinstance(one, ANSIToTruecolor)):
                strips = [strip.apply_filter(one, self._behind) for strip in strips]
        begin, end = crop.column_span
        return strips if (begin, end) == (0, size.width) else [strip.crop(begin, end) for strip in strips]

    def _blank(self, width: int) -> Strip:
        return Strip.blank(width, self.look.style("text"))

    def forget(self) -> None:
        """Paint everything anew (another theme)."""
        self._painted = Size(-1, -1)
        self.refresh()
