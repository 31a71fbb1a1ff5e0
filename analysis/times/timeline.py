"""Rows in time, in integer nanoseconds: what ended before each of them, on its stream and on its device."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from npuscope.analysis.arrays import LARGEST_KEY, Bools, Ints, grouped, stable_order
from npuscope.parsers.table import Numbers, Table

Nanoseconds = NDArray[np.int64]


@dataclass(frozen=True)
class Lanes:
    """Rows of lanes (devices, or streams of devices) one lane after the other, each by start.

    All arrays follow `rows`. `lane` = number of the lane, `start`, `end` = ns, `before` = when everything earlier in
    the lane had ended (the row's own start where it is the lane's first), `last` = position of what ended then, -1 =
    none.
    """

    rows: Ints
    lane: Ints
    start: Nanoseconds
    end: Nanoseconds
    before: Nanoseconds
    last: Ints
    lanes: int

    @cached_property
    def idle_ns(self) -> Nanoseconds:
        """Idle time of the lane right before each row; 0 where something still ran or nothing came before."""
        idle: Nanoseconds = np.maximum(self.start - self.before, 0)
        return idle

    def only(self, chosen: Bools) -> Lanes:
        """The lanes with the rows where `chosen` (one value per row of the table) holds."""
        kept = chosen[self.rows]
        lane, start, end = self.lane[kept], self.start[kept], self.end[kept]
        before, last = _ended_before(lane, start, end)
        return Lanes(self.rows[kept], lane, start, end, before, last, self.lanes)

    def alone_us(self) -> NDArray[np.float64]:
        """For each row (in the order of `rows`) the time in us in which nothing else of its lane ran."""
        length: NDArray[np.float64] = (self.end - self.start) / 1000.0
        joins = self.start < self.before  # something earlier still ran; a lane's first has its own start there
        if not joins.any():
            return length
        cluster = np.cumsum(~joins)
        shared = np.flatnonzero(np.bincount(cluster)[cluster] > 1)
        length[shared] = 0.0
        for lane in np.unique(self.lane[shared]).tolist():
            rows = shared[self.lane[shared] == lane]
            length[rows] = _alone(self.start[rows], self.end[rows])
        return length

    def spans(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(span, busy) of each lane in us: first start to last end, and the union of its intervals."""
        first = np.flatnonzero(np.diff(self.lane, prepend=-1))
        if not len(first):
            return np.zeros(0), np.zeros(0)
        span = np.maximum.reduceat(self.end, first) - self.start[first]
        idle = np.add.reduceat(self.idle_ns, first)
        return span / 1000.0, (span - idle) / 1000.0


def times(table: Table) -> tuple[Nanoseconds, Nanoseconds, Bools]:
    """(start, end) in ns and which rows have them."""
    start = table.numbers("start_ns")
    if start.dtype != np.int64:
        start = np.where(np.isnan(start), -1, start).astype(np.int64)
    duration = table.numbers("duration_us")
    known = (start >= 0) & (duration >= 0) & np.isfinite(duration)
    length = np.rint(np.where(known, duration, 0) * 1000).astype(np.int64)
    return start, start + length, known


def start_order(start: Nanoseconds, end: Nanoseconds) -> Ints:
    """Rows by start, equal starts by end: the same whatever the order of the file."""
    if len(start) < 2 or bool(np.all(start[1:] > start[:-1])):
        return np.arange(len(start))
    return np.lexsort((end, start))


def lanes(table: Table, by_stream: bool) -> Lanes:
    """The rows with known times as lanes of their devices, or of their streams."""
    start, end, known = times(table)
    rows = np.flatnonzero(known).astype(np.int32)
    rows = rows[start_order(start[rows], end[rows])]
    keys = [table.numbers("device")[rows]] + ([table.numbers("stream")[rows]] if by_stream else [])
    lane, count = grouped([_whole(key) for key in keys])
    order = stable_order(lane)
    rows, lane = rows[order], lane[order].astype(np.int32)
    start, end = start[rows], end[rows]
    before, last = _ended_before(lane, start, end)
    return Lanes(rows, lane, start, end, before, last, count)


def _whole(key: Numbers) -> Ints:
    whole: Ints = key if key.dtype.kind == "i" else np.where(np.isnan(key), -1, key)
    return whole.astype(np.int64)


def _alone(start: Nanoseconds, end: Nanoseconds) -> NDArray[np.float64]:
    """us of each interval that no other one covers: between two events, where one interval is open, its number is the
    sum of those opened less the sum of those closed.
    """
    count = len(start)
    at = np.concatenate((start, end))
    order = np.argsort(at, kind="stable")
    opened = np.where(order < count, 1, -1)
    number = np.cumsum(np.where(order < count, order + 1, -(order - count + 1)))
    length = np.diff(at[order], append=at[order[-1]])
    single = np.cumsum(opened) == 1
    found = np.bincount(number[single] - 1, weights=length[single] / 1000.0, minlength=count)
    return found.astype(np.float64)


def _ended_before(lane: Ints, start: Nanoseconds, end: Nanoseconds) -> tuple[Nanoseconds, Ints]:
    """For each row the latest end among the earlier rows of its lane, and the position of the row that had it."""
    positions = np.arange(len(lane), dtype=np.int32)
    if not len(lane):
        return start, positions
    origin, reach = int(start.min()), int(end.max()) - int(start.min()) + 1
    if reach * (int(lane[-1]) + 1) < LARGEST_KEY:
        shifted = (end - origin) + lane.astype(np.int64) * reach
        highest = np.maximum.accumulate(shifted)
        holder = np.maximum.accumulate(np.where(shifted == highest, positions, np.int32(0)))
    else:
        holder = _holders(lane, end)
    last = np.concatenate((np.array([-1], dtype=np.int32), holder[:-1]))
    first = np.diff(lane, prepend=-1) != 0
    last[first] = -1
    return np.where(first, start, end[last]), last


def _holders(lane: Ints, end: Nanoseconds) -> Ints:
    """The same lane by lane: for times so far apart that they cannot be shifted into one 64-bit range."""
    parts = []
    edges = [*np.flatnonzero(np.diff(lane, prepend=-1)).tolist(), len(lane)]
    for begin, stop in zip(edges, edges[1:]):
        highest = np.maximum.accumulate(end[begin:stop])
        at = np.where(end[begin:stop] == highest, np.arange(begin, stop, dtype=np.int32), np.int32(0))
        parts.append(np.maximum.accumulate(at))
    return np.concatenate(parts)
