"""How sure a label is: high, less one step for each reason to doubt it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from npuscope.analysis.arrays import Bools, Ints, known_or
from npuscope.analysis.labels.derived import Derived
from npuscope.analysis.labels.verdict import CONFIDENCES, LABELS
from npuscope.analysis.rules import compute, launch, movement
from npuscope.parsers.say import Say, say

MEMORY, COMPUTE, LAUNCH, ACCESS, STALL = (
    LABELS.index(name) for name in ("memory", "compute", "launch", "access", "stall")
)
HIGH = len(CONFIDENCES) - 1


@dataclass(frozen=True)
class Doubt:
    """A reason to trust a label less: how many steps, where it holds, and how to say it. `hard` ones are not made good
    by agreement of floor and pipes.
    """

    key: str
    points: int
    holds: Callable[[Derived, Ints, Ints], Bools]
    hard: bool = False


def _needs_bytes(d: Derived, label: Ints, second: Ints) -> Bools:
    unknown = np.isnan(d.bounds.bound_us) & np.isnan(d.usage)
    found: Bools = np.isin(label, (MEMORY, COMPUTE, ACCESS)) & (unknown | ~d.work.consistent)
    return found


def agrees(d: Derived, label: Ints) -> Bools:
    """Rows whose floor or measured bandwidth supports what the pipes say."""
    moved = np.where(np.isnan(d.usage), known_or(d.bw_frac, 0), d.usage)
    memory = (label == MEMORY) & (moved >= d.t.agrees_bw)
    access = (label == ACCESS) & movement.evident(d) & movement.poor(d)
    compute_ = (label == COMPUTE) & (known_or(d.fl_frac, 0) >= d.t.agrees_fl)
    found: Bools = d.sampled & (memory | access | compute_)
    return found


def _near(d: Derived, label: Ints, second: Ints) -> Bools:
    """Labels that rest on a share just over its limit, with nothing beside it."""
    cube, vector = d.t.move_cube + d.t.near_limit, d.t.move_vector + d.t.near_limit
    moves = (known_or(d.move_cube, 0) < cube) & (known_or(d.move_vector, 0) < vector)
    computes = (known_or(d.cube, 0) < d.t.compute_cube + d.t.near_limit) & (
        known_or(d.vec, 0) < d.t.compute_vector + d.t.near_limit
    )
    by_pipe = (movement.pipe_strength(d) > 0) & ~movement.BY_BYTES.holds(d)
    found: Bools = (np.isin(label, (MEMORY, ACCESS)) & by_pipe & moves) | (
        (label == COMPUTE) & ~compute.PEAK.holds(d) & computes
    )
    return found


def _counted(d: Derived, label: Ints, second: Ints) -> Bools:
    """Operations counted by the cube and those by shapes differ: padding, sparsity, or wrong shapes."""
    over = d.counted_flops / d.flops
    found: Bools = d.work.tiled & (np.abs(over - 1) > d.t.counted) & (d.counted_flops > 0)
    return found & np.isin(label, (MEMORY, COMPUTE))


DOUBTS = (
    Doubt("doubt.short", 1, lambda d, label, second: launch.SHORT_TASK.holds(d) & (label != LAUNCH)),
    Doubt("doubt.very-short", 1, lambda d, label, second: launch.VERY_SHORT.holds(d) & (label != LAUNCH)),
    Doubt("doubt.no-duration", 1, lambda d, label, second: np.isnan(d.D)),
    Doubt("doubt.mix", 1, lambda d, label, second: d.mix & (label != LAUNCH)),
    Doubt("doubt.no-bound", 1, _needs_bytes),
    Doubt("doubt.near", 1, _near),
    Doubt("doubt.counted", 1, _counted),
    Doubt("doubt.waves", 1, lambda d, label, second: d.block > d.t.many_waves * d.cores),
    Doubt("doubt.absence", 1, lambda d, label, second: (label == STALL) & (known_or(d.scalar, 0) < d.t.scalar)),
    Doubt("doubt.floor", 1, lambda d, label, second: (label == LAUNCH) & ~(known_or(d.W, 0) >= d.D)),
    Doubt("doubt.outside", 1, lambda d, label, second: (label != LAUNCH) & launch.HEAD.holds(d), hard=True),
    Doubt("doubt.tie", 1, lambda d, label, second: second >= 0, hard=True),
    Doubt("doubt.balanced", 2, lambda d, label, second: movement.balanced(d) & np.isin(label, (MEMORY, COMPUTE))),
    Doubt("doubt.write-out", 2, lambda d, label, second: movement.writes_out(d) & (label == MEMORY), hard=True),
    # the next ones leave no more than low
    Doubt("doubt.no-counters", 3, lambda d, label, second: ~d.sampled & (label != LAUNCH), hard=True),
    Doubt("doubt.incomplete", 3, lambda d, label, second: ~d.complete & d.sampled & (label == STALL), hard=True),
    Doubt("doubt.flagged", 3, lambda d, label, second: d.flagged, hard=True),
)
AGREES = "doubt.agrees"


def confidence(d: Derived, label: Ints, second: Ints) -> Ints:
    """Index into CONFIDENCES of each row's label; `second` = the runner-up's index, -1 = none."""
    soft, hard = np.zeros(len(label), dtype=np.int8), np.zeros(len(label), dtype=np.int8)
    with np.errstate(invalid="ignore", divide="ignore"):
        for doubt in DOUBTS:
            points = np.where(doubt.holds(d, label, second), np.int8(doubt.points), np.int8(0))
            if doubt.hard:
                hard += points
            else:
                soft += points
        soft = np.maximum(soft - agrees(d, label), 0)
    sure: Ints = np.clip(HIGH - soft - hard, 0, HIGH)
    return sure


def doubts(d: Derived, label: Ints, second: Ints) -> tuple[tuple[str, Bools], ...]:
    """Where each of DOUBTS holds, and where floor and pipes agree."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = [(doubt.key, doubt.holds(d, label, second)) for doubt in DOUBTS]
        return (*found, (AGREES, agrees(d, label)))


def reasons(where: tuple[tuple[str, Bools], ...], row: int) -> tuple[Say, ...]:
    """Why the row's label is no surer, or surer, than usual."""
    return tuple(say(key) for key, holds in where if holds[row])
