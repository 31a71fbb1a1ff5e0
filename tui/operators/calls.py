"""One operator's calls: which instances they are, the one looked at, and what stands around it on its stream."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from npuscope.analysis.summary import Summary
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.table import Table

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Calls:
    """Rows of `summary.ops` in time order, and the position of the one that is looked at."""

    summary: Summary
    rows: Rows
    at: int

    @property
    def row(self) -> int:
        """The instance looked at, as a row of ops."""
        return int(self.rows[self.at])

    @property
    def durations_us(self) -> NDArray[np.float64]:
        """In time order."""
        return np.asarray(self.summary.ops.numbers("duration_us")[self.rows], dtype=np.float64)

    def moved(self, steps: int) -> Calls:
        """Another call, bounded."""
        return Calls(self.summary, self.rows, max(0, min(len(self.rows) - 1, self.at + steps)))


def calls_of(summary: Summary, level: str, row: int) -> Calls | None:
    """The calls of a type, of a shape, or of the shape an instance belongs to; None where there are no instances."""
    ops = summary.ops
    if not len(ops):
        return None
    if level == "instances":
        rows = np.flatnonzero(ops.numbers("shape_row") == ops.numbers("shape_row")[row])
    else:
        rows = np.flatnonzero(ops.numbers("type_row" if level == "types" else "shape_row") == row)
    if not len(rows):
        return None
    starts = ops.numbers("start_ns")[rows]
    rows = rows[np.argsort(starts, kind="stable")]
    if level == "instances":
        return Calls(summary, rows, int(np.flatnonzero(rows == row)[0]))
    durations = ops.numbers("duration_us")[rows]
    median = np.nanmedian(durations)
    return Calls(summary, rows, int(np.nanargmin(np.abs(durations - median))))


@dataclass(frozen=True)
class Neighbour:
    """The operator before or after on the same device and stream, and the idle time between, in us."""

    row: int
    gap_us: float


def neighbours(ops: Table, row: int) -> tuple[Neighbour | None, Neighbour | None]:
    """What ran before and after on the same stream; nothing where start times were lost."""
    starts = ops.numbers("start_ns")
    if starts.dtype.kind == "f" or int(starts[row]) == UNKNOWN:
        return None, None
    same = np.ones(len(ops), dtype=bool)
    for column in ("device", "stream"):
        values = ops.numbers(column)
        if values.dtype.kind != "f":
            same &= values == values[row]
    rows = np.flatnonzero(same & (starts != UNKNOWN))
    rows = rows[np.argsort(starts[rows], kind="stable")]
    at = int(np.flatnonzero(rows == row)[0])
    before = _between(ops, int(rows[at - 1]), row, False) if at > 0 else None
    after = _between(ops, row, int(rows[at + 1]), True) if at + 1 < len(rows) else None
    return before, after


def _between(ops: Table, first: int, second: int, want_second: bool) -> Neighbour:
    starts, durations = ops.numbers("start_ns"), ops.numbers("duration_us")
    duration = float(durations[first])
    ended = int(starts[first]) + (0 if math.isnan(duration) else round(duration * 1000))
    return Neighbour(second if want_second else first, (int(starts[second]) - ended) / 1000)


@dataclass(frozen=True)
class Blocks:
    """How the blocks of a call lie on the cores."""

    blocks: int
    cores: int
    waves: int
    idle_pct: float


def blocks_on(block_dim: int, cores: int | None) -> Blocks | None:
    """Blocks, waves and the share of the chip that stands idle; None where either number is unknown or absurd."""
    if not cores or block_dim <= 0 or block_dim > 65_535:
        return None
    waves = math.ceil(block_dim / cores)
    return Blocks(block_dim, cores, waves, 100 * (1 - block_dim / (waves * cores)))
