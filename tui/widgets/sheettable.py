"""The table of any file: the operator table's keys, mouse and order, with columns of the file's own."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from npuscope.parsers.table import Strings
from npuscope.tui.files.sheetview import SheetView
from npuscope.tui.operators.cells import with_sign
from npuscope.tui.operators.columns import Placed
from npuscope.tui.paint import Row
from npuscope.tui.widgets.optable import OperatorTable


class SheetTable(OperatorTable):
    """Rows of a SheetView; the first column stays, the others move sideways."""

    DEFAULT_CSS = "SheetTable { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.held: SheetView | None = None

    def show_sheet(self, held: SheetView | None) -> None:
        """Another file, or none."""
        if held is not self.held:
            self._shift = 0
        self.held = held
        self.view = held.view if held is not None else None
        self.repaint()
        self.post_message(self.Moved(self.view.row if self.view is not None else None))

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        if self.held is None or self.view is None:
            return [Row(self.look, width).put(2, self.note, "dim").strip()]
        self._placed = self.held.layout(width, self._shift)
        strips = [self._heads(Row(self.look, width))]
        for position, row in enumerate(self.view.window(height - 1).tolist(), self.view.top):
            line = Row(self.look, width, selected=position == self.view.cursor)
            if line.selected:
                line.put(0, ">" if self.look.mono else self.look.glyphs.mark, "accent")
            strips.append(self._row(line, row))
        if not len(self.view):
            strips.append(Row(self.look, width).put(2, self.note, "dim").strip())
        return strips

    def action_shift(self, direction: int) -> None:
        """Columns sideways."""
        if self.held is not None:
            self._shift = max(0, min(len(self.held.columns) - 2, self._shift + direction))
            self.repaint()

    @property
    def hidden(self) -> int:
        """Columns right of the window."""
        return len(self.held.columns) - self._shift - len(self._placed) if self.held is not None else 0

    def _heads(self, line: Row) -> Strip:
        assert self.held is not None and self.view is not None
        for placed in self._placed:
            form = self.held.form(placed.column)
            align = "left" if form.left else "right"
            text, token, room = form.head, "dim", placed.width
            if placed.column == self.view.how.column:
                sign = line.look.glyphs.down if self.view.how.descending else line.look.glyphs.up
                (text, room), token = with_sign(text, sign, placed.width, 2), "accent!"
            line.put(placed.x, text, token, room, align)
        return line.strip()

    def _row(self, line: Row, row: int) -> Strip:
        for placed in self._placed:
            self._cell(line, placed, row)
        return line.strip()

    def _cell(self, line: Row, placed: Placed, row: int) -> None:
        assert self.held is not None and self.view is not None
        form, column = self.held.form(placed.column), self.held.sheet.table.columns[placed.column]
        value = column[row] if isinstance(column, Strings) else column[row].item()
        token = "bright" if placed.column == self.view.how.column else "text"
        line.put(placed.x, form.cell(value), token, placed.width, "left" if form.left else "right")
