"""A widget that is painted as whole lines and sends only the lines that changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from rich.cells import cell_len
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from npuscope.tui.theming import Look


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


class Canvas(Widget):
    """Base of all own widgets: a subclass says in `lines` what stands on each line; `repaint` sends the difference."""

    DEFAULT_CSS = "Canvas { width: 1fr; height: auto; }"
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._strips: list[Strip] = []
        self._painted = Size(-1, -1)

    @property
    def look(self) -> Look:
        """Colours and signs of the application."""
        return cast(HasLook, self.app).look

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        """What the widget shows, top to bottom; fewer or more than `height` lines are blank or cut."""
        raise NotImplementedError

    def repaint(self) -> None:
        """Show the present state: lines that are as they were are not sent again."""
        size = self.size
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

    def render_line(self, y: int) -> Strip:
        """One line, painted when the size or the theme changed, else from memory."""
        size = self.size
        if self._painted != size:
            self._painted = size
            self._strips = list(self.lines(*size))
        if y < len(self._strips):
            return self._strips[y]
        return Strip.blank(self.size.width, self.look.style("text"))

    def forget(self) -> None:
        """Paint everything anew (another theme)."""
        self._painted = Size(-1, -1)
        self.refresh()
