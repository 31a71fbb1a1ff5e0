"""Whether a row spends its time on movement, and whether it moves the right way. Shared by memory and access."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, known_or
from npuscope.analysis.derived import Derived, once

CUBE_SIDE = 0.80  # mte2 of the cube side or of a MIX kernel [ADV FA; ASI, REC: mte2]
VECTOR_SIDE = 0.70  # mte2, mte3 of the vector side [ADV]
BW_PEAK = 0.60  # of HBM peak: bandwidth-bound whatever the pipes say [NCU 60 %, TT 65 %]
CUBE_WINS = 0.88  # a cube this busy is the limit unless mte2 is busier by CUBE_MARGIN: mte2 waits for it [DEV]
CUBE_MARGIN = 0.05
BALANCED_SUM = 0.90  # vec + mte2 + mte3 [ADV total]: well overlapped, none of them alone
BALANCED_MAX = 0.60  # below it a sum near 1 means one after the other (stall, serial)

POOR = 0.40  # of HBM peak with the movement pipe busy and all cores in use: the movement path is wrong [DEV]
TIE_LOW, TIE_HIGH = 0.35, 0.50  # between them memory and access stand side by side
WORTH_US = 20.0  # below it the head cost decides the bandwidth: no access verdict from bytes alone [MSP, ADV, ASI]
TINY_PACKET = 512.0  # bytes a movement instruction: enough alone [OPT]
SMALL_PACKET = 16_384.0  # bytes a movement instruction [CB]: one vote of two
SLOW_MOVER = 0.30  # of HBM peak, an operator that only moves: one vote (own choice)
CONFLICT = 0.04  # vec_bankgroup_cflt_ratio, vec_bank_cflt_ratio [MSP]; counts only where UB access is the limit [DEV]
VOTES = 2


@once
def pipe_strength(d: Derived) -> Floats:
    """The movement pipe's share where it passes its side's threshold, else 0."""
    cube_side, vector_side = known_or(d.move_cube, 0), known_or(d.move_vector, 0)
    pipe = np.maximum(
        np.where(cube_side >= CUBE_SIDE, cube_side, 0), np.where(vector_side >= VECTOR_SIDE, vector_side, 0)
    )
    cube = known_or(d.cube, 0)
    waits = (cube >= CUBE_WINS) & (pipe <= cube + CUBE_MARGIN)
    return np.where(waits, np.minimum(pipe, cube - np.float32(0.001)), pipe)


@once
def balanced(d: Derived) -> Bools:
    """Vector rows whose pipes add up to the time without one that fills it: near the limit of this implementation."""
    busy = known_or(d.sum3, 0) >= BALANCED_SUM
    top = known_or(d.pmax, 0)
    overlapped = (top >= BALANCED_MAX) | (known_or(d.sum3, 0) > SERIAL_HIGH)
    return busy & overlapped & (top < VECTOR_SIDE) & ~d.no_mte & d.complete


SERIAL_LOW, SERIAL_HIGH = 0.90, 1.10  # the pipes' shares add up to the time: one after the other [AGT rule 6]


@once
def strength(d: Derived) -> Floats:
    """How much movement limits a row, 0 where it does not."""
    by_bytes = known_or(d.bw_frac, 0)
    by_bytes = np.where(by_bytes >= BW_PEAK, np.minimum(by_bytes, 1.0), 0)
    move = known_or(d.move_vector, 0)
    even = np.where(balanced(d) & (move >= known_or(d.vec, 0)), move, 0)
    return np.maximum(np.maximum(pipe_strength(d), by_bytes), even)


@once
def bandwidth(d: Derived) -> Floats:
    """Share of the peak that counts for "poor": measured usage, else the bytes' where bytes are the compulsory ones."""
    by_bytes = np.where(d.fl_side & d.work.matmul, np.nan, d.bw_eff)
    return np.where(np.isnan(d.usage), by_bytes, d.usage)


@once
def evident(d: Derived) -> Bools:
    """Rows with direct evidence of a wrong access pattern: one that is enough alone, or two votes."""
    packet, slow = known_or(d.packet, np.inf), known_or(d.bw_eff, 1) < SLOW_MOVER
    ragged_alone = d.work.ragged & d.a2  # costs 22 to 48 % on A2, little on 950 [DEV]
    votes = (
        (packet < SMALL_PACKET).astype(np.int8)
        + (d.work.ragged & ~ragged_alone)
        + d.work.off_tile
        + (d.work.moves_only & slow)
    )
    return (packet <= TINY_PACKET) | ragged_alone | (votes >= VOTES)


@once
def poor(d: Derived) -> Bools:
    """Rows that move far below the peak with all their cores: judged only where the task is long enough to tell."""
    return (known_or(bandwidth(d), 1) < POOR) & ((known_or(d.D, 0) >= WORTH_US) | ~np.isnan(d.usage))


@once
def near_poor(d: Derived) -> Bools:
    """Rows between the two: both classes stand."""
    share = known_or(bandwidth(d), 1)
    short = (share < POOR) & (known_or(d.D, 0) < WORTH_US) & np.isnan(d.usage)
    return (share >= TIE_LOW) & (share <= TIE_HIGH) | short


@once
def without_mte(d: Derived) -> Bools:
    """Rows whose vector share says nothing about computing: SIMT-like ones, and those that only move data."""
    return d.no_mte | (d.work.moves_only & (known_or(d.vec, 0) >= VECTOR_SIDE * 0.8))


@once
def strided(d: Derived) -> Bools:
    """Of those, the ones that reach memory badly, by conflicts or by bytes."""
    slow = known_or(d.bw_eff, 1) < SLOW_MOVER
    conflicts = known_or(d.conflict, 0) > CONFLICT
    found: Bools = (
        without_mte(d) & ~np.isnan(d.bytes) & (conflicts | (slow & d.work.moves_only)) & (pipe_strength(d) == 0)
    )
    return found
