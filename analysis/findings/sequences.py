"""Operators one after the other on a stream: which follow each other directly, and what fusing them would save."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, first_rows, grouped
from npuscope.analysis.findings.common import kernels
from npuscope.analysis.labels.derive import HEAD_US
from npuscope.analysis.summary import Summary
from npuscope.analysis.times.timeline import lanes
from npuscope.analysis.work.families import family_of, plain_type
from npuscope.analysis.work.shapes import UnknownWorkError, tensors
from npuscope.analysis.work.workload import total
from npuscope.parsers.table import Table

Word = tuple[str, str]  # plain type and family
_RESULTS = ("output_shapes", "output_dtypes", "output_formats")


@dataclass(frozen=True)
class Sequence:
    """Kernels in the order of their streams. All arrays follow `rows` (of ops).

    `linked[i]` = i+1 follows i directly: same stream and step, neither a collective nor an AI CPU operator nor a long
    pause between, and not begun before i had ended (then they run on streams that the file does not tell apart).
    `gap_us[i]` = idle time of the stream between them. `free` = not yet part of a finding.
    """

    summary: Summary
    rows: Ints
    linked: Bools
    gap_us: Floats
    free: Bools

    @cached_property
    def shape(self) -> Ints:
        """The line of `summary.shapes` of each."""
        return self.summary.ops.numbers("shape_row")[self.rows]

    @cached_property
    def us(self) -> Floats:
        """Duration of each, 0 where unknown."""
        return np.nan_to_num(self.summary.ops.numbers("duration_us")[self.rows])

    def head(self, count: int) -> Sequence:
        """The first `count` kernels."""
        if count >= len(self.rows):
            return self
        return Sequence(
            self.summary, self.rows[:count], self.linked[: count - 1], self.gap_us[: count - 1], self.free[:count]
        )

    def types(self, begin: int, size: int) -> tuple[str, ...]:
        """The types of kernels in a row."""
        kind = self.summary.shapes.strings("type")
        return tuple(kind[int(line)] or "" for line in self.shape[begin : begin + size])

    def take(self, begin: Ints, end: Ints) -> None:
        """Mark stretches [begin, end) as part of a finding."""
        size = len(self.free) + 1
        inside = np.cumsum(np.bincount(begin, minlength=size) - np.bincount(end, minlength=size))
        self.free[inside[:-1] > 0] = False

    def hands_on(self, at: Ints) -> Bools:
        """Of kernels at these positions: a tensor of its results has the shape of one that the next takes."""
        lines = len(self.summary.shapes)
        distinct, inverse = np.unique(self.shape[at] * lines + self.shape[at + 1], return_inverse=True)
        passes = [self._passes(pair // lines, pair % lines) for pair in distinct.tolist()]
        return np.array(passes, dtype=bool)[inverse.reshape(-1)] if len(at) else np.zeros(0, dtype=bool)

    def dependent(self, at: Ints, size: int) -> Bools:
        """Of windows that begin at these positions: each hands a tensor on to the next, by its shape."""
        found = np.ones(len(at), dtype=bool)
        for step in range(size - 1):
            found &= self.hands_on(at + step)
        return found

    def _passes(self, first: int, second: int) -> bool:
        shapes = self.summary.shapes
        left, right = shapes.strings("output_shapes")[first], shapes.strings("input_shapes")[second]
        given = {part for part in (left or "").split(";") if "," in part or len(part) > 1}
        return bool(given & set((right or "").split(";")))

    def saving(self, begin: Ints, end: Ints) -> Floats:
        """us that fusing each stretch [begin, end) would save at most: what the tensors between take to HBM and back,
        the head cost of all kernels but one and the idle time between them; never more than all but the longest of
        them take.
        """
        if not len(begin):
            return np.zeros(0)
        edges = np.stack([begin, end], axis=1).reshape(-1)
        us = np.append(self.us, 0.0)
        whole, longest = np.add.reduceat(us, edges)[::2], np.maximum.reduceat(us, edges)[::2]
        joint = np.minimum(self.gap_us, self.us[:-1]) + HEAD_US + self.moved_us
        inner = np.concatenate(([0.0], np.cumsum(joint)))
        between = inner[end - 1] - inner[begin]
        saved: Floats = np.minimum(between, whole - longest)
        return saved

    @cached_property
    def moved_us(self) -> Floats:
        """Of each kernel but the last, where the next follows it: the time its results take to HBM and back."""
        gbps = self.summary.chip.hbm_gbps
        if not gbps:
            return np.zeros(max(len(self.rows) - 1, 0))
        lines = np.zeros(len(self.summary.shapes), dtype=bool)
        lines[self.shape[:-1][self.linked]] = True
        needed = np.flatnonzero(lines)
        rows = self.summary.shapes.numbers("typical_row")[needed]
        # parsed once for each text, of which there are far fewer than lines
        group, count = grouped([self.summary.ops.strings(name).codes[rows] for name in _RESULTS])
        each = [_written(self.summary.ops, row) for row in rows[first_rows(group, count)].tolist()]
        written = np.zeros(len(lines))
        written[needed] = np.array(each)[group] if count else 0.0
        return 2 * written[self.shape[:-1]] / (gbps * 1e3)


def _written(ops: Table, row: int) -> float:
    """Bytes of a row's results; 0 where they are not told."""
    printed = (ops.strings(name)[row] for name in _RESULTS)
    try:
        return total(tensors(*printed))
    except UnknownWorkError:
        return 0.0


def sequence(summary: Summary) -> Sequence | None:
    """The kernels of a run in order; None where start times are missing."""
    by_stream = lanes(summary.ops, by_stream=True)
    if len(by_stream.rows) < 2:
        return None
    rows, lane, limits = by_stream.rows, by_stream.lane, summary.thresholds
    kernel = kernels(summary)[rows]
    same = (lane[1:] == lane[:-1]) & kernel[1:] & kernel[:-1]
    step = summary.ops.numbers("step")
    if step.dtype.kind == "i":
        same &= step[rows[1:]] == step[rows[:-1]]
    overlap_us = (by_stream.before[1:] - by_stream.start[1:]) / 1000.0
    gap_us = by_stream.idle_ns[1:] / 1000.0
    same &= (gap_us < limits.apart_us) & (overlap_us < limits.overlap_us)
    return Sequence(summary, rows, same, gap_us, np.ones(len(rows), dtype=bool))


def by_word(summary: Summary, of: Callable[[Word], int]) -> Ints:
    """A whole number of each line of `shapes`, by its plain type and family."""
    kind = summary.shapes.strings("type")
    told = [*((plain_type(value), family_of(value)) for value in kind.values), ("", "")]
    return np.array([of(word) for word in told], dtype=np.int64)[kind.codes]


def apart(begin: Ints, end: Ints) -> Bools:
    """Of stretches in the order of their begins those that do not overlap an earlier one that was taken."""
    kept = np.ones(len(begin), dtype=bool)
    if len(begin) < 2 or bool((begin[1:] >= end[:-1]).all()):
        return kept
    last = -1
    for at, (first, stop) in enumerate(zip(begin.tolist(), end.tolist())):
        kept[at] = first >= last
        last = stop if kept[at] else last
    return kept
