"""Sentences broken into lines of so many cells of the screen."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from npuscope.tui.breaking import pieces


def wrap(text: str, width: int) -> Iterator[str]:
    """Pieces of at most `width` cells, broken at a blank or beside a wide sign in their second half."""
    return pieces(text, width, cell_len)
