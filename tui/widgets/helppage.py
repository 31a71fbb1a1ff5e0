"""The help page's lines: a window of them, moved by lines, windows and sections; the line that was found is marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events
from textual.message import Message
from textual.strip import Strip

from npuscope.tui.helptext import SUB_INDENT, HelpLine, found, lay_out, text_x, title_of
from npuscope.tui.paint import Row, rule
from npuscope.tui.widgets.canvas import Canvas

WHEEL = 3


class HelpPage(Canvas):
    """All lines that `lay` makes for a width (the help by default), from line `top` on."""

    DEFAULT_CSS = "HelpPage { height: 1fr; }"

    class Moved(Message):
        """Another part of the page is in the window."""

    def __init__(self, topic: str, lay: Callable[[int, bool], list[HelpLine]] = lay_out) -> None:
        super().__init__()
        self._lay = lay
        self.page: list[HelpLine] = []
        self.top = 0
        self.hit = -1
        self._topic = topic
        self._width = 0

    def fit(self) -> None:
        """Lay out anew where the width changed; what stood at the top stays there, at first the topic's section."""
        if self._width == self.size.width or not self.size.width:
            return
        before = self.page[self.top] if self.page else None
        self._width = self.size.width
        self.page = self._lay(self._width, self.look.ascii)
        self.hit = -1
        self.top = title_of(self.page, before.section if before else self._topic)
        self.move(0)

    @property
    def last_top(self) -> int:
        """The line at the top when the end of the page is in the window."""
        return max(0, len(self.page) - self.size.height)

    def move(self, steps: int) -> None:
        """Up or down by lines."""
        self.top = max(0, min(self.last_top, self.top + steps))
        self.repaint()
        self.post_message(self.Moved())

    def section(self, direction: int) -> None:
        """To the next or previous section's title; back to this one's first."""
        titles = [at for at, line in enumerate(self.page) if line.title]
        wanted = [at for at in titles if (at > self.top if direction > 0 else at < self.top)]
        if wanted:
            self.move((wanted[0] if direction > 0 else wanted[-1]) - self.top)

    def find(self, wanted: str, direction: int = 0) -> tuple[int, int]:
        """Mark the first line with a text from the top of the window on, or the one after (before) the marked line.

        Returns which of how many lines it is, counted from 1; (0, 0) when there is none.
        """
        hits = found(self.page, wanted)
        if not hits:
            self.hit = -1
            self.repaint()
            return 0, 0
        if direction and self.hit in hits:
            place = (hits.index(self.hit) + direction) % len(hits)
        else:
            place = next((at for at, line in enumerate(hits) if line >= self.top), 0)
        self.hit = hits[place]
        inside = self.top <= self.hit < self.top + self.size.height - 1
        self.move(0 if inside else self.hit - self.size.height // 3 - self.top)
        return place + 1, len(hits)

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        shown = self.page[self.top : self.top + height]
        return [self._line(width, line, at == self.hit) for at, line in enumerate(shown, self.top)]

    def _line(self, width: int, line: HelpLine, marked: bool) -> Strip:
        if line.title:
            return rule(self.look, width, line.text, accent=True)
        row = Row(self.look, width, selected=marked)
        if marked:
            row.put(0, ">" if self.look.mono else self.look.glyphs.mark, "accent")
        row.put(2 + SUB_INDENT * max(0, line.level), line.term, "text!")
        return row.put(2 if line.level < 0 else text_x(width), line.text).strip()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel."""
        event.stop()
        self.move(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel."""
        event.stop()
        self.move(-WHEEL)
