"""One row of npu-smi's table: split on its bars and blanks, named by the words of the header.

Column positions mean nothing: widths differ between nine driver generations, and copies collapse blanks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Number = float

_PAIR_GAP = re.compile(r"\s*/\s*")
_NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,6})?", re.ASCII)
_WHOLE = re.compile(r"[0-9]{1,9}", re.ASCII)
_WORDS = re.compile(r"[A-Za-z][^()]*?\([^)]*\)")
_IDS = re.compile(r"([0-9]{1,9})(?:\s+([0-9]{1,9}|-|NA))?", re.ASCII)
_NAMED = re.compile(r"([0-9]{1,9})\s+(\S.*)", re.ASCII)

HEAD_FIELDS = ("power", "temp", "hugepages")
TAIL_FIELDS = ("aicore", "memory", "hbm")
_FIELD_WORDS = (
    ("power", "power"), ("temp", "temp"), ("hugepages", "hugepages"),
    ("aicore", "aicore"), ("ai core", "aicore"), ("npu util", "npu"),
    ("memory-usage", "memory"), ("hbm-usage", "hbm"),
)  # fmt: skip
_PAIRS = frozenset(("hugepages", "memory", "hbm"))


@dataclass(frozen=True)
class Value:
    """A number, or used / total; unknown parts are None."""

    first: Number | None
    second: Number | None = None
    pair: bool = False

    @property
    def used(self) -> int | None:
        """First number of a pair; unknown when nothing is installed (0 / 0) or it exceeds the total."""
        total = self.total
        if self.first is None or total is None or self.first > total:
            return None
        return int(self.first)

    @property
    def total(self) -> int | None:
        """Second number of a pair; 0 means: this chip has none of it."""
        return int(self.second) if self.second else None


@dataclass(frozen=True)
class ProcessColumns:
    """Where the process table keeps what. Counted from the end after the name, because a name may hold bars."""

    count: int = 4
    memory: int = -1
    container: int | None = None


@dataclass(frozen=True)
class Layout:
    """What the header announced: the fields of both value cells, what the second id means, the process columns."""

    head: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    second_id: str | None = None
    has_second_line: bool = False
    processes: ProcessColumns | None = None


def cells_of(row: str) -> list[str]:
    """The cells between the outer bars."""
    return [cell.strip() for cell in row[1:-1].split("|")]


def values_of(cell: str) -> list[Value]:
    """The values of a cell in order; a word that is no number keeps its place as unknown."""
    glued = _PAIR_GAP.sub("/", cell.replace("N/A", "NA"))
    return [_value(word) for word in glued.split()]


def _value(word: str) -> Value:
    first, slash, second = word.partition("/")
    return Value(number_of(first), number_of(second) if slash else None, bool(slash))


def number_of(word: str) -> Number | None:
    """A number as npu-smi prints it; `NA`, `-` and anything else is unknown."""
    return float(word) if _NUMBER.fullmatch(word) else None


def whole(word: str) -> int | None:
    """A whole number that is not negative: an id, a pid, a size."""
    return int(word) if _WHOLE.fullmatch(word) else None


def field_names(cell: str) -> tuple[str, ...]:
    """The fields that a header cell announces; "" for a word nobody knows yet."""
    words = (word.strip().casefold() for word in _WORDS.findall(cell))
    return tuple(next((name for start, name in _FIELD_WORDS if word.startswith(start)), "") for word in words)


def process_columns(cells: Sequence[str]) -> ProcessColumns:
    """From the header `NPU Chip | Process id | Process name | Process memory(MB) [| Process id in container]`."""
    words = [cell.casefold() for cell in cells]
    memory = next((at for at, word in enumerate(words) if "memory" in word), None)
    inside = next((at for at, word in enumerate(words) if "container" in word), None)
    if memory is None or memory < 3:
        return ProcessColumns()
    return ProcessColumns(len(cells), memory - len(cells), None if inside is None else inside - len(cells))


def named(values: Sequence[Value], announced: Sequence[str], usual: Sequence[str]) -> Mapping[str, Value]:
    """Values by field name: as the header announced them, else by the usual order of numbers and pairs."""
    if len(values) == len(announced) and all(
        name not in _PAIRS or value.pair or value.first is None for name, value in zip(announced, values)
    ):
        return dict(zip(announced, values))
    found: dict[str, Value] = {}
    for is_pair in (False, True):
        names = [name for name in usual if (name in _PAIRS) == is_pair]
        several = [value for value in values if value.pair == is_pair]
        if len(several) == len(names) or (is_pair and len(several) < len(names)):
            found.update(zip(names, several))
    return found


def ids_of(cell: str) -> tuple[int, int | None] | None:
    """`0`, `0 3` or `1 -`: one or two ids."""
    match = _IDS.fullmatch(cell)
    if not match:
        return None
    second = match.group(2)
    return int(match.group(1)), int(second) if second and second[0].isdigit() else None


def name_of(cell: str) -> tuple[int, str] | None:
    """`0 910B3`: an id and a name."""
    match = _NAMED.fullmatch(cell)
    return (int(match.group(1)), match.group(2)) if match else None


@dataclass(frozen=True)
class Head:
    """First line of a chip."""

    npu_id: int
    name: str
    health: str
    values: Mapping[str, Value] = field(default_factory=dict)


def is_tail(cells: Sequence[str]) -> bool:
    """Whether a chip row is the second of its chip: it names a bus; without one, its second value is used / total."""
    where = cells[-2]
    if ":" in where:
        return True
    if where in ("", "-", "NA", "N/A"):
        values = values_of(cells[-1])
        return len(values) > 1 and values[1].pair
    return False


def head_of(cells: Sequence[str], layout: Layout) -> Head | None:
    """The first line of a chip, or None when the row is something else. Four cells: id and name stand apart."""
    if len(cells) == 4:
        ids = ids_of(cells[0])
        start = (ids[0], cells[1]) if ids and ids[1] is None and cells[1] else None
    else:
        start = name_of(cells[0])
    health = cells[-2]
    if start is None or not re.fullmatch(r"[A-Za-z].*|-", health):
        return None
    return Head(start[0], start[1], health, named(values_of(cells[-1]), layout.head, HEAD_FIELDS))
