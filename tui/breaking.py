"""Where a sentence may be broken into lines, whoever says how many cells a text takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

NEVER_FIRST = tuple("，。、；：！？）》”%…")  # signs that do not begin a line
NEVER_LAST = tuple("（《“")  # nor end one
Cells = Callable[[str], int]


def pieces(text: str, width: int, cells: Cells, whole: bool = False) -> Iterator[str]:
    """Lines of at most `width` cells, broken at a blank or beside a wide sign in their second half.

    whole: a word is never cut, wherever its line breaks then: one longer than a line stays as it is.
    """
    while width > 0 and fitting(text, width, cells) < len(text):
        at = _place(text, width, cells, whole)
        yield text[:at].rstrip()
        text = text[at:].lstrip()
        if not text:
            return
    yield text


def _place(text: str, width: int, cells: Cells, whole: bool) -> int:
    """How many letters the first line has."""
    fits = fitting(text, width, cells)
    places = [*range(fits, 0 if whole else max(1, fits // 2) - 1, -1)]
    places += range(fits + 1, len(text)) if whole else ()
    at = next((place for place in places if may_break(text, place, cells)), len(text) if whole else fits)
    return max(1, at)


def may_break(text: str, place: int, cells: Cells) -> bool:
    """Whether a line may end before the letter at `place`; never before one that closes."""
    after = text[place:].lstrip()[:1]
    before, here = text[place - 1], text[place]
    if after in NEVER_FIRST or before in NEVER_LAST:
        return False
    return before == " " or here == " " or cells(before) == 2 or cells(here) == 2


def fitting(text: str, width: int, cells: Cells) -> int:
    """How many letters of the text fit into `width` cells."""
    taken = 0
    for at, letter in enumerate(text):
        taken += cells(letter)
        if taken > width:
            return at
    return len(text)
