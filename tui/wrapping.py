"""Sentences broken into lines of so many cells."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

NEVER_FIRST = "，。、；：！？）》”%…"  # signs that do not begin a line in Chinese


def wrap(text: str, width: int) -> Iterator[str]:
    """Pieces of at most `width` cells, broken behind a blank where there is one in the second half."""
    while cell_len(text) > width > 0:
        at = fitting(text, width)
        blank = text.rfind(" ", 0, at + 1)
        if blank > at // 2:
            at = blank
        while at > 2 and text[at] in NEVER_FIRST:
            at -= 1
        at = max(1, at)
        yield text[:at].rstrip()
        text = text[at:].lstrip()
    yield text


def fitting(text: str, width: int) -> int:
    """How many letters of the text fit into `width` cells."""
    cells = 0
    for at, letter in enumerate(text):
        cells += cell_len(letter)
        if cells > width:
            return at
    return len(text)
