"""The steps of a run in a few numbers: how long, how even, how many a second, and whether they get slower."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npuscope.analysis.arrays import Floats, number
from npuscope.analysis.summary import Step, StepsSummary
from npuscope.parsers.msprof.databases.db_steps import SOURCE as IN_DATABASE
from npuscope.parsers.msprof.extras import TRACE_STEPS
from npuscope.parsers.msprof.wholeness import lacks_kernels
from npuscope.parsers.profile import FileStep, Profile
from npuscope.parsers.table import Table

STEP_ID, STEP_TIME = "step_id", "step_time"
LEAST_FOR_DRIFT = 9  # three steps in each third, so that one slow step at the start is no drift (own)


def summarize_steps(ops: Table, found: Sequence[Step], profile: Profile) -> StepsSummary | None:
    """Of the operators' own steps; where they name none, or are not all there, of the step table beside them.

    None without either.
    """
    if found and not (profile.file_steps and lacks_kernels(profile)):
        whole = [step.complete for step in found]
        us = np.array([step.us for step in found])
        source = STEP_TIME if profile.sources.get("step", "").endswith(IN_DATABASE) else STEP_ID
        return _summary(us, whole, _periods(ops, found), source)
    if not profile.file_steps or profile.steps_source is None:
        return None
    us = _of_file(profile.file_steps)
    periods = _ends_apart(profile.file_steps) if profile.steps_source == TRACE_STEPS else us
    return _summary(us, [True] * len(us), periods, profile.steps_source)


def _summary(us: Floats, whole: Sequence[bool], periods: Floats, source: str) -> StepsSummary:
    known = us[np.array(whole, dtype=bool) & np.isfinite(us)]
    periods = periods[np.isfinite(periods) & (periods > 0)]
    median, p90, p99 = (
        (number(value) for value in np.percentile(known, (50, 90, 99))) if len(known) else (None, None, None)
    )
    return StepsSummary(
        count=len(whole),
        complete=sum(whole),
        median_us=median,
        p90_us=p90,
        p99_us=p99,
        per_second=number(1e6 * len(periods) / periods.sum()) if len(periods) else None,
        drift_pct=_drift(known),
        source=source,
    )


def _drift(us: Floats) -> float | None:
    """How much longer the median step of the last third is than that of the first, in %."""
    third = len(us) // 3
    if len(us) < LEAST_FOR_DRIFT:
        return None
    before, after = float(np.median(us[:third])), float(np.median(us[-third:]))
    return 100 * (after / before - 1) if before > 0 else None


def _periods(ops: Table, found: Sequence[Step]) -> Floats:
    """From the start of each whole step to that of the next, in us: idle time between steps is part of the pace."""
    start, column = ops.numbers("start_ns"), ops.numbers("step")
    known = np.flatnonzero((column >= 0) & (start >= 0))
    places = np.searchsorted(np.array([step.step for step in found]), column[known])
    first = np.full(len(found), np.iinfo(np.int64).max)
    np.minimum.at(first, places, start[known].astype(np.int64))
    periods = np.diff(first) / 1000.0
    usable = (first[1:] < np.iinfo(np.int64).max) & (first[:-1] < np.iinfo(np.int64).max)
    whole = np.array([step.complete for step in found[:-1]], dtype=bool)
    return np.where(usable & whole, periods, np.nan)


def _ends_apart(steps: Sequence[FileStep]) -> Floats:
    """From the end of each mark to that of the next step's, in us."""
    ends = {step.step: step.end_ns for step in steps if step.step is not None and step.end_ns is not None}
    return np.array([(end - ends[step - 1]) / 1000 for step, end in ends.items() if step - 1 in ends])


def _of_file(steps: Sequence[FileStep]) -> Floats:
    """us of each step in its order; of several devices the longest counts."""
    found: dict[object, float] = {}
    for at, step in enumerate(steps):
        key = ("row", at) if step.step is None else step.step
        us = np.nan if step.us is None else step.us
        found[key] = float(np.fmax(found.get(key, np.nan), us))
    return np.array(list(found.values()), dtype=np.float64)
