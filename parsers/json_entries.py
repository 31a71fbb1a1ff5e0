"""The entries of nested JSON objects, one after the other: a file of any size in the memory of its largest entry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, TextIO

from npuscope.parsers.json_text import mended

BLOCK = 1 << 18  # characters
MOST = 16 << 20  # what goes on for longer than this is no entry
_SPACE = " \t\r\n"
_ENDS = frozenset(_SPACE + ",:]}")

Entry = tuple[tuple[str, ...], Any]


def entries(handle: TextIO, depth: int) -> Iterator[Entry]:
    """(names on the way, value) of what lies `depth` objects deep in the object of a file, in its order; what ends
    before that depth is left out. Raises ValueError or RecursionError where the text stops being JSON.
    """
    feed = _Feed(handle)
    feed.take("{")
    yield from _inside(feed, depth, ())
    if feed.sign():
        raise ValueError("more than one value")


def _inside(feed: _Feed, depth: int, names: tuple[str, ...]) -> Iterator[Entry]:
    if feed.sign() == "}":
        feed.take("}")
        return
    while True:
        name = feed.value()
        if not isinstance(name, str):
            raise ValueError("a name that is no text")
        feed.take(":")
        if depth > 1 and feed.sign() == "{":
            feed.take("{")
            yield from _inside(feed, depth - 1, (*names, name))
        else:
            value = feed.value()
            if depth == 1:
                yield (*names, name), value
        if feed.take(",}") == "}":
            return


class _Feed:
    """The text of a file from one place on."""

    def __init__(self, handle: TextIO) -> None:
        self._handle = handle
        self._text = ""
        self._at = 0
        self._ended = False
        self._decode = json.JSONDecoder().raw_decode

    def _more(self) -> bool:
        """Read on: as much again as there is, so that a long value is not begun anew too often."""
        rest = self._text[self._at :]
        if len(rest) > MOST:
            raise ValueError("an entry without end")
        found = self._handle.read(max(BLOCK, len(rest)))
        self._text, self._at, self._ended = rest + found, 0, not found
        return bool(found)

    def sign(self) -> str:
        """The next character that is no space; "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, wanted: str) -> str:
        """Go behind the next character, which is one of these."""
        found = self.sign()
        if not found or found not in wanted:
            raise ValueError(f"no {wanted}")
        self._at += 1
        return found

    def value(self) -> Any:
        """The next value. One at the end of what was read may go on in what was not."""
        self.sign()
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except ValueError:
                if not self._more():
                    raise
                continue
            whole = self._text[end : end + 1] in _ENDS if end < len(self._text) else self._ended
            if whole or not self._more():
                break
        found = mended(value, self._text[self._at : end])
        self._at = end
        return found
