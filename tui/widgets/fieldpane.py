"""All cells of one row: heads and values one behind the other, as many lines as there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.strip import Strip

from npuscope.tui.paint import Row
from npuscope.tui.text import clean, plain
from npuscope.tui.widgets.canvas import Canvas

_GAP = 3


class FieldPane(Canvas):
    """(head, value) pairs in reading order."""

    DEFAULT_CSS = "FieldPane { height: 4; }"

    def __init__(self) -> None:
        super().__init__()
        self.fields: Sequence[tuple[str, str]] = ()

    def show(self, fields: Sequence[tuple[str, str]]) -> None:
        """Another row."""
        self.fields = fields
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        strips = []
        spell = plain if self.look.ascii else clean
        texts = [(spell(head), spell(value)) for head, value in self.fields]
        for number, line in enumerate(laid_out(texts, width - 4)):
            if number == height:
                break
            row, x = Row(self.look, width), 2
            for head, value in line:
                x = row.parts(x, [(head, "dim"), (value, "text")], gap=1) + _GAP - 1
            strips.append(row.strip())
        return strips


def laid_out(fields: Sequence[tuple[str, str]], width: int) -> Iterator[list[tuple[str, str]]]:
    """Lines of at most `width` cells; a long value has a line of its own, and is cut there."""
    line: list[tuple[str, str]] = []
    used = 0
    for head, value in fields:
        cells = cell_len(head) + 1 + cell_len(value) + _GAP
        if line and used + cells - _GAP > width:
            yield line
            line, used = [], 0
        line.append((head, value))
        used += cells
    if line:
        yield line
