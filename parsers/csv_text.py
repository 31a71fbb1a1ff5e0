"""The bytes of a csv file as rows: encoding, lines and where they stand. Quotes mean what the csv module says."""

from __future__ import annotations

import codecs
import csv
import errno
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from npuscope.parsers.say import ParseError, Problem, say

BLOCK_BYTES = 1 << 24
_BOM = codecs.BOM_UTF8


@dataclass(frozen=True)
class CsvFile:
    """A csv file that can be read: where its text begins and how it is encoded."""

    path: str
    size: int
    start: int
    encoding: str
    ends_with_newline: bool


def refusal(path: str, error: OSError) -> ParseError:
    """Why the system would not give a file, as a problem that names the path."""
    if isinstance(error, PermissionError):
        return ParseError(Problem("permission", say("profiles.problem.permission", path=path), file=path))
    if isinstance(error, IsADirectoryError):
        return ParseError(Problem("no-operator-table", say("profiles.problem.is-folder", path=path), file=path))
    if isinstance(error, FileNotFoundError):
        return ParseError(Problem("not-found", say("profiles.problem.vanished", path=path), file=path))
    reason = error.strerror or errno.errorcode.get(error.errno or 0, "error")
    return ParseError(Problem("damaged", say("profiles.problem.os", path=path, reason=reason), file=path))


def inspect(path: str) -> CsvFile:
    """Size and encoding of a csv: UTF-8 with or without a mark, else GB18030. Raises ParseError; reads it once."""
    try:
        with Path(path).open("rb") as handle:
            encoding, size, last, start = _scan(handle)
    except OSError as error:
        raise refusal(path, error) from None
    if size == start:
        raise ParseError(Problem("empty-file", say("profiles.problem.empty-file", file=Path(path).name), file=path))
    return CsvFile(path, size, start, encoding, last in b"\r\n")


def _scan(handle: BinaryIO) -> tuple[str, int, bytes, int]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    encoding, size, last, start = "utf-8", 0, b"", 0
    plain = True
    while block := handle.read(BLOCK_BYTES):
        if not size and block.startswith(_BOM):
            start = len(_BOM)
        size += len(block)
        last = block[-1:]
        if encoding == "utf-8" and not (plain and block.isascii()):
            plain = False
            try:
                decoder.decode(block)
            except UnicodeDecodeError:
                encoding = "gb18030"
    if encoding == "utf-8" and not plain:
        encoding = _finished(decoder)
    return encoding, size, last, start


def _finished(decoder: codecs.IncrementalDecoder) -> str:
    try:
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        return "gb18030"
    return "utf-8"


class LineFeed:
    """Decoded lines of an open file from a byte position on; `position` and `lines` tell how far it was read."""

    def __init__(self, handle: BinaryIO, encoding: str, position: int, lines: int = 0) -> None:
        handle.seek(position)
        self._handle = handle
        self._encoding = encoding
        self.position = position
        self.lines = lines

    def __iter__(self) -> Iterator[str]:
        for raw in self._handle:
            for line in raw.splitlines(keepends=True) if b"\r" in raw[:-2] else (raw,):
                self.position += len(line)
                self.lines += 1
                yield line.decode(self._encoding, "replace").replace("\0", "\ufffd")


def rows(feed: LineFeed, path: str) -> Iterator[list[str]]:
    """The csv rows of a feed, empty lines left out."""
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(iter(feed))
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = Problem("damaged", say("profiles.problem.csv", path=path, reason=str(error)), file=path)
            raise ParseError(problem) from None
        if row:
            yield row
