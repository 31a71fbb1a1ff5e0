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
    line = ""
    for one in sentences:
        for form in _forms(one):
            longer = f"{line} {form}" if line else form
            if cell_len(clean(longer)) <= width:
                line = longer
                break
    return line or (_cut(sentences[0], width) if sentences else "")


def _forms(one: Say) -> Iterator[str]:
    yield told(one)
    if has(one.key + SHORT):
        yield told(Say(one.key + SHORT, one.params))


def _cut(one: Say, width: int) -> str:
    """The shortest form up to its last word that fits."""
    text = list(_forms(one))[-1]
    return next(wrap(text, width - 1)) + "…"
