"""Idle time between operators: before each row, and the largest ones by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints
from npuscope.analysis.rules import kinds
from npuscope.analysis.summary import Gap
from npuscope.analysis.times.timeline import Lanes, lanes
from npuscope.parsers.table import Column, Strings, Table

KEPT = 500
WAITED_FOR = ("communication", "ai_cpu", "other")


@dataclass(frozen=True)
class Measured:
    """What the start times tell. `columns`, per row:

    gap_us         idle time of its own stream right before it; NaN for the first of a stream, and without one
    launch_gap_us  the part of it in which the whole device was idle: what the host can be blamed for
    waited_for     communication, ai_cpu or other (events) when that is what ended last before the row; else unknown

    `gaps` = the largest of single streams, `device_gaps` = of whole devices (stream None), largest first. spans_us and
    busy_us are per device in the order of their ids; `exposed_us` = communication during which nothing computed;
    these and span_us are None where a start time is missing, and no gaps are told. `alone_us` = per row, in which
    nothing else of its device ran, unknown where its start time is.
    """

    columns: Mapping[str, Column]
    gaps: tuple[Gap, ...]
    device_gaps: tuple[Gap, ...]
    span_us: float | None
    spans_us: Floats | None
    busy_us: Floats | None
    exposed_us: float | None
    alone_us: Floats


def measure(table: Table, kind: Ints) -> Measured:
    """Gaps and totals from start times; `kind` of rules/kinds.py."""
    waited = np.full(len(table), -1, dtype=np.int32)
    by_stream = _of_streams(table, lanes(table, by_stream=True))
    own, found = _before(by_stream, kind, waited), _largest(table, by_stream, True)
    del by_stream
    by_device = lanes(table, by_stream=False)
    device = _before(by_device, kind, waited)
    columns: dict[str, Column] = {
        "gap_us": own,
        "launch_gap_us": np.minimum(own, device),
        "waited_for": Strings(waited, WAITED_FOR),
    }
    timed = len(by_device.rows) == len(table)
    spans, busy = by_device.spans() if timed else (None, None)
    return Measured(
        columns=columns,
        # a row of which no one knows when it ran may have run in any of them
        gaps=found if timed else (),
        device_gaps=_largest(table, by_device, False) if timed else (),
        span_us=(int(by_device.end.max()) - int(by_device.start.min())) / 1000.0 if timed else None,
        spans_us=spans,
        busy_us=busy,
        exposed_us=_exposed(by_device, kinds.computes(table, kind), kind == kinds.COMMUNICATION, busy),
        alone_us=_alone(by_device, len(table)),
    )


def _of_streams(table: Table, lane: Lanes) -> Lanes:
    """Without the rows of which no stream is known (communication), unless that is true of all."""
    known = table.numbers("stream") >= 0
    return lane.only(known) if known.any() and not known.all() else lane


def _before(lane: Lanes, kind: Ints, waited: Ints) -> Floats:
    """Idle us of the lane before each row; notes in `waited` what kind of task ended last before it."""
    found = np.full(len(kind), np.nan)
    found[lane.rows] = np.where(lane.last >= 0, lane.idle_ns / 1000.0, np.nan)
    followers = np.flatnonzero(lane.last >= 0)
    rows = lane.rows[followers]
    waited[rows] = np.maximum(waited[rows], kind[lane.rows[lane.last[followers]]] - kinds.COMMUNICATION)
    return found


def _exposed(by_device: Lanes, computing: Bools, sent: Bools, busy: Floats | None) -> float | None:
    """The union of computing and communication less that of computing."""
    if busy is None:
        return None
    if not sent.any():
        return 0.0
    either = computing | sent
    both = busy if either.all() else by_device.only(either).spans()[1]
    return max(0.0, float(both.sum()) - float(by_device.only(computing).spans()[1].sum()))


def _alone(by_device: Lanes, rows: int) -> Floats:
    found = np.full(rows, np.nan)
    found[by_device.rows] = by_device.alone_us()
    return found


def _largest(table: Table, lane: Lanes, by_stream: bool, limit: int = KEPT) -> tuple[Gap, ...]:
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
        row_before=before,
    )


def _id(table: Table, column: str, row: int) -> int | None:
    value = table.numbers(column)[row]
    return int(value) if value >= 0 else None
