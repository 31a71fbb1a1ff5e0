"""Memory-bound: the row waits for data, and the data come as fast as this path brings them."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Floats, Ints
from npuscope.analysis.derived import Derived
from npuscope.analysis.evidence import Explained, Names, at, bandwidth, blocks, busiest, outside, share
from npuscope.analysis.rules import movement
from npuscope.parsers.say import Say, say

FEW = 0.5  # of the cores: they do not ask for enough data to fill the bandwidth [DEV]
OUTSIDE_US = 30.0
NEAR = 0.8  # of HBM peak: good copies reach 0.67 to 0.84 of it [TRN, DEV]
BEHIND = 0.06  # behind access where that is evident; in the tie band half of it


class Memory:
    """Movement fills the time; bandwidth is in use, or the cube's tiles are read again and again."""

    label = "memory"
    details = ("few-cores", "tiling", "l2", "balanced", "hbm")

    def score(self, d: Derived) -> Floats:
        """0..1; 0 where movement is not the limit."""
        strength = movement.strength(d)
        wrong = movement.evident(d) | movement.poor(d)
        behind = np.where(movement.near_poor(d) & ~movement.evident(d), BEHIND / 2, BEHIND)
        score = np.where(wrong, strength - behind, strength)
        return np.where((strength > 0) & ~movement.strided(d), np.maximum(score, 0), 0)

    def detail(self, d: Derived) -> Ints:
        """Index into `details`, -1 = none can be told."""
        tells = ~np.isnan(d.bw_frac)
        return np.select(
            [
                d.core_share < FEW,
                d.fl_side & d.work.matmul & (movement.pipe_strength(d) > 0),
                tells & (d.bw_frac > 1),
                movement.balanced(d),
                (tells & ~d.fl_side) | d.bw_side | ~np.isnan(d.usage),
            ],
            [0, 1, 2, 3, 4],
            default=-1,
        )

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence and advice of one row."""
        pipe = busiest(d, row, ("aic_mte2", "aiv_mte2", "aiv_mte3", "aic_mte3"))
        limit = movement.VECTOR_SIDE if pipe and pipe.startswith("aiv") else movement.CUBE_SIDE
        key = "evidence.bandwidth.tiling" if detail == "tiling" else "evidence.bandwidth"
        found = (
            *(share(d, row, pipe, names, limit) if pipe else ()),
            *bandwidth(d, row, movement.POOR, key),
            *blocks(d, row, names),
            *outside(d, row, OUTSIDE_US),
        )
        return Explained(detail, found, self.advice(d, row, detail))

    def advice(self, d: Derived, row: int, detail: str | None) -> tuple[Say, ...]:
        """What to try, best first."""
        cores: tuple[Say, ...] = ()
        if at(d.core_share, row) < 1:
            cores = (say("advice.all-cores", cores=int(at(d.cores, row)), block=int(at(d.block, row))),)
        if detail == "few-cores":
            return (*cores, say("advice.memory.packets"))
        if detail == "tiling":
            return (say("advice.memory.base-block"), say("advice.memory.l1"), say("advice.memory.swizzle"), *cores)
        if detail == "balanced":
            return (say("advice.memory.balanced"), say("advice.memory.fuse"), *cores)
        fuse = (say("advice.memory.fuse"), say("advice.memory.precision"), say("advice.memory.l2"))
        return (say("advice.memory.near"), *fuse, *cores) if at(d.bw_frac, row) >= NEAR else (*fuse, *cores)
