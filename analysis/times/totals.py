"""Sum, union, span and idle of a run, per device and together. Lost start times leave all but the sum unknown."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, number
from npuscope.analysis.rules import kinds
from npuscope.analysis.summary import DeviceTotals, Totals
from npuscope.analysis.times.carried import counted_us
from npuscope.analysis.times.gaps import Measured
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.table import Table

COVERED = 0.8  # the run's AI Core share is told when it is known for 80 % of the computing time


def totals(table: Table, kind: Ints, measured: Measured) -> Totals:
    """Totals of an operator table that has `aicore_pct`; `kind` of rules/kinds.py."""
    duration = np.nan_to_num(table.numbers("duration_us"), nan=0.0, posinf=0.0, neginf=0.0)
    communication, computing = kind == kinds.COMMUNICATION, kinds.computes(table, kind)
    carried = duration - counted_us(table)
    span, busy = _added(measured.spans_us), _added(measured.busy_us)
    return Totals(
        rows=len(table),
        total_us=float(duration.sum()),
        span_us=measured.span_us,
        busy_us=busy,
        idle_us=None if span is None or busy is None else span - busy,
        busy_pct=100.0 * busy / span if busy is not None and span else None,
        wait_us=_wait(table),
        computing_us=float(duration[computing].sum()),
        communication_us=float(counted_us(table)[communication].sum()),
        communication_not_overlapped_us=measured.exposed_us,
        aicore_pct=_aicore(duration, table.numbers("aicore_pct"), computing),
        by_device=_by_device(table, duration, carried, measured),
        carried_us=float(carried.sum()),
    )


def _added(per_device: Floats | None) -> float | None:
    return None if per_device is None else float(per_device.sum())


def _wait(table: Table) -> float | None:
    """Sum of the file's wait column; an overlap is written as a negative wait there and is none."""
    wait = table.numbers("wait_us")
    known = np.isfinite(wait)
    return float(np.maximum(wait[known], 0).sum()) if known.any() else None


def _aicore(duration: Floats, occupancy: Floats, computing: Bools) -> float | None:
    known = ~np.isnan(occupancy) & computing
    whole, covered = duration[computing].sum(), duration[known].sum()
    if not whole or covered < COVERED * whole:
        return None
    return number((duration[known] * occupancy[known]).sum() / covered)


def _by_device(table: Table, duration: Floats, carried: Floats, measured: Measured) -> dict[int, DeviceTotals]:
    device = table.numbers("device")
    if device.dtype.kind != "i" or not len(device) or not (device != UNKNOWN).any():
        return {}
    found = {}
    for index, value in enumerate(np.unique(device).tolist()):
        own = device == value
        span = None if measured.spans_us is None else float(measured.spans_us[index])
        busy = None if measured.busy_us is None else float(measured.busy_us[index])
        found[value] = DeviceTotals(
            total_us=float(duration[own].sum()),
            rows=int(own.sum()),
            span_us=span,
            busy_us=busy,
            idle_us=span - busy if span is not None and busy is not None else None,
            carried_us=float(carried[own].sum()),
        )
    return {key: value for key, value in found.items() if key != UNKNOWN}


def overlap_us(result: Totals) -> float | None:
    """How much the durations add up to beyond the busy time; None when unknown, 0 when nothing overlapped."""
    return None if result.busy_us is None else max(0.0, result.once_us - result.busy_us)
