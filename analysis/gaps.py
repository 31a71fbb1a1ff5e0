"""Idle time between operators: before each row, and the largest ones by themselves."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.rules import kinds
from npuscope.analysis.summary import Gap
from npuscope.analysis.timeline import Lanes, Timeline
from npuscope.parsers.table import Strings, Table

KEPT = 500
WAITED_FOR = ("communication", "ai_cpu", "other")


def with_gaps(table: Table, timeline: Timeline) -> Table:
    """The table with, per row:

    gap_us         idle time of its own stream right before it; NaN for the first of a stream, and without one
    launch_gap_us  the part of it in which the whole device was idle: what the host can be blamed for
    waited_for     communication, ai_cpu or other (events) when that is what ended last before the row; else unknown
    """
    by_stream, by_device = timeline.by_stream, timeline.by_device
    own, device = _before(by_stream, len(table)), _before(by_device, len(table))
    streams = table.numbers("stream") >= 0
    if streams.any():
        own = np.where(streams, own, np.nan)
    kind = kinds.kind_codes(table)
    waited = np.full(len(table), -1, dtype=np.int32)
    for lane in (by_stream, by_device):
        followers = np.flatnonzero(lane.last >= 0)
        ended = kind[lane.rows[lane.last[followers]]]
        waited[lane.rows[followers]] = np.maximum(waited[lane.rows[followers]], ended - kinds.COMMUNICATION)
    return table.extended(
        {
            "gap_us": own,
            "launch_gap_us": np.minimum(own, device),
            "waited_for": Strings(waited, WAITED_FOR),
        }
    )


def _before(lane: Lanes, rows: int) -> np.ndarray:
    found = np.full(rows, np.nan)
    found[lane.rows] = np.where(lane.last >= 0, lane.idle_ns / 1000.0, np.nan)
    return found


def stream_gaps(table: Table, timeline: Timeline, limit: int = KEPT) -> tuple[Gap, ...]:
    """The largest gaps of single streams, largest first."""
    return _largest(table, _of_streams(table, timeline.by_stream), True, limit)


def _of_streams(table: Table, lane: Lanes) -> Lanes:
    """Without the rows of which no stream is known (communication), unless that is true of all."""
    known = table.numbers("stream") >= 0
    return lane.only(known) if known.any() and not known.all() else lane


def device_gaps(table: Table, timeline: Timeline, limit: int = KEPT) -> tuple[Gap, ...]:
    """The largest times in which a whole device stood idle, largest first; their stream is None."""
    return _largest(table, timeline.by_device, False, limit)


def _largest(table: Table, lane: Lanes, by_stream: bool, limit: int) -> tuple[Gap, ...]:
    idle = lane.idle_ns
    found = np.flatnonzero((idle > 0) & (lane.last >= 0))
    if len(found) > limit:
        found = found[np.argpartition(-idle[found], limit)[: limit + 1]]
    order = np.lexsort((lane.before[found], -idle[found]))[:limit]
    return tuple(_gap(table, lane, int(at), by_stream) for at in found[order])


def _gap(table: Table, lane: Lanes, at: int, by_stream: bool) -> Gap:
    before, after = int(lane.rows[at]), int(lane.rows[lane.last[at]])
    names = table.strings("name")
    return Gap(
        device=_id(table, "device", before),
        stream=_id(table, "stream", before) if by_stream else None,
        us=int(lane.idle_ns[at]) / 1000.0,
        after=names[after],
        before=names[before],
        start_ns=int(lane.before[at]),
        row_after=after,
        row_before=before,
    )


def _id(table: Table, column: str, row: int) -> int | None:
    value = table.numbers(column)[row]
    return int(value) if value >= 0 else None
