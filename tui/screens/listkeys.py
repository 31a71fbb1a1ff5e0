"""The keys and the mouse of a page that is one list: they move its cursor and order it."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from npuscope.tui.screens.page import Page
from npuscope.tui.session import Part
from npuscope.tui.widgets.listcanvas import ListCanvas, ListView


class ListKeys(Page):
    """A page with one ListCanvas. They are the page's own bindings, so that the list moves while a filter is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown,ctrl+f", "page(1)", show=False),
        Binding("pageup,ctrl+b", "page(-1)", show=False),
        Binding("home,g", "edge(-1)", show=False),
        Binding("end,G", "edge(1)", show=False),
        Binding("s", "sort(1)", show=False),
        Binding("S", "sort(-1)", show=False),
    ]
    complaint = ""

    @property
    def listed(self) -> ListView:
        """What the list shows."""
        raise NotImplementedError

    def moved(self) -> None:
        """Show what changed by a key."""
        self.complaint = ""
        self.show(Part.RUNS)

    def say(self, sentence: str) -> None:
        """A sentence in the place of the answer on top, until the next key."""
        self.complaint = sentence
        self.show(Part.RUNS)

    def action_move(self, steps: int) -> None:
        """The cursor up or down."""
        self.listed.move(steps)
        self.moved()

    def action_page(self, direction: int) -> None:
        """The cursor by a window."""
        self.action_move(direction * max(1, self.query_one(ListCanvas).room - 1))

    def action_edge(self, direction: int) -> None:
        """The cursor to the first or last row."""
        self.action_move(direction * len(self.listed))

    def action_sort(self, step: int) -> None:
        """Order by the next or previous of the columns on the screen."""
        columns, by = self.query_one(ListCanvas).columns, self.listed.sort_column
        at = columns.index(by) if by in columns else 0
        self.listed.sort(columns[(at + step) % len(columns)])
        self.moved()

    def action_reverse(self) -> None:
        """The other way round."""
        self.listed.sort(self.listed.sort_column)
        self.moved()

    def on_list_canvas_pointed(self, message: ListCanvas.Pointed) -> None:
        """A click moves the cursor, a second one opens."""
        self.action_move(message.position - self.listed.cursor)
        if message.again:
            self.call_later(self.run_action, "open")

    def on_list_canvas_head_chosen(self, message: ListCanvas.HeadChosen) -> None:
        """A click on a head sorts; on the head that sorts it reverses."""
        self.listed.sort(message.column)
        self.moved()

    def on_list_canvas_wheel(self, message: ListCanvas.Wheel) -> None:
        """The wheel moves the cursor."""
        self.action_move(message.steps)
