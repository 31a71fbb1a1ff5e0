"""Plain text in columns, for output that goes to a terminal, a file or a mail; knows wide characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

GAP = 2


def width(text: str) -> int:
    """Cells that a text takes in a terminal."""
    return sum(0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text)


def columns(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Rows of equal length as lines; the columns in `right` end together, the others begin together."""
    widths = [max(map(width, cells)) for cells in zip(*rows)]
    lines = []
    for row in rows:
        cells = [_pad(cell, widths[at], at in right) for at, cell in enumerate(row)]
        lines.append((" " * GAP).join(cells).rstrip())
    return lines


def _pad(cell: str, cells: int, right: bool) -> str:
    blank = " " * (cells - width(cell))
    return blank + cell if right else cell + blank
