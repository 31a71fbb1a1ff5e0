"""Sentences broken into lines by the cells they take: at blanks, and after wide characters."""

from __future__ import annotations

import re

from npuscope.cli.textcolumns import width

PAGE = 116
# a word of a Latin script with the blank after it, or one wide character with the punctuation that must follow it
_PIECE = re.compile(r"[\u1100-\uffff][，。；：？！、）》”]*|[^\s\u1100-\uffff]+\s?|\s")


def wrapped(text: str, indent: str = "  ", page: int = PAGE) -> list[str]:
    """Lines of at most `page` cells, the later ones indented deeper. A word longer than a line stays whole."""
    lines = [indent]
    for piece in _PIECE.findall(text):
        if width(lines[-1]) + width(piece.rstrip()) > page and lines[-1].strip():
            lines.append(indent + "  " + piece.lstrip())
        else:
            lines[-1] += piece
    return [line.rstrip() for line in lines]
