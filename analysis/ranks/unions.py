"""Operators in time as computing, communication and free: unions of intervals on one device."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Ints
from npuscope.analysis.rules import kinds
from npuscope.analysis.times.timeline import lanes
from npuscope.parsers.msprof.tables.step_trace_time import StepTimes
from npuscope.parsers.table import Table

MOST_STEPS = 1000


def split(ops: Table, step: int | None = None) -> StepTimes | None:
    """The operators of one device as one step; None where a start time is missing, or there is no operator."""
    return _split(ops, kinds.computes(ops, kinds.kind_codes(ops)), step)


def split_by_step(ops: Table) -> tuple[StepTimes, ...]:
    """The same for each step the operators name, in order; () where they name none."""
    if "step" not in ops:
        return ()
    column, computing = ops.numbers("step"), kinds.computes(ops, kinds.kind_codes(ops))
    steps = np.unique(column[column >= 0])[:MOST_STEPS]
    found = []
    for step in steps.tolist():
        own = column == step
        times = _split(ops.take(own), computing[own], int(step))
        if times is not None:
            found.append(times)
    return tuple(found)


def _split(ops: Table, computes: Bools, step: int | None) -> StepTimes | None:
    one_device = Table({"device": np.zeros(len(ops), dtype=np.int64), **_times(ops)})
    lane = lanes(one_device, by_stream=False)
    if not len(ops) or len(lane.rows) != len(ops):
        return None
    span, busy = (float(us[0]) for us in lane.spans())
    computing = _busy(lane.only(computes).spans()[1])
    sent = _busy(lane.only(~computes).spans()[1])
    return StepTimes(
        step=step,
        computing_us=computing,
        not_overlapped_us=busy - computing,
        overlapped_us=max(0.0, computing + sent - busy),
        communication_us=sent,
        free_us=span - busy,
        stage_us=span,
    )


def _times(ops: Table) -> dict[str, Ints]:
    return {name: ops.numbers(name) for name in ("start_ns", "duration_us")}


def _busy(us: Ints) -> float:
    return float(us[0]) if len(us) else 0.0
