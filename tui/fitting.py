"""Sentences that share a line: as many as find room, what matters most first; none is cut within a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from npuscope.parsers.say import Say
from npuscope.tui.text import clean, has, told
from npuscope.tui.wrapping import wrap

SHORT = ".short"  # a sentence's second form, where the first does not fit


def fitted(sentences: Sequence[Say], width: int) -> str:
    """What of the sentences fits into `width` cells, in their order."""
    return fitted_texts([list(_forms(one)) for one in sentences], width)


def fitted_texts(sentences: Sequence[Sequence[str]], width: int) -> str:
    """The same of sentences that are texts already, each in all its forms, the longest first."""
    line = ""
    for forms in sentences:
        for form in forms:
            longer = f"{line} {form}" if line else form
            if cell_len(clean(longer)) <= width:
                line = longer
                break
    return line or (at_word(sentences[0][-1], width) if sentences else "")


def at_word(text: str, width: int) -> str:
    """The text, or as many of its words as fit and a sign."""
    return text if cell_len(clean(text)) <= width else next(wrap(text, width - 1)) + "…"


def in_room(sentences: Sequence[tuple[str, Sequence[str]]], room: int) -> list[tuple[str, str]]:
    """Named sentences in at most `room` lines: each has one, those that are longer more while there is room.

    Where a sentence must end early its last line holds all that is left, to be cut with a sign.
    """
    spare = room - len(sentences)
    lines = []
    for name, parts in sentences:
        more = min(max(0, spare), max(0, len(parts) - 1))
        spare -= more
        shown = [*parts[:more], " ".join(parts[more:])]
        lines += [(name if at == 0 else "", text) for at, text in enumerate(shown)]
    return lines


def _forms(one: Say) -> Iterator[str]:
    yield told(one)
    if has(one.key + SHORT):
        yield told(Say(one.key + SHORT, one.params))
