"""Plain text in columns and in lines, for a terminal, a file or a mail; knows wide characters."""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Collection, Sequence

from npuscope.tui.breaking import fitting, pieces
from npuscope.tui.text import clean

GAP = 2
PAGE, NARROWEST = 116, 40


def terminal_width() -> int | None:
    """Cells of a line of the terminal; None where the text goes to a file or a mail."""
    return max(NARROWEST, shutil.get_terminal_size((PAGE, 24)).columns) if sys.stdout.isatty() else None


def page_width() -> int:
    """Cells of a line of sentences: PAGE, or those of a narrower terminal."""
    return min(PAGE, terminal_width() or PAGE)


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


def narrowed(rows: Sequence[Sequence[str]], page: int | None, spare: Sequence[int]) -> list[int]:
    """The columns to keep so that lines have at most `page` cells, if that can be; of `spare` the first go first.

    All of them where `page` is None.
    """
    kept = {at: max(map(width, cells)) + GAP for at, cells in enumerate(zip(*rows))}
    for at in spare:
        if page is None or sum(kept.values()) - GAP <= page:
            break
        del kept[at]
    return list(kept)


def _pad(cell: str, cells: int, right: bool) -> str:
    blank = " " * (cells - width(cell))
    return blank + cell if right else cell + blank


def hanging(text: str, indent: str = "  ", page: int | None = None) -> list[str]:
    """A sentence as lines of at most `page` cells (None: `page_width`) that can be copied from: no word is cut, one
    longer than a line stays whole. The later lines are indented by two cells more."""
    room = (page_width() if page is None else page) - width(indent)
    first = next(pieces(text, room, width, whole=True))
    rest = text[len(first) :].strip()
    later = pieces(rest, room - 2, width, whole=True) if rest else ()
    return [(indent + first).rstrip(), *(f"{indent}  {line}" for line in later)]


def cut(text: str, cells: int, sign: str = "…") -> str:
    """The text in at most so many cells, made safe for a terminal."""
    text = clean(text)
    return text if width(text) <= cells else text[: fitting(text, cells - width(sign), width)] + sign


def cut_front(text: str, cells: int, sign: str = "…") -> str:
    """The end of a text in at most so many cells, made safe for a terminal."""
    text = clean(text)
    kept = text[::-1]
    return text if width(text) <= cells else sign + kept[: fitting(kept, cells - width(sign), width)][::-1]
