"""How sure a label is: high, less one step for each reason to doubt it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from npuscope.analysis.arrays import Bools, Ints, known_or
from npuscope.analysis.derived import Derived
from npuscope.analysis.rules import movement
from npuscope.analysis.verdict import CONFIDENCES, LABELS
from npuscope.parsers.say import Say, say

SHORT_US, VERY_SHORT_US = 20.0, 10.0  # shares of short tasks are noisy [AGT]
MANY_WAVES = 4.0  # blocks over cores: core time is then a derived figure
AGREES_BW, AGREES_FL = 0.40, 0.60

MEMORY, COMPUTE, LAUNCH, ACCESS, STALL = (
    LABELS.index(name) for name in ("memory", "compute", "launch", "access", "stall")
)


@dataclass(frozen=True)
class Doubt:
    """A reason to trust a label less (points > 0) or more (points < 0): where it holds, and how to say it."""

    key: str
    points: int
    holds: Callable[[Derived, Ints, Ints], Bools]


def _needs_bytes(d: Derived, label: Ints, second: Ints) -> Bools:
    unknown = np.isnan(d.bounds.bound_us) & np.isnan(d.usage)
    found: Bools = np.isin(label, (MEMORY, COMPUTE, ACCESS)) & (unknown | ~d.work.consistent)
    return found


def _agrees(d: Derived, label: Ints, second: Ints) -> Bools:
    moved = np.where(np.isnan(d.usage), known_or(d.bw_frac, 0), d.usage)
    memory = (label == MEMORY) & (moved >= AGREES_BW)
    access = (label == ACCESS) & movement.evident(d) & movement.poor(d)
    found: Bools = d.sampled & (memory | access | ((label == COMPUTE) & (known_or(d.fl_frac, 0) >= AGREES_FL)))
    return found


DOUBTS = (
    Doubt("doubt.short", 1, lambda d, label, second: (d.D < SHORT_US) & (label != LAUNCH)),
    Doubt("doubt.very-short", 1, lambda d, label, second: (d.D < VERY_SHORT_US) & (label != LAUNCH)),
    Doubt("doubt.no-duration", 1, lambda d, label, second: np.isnan(d.D)),
    Doubt("doubt.mix", 1, lambda d, label, second: d.mix & (label != LAUNCH)),
    Doubt("doubt.no-bound", 1, _needs_bytes),
    Doubt("doubt.tie", 1, lambda d, label, second: second >= 0),
    Doubt("doubt.waves", 1, lambda d, label, second: d.block > MANY_WAVES * d.cores),
    Doubt("doubt.balanced", 2, lambda d, label, second: movement.balanced(d) & np.isin(label, (MEMORY, COMPUTE))),
    Doubt("doubt.absence", 1, lambda d, label, second: (label == STALL) & (known_or(d.scalar, 0) < 0.8)),
    Doubt("doubt.floor", 1, lambda d, label, second: (label == LAUNCH) & ~(known_or(d.W, 0) >= d.D)),
    Doubt("doubt.agrees", -1, _agrees),
    # the next two leave no more than low
    Doubt("doubt.no-counters", 3, lambda d, label, second: ~d.sampled & (label != LAUNCH)),
    Doubt("doubt.incomplete", 3, lambda d, label, second: ~d.complete & d.sampled & (label == STALL)),
    Doubt("doubt.flagged", 3, lambda d, label, second: d.flagged),
)


def confidence(d: Derived, label: Ints, second: Ints) -> Ints:
    """Index into CONFIDENCES of each row's label; `second` = the runner-up's index, -1 = none."""
    points = np.full(len(label), len(CONFIDENCES) - 1, dtype=np.int8)
    for doubt in DOUBTS:
        points -= np.where(doubt.holds(d, label, second), np.int8(doubt.points), np.int8(0))
    return np.clip(points, 0, len(CONFIDENCES) - 1)


def doubts(d: Derived, label: Ints, second: Ints) -> tuple[Bools, ...]:
    """Where each of DOUBTS holds."""
    return tuple(doubt.holds(d, label, second) for doubt in DOUBTS)


def reasons(where: tuple[Bools, ...], row: int) -> tuple[Say, ...]:
    """Why the row's label is no surer, or surer, than usual."""
    return tuple(say(doubt.key) for doubt, holds in zip(DOUBTS, where) if holds[row])
