"""The operator table: virtual, so a million rows show as fast as forty. It asks its view for the rows in the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from npuscope.parsers.table import Strings
from npuscope.tui.operators.cells import Cells
from npuscope.tui.operators.columns import BAR, Placed, layout, units
from npuscope.tui.paint import Row
from npuscope.tui.tableview import BIG_ROWS, Arrangement, Rows, TableView, Units, arranged
from npuscope.tui.widgets.canvas import Canvas


class OperatorTable(Canvas, can_focus=True):
    """One level (types, shapes, instances) of one profile."""

    DEFAULT_CSS = "OperatorTable { height: 1fr; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown,ctrl+f", "page(1)", show=False),
        Binding("pageup,ctrl+b", "page(-1)", show=False),
        Binding("home", "edge(-1)", show=False),
        Binding("end,G", "edge(1)", show=False),
        Binding("right,l", "shift(1)", show=False),
        Binding("left,h", "shift(-1)", show=False),
        Binding("s", "sort(1)", show=False),
        Binding("S", "sort(-1)", show=False),
        Binding("r", "reverse", show=False),
    ]

    class Moved(Message):
        """The cursor stands on another row (None: nothing is shown)."""

        def __init__(self, row: int | None) -> None:
            super().__init__()
            self.row = row

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, OperatorTable.Moved)

    class Chosen(Message):
        """A second click on the row under the cursor."""

        def __init__(self, row: int) -> None:
            super().__init__()
            self.row = row

    class Arranged(Message):
        """A thread has put a big table in order."""

        def __init__(self, view: TableView, how: Arrangement, order: Rows) -> None:
            super().__init__()
            self.view, self.how, self.order = view, how, order

    def __init__(self) -> None:
        super().__init__()
        self.view: TableView | None = None
        self.level = "types"
        self.chosen: tuple[str, ...] = ()
        self.total_us = 0.0
        self.note = ""
        self._units: Units = {}
        self._placed: list[Placed] = []
        self._shift = 0

    # ---- what is shown

    def show(self, view: TableView, level: str, total_us: float) -> None:
        """Another table, level or profile."""
        if view is not self.view:
            self._units = units(view.table) if view.units is None else view.units
        self.view, self.level, self.total_us = view, level, total_us
        self.repaint()
        self.post_message(self.Moved(view.row))

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        if self.view is None:
            return [Row(self.look, width).put(2, self.note, "dim").strip()]
        self._placed = layout(self.level, width, self.chosen, self._shift)
        how = self.view.how
        cells = Cells(self.view.table, self._placed, self._units, how.column, how.descending, self.total_us)
        strips = [cells.heads(Row(self.look, width)).strip()]
        for position, row in enumerate(self.view.window(height - 1).tolist(), self.view.top):
            line = Row(self.look, width, selected=position == self.view.cursor)
            if line.selected:
                line.put(0, self.look.glyphs.mark, "accent")
            strips.append(cells.row(line, row).strip())
        if not len(self.view):
            strips.append(Row(self.look, width).put(2, self.note, "dim").strip())
        return strips

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns on the screen."""
        return tuple(placed.column for placed in self._placed)

    # ---- keys and mouse

    def action_move(self, steps: int) -> None:
        """Cursor up or down."""
        self._moved(lambda view: view.move(steps))

    def action_page(self, direction: int) -> None:
        """A window's height."""
        self._moved(lambda view: view.move(direction * max(1, self.size.height - 2)))

    def action_edge(self, direction: int) -> None:
        """First or last row."""
        self._moved(lambda view: view.move(direction * len(view)))

    def action_shift(self, direction: int) -> None:
        """Columns sideways."""
        widest = len(layout(self.level, 10_000, self.chosen, 1))
        self._shift = max(0, min(widest - 1, self._shift + direction))
        self.repaint()

    def action_sort(self, direction: int) -> None:
        """The next or previous column on the screen."""
        if self.view is None:
            return
        columns = [
            placed.column for placed in self._placed if placed.column != BAR and placed.column in self.view.table
        ]
        if columns:
            now = columns.index(self.view.how.column) if self.view.how.column in columns else -direction
            self.sort_by(columns[(now + direction) % len(columns)], fresh=True)

    def action_reverse(self) -> None:
        """The other way round."""
        if self.view is not None:
            self.put_in_order(self.view.sorted_by(self.view.how.column))

    def sort_by(self, column: str, fresh: bool = False) -> None:
        """Order by a column; the column it is ordered by already reverses, unless a fresh order is asked for."""
        if self.view is None:
            return
        descending = not isinstance(self.view.table.columns.get(column), Strings) if fresh else None
        self.put_in_order(self.view.sorted_by(column, descending))

    def put_in_order(self, how: Arrangement) -> None:
        """Show the table that way: at once, or from a thread when it is big, while keys go on working."""
        view = self.view
        if view is None:
            return
        if len(view.table) < BIG_ROWS:
            self._moved(lambda view: view.arrange(how))
            return

        def work() -> None:
            self.post_message(self.Arranged(view, how, arranged(view.table, how)))

        self.run_worker(work, thread=True, exclusive=True, group="arrange")

    def on_operator_table_arranged(self, message: OperatorTable.Arranged) -> None:
        """The order is worked out; it counts if the table is still the one on the screen."""
        message.stop()
        if message.view is self.view:
            self._moved(lambda view: view.adopt(message.how, message.order))

    def go_to(self, row: int) -> None:
        """The cursor on a row of the table."""
        self._moved(lambda view: view.go_to_row(row))

    def _moved(self, change: Callable[[TableView], None]) -> None:
        if self.view is None:
            return
        before = self.view.row
        change(self.view)
        self.repaint()
        if self.view.row != before:
            self.post_message(self.Moved(self.view.row))

    def on_click(self, event: events.Click) -> None:
        """A head sorts; a row is selected; the selected row is opened."""
        if self.view is None:
            return
        if event.y == 0:
            for placed in self._placed:
                if placed.x - 1 <= event.x < placed.x + placed.width and placed.column in self.view.table:
                    self.sort_by(placed.column)
            return
        position = self.view.top + event.y - 1
        if position >= len(self.view):
            return
        if position == self.view.cursor and event.chain > 1:
            self.post_message(self.Chosen(int(self.view.order[position])))
        else:
            self._moved(lambda view: view.move(position - view.cursor))

    def on_mouse_scroll_down(self) -> None:
        """The wheel moves the cursor by three."""
        self.action_move(3)

    def on_mouse_scroll_up(self) -> None:
        """The wheel, upwards."""
        self.action_move(-3)
