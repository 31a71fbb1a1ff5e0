"""Steps of a run, from the Step Id column."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import first_rows, grouped
from npuscope.analysis.summary import Step
from npuscope.analysis.times.timeline import times
from npuscope.parsers.say import Problem, say
from npuscope.parsers.table import Table

VARYING = 0.95  # where the steps between differ among themselves, the outer ones must fall short by 5 % to be cut ones


def steps(table: Table) -> tuple[Step, ...]:
    """Steps in their order; the first or the last is incomplete when it has fewer kernels than those between."""
    column = table.numbers("step")
    inside = np.flatnonzero(column >= 0)
    if not len(inside):
        return ()
    groups, count = grouped([column[inside].astype(np.int64)])
    start, end, known = (values[inside] for values in times(table))
    kernels = np.bincount(groups, minlength=count)
    total = np.bincount(groups, weights=np.nan_to_num(table.numbers("duration_us")[inside]), minlength=count)
    first, last = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(first, groups, start)
    np.maximum.at(last, groups, end)
    timed = np.bincount(groups, weights=known, minlength=count) == kernels
    span = np.where(timed, (last - first) / 1000.0, np.nan)
    ids = column[inside][first_rows(groups, count)]
    whole = complete(kernels.tolist())
    return tuple(Step(int(ids[i]), float(span[i]), float(total[i]), int(kernels[i]), whole[i]) for i in range(count))


def complete(kernels: list[int]) -> list[bool]:
    """Which steps are whole. Only the outer two can be cut by the profiling window."""
    whole = [True] * len(kernels)
    for at in (0, len(kernels) - 1):
        others = kernels[1:-1] if len(kernels) > 2 else [k for i, k in enumerate(kernels) if i != at]
        if others:
            least = min(others)
            whole[at] = kernels[at] >= (least if least == max(others) else VARYING * least)
    return whole


def typical(found: tuple[Step, ...]) -> int:
    """The median number of kernels of the complete steps."""
    return int(np.median([step.kernels for step in found if step.complete] or [0]))


def problems(found: tuple[Step, ...]) -> tuple[Problem, ...]:
    """A remark for each cut step."""
    whole = typical(found)
    return tuple(
        Problem(
            "incomplete-step",
            say("problem.incomplete-step", step=step.step, kernels=step.kernels, whole=whole),
            say("problem.incomplete-step.hint"),
        )
        for step in found
        if not step.complete
    )
