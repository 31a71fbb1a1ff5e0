"""A JSON array of objects, cut into blocks of whole objects: a file of any size in the memory of one block.

A cut is guessed at the last `},{` of what was read, and the decoder tells whether the guess was right: a piece cut
inside an object or a text is not valid once a single bracket closes it. Only then are braces and quotes counted.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import IO, Generic, TypeVar

BLOCK_BYTES = 1 << 18
MOST_BYTES = 16 << 20  # what goes on for longer than this is no event
_TAIL_BYTES = 1 << 14
_SPACE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_BETWEEN = re.compile(rb"\}\s*,\s*(?=\{)")
_COMMA = re.compile(rb"\s*,\s*")
_CLOSED = re.compile(rb"\s*\]")
_LIST = re.compile(rb'"traceEvents"\s*:\s*\[')
# a text that the piece ends inside of goes to the end of the piece
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)

Decoded = TypeVar("Decoded")


class Blocks(Generic[Decoded]):
    """Iterates over what `decode` makes of each block, `[{...},{...}]`; `decode` returns None for what is no JSON.

    `position` is how many bytes were read. Once iterated, `opened` tells whether there was a list at all (bare, or
    under "traceEvents"), and `broken_at` at which byte it stops being valid (None = it is whole): what came before
    that was handed out.
    """

    def __init__(self, handle: IO[bytes], decode: Callable[[bytes], Decoded | None]) -> None:
        self._handle = handle
        self._decode = decode
        self._rest = b""
        self._begin = 0  # byte of the file where `_rest` begins
        self._wanted = BLOCK_BYTES
        self._between = False  # whether `_rest` begins behind an object, its comma not read yet
        self.position = 0
        self.opened = False
        self.broken_at: int | None = None

    def __iter__(self) -> Iterator[Decoded]:
        self.opened = self._open()
        if not self.opened:
            self.broken_at = 0
            return
        while self._go_on() and self._read():
            cut = _last_cut(self._rest)
            before = self._begin
            if cut is not None:
                yield from self._block(*cut)
            if self._begin > before:
                self._wanted = BLOCK_BYTES
            elif len(self._rest) > MOST_BYTES:
                self.broken_at = self._begin
            else:
                self._wanted = max(BLOCK_BYTES, len(self._rest))
        if self._go_on():
            yield from self._end()

    def _go_on(self) -> bool:
        return self.broken_at is None and not _CLOSED.match(self._rest)

    def _read(self) -> bool:
        more = self._handle.read(self._wanted)
        self._rest += more
        self.position += len(more)
        if self._between:
            self._drop_comma(0)
        return bool(more)

    def _drop(self, count: int) -> None:
        self._rest = self._rest[count:]
        self._begin += count

    def _open(self) -> bool:
        """Go behind `[`, or behind `"traceEvents": [` of an object."""
        self._read()
        text = self._rest[len(_BOM) :] if self._rest.startswith(_BOM) else self._rest
        first = len(self._rest) - len(text.lstrip(_SPACE))
        if self._rest[first : first + 1] == b"[":
            self._drop(first + 1)
            return True
        while self._rest[first : first + 1] == b"{":
            found = _LIST.search(self._rest)
            if found is not None:
                self._drop(found.end())
                return True
            if len(self._rest) > MOST_BYTES or not self._read():
                break
        return False

    def _block(self, end: int, following: int) -> Iterator[Decoded]:
        """The objects up to `end`; where that is no end of one, those before it."""
        value = self._decode(b"[%b]" % self._rest[:end])
        if value is None:
            yield from self._counted()
        else:
            self._drop(following)
            yield value

    def _end(self) -> Iterator[Decoded]:
        """The last objects, and whether the list is closed behind them."""
        text = self._rest.rstrip(_SPACE)
        value = self._decode(b"[" + text) if text.endswith(b"]") else None
        if value is not None:
            yield value
            return
        yield from self._counted()
        if self._go_on():
            self.broken_at = self.position

    def _counted(self) -> Iterator[Decoded]:
        """All whole objects of what was read, by counting braces; of a bad one's neighbours those before it."""
        ends = list(object_ends(self._rest))
        if not ends:
            return
        value = self._decode(b"[%b]" % self._rest[: ends[-1]])
        if value is not None:
            yield value
            self._drop_comma(ends[-1])
            return
        begin = 0
        for end in ends:
            value = self._decode(b"[%b]" % self._rest[begin:end].lstrip(b", \t\r\n"))
            if value is None:
                break
            yield value
            begin = end
        self.broken_at = self._begin + begin

    def _drop_comma(self, begin: int) -> None:
        """Go on behind the comma that stands at `begin`, or is still to be read."""
        comma = _COMMA.match(self._rest, begin)
        self._between = comma is None
        self._drop(comma.end() if comma is not None else begin)


def _last_cut(text: bytes) -> tuple[int, int] | None:
    """The end of the last object that another one follows, and where that begins, as far as `},{` tells."""
    for begin in (max(0, len(text) - _TAIL_BYTES), 0):
        found = deque(_BETWEEN.finditer(text, begin), maxlen=1)
        if found:
            return found[0].start() + 1, found[0].end()
    return None


def object_ends(text: bytes) -> Iterator[int]:
    """Where the whole objects of a list end, up to the bracket that closes the list."""
    depth = 0
    for found in _TOKEN.finditer(text):
        sign = found.group()
        if sign in (b"{", b"["):
            depth += 1
        elif sign in (b"}", b"]"):
            depth -= 1
            if depth < 0:
                return
            if not depth:
                yield found.end()
