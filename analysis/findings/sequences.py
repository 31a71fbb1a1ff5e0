"""Operators one after the other on a stream: which follow each other directly, and what fusing them would save."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints
from npuscope.analysis.derive import HEAD_US
from npuscope.analysis.families import family_of, plain_type
from npuscope.analysis.rules import kinds
from npuscope.analysis.shapes import UnknownWorkError, tensors
from npuscope.analysis.summary import Summary
from npuscope.analysis.timeline import lanes
from npuscope.analysis.workload import total
from npuscope.parsers.table import Table

APART_US = 200.0  # idle time from which two kernels belong to different things (own choice)


@dataclass(frozen=True)
class Sequence:
    """Kernels in the order of their streams. All arrays follow `rows` (of ops).

    `linked[i]` = i+1 follows i directly: same stream and step, neither a collective nor an AI CPU operator nor a long
    pause between.
    `gap_us[i]` = idle time of the stream between them.
    """

    summary: Summary
    rows: Ints
    linked: Bools
    gap_us: Floats

    @cached_property
    def shape(self) -> Ints:
        """The line of `summary.shapes` of each."""
        return self.summary.ops.numbers("shape_row")[self.rows]

    @cached_property
    def us(self) -> Floats:
        """Duration of each, 0 where unknown."""
        return np.nan_to_num(self.summary.ops.numbers("duration_us")[self.rows])

    def windows(self, size: int) -> Bools:
        """Positions from which `size` kernels follow each other directly."""
        found = np.ones(max(len(self.rows) - size + 1, 0), dtype=bool)
        for step in range(size - 1):
            found &= self.linked[step : step + len(found)]
        return found

    def dependent(self, at: Ints, size: int) -> Bools:
        """Of windows that begin at these positions: each hands a tensor on to the next, by its shape."""
        found = np.ones(len(at), dtype=bool)
        for step in range(size - 1):
            lines = len(self.summary.shapes)
            pairs = self.shape[at + step] * lines + self.shape[at + step + 1]
            distinct, inverse = np.unique(pairs, return_inverse=True)
            passes = [self._hands_on(pair // lines, pair % lines) for pair in distinct.tolist()]
            found &= np.array(passes, dtype=bool)[inverse.reshape(-1)]
        return found

    def _hands_on(self, first: int, second: int) -> bool:
        shapes = self.summary.shapes
        left, right = shapes.strings("output_shapes")[first], shapes.strings("input_shapes")[second]
        given = {part for part in (left or "").split(";") if "," in part or len(part) > 1}
        return bool(given & set((right or "").split(";")))

    def saving(self, at: Ints, size: int) -> Floats:
        """us that fusing each window would save at most: what the tensors between take to HBM and back, the head cost
        of all kernels but one and the idle time between them; never more than all but the longest of them take.
        """
        moved, waits, whole = np.zeros(len(at)), np.zeros(len(at)), np.zeros(len(at))
        longest = np.zeros(len(at))
        for step in range(size):
            us = self.us[at + step]
            whole, longest = whole + us, np.maximum(longest, us)
            if step < size - 1:
                moved += self.between_us(self.shape[at + step])
                waits += HEAD_US + np.minimum(self.gap_us[at + step], self.us[at + step])
        return np.minimum(moved + waits, whole - longest)

    def between_us(self, lines: Ints) -> Floats:
        """Of lines of `shapes`: time their results take to HBM and back; 0 where they or the bandwidth are unknown."""
        gbps = self.summary.chip.hbm_gbps
        if not gbps or not len(lines):
            return np.zeros(len(lines))
        distinct, inverse = np.unique(lines, return_inverse=True)
        rows = self.summary.shapes.numbers("typical_row")[distinct]
        written = np.array([_written(self.summary.ops, row) for row in rows.tolist()])
        return 2 * written[inverse.reshape(-1)] / (gbps * 1e3)


def _written(ops: Table, row: int) -> float:
    """Bytes of a row's results; 0 where they are not told."""
    printed = (ops.strings(name)[row] for name in ("output_shapes", "output_dtypes", "output_formats"))
    try:
        return total(tensors(*printed))
    except UnknownWorkError:
        return 0.0


def sequence(summary: Summary) -> Sequence | None:
    """The kernels of a run in order; None where start times are missing."""
    by_stream = lanes(summary.ops, by_stream=True)
    if len(by_stream.rows) < 2:
        return None
    rows, lane = by_stream.rows, by_stream.lane
    kernel = kinds.kind_codes(summary.ops)[rows] == kinds.KERNEL
    same = (lane[1:] == lane[:-1]) & kernel[1:] & kernel[:-1]
    step = summary.ops.numbers("step")
    if step.dtype.kind == "i":
        same &= step[rows[1:]] == step[rows[:-1]]
    gap_us = by_stream.idle_ns[1:] / 1000.0
    return Sequence(summary, rows, same & (gap_us < APART_US), gap_us)


def words(summary: Summary) -> list[tuple[str, str]]:
    """Of each line of `shapes` its plain type and family."""
    kind = summary.shapes.strings("type")
    told = [(plain_type(value), family_of(value)) for value in kind.values]
    return [told[code] if code >= 0 else ("", "") for code in kind.codes.tolist()]
