"""The bytes of a csv file as rows: encoding, lines and where they stand. Quotes mean what the csv module says."""

from __future__ import annotations

import codecs
import csv
import errno
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from npuscope.parsers.say import ParseError, Problem, say

ENCODINGS = ("utf-8", "gb18030")
_BOM = codecs.BOM_UTF8
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class CsvFile:
    """A csv file that can be read: its size and where its text begins."""

    path: str
    size: int
    start: int
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
    """What a csv file is before it is read. Raises ParseError when it cannot be opened, or is empty."""
    try:
        with Path(path).open("rb") as handle:
            first = handle.read(len(_BOM))
            start = len(_BOM) if first == _BOM else 0
            size = handle.seek(0, 2)
            handle.seek(max(0, size - 1))
            last = handle.read(1)
    except OSError as error:
        raise refusal(path, error) from None
    if first.startswith(_WIDE):
        text = say("profiles.problem.utf-16", file=Path(path).name)
        raise ParseError(Problem("encoding", text, say("profiles.hint.utf-16"), path))
    if size == start:
        raise ParseError(Problem("empty-file", say("profiles.problem.empty-file", file=Path(path).name), file=path))
    return CsvFile(path, size, start, last in b"\r\n")


class LineFeed:
    """Decoded lines of an open file from a byte position on; `position` and `lines` tell how far it was read.

    Raises UnicodeDecodeError for the first of ENCODINGS; the second takes anything.
    """

    def __init__(self, handle: IO[bytes], encoding: str, position: int, lines: int = 0) -> None:
        handle.seek(position)
        self._handle = handle
        self._encoding = encoding
        self._errors = "strict" if encoding == ENCODINGS[0] else "replace"
        self.position = position
        self.lines = lines

    def __iter__(self) -> Iterator[str]:
        for raw in self._handle:
            for line in raw.splitlines(keepends=True) if b"\r" in raw.rstrip(b"\r\n") else (raw,):
                self.position += len(line)
                self.lines += 1
                yield line.decode(self._encoding, self._errors).replace("\0", "\ufffd")


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
