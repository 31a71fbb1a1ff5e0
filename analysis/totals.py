"""Sum, union, span and idle of a run, per device and together. Lost start times leave all but the sum unknown."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, number
from npuscope.analysis.rules import kinds
from npuscope.analysis.summary import DeviceTotals, Totals
from npuscope.analysis.timeline import Lanes, Timeline
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.table import Table

COVERED = 0.8  # the run's AI Core share is told when it is known for 80 % of the computing time


def totals(table: Table, occupancy: Floats, timeline: Timeline) -> Totals:
    """Totals of an operator table; `occupancy` = AI Core share of each row, 0..1."""
    duration = np.nan_to_num(table.numbers("duration_us"), nan=0.0, posinf=0.0, neginf=0.0)
    communication = kinds.kind_codes(table) == kinds.COMMUNICATION
    timed = bool(len(table)) and timeline.all_timed
    by_device = timeline.by_device if timed else None
    spans, busies = by_device.spans() if by_device else (np.zeros(0), np.zeros(0))
    busy, idle = (float(busies.sum()), float((spans - busies).sum())) if timed else (None, None)
    sent = float(duration[communication].sum())
    return Totals(
        rows=len(table),
        total_us=float(duration.sum()),
        span_us=_span(by_device),
        busy_us=busy,
        idle_us=idle,
        busy_pct=100.0 * float(busies.sum()) / float(spans.sum()) if timed and spans.sum() > 0 else None,
        wait_us=_wait(table),
        computing_us=float(duration.sum()) - sent,
        communication_us=sent,
        communication_not_overlapped_us=_exposed(by_device, ~communication, busy),
        aicore_pct=_aicore(duration, occupancy, ~communication),
        by_device=_by_device(table, duration, spans, busies, timed),
    )


def _span(lane: Lanes | None) -> float | None:
    return (int(lane.end.max()) - int(lane.start.min())) / 1000.0 if lane is not None else None


def _wait(table: Table) -> float | None:
    """Sum of the file's wait column; an overlap is written as a negative wait there and is none."""
    wait = table.numbers("wait_us")
    known = np.isfinite(wait)
    return float(np.maximum(wait[known], 0).sum()) if known.any() else None


def _exposed(by_device: Lanes | None, computing: Bools, busy: float | None) -> float | None:
    """Communication during which no kernel ran: the union of everything less the union of the rest."""
    if busy is None or by_device is None:
        return None
    if computing.all():
        return 0.0
    return max(0.0, busy - float(by_device.only(computing).spans()[1].sum()))


def _aicore(duration: Floats, occupancy: Floats, computing: Bools) -> float | None:
    known = ~np.isnan(occupancy) & computing
    whole, covered = duration[computing].sum(), duration[known].sum()
    if not whole or covered < COVERED * whole:
        return None
    return number(100.0 * (duration[known] * occupancy[known]).sum() / covered)


def _by_device(table: Table, duration: Floats, spans: Floats, busies: Floats, timed: bool) -> dict[int, DeviceTotals]:
    device = table.numbers("device")
    if device.dtype.kind != "i" or not len(device) or not (device != UNKNOWN).any():
        return {}
    found = {}
    for index, value in enumerate(np.unique(device).tolist()):
        own = device == value
        span, busy = (float(spans[index]), float(busies[index])) if timed else (None, None)
        found[value] = DeviceTotals(
            total_us=float(duration[own].sum()),
            rows=int(own.sum()),
            span_us=span,
            busy_us=busy,
            idle_us=span - busy if span is not None and busy is not None else None,
        )
    return {key: value for key, value in found.items() if key != UNKNOWN}


def overlap_us(result: Totals) -> float | None:
    """How much the durations add up to beyond the busy time; None when unknown, 0 when nothing overlapped."""
    return None if result.busy_us is None else max(0.0, result.total_us - result.busy_us)
