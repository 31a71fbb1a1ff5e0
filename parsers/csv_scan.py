"""A block of csv lines as byte positions of its cells: enough to read a few columns of a big file without splitting it.

Only lines whose wanted cells stand before the first quote are read this way; commas in quotes are not separators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

_COMMA, _QUOTE, _NEWLINE, _RETURN, _DOT, _ZERO = 44, 34, 10, 13, 46, 48
_LONGEST_TEXT = 512
_MOST_DIGITS = 15
_PRIME = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_PADDING = b"\n" * 8

Positions = NDArray[np.int64]


@dataclass(frozen=True)
class Lines:
    """A block whose every line has `width` cells: its bytes, where its lines begin, and where all its commas are."""

    block: bytes
    letters: NDArray[np.uint8]
    starts: Positions
    commas: Positions
    first_comma: Positions
    first_quote: Positions

    def cells(self, index: int) -> tuple[Positions, Positions] | None:
        """Begin and end of one cell of each line; None when a quote stands before its end. Not for the last cell."""
        ends = self.commas[self.first_comma + index]
        if (ends > self.first_quote).any():
            return None
        begins = self.starts if index == 0 else self.commas[self.first_comma + index - 1] + 1
        return begins, ends


def scan(block: bytes, width: int) -> Lines | None:
    """The lines of a block that ends with a newline; None when any has another number of cells or is odd."""
    letters = np.frombuffer(block, np.uint8)
    newlines = np.flatnonzero(letters == _NEWLINE)
    commas = np.flatnonzero(letters == _COMMA)
    quotes = np.flatnonzero(letters == _QUOTE)
    starts = np.concatenate(([0], newlines[:-1] + 1))
    upto = np.searchsorted(commas, newlines)
    first_comma = np.concatenate(([0], upto[:-1]))
    counts = upto - first_comma
    first_quote = np.full(len(newlines), len(block))
    if len(quotes):
        inside = _quoted(newlines, commas, quotes) if _quotes_cells(letters, quotes) else None
        if inside is None:
            return None
        counts = counts - inside
        upto_quotes = np.searchsorted(quotes, starts)
        first_quote = np.append(quotes, len(block))[upto_quotes]
    if b"\0" in block or _lone_return(block, letters) or (counts != width - 1).any():
        return None
    return Lines(block, letters, starts, commas, first_comma, first_quote)


def _quotes_cells(letters: NDArray[np.uint8], quotes: Positions) -> bool:
    """Whether quotes stand only around whole cells, or doubled inside them; elsewhere a quote is just a letter."""
    if len(quotes) % 2:
        return False
    before = letters[quotes[0::2] - 1]  # of a quote at the very start: the newline at the very end
    after = letters[quotes[1::2] + 1]
    opens = (before == _COMMA) | (before == _NEWLINE) | (before == _QUOTE)
    closes = (after == _COMMA) | (after == _NEWLINE) | (after == _QUOTE) | (after == _RETURN)
    return bool(opens.all() and closes.all())


def _quoted(newlines: Positions, commas: Positions, quotes: Positions) -> Positions | None:
    """Commas inside quotes per line; None when a quote is left open at the end of a line."""
    before = np.searchsorted(quotes, newlines)
    if (before % 2).any():
        return None
    opening, closing = quotes[0::2], quotes[1::2]
    wide = np.flatnonzero(closing - opening > 1)
    inside = np.searchsorted(commas, closing[wide]) - np.searchsorted(commas, opening[wide])
    line = np.searchsorted(newlines, opening[wide])
    found: Positions = np.bincount(line, weights=inside, minlength=len(newlines)).astype(np.int64)
    return found


def _lone_return(block: bytes, letters: NDArray[np.uint8]) -> bool:
    if b"\r" not in block:
        return False
    places = np.flatnonzero(letters == _RETURN)
    return bool((letters[places + 1] != _NEWLINE).any())


def text_codes(lines: Lines, cells: Sequence[tuple[Positions, Positions]]) -> tuple[NDArray[Any], Positions] | None:
    """Equal numbers for lines with equal texts in all of the cells, and one line of each; None when a text is long."""
    words = np.ndarray(len(lines.block), "<u8", lines.block + _PADDING, strides=(1,))
    mixed = np.zeros(len(lines.starts), np.uint64)
    for begins, ends in cells:
        lengths = ends - begins
        if lengths.max() > _LONGEST_TEXT:
            return None
        mixed = (mixed ^ lengths.astype(np.uint64)) * _PRIME
        for offset in range(0, int(lengths.max()), 8):
            here = words[np.minimum(begins + offset, len(words) - 1)] & _MASKS[np.clip(lengths - offset, 0, 8)]
            mixed = (mixed ^ here) * _PRIME
            mixed ^= mixed >> _SHIFT
    _, lines_of, codes = np.unique(mixed, return_index=True, return_inverse=True)
    return codes, lines_of


_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(9)], dtype=np.uint64)


def decimals(lines: Lines, begins: Positions, ends: Positions) -> NDArray[np.float64]:
    """Numbers of plain decimal cells (123.456), exact to the last digit; NaN for every other spelling."""
    lengths = ends - begins
    value = np.zeros(len(begins))
    after = np.zeros(len(begins), np.int64)
    dotted = np.zeros(len(begins), np.bool_)
    plain = (lengths > 0) & (lengths <= _MOST_DIGITS + 1)
    for offset in range(min(int(lengths.max()), _MOST_DIGITS + 1)):
        inside = offset < lengths
        letter = lines.letters[np.minimum(begins + offset, len(lines.letters) - 1)]
        digit = letter - np.uint8(_ZERO)
        counted = inside & (digit < 10)
        value = np.where(counted, value * 10 + digit, value)
        after += counted & dotted
        dot = inside & (letter == _DOT)
        plain &= counted | (dot & ~dotted) | ~inside
        dotted |= dot
    plain &= lengths - dotted <= _MOST_DIGITS
    return np.where(plain & (lengths > dotted), value / _POWERS[after], np.nan)


_POWERS = 10.0 ** np.arange(_MOST_DIGITS + 2)
