"""The small tables beside the operators (steps, iterations): header and rows as text, rows of any length kept."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from npuscope.parsers.columns import number_cell, plain_cell
from npuscope.parsers.csv_text import ENCODINGS, LineFeed, inspect, refusal, rows
from npuscope.parsers.say import ParseError, Problem, say

MOST_ROWS = 200_000
LARGEST_NUMBER = 1e18  # no time in us and no moment is larger: what is, is garbage, and sums of it would overflow


@dataclass(frozen=True)
class SmallCsv:
    """The cells of a file without the quotes, tabs and blanks around them. The last row is left out when it is cut."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    problems: tuple[Problem, ...] = ()


def read_rows(path: str) -> SmallCsv:
    """Read a small csv; of a huge one the first rows are kept. Raises ParseError when it is empty or cannot be read."""
    try:
        try:
            return _read(path, ENCODINGS[0])
        except UnicodeDecodeError:
            return _read(path, ENCODINGS[1])
    except OSError as error:
        raise refusal(path, error) from None


def _read(path: str, encoding: str) -> SmallCsv:
    file = inspect(path)
    problems: list[Problem] = []
    found: list[tuple[str, ...]] = []
    with Path(path).open("rb") as handle:
        feed = LineFeed(handle, encoding, file.start)
        lines = rows(feed, path)
        header = _cells(next(lines, []))
        for row in lines:
            if len(found) == MOST_ROWS:
                text = say("ranks.problem.too-many-rows", file=Path(path).name, rows=MOST_ROWS)
                problems.append(Problem("rows-left-out", text, None, path))
                break
            found.append(_cells(row))
        if found and not file.ends_with_newline and len(found[-1]) < len(header):
            found.pop()
            text = say("profiles.problem.incomplete", file=Path(path).name, line=feed.lines)
            problems.append(Problem("rows-skipped", text, say("profiles.hint.incomplete"), path, feed.lines))
    if encoding != ENCODINGS[0]:
        problems.append(Problem("encoding", say("profiles.problem.encoding", file=Path(path).name), None, path))
    return SmallCsv(header, tuple(found), tuple(problems))


def _cells(row: Iterable[str]) -> tuple[str, ...]:
    return tuple(plain_cell(cell) for cell in row)


def number(text: str) -> float | None:
    """A cell's number; None when it is missing, no number, or larger than anything measured can be."""
    value = number_cell(text)
    return value if math.isfinite(value) and abs(value) < LARGEST_NUMBER else None


def whole(text: str) -> int | None:
    """A cell's whole number (also "7.0"); None when there is none."""
    value = number(text)
    return int(value) if value is not None and value.is_integer() and abs(value) < 2**53 else None


def not_this_table(path: str, header: Iterable[str], key: str) -> ParseError:
    """The refusal of a csv that holds something else; `key` = its sentence, which gets the file and its columns."""
    shown = ", ".join(list(header)[:4])[:80]
    text = say(key, file=Path(path).name, header=shown)
    return ParseError(Problem("no-step-table", text, None, path))
