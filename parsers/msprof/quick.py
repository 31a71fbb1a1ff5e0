"""The types of a big operator table before its details: type, core, count and total time only.

Reads three columns by their byte positions; a block with anything odd in it goes row by row.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers import columns as c
from npuscope.parsers import csv_scan
from npuscope.parsers.csv_gather import keep_freed_memory
from npuscope.parsers.csv_text import ENCODINGS, LineFeed, inspect, refusal, rows
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Strings, Table

BLOCK_BYTES = 1 << 20
_END = "end of block"
Cells = tuple[csv_scan.Positions, csv_scan.Positions]


class OddFileError(Exception):
    """Something only the exact reader can tell, like a quoted cell that goes over several lines."""


class Totals:
    """Count and total time per (type, core), summed up."""

    def __init__(self) -> None:
        self._found: dict[tuple[str | None, str | None], list[float]] = {}

    def add(self, kind: str | None, core: str | None, count: int, total_us: float) -> None:
        """Add rows of one group."""
        entry = self._found.setdefault((kind, core), [0, 0.0])
        entry[0] += count
        entry[1] += total_us

    def add_profile(self, ops: Table, statistic: Table | None) -> None:
        """Add what was read already: instances, or the totals of their types when there are none."""
        names, types, cores = (ops.strings(name).tolist() for name in ("name", "type", "core"))
        for name, kind, core, us in zip(names, types, cores, ops.numbers("duration_us").tolist()):
            self.add(name if kind is None else kind, core, 1, us)
        if statistic is not None and not len(ops):
            types, cores = (statistic.strings(name).tolist() for name in ("type", "core"))
            sums = (statistic.numbers(name).tolist() for name in ("count", "total_us"))
            for kind, core, count, us in zip(types, cores, *sums):
                self.add(kind, core, int(count), us)

    def table(self) -> Table:
        """type core count total_us, largest total first. Without a type the operator's name is the group."""
        ordered = sorted(self._found.items(), key=lambda item: -item[1][1])
        return Table({
            "type": Strings.of(kind for (kind, _), _ in ordered),
            "core": Strings.of(core for (_, core), _ in ordered),
            "count": np.array([count for _, (count, _) in ordered], dtype=np.int64),
            "total_us": np.array([total for _, (_, total) in ordered], dtype=np.float64),
        })  # fmt: skip


def add_file(totals: Totals, path: str, progress: Progress | None = None) -> None:
    """Add one csv of operator instances. Raises ParseError, and OddFileError when it has to be read exactly."""
    file = inspect(path)
    try:
        with Path(path).open("rb") as handle:
            feed = LineFeed(handle, ENCODINGS[1], file.start)
            header = next(rows(feed, path), [])
            columns = c.columns_of(header)
            if not c.is_operator_table(columns):
                name = Path(path).name
                text = say("profiles.problem.no-operator-table", file=name, header=", ".join(header[:4])[:80])
                raise ParseError(Problem("no-operator-table", text, say("profiles.hint.no-operator-table"), path))
            blocks = _Blocks(totals, len(header), {column.name: column for column in columns})
            keep_freed_memory()
        with Path(path).open("rb", buffering=0) as raw:
            position = feed.position
            while block := _whole_lines(raw, position):
                blocks.add(block)
                position += len(block)
                if progress is not None:
                    progress(position / file.size)
    except OSError as error:
        raise refusal(path, error) from None


def _whole_lines(raw: io.FileIO, position: int) -> bytes:
    """The next block, up to its last newline; to the end of the file where there is none."""
    raw.seek(position)
    block = raw.read(BLOCK_BYTES) or b""
    end = block.rfind(b"\n") + 1
    while not end and (more := raw.read(BLOCK_BYTES)):
        block += more
        end = block.rfind(b"\n") + 1
    return block[:end] if end else block


@dataclass(frozen=True)
class _Groups:
    """Lines of a block by equal texts: each line's code, one line of each code, and the cells that were compared."""

    codes: NDArray[Any]
    one_of: list[int]
    names: Sequence[str]
    cells: Sequence[Cells]


class _Blocks:
    """Adds blocks of lines to the totals."""

    def __init__(self, totals: Totals, width: int, columns: Mapping[str, c.Column]) -> None:
        self._totals = totals
        self._width = width
        self._duration = columns["duration_us"]
        self._texts = {name: columns[name].index for name in ("type", "core", "name") if name in columns}

    def add(self, block: bytes) -> None:
        """Add whole lines (the last line of a file may lack its end)."""
        lines = csv_scan.scan(block, self._width) if block.endswith(b"\n") else None
        if lines is None or not self._scanned(lines):
            self._split(block)

    def _scanned(self, lines: csv_scan.Lines) -> bool:
        durations = self._cells(lines, self._duration.index)
        groups = self._grouped(lines)
        if durations is None or groups is None:
            return False
        numbers = csv_scan.decimals(lines, *durations)
        for line in np.flatnonzero(np.isnan(numbers)).tolist():
            numbers[line] = c.number_cell(_text(lines, durations, line))
        there = (numbers >= 0) & (numbers < np.inf)
        counts = np.bincount(groups.codes, weights=there, minlength=len(groups.one_of))
        sums = np.bincount(groups.codes, weights=np.where(there, numbers, 0.0), minlength=len(groups.one_of))
        for group, line in enumerate(groups.one_of):
            if counts[group]:
                texts = {name: _text(lines, cells, line) for name, cells in zip(groups.names, groups.cells)}
                self._add(texts, int(counts[group]), float(sums[group]))
        return True

    def _cells(self, lines: csv_scan.Lines, index: int) -> Cells | None:
        return lines.cells(index) if index < self._width - 1 else None

    def _grouped(self, lines: csv_scan.Lines) -> _Groups | None:
        """By type and core; where a type is missing by name too, which then is the group."""
        found: _Groups | None = None
        for names in (("type", "core"), ("type", "core", "name")):
            present = [name for name in names if name in self._texts]
            cells = [cell for name in present if (cell := self._cells(lines, self._texts[name])) is not None]
            codes = csv_scan.text_codes(lines, cells) if len(cells) == len(present) else None
            if codes is None:
                return None
            found = _Groups(codes[0], codes[1].tolist(), present, cells)
            if "type" in present and all(c.text_cell(_text(lines, cells[0], line)) for line in found.one_of):
                break
        return found

    def _add(self, texts: Mapping[str, str], count: int, total: float) -> None:
        known = {name: c.text_cell(text) for name, text in texts.items()}
        kind = known.get("type")
        group = known.get("name") if kind is None else kind
        self._totals.add(group, known.get("core"), count, total * self._duration.scale)

    def _split(self, block: bytes) -> None:
        text = _decoded(block).replace("\0", "\ufffd")
        text += _END if text.endswith("\n") else f"\n{_END}"
        *whole, last = csv.reader(io.StringIO(text, newline=""))
        if last != [_END]:  # a quote stands open at the end of the block
            raise OddFileError
        for row in whole:
            number = c.number_cell(row[self._duration.index]) if len(row) == self._width else math.nan
            if 0 <= number < math.inf:
                self._add({name: row[index] for name, index in self._texts.items()}, 1, number)


def _text(lines: csv_scan.Lines, cells: Cells, line: int) -> str:
    begins, ends = cells
    return _decoded(lines.block[begins[line] : ends[line]])


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode(ENCODINGS[1], "replace")
