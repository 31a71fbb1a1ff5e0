"""Csv files that are no operator tables: every column typed, its unit in its name, whatever the generation.

A `Sheet` says what is known of a kind of file; columns it does not name get a name by rule. Units become one per
quantity: times in us, moments in whole ns, the rest as the sheet says; `(KB)` and `(MB)` of one column never mix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from npuscope.parsers import columns as c
from npuscope.parsers.csv_table import CsvTable, read_csv
from npuscope.parsers.msprof.tables.op_summary import fast_for
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Column, Strings, Table

_PARTS = re.compile(r"[(（]([^()（）]*)[)）]")
_WORDS = re.compile(r"[^\w/]+|_+")
_MOMENT = re.compile(r"(?:^|_)(?:timestamp|time_stamp|(?:start|end|stop|begin)(?:_time)?)$")
_TIMES = {"ns": 0.001, "us": 1.0, "μs": 1.0, "ms": 1000.0, "s": 1_000_000.0}
_BYTES = {"b": 1.0, "byte": 1.0, "bytes": 1.0, "kb": 1024.0, "mb": 1024.0**2, "gb": 1024.0**3}
_AS_THEY_ARE = {
    "%": "pct", "gb/s": "gbps", "mb/s": "mbps", "kb/s": "kbps", "bytes/s": "bytes_per_s", "mhz": "mhz",
    "pages": "pages", "w": "w", "mv": "mv", "pct": "pct",
}  # fmt: skip
UNIT_OF = {
    "us": "us", "ns": "ns", "kb": "KB", "mb": "MB", "bytes": "B", "pct": "%", "gbps": "GB/s", "mbps": "MB/s",
    "kbps": "KB/s", "bytes_per_s": "B/s", "mhz": "MHz", "pages": "pages", "w": "W", "mv": "mV", "us2": "us²",
}  # fmt: skip
_SUFFIXES = ("ns", "us", "ms", "kb", "mb", "gb", "mhz", "pct")
_LONGEST_NAME = 60
_MOST_DIGITS = 18


# header words that mean the same in every kind of file
COMMON = {
    "device id": "device", "model id": "model_id", "model name": "model", "stream id": "stream", "task id": "task_id",
    "op name": "name", "op type": "type", "infer id": "infer_id", "graph id": "graph_id",
}  # fmt: skip

WHOLES = frozenset({"device", "model_id", "stream", "task_id", "infer_id", "graph_id", "count", "step", "block_dim"})


def named(stem: str) -> re.Pattern[str]:
    """The names msprof and the framework profilers give a summary file: with ids of device, model and iteration, with
    the number of a slice, with the time of the export, or plain."""
    return re.compile(rf"{stem}(?:_slice_\d+)?(?:_\d{{1,10}})*(?:_\d{{14}})?\.csv", re.IGNORECASE)


@dataclass(frozen=True)
class Sheet:
    """A kind of csv file. `names`: header words without unit, in lower case -> stem of the column's name.

    `needs` = the columns that must be there. Of columns without a unit `texts` stay text and `floats` are numbers
    whatever they hold, as are WHOLES, and what holds nothing but numbers; `unitless` gives header words a whole name
    and a factor where the file has no unit and its makers had. `moments` are stems of times of day; sizes come in the
    unit `size`, but those in `sizes`. `only`: columns that are not named here are left out.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    texts: frozenset[str] = frozenset()
    floats: frozenset[str] = frozenset()
    unitless: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    moments: frozenset[str] = frozenset()
    size: str = "kb"
    sizes: Mapping[str, str] = field(default_factory=dict)
    only: bool = False

    def columns_of(self, header: Sequence[str]) -> tuple[c.Column, ...]:
        """The columns of a header. Empty cells (behind a trailing comma) are none; of two that mean one thing the
        second is numbered."""
        found: dict[str, c.Column] = {}
        for index, text in enumerate(header):
            named = self._column(index, text)
            if named is not None:
                name, number = named.name, 1
                while name in found:
                    number += 1
                    name = f"{named.name}_{number}"
                found[name] = replace(named, name=name)
        return tuple(found.values())

    def fits(self, columns: Sequence[c.Column]) -> bool:
        """Whether these are the columns of this kind of file."""
        return set(self.needs) <= {column.name for column in columns}

    def _column(self, index: int, header: str) -> c.Column | None:
        words, unit = split(header)
        if not words or (self.only and words not in self.names and words not in self.unitless):
            return None
        plain = words.replace(" ", "_").replace("/", "_per_")[:_LONGEST_NAME]
        stem = self.names.get(words) or COMMON.get(words, plain)
        text = c.plain_cell(header)
        if stem in self.texts:
            return c.Column(index, text, stem, c.TEXT)
        if not unit and words in self.unitless:
            return c.Column(index, text, self.unitless[words][0], c.FLOAT, self.unitless[words][1])
        if unit in _TIMES:
            if stem in self.moments or (stem not in self.names.values() and _MOMENT.search(stem)):
                return c.Column(index, text, f"{stem}_ns", c.START, _TIMES[unit])
            return c.Column(index, text, f"{stem}_us", c.FLOAT, _TIMES[unit])
        if unit in _BYTES:
            size = self.sizes.get(stem, self.size)
            return c.Column(index, text, f"{stem}_{size}", c.FLOAT, _BYTES[unit] / _BYTES[size])
        if unit in _AS_THEY_ARE:
            return c.Column(index, text, f"{stem}_{_AS_THEY_ARE[unit]}", c.FLOAT)
        kind = c.FLOAT if stem in self.floats else c.INTEGER if stem in WHOLES else c.TEXT
        return c.Column(index, text, stem, kind)


