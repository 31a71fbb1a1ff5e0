"""A list painted as a head and one line a row: what a click and the wheel mean there."""

from __future__ import annotations

from typing import Protocol

from textual import events
from textual.message import Message

from npuscope.tui.widgets.canvas import Canvas


class ListView(Protocol):
    """The state of a list, as far as keys and the mouse move it: the rows of `len`, a window from `top`, a cursor."""

    cursor: int
    top: int
    sort_column: str

    def __len__(self) -> int: ...

    def move(self, steps: int) -> None:
        """The cursor, bounded."""

    def sort(self, column: str) -> None:
        """Order by a column; by the same one again the other way round."""


class ListCanvas(Canvas):
    """Base of the lists under a head; a subclass paints them and tells which head stands where."""

    class Pointed(Message):
        """A row was clicked; again = the cursor stood there already."""

        def __init__(self, position: int, again: bool) -> None:
            super().__init__()
            self.position = position
            self.again = again

    class HeadChosen(Message):
        """A head was clicked."""

        def __init__(self, column: str) -> None:
            super().__init__()
            self.column = column

    class Wheel(Message):
        """The wheel was turned by so many lines."""

        def __init__(self, steps: int) -> None:
            super().__init__()
            self.steps = steps

    def __init__(self, listed: ListView) -> None:
        super().__init__()
        self._listed = listed

    @property
    def room(self) -> int:
        """Rows the window shows at once."""
        return max(1, self.size.height - 1)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns on the screen that can be sorted by, left to right."""
        raise NotImplementedError

    def head_at(self, x: int) -> str:
        """The column whose head is at x, or left of it."""
        raise NotImplementedError

    def on_click(self, event: events.Click) -> None:
        """A click on a head sorts, on a row moves the cursor there, on the cursor's row opens."""
        event.stop()
        if event.y == 0:
            self.post_message(self.HeadChosen(self.head_at(event.x)))
            return
        position = self._listed.top + event.y - 1
        if position < len(self._listed):
            self.post_message(self.Pointed(position, position == self._listed.cursor))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Three lines a notch, as terminals do."""
        event.stop()
        self.post_message(self.Wheel(3))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Three lines a notch."""
        event.stop()
        self.post_message(self.Wheel(-3))
