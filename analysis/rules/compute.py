"""Compute-bound: the cube or the vector unit is busy, with work that shapes or other pipes do not explain away."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Floats, Ints, known_or
from npuscope.analysis.derived import Derived, once
from npuscope.analysis.evidence import Explained, Names, at, blocks, busiest, known, plain, share
from npuscope.analysis.rules import movement
from npuscope.analysis.verdict import Evidence
from npuscope.parsers.say import Say, say

CUBE = 0.80  # [ADV mac, MSP mac]
VECTOR = 0.70  # vector core [ADV]; inside a fused core as the cube [MSP vec]
PEAK = 0.60  # of the unit's peak by shapes [NCU 60 %]
INEFFICIENT = 0.40  # of the peak although the pipe is busy: masks, repeats, slow instructions [MADV table 4]
OUTSIDE_US, INSIDE = 30.0, 0.80  # a busy mean core time that covers less of the task says little [OPT]


@once
def strength(d: Derived) -> Floats:
    """How much computing limits a row, 0 where it does not."""
    inside = _inside(d)
    pipe = np.maximum(_cube(d, inside), _vector(d, inside))
    shapes = known_or(d.fl_frac, 0)
    shapes = np.where((shapes >= PEAK) & (pipe == 0), np.minimum(shapes, 1.0), 0)
    even = movement.balanced(d) & (known_or(d.vec, 0) > known_or(d.move_vector, 0)) & ~movement.without_mte(d)
    return np.maximum(np.maximum(pipe, shapes), np.where(even, known_or(d.vec, 0), 0))


class Compute:
    """The computing unit fills the time."""

    label = "compute"
    details = ("inefficient", "cube", "vector")

    def score(self, d: Derived) -> Floats:
        """0..1; 0 where no computing unit is busy enough."""
        return strength(d)

    def detail(self, d: Derived) -> Ints:
        """Index into `details`."""
        pipe = np.maximum(known_or(d.cube, 0), known_or(d.vec, 0))
        wasted = (pipe >= CUBE) & (known_or(d.fl_frac, 1) < INEFFICIENT) & (d.work.unit > 0) & d.work.matmul
        return np.select([wasted, known_or(d.cube, 0) >= known_or(d.vec, 0)], [0, 1], default=2)

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence and advice of one row."""
        pipe = busiest(d, row, ("aic_mac", "aiv_vec", "aic_vec"))
        found = list(share(d, row, pipe, names, VECTOR if pipe == "aiv_vec" else CUBE) if pipe else ())
        if known(d.fl_frac, row):
            pct = plain(100 * at(d.fl_frac, row))
            found.append(Evidence("peak_share_pct", pct, 100 * PEAK, say("evidence.peak", pct=pct, limit=100 * PEAK)))
        return Explained(detail, (*found, *blocks(d, row, names)), self.advice(d, row, detail))

    def advice(self, d: Derived, row: int, detail: str | None) -> tuple[Say, ...]:
        """What to try, best first."""
        cores: tuple[Say, ...] = ()
        if at(d.core_share, row) < 1:
            cores = (say("advice.all-cores", cores=int(at(d.cores, row)), block=int(at(d.block, row))),)
        if detail == "vector":
            return (
                *cores,
                say("advice.compute.vector"),
                say("advice.compute.fewer-casts"),
                say("advice.compute.precision"),
            )
        if detail == "inefficient":
            return (
                *cores,
                say("advice.compute.repeats"),
                say("advice.compute.padding"),
                say("advice.compute.precision"),
            )
        return (*cores, say("advice.compute.near"), say("advice.compute.quantise"), say("advice.compute.algorithm"))


def _inside(d: Derived) -> Floats:
    """1, or the part of the task its mean core time covers where much lies outside it."""
    part = np.divide(d.T, d.D, out=np.ones(len(d.D)), where=d.D > 0)
    return np.where((d.outside > OUTSIDE_US) & (part < INSIDE), part, 1.0)


def _cube(d: Derived, inside: Floats) -> Floats:
    share = known_or(d.cube, 0) * inside
    return np.where(share >= CUBE, share, 0)


def _vector(d: Derived, inside: Floats) -> Floats:
    share = known_or(d.vec, 0) * inside
    limit = np.where(d.vector_side, VECTOR, CUBE)
    return np.where((share >= limit) & ~movement.without_mte(d), share, 0)
