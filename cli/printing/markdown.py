"""Text and tables as Markdown, for every command that writes it."""

from __future__ import annotations

from collections.abc import Iterable

from npuscope.tui.text import clean

SIGNS = "\\`*_|<>[]~$"


def escaped(text: str) -> str:
    """Text that stays text: names hold underscores, pipes and angle brackets, and an @ calls nobody."""
    text = clean(text).replace("&", "&amp;")
    for sign in SIGNS:
        text = text.replace(sign, f"\\{sign}")
    return text.replace("@", "@\u200b")


def table_row(cells: Iterable[str]) -> str:
    """A line of a table."""
    return "| " + " | ".join(escaped(cell) for cell in cells) + " |"
