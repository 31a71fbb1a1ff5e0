"""Memory-bound: the row waits for data, and the data come as fast as this path brings them."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Floats, Ints
from npuscope.analysis.labels.derived import Derived
from npuscope.analysis.labels.evidence import Explained, Names, bandwidth, blocks, cache, outside, share
from npuscope.analysis.rules import movement
from npuscope.analysis.rules.conditions import Condition

FEW = Condition("cores-used", lambda d: d.core_share, "<", "few_cores")
L2_HIT = Condition("l2-hit", lambda d: d.hit, ">=", "l2_hit")


class Memory:
    """Movement fills the time; bandwidth is in use, or the cube's tiles are read again and again."""

    label = "memory"
    details = ("few-cores", "write-out", "tiling", "l2", "balanced", "hbm")
    conditions = (*movement.STRENGTH, *movement.WAY, FEW, L2_HIT)

    def score(self, d: Derived) -> Floats:
        """0..1; 0 where movement is not the limit."""
        return movement.shares(d)[0]

    def detail(self, d: Derived) -> Ints:
        """Index into `details`, -1 = none can be told."""
        tells = ~np.isnan(d.bw_frac)
        return np.select(
            [
                FEW.holds(d),
                movement.writes_out(d),
                d.fl_side & d.work.tiled & (movement.pipe_strength(d) > 0),
                (tells & (d.bw_frac > d.t.from_l2)) | L2_HIT.holds(d),
                movement.balanced(d),
                (tells & ~d.fl_side) | d.bw_side | ~np.isnan(d.usage),
            ],
            [0, 1, 2, 3, 4, 5],
            default=-1,
        )

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence of one row."""
        pipe = movement.busiest_mover(d, row)
        limit = limit_of(d, row, pipe)
        key = "evidence.bandwidth.tiling" if detail == "tiling" else "evidence.bandwidth"
        found = (
            *(share(d, row, pipe, names, limit) if pipe else ()),
            *bandwidth(d, row, d.t.poor, key),
            *cache(d, row),
            *blocks(d, row, names),
            *outside(d, row, d.t.outside_us),
        )
        return Explained(detail, found)


def limit_of(d: Derived, row: int, pipe: str | None) -> float:
    """The threshold of a movement pipe, the lower one where it is the lead over computing that counts."""
    if pipe == "aic_fixpipe":
        return d.t.write_out
    if pipe and pipe.startswith("aiv"):
        return d.t.move_vector
    return d.t.move_cube if movement.CUBE_SIDE.holds(d)[row] else d.t.move_leads