def split(header: str) -> tuple[str, str]:
    """A header's words in lower case and its unit ("" for none): what stands in brackets, or the last word.

    Brackets that hold no unit belong to the words: `Communication(Not Overlapped)`.
    """
    text = c.plain_cell(header).casefold()
    unit = ""
    for part in _PARTS.findall(text):
        if part.strip() in _TIMES or part.strip() in _BYTES or part.strip() in _AS_THEY_ARE:
            unit = part.strip()
            text = text.replace(f"({part})", " ").replace(f"（{part}）", " ")
    *first, last = _WORDS.sub(" ", text).split() or [""]
    if first and not unit and last in _SUFFIXES:  # max_us, as other tools write what they took out of such a file
        return " ".join(first), last
    return " ".join([*first, last]), unit


def unit_of(name: str) -> tuple[str, str]:
    """A column's name without its unit, and the unit as people write it ("" where there is none)."""
    for suffix, unit in UNIT_OF.items():
        if name.endswith(f"_{suffix}"):
            return name[: -len(suffix) - 1], unit
    return name, ""


def read_sheet(path: str, sheet: Sheet, progress: Progress | None = None) -> CsvTable:
    """A csv file of this kind. Raises ParseError."""
    try:
        found = read_csv(path, sheet.fits, fast_for(path), progress, sheet.columns_of)
    except ParseError as error:
        if error.problem.code != "no-operator-table":
            raise
        raise ParseError(not_this_table(path, str(error.problem.message.params.get("header")))) from None
    kept = {column.name for column in found.columns if column.kind != c.TEXT or column.name in sheet.texts}
    table = Table({name: column if name in kept else settled(column) for name, column in found.table.columns.items()})
    return replace(found, table=table)


def not_this_table(path: str, header: str) -> Problem:
    """A csv whose columns are not those its name promises."""
    return Problem("other-columns", say("files.problem.other-columns", file=Path(path).name, header=header), file=path)


def settled(column: Column) -> Column:
    """Text whose every cell is a number, as numbers: whole ones as int64. Numbers with more digits than these hold, and
    all else, stay text.
    """
    if not isinstance(column, Strings) or not column.values:
        return column
    used = [column.values[code] for code in np.unique(column.codes[column.codes >= 0]).tolist()]
    if not used or not all(map(_is_number, used)):
        return column
    if all(map(_is_whole, used)):
        return np.array([*map(c.integer_cell, column.values), UNKNOWN], dtype=np.int64)[column.codes]
    numbers = np.array([*map(c.number_cell, column.values), np.nan])
    values: Column = np.where(np.isinf(numbers), np.nan, numbers)[column.codes]
    return values


def _is_number(text: str) -> bool:
    digits = sum(map(str.isdecimal, text))
    return digits <= (_MOST_DIGITS if _is_whole(text) else 17) and not np.isnan(c.number_cell(text))


def _is_whole(text: str) -> bool:
    return c.plain_cell(text).lstrip("-").isdecimal()
