"""Compute-bound: the cube or the vector unit is busy, with work that shapes or other pipes do not explain away.

Nothing here looks at the memory's bandwidth: a slower memory leaves this score as it is.
"""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, known_or
from npuscope.analysis.labels.derived import Derived, once
from npuscope.analysis.labels.evidence import (
    Explained,
    Names,
    at,
    blocks,
    busiest,
    conflict,
    known,
    mixture,
    plain,
    share,
)
from npuscope.analysis.labels.verdict import Evidence
from npuscope.analysis.rules import movement
from npuscope.analysis.rules.conditions import Condition
from npuscope.parsers.say import say

OUTSIDE = Condition("outside", lambda d: d.outside, ">", "outside_us", "time")


@once
def inside(d: Derived) -> Floats:
    """1, or the part of the task its mean core time covers where much lies outside it."""
    part = np.divide(d.T, d.D, out=np.ones(len(d.D)), where=d.D > 0)
    return np.where(OUTSIDE.holds(d) & (part < d.t.inside), part, 1.0)


CUBE = Condition("cube-task", lambda d: d.cube * inside(d), ">=", "compute_cube")
VECTOR = Condition("vec-task", lambda d: d.vec * inside(d), ">=", "compute_vector")
PEAK = Condition("peak-share", lambda d: d.fl_frac, ">=", "compute_peak")
WASTED = Condition("peak-share", lambda d: d.fl_frac, "<", "wasted")


@once
def strength(d: Derived) -> Floats:
    """How much computing limits a row, 0 where it does not."""
    cube = np.where(CUBE.holds(d), known_or(d.cube, 0) * inside(d), 0)
    vec = np.where(_vector(d), known_or(d.vec, 0) * inside(d), 0)
    pipe = np.maximum(cube, vec)
    # a cube that was busy for less than its operations need did not do them all: shapes then tell nothing
    refuted = d.bounds.by_cube & (d.fl_frac > d.cube + d.t.near_limit)
    shapes = np.where(PEAK.holds(d) & (pipe == 0) & ~refuted, np.minimum(known_or(d.fl_frac, 0), 1.0), 0)
    even = movement.balanced(d) & (known_or(d.vec, 0) > known_or(d.move_vector, 0)) & ~movement.without_mte(d)
    return np.maximum(np.maximum(pipe, shapes), np.where(even, known_or(d.vec, 0), 0))


def _vector(d: Derived) -> Bools:
    """Rows whose vector unit is busy with computing: inside a fused core, and beside a cube, it is held to the cube's
    threshold.
    """
    found: Bools = VECTOR.holds(d) & (d.vector_side | (d.vec * inside(d) >= d.t.compute_cube))
    return found & ~movement.without_mte(d)


class Compute:
    """The computing unit fills the time."""

    label = "compute"
    details = ("inefficient", "cube", "vector")
    conditions = (CUBE, VECTOR, PEAK, WASTED, OUTSIDE, movement.CONFLICT, movement.SUM3)

    def score(self, d: Derived) -> Floats:
        """0..1; 0 where no computing unit is busy enough."""
        return strength(d)

    def detail(self, d: Derived) -> Ints:
        """Index into `details`."""
        pipe = np.maximum(known_or(d.cube, 0), known_or(d.vec, 0))
        wasted = (pipe >= d.t.compute_cube) & WASTED.holds(d) & (d.work.unit > 0) & d.work.tiled
        return np.select([wasted, known_or(d.cube, 0) >= known_or(d.vec, 0)], [0, 1], default=2)

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence of one row."""
        pipe = busiest(d, row, ("aic_mac", "aiv_vec", "aic_vec"))
        limit = d.t.compute_vector if pipe == "aiv_vec" and d.vector_side[row] else d.t.compute_cube
        found = list(share(d, row, pipe, names, limit) if pipe else ())
        if known(d.fl_frac, row):
            pct, most = plain(100 * at(d.fl_frac, row)), 100 * d.t.compute_peak
            found.append(Evidence("peak_share_pct", pct, most, say("evidence.peak", pct=pct, limit=most)))
        found += mixture(d, row, pipe)
        return Explained(detail, (*found, *conflict(d, row), *blocks(d, row, names)))
