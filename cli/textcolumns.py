"""Plain text in columns and in lines, for a terminal, a file or a mail; knows wide characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

from npuscope.tui.breaking import pieces
from npuscope.tui.text import clean

GAP = 2
PAGE = 116


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


def hanging(text: str, indent: str = "  ", page: int = PAGE) -> list[str]:
    """A sentence as lines of at most `page` cells that can be copied from: no word is cut, one longer than a line stays
    whole. The later lines are indented by two cells more."""
    room = page - width(indent)
    first = next(pieces(text, room, width, whole=True))
    rest = text[len(first) :].strip()
    later = pieces(rest, room - 2, width, whole=True) if rest else ()
    return [(indent + first).rstrip(), *(f"{indent}  {line}" for line in later)]


def cut(text: str, cells: int, sign: str = "…") -> str:
    """The text in at most so many cells, made safe for a terminal."""
    text = clean(text)
    while width(text) > cells:
        text = text[:-2] + sign
    return text
