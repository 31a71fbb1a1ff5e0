"""Sentences broken into lines of so many cells."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

NEVER_FIRST = tuple("，。、；：！？）》”%…")  # signs that do not begin a line
NEVER_LAST = tuple("（《“")  # nor end one


def wrap(text: str, width: int) -> Iterator[str]:
    """Pieces of at most `width` cells, broken at a blank or beside a wide sign in their second half."""
    while cell_len(text) > width > 0:
        fits = fitting(text, width)
        at = next((place for place in range(fits, max(1, fits // 2) - 1, -1) if may_break(text, place)), fits)
        at = max(1, at)
        yield text[:at].rstrip()
        text = text[at:].lstrip()
    yield text


def may_break(text: str, place: int) -> bool:
    """Whether a line may end before the letter at `place`; never before one that closes."""
    after = text[place:].lstrip()[:1]
    before, here = text[place - 1], text[place]
    if after in NEVER_FIRST or before in NEVER_LAST:
        return False
    return before == " " or here == " " or cell_len(before) == 2 or cell_len(here) == 2


def fitting(text: str, width: int) -> int:
    """How many letters of the text fit into `width` cells."""
    cells = 0
    for at, letter in enumerate(text):
        cells += cell_len(letter)
        if cells > width:
            return at
    return len(text)
