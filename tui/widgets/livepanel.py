"""What the three tables of the Live screen share: a cursor, an order, keys and mouse, and how their lines are tiled.

A line is painted by one narrow widget per group of columns, because Textual sends a changed line from the left edge of
its widget: so a new number costs its own cells and not the history beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.message import Message
from textual.strip import Strip

from npuscope.tui.listing import Listing
from npuscope.tui.live.columns import Column
from npuscope.tui.paint import Row
from npuscope.tui.theming import Look
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.widgets.splitrule import SplitRule
from npuscope.tui.widgets.still import StillHorizontal, StillVertical
from npuscope.tui.wrapping import wrap

MOST_KEPT = 2000  # painted rows


@dataclass(frozen=True)
class Group:
    """Columns painted by one widget, from column x on."""

    x: int
    width: int
    columns: tuple[Column, ...]


def tiled(columns: Iterable[Column], begins: Collection[str], width: int) -> tuple[Group, ...]:
    """Groups that tile a line of `width` cells without a gap; columns of `begins` start a new one."""
    found: list[list[Column]] = [[]]
    for column in columns:
        if column.name in begins and found[-1]:
            found.append([])
        found[-1].append(column)
    starts = [0, *(columns[0].x for columns in found[1:])]
    ends = [*starts[1:], width]
    return tuple(Group(start, end - start, tuple(group)) for start, end, group in zip(starts, ends, found))


class GroupCanvas(Canvas):
    """The rows of one group."""

    DEFAULT_CSS = "GroupCanvas { height: 1fr; width: 0; }"

    def __init__(self, panel: LivePanel) -> None:
        super().__init__()
        self._panel = panel
        self.group: Group | None = None

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        if self.group is None:
            return []
        group, look = self.group, self.look
        return [self._panel.line(group, row, look) for row in self._panel.in_window()]


class HeadLine(Canvas):
    """The names of the columns."""

    DEFAULT_CSS = "HeadLine { height: 1; }"

    def __init__(self, panel: LivePanel) -> None:
        super().__init__()
        self._panel = panel

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        row = Row(self.look, width)
        if self._panel.listing.rows:
            self._panel.head(row)
        return [row.strip()]


class NoteLines(Canvas):
    """Why there are no rows, over as many lines as it takes."""

    def __init__(self, panel: LivePanel) -> None:
        super().__init__(classes="note")
        self._panel = panel

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        return [Row(self.look, width).put(2, line, "dim").strip() for line in folded(self._panel.note, width - 4)]


def folded(text: str, width: int) -> list[str]:
    """A text over several lines, broken at blanks."""
    return [line for part in text.split("\n") if part for line in wrap(part, width)]


class LivePanel(StillVertical):
    """A rule, a head and rows. The cursor shows in the `active` panel: the one that the screen's keys go to."""

    DEFAULT_CSS = """
    LivePanel { height: 1; }
    LivePanel .rows { height: 1fr; }
    LivePanel .note { display: none; height: 1fr; }
    LivePanel .-unused { display: none; }
    LivePanel.-empty .note { display: block; }
    LivePanel.-empty .rows { display: none; }
    """
    HEAD_LINES: ClassVar[int] = 2
    GROUPS: ClassVar[int] = 1  # as many as its columns are ever tiled into

    class Clicked(Message):
        """A row or a head was clicked; `chosen` at the second click on a row."""

        def __init__(self, panel: LivePanel, chosen: bool = False) -> None:
            super().__init__()
            self.panel = panel
            self.chosen = chosen

    class Sized(Message):
        """The panel has another room for rows."""

    def __init__(self, panel_id: str, key_of: Callable[[Any], Hashable]) -> None:
        super().__init__(id=panel_id)
        self.key_of = key_of
        self.listing: Listing[Any] = Listing(key_of)
        self._painted_rows: dict[Hashable, tuple[Hashable, Look, Strip]] = {}
        self.active = False
        self.linked: frozenset[Hashable] = frozenset()
        self.note = ""
        self.rule = SplitRule()
        self._head = HeadLine(self)
        self._groups = [GroupCanvas(self) for _ in range(self.GROUPS)]
        self._note = NoteLines(self)

    def compose(self) -> ComposeResult:
        yield self.rule
        yield self._head
        with StillHorizontal(classes="rows"):
            yield from self._groups
        yield self._note

    # ---- what a panel says of its lines

    def head(self, row: Row) -> None:
        """Put the names of the columns."""
        raise NotImplementedError

    def cell(self, row: Row, x: int, column: Column, line: Any) -> None:
        """Put one cell at x."""
        raise NotImplementedError

    def link_keys(self, line: Any) -> Collection[Hashable]:
        """What a row is linked by."""
        raise NotImplementedError

    def values(self, group: Group, line: Any) -> Hashable:
        """Everything that decides how the group's cells of a row look, beside cursor and colours."""
        raise NotImplementedError

    def line(self, group: Group, line: Any, look: Look) -> Strip:
        """One group of one row; painted only when something of it changed."""
        selected = self.selected(line)
        linked = bool(self.linked) and not self.linked.isdisjoint(self.link_keys(line))
        state = (selected, linked, self.values(group, line))
        place = (group, self.key_of(line))
        known = self._painted_rows.get(place)
        if known is None or known[0] != state or known[1] is not look:
            known = (state, look, self._paint(group, line, look, selected, linked))
            if len(self._painted_rows) > MOST_KEPT:
                self._painted_rows.clear()
            self._painted_rows[place] = known
        return known[2]

    def _paint(self, group: Group, line: Any, look: Look, selected: bool, linked: bool) -> Strip:
        row = Row(look, group.width, selected=selected or linked)
        if group.x == 0 and (selected or linked):
            row.put(0, look.glyphs.mark, "accent" if selected else "neutral")
        for column in group.columns:
            self.cell(row, column.x - group.x, column, line)
        return row.strip()

    def tile(self, groups: Sequence[Group]) -> None:
        """Other columns."""
        for number, canvas in enumerate(self._groups):
            canvas.group = groups[number] if number < len(groups) else None
            canvas.set_class(canvas.group is None, "-unused")
            if canvas.group is not None:
                canvas.styles.width = canvas.group.width
            canvas.forget()

    def fill(self, lines: Sequence[Any], note: str = "") -> None:
        """Other rows, in their order; `note` stands there when there are none."""
        self.listing.show(lines)
        self.note = note
        self.set_class(not lines, "-empty")
        self.repaint()

    @property
    def room(self) -> int:
        """Lines for rows."""
        return max(0, self.size.height - self.HEAD_LINES)

    def on_resize(self) -> None:
        """Titles tell how many rows are in sight."""
        self.post_message(self.Sized())

    def in_window(self) -> Sequence[Any]:
        """The rows in the window."""
        return self.listing.window(self.room, follow=self.active or not self.linked)

    def selected(self, row: Any) -> bool:
        """Whether the cursor stands on the row."""
        return self.active and row is self.listing.row

    def repaint(self) -> None:
        """Show the present state."""
        self._head.repaint()
        for canvas in self._groups:
            if canvas.group is not None:
                canvas.repaint()
        if not self.listing.rows:
            self._note.repaint()

    # ---- keys and mouse

    def move(self, steps: int) -> None:
        """Cursor up or down."""
        self.listing.move(steps)
        self.repaint()

    def page(self, direction: int) -> None:
        """A window's height."""
        self.move(direction * max(1, self.room - 1))

    def edge(self, direction: int) -> None:
        """First or last row."""
        self.move(direction * len(self.listing))

    def sortable(self) -> list[str]:
        """The columns on screen that can sort."""
        return []

    def sort_at(self, x: int) -> None:
        """A click on the head."""

    def click(self, x: int, y: int, again: bool) -> None:
        """A click at a cell of the panel: a head sorts, a row is selected, a selected row is chosen."""
        if y == 1 and self.HEAD_LINES > 1:
            self.sort_at(x)
        position = self.listing.top + y - self.HEAD_LINES
        on_row = y >= self.HEAD_LINES and position < len(self.listing)
        same = on_row and position == self.listing.cursor and self.active
        if on_row:
            self.listing.cursor = position
        self.post_message(self.Clicked(self, chosen=same and again))

    def on_click(self, event: events.Click) -> None:
        """Clicks of all children arrive here; the place on the screen tells the cell."""
        self.click(int(event.screen_x) - self.region.x, int(event.screen_y) - self.region.y, event.chain > 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel moves the cursor."""
        event.stop()
        self.move(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel, upwards."""
        event.stop()
        self.move(-3)
