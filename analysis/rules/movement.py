"""Whether a row spends its time on movement, and whether it moves the right way. Shared by memory and access.

First it is asked whether movement is the limit (`strength`): this does not look at how well it moves, and a slower
memory can only raise it. Then memory and access share that strength between them, the leading one taking all of it: so
no memory-bound row becomes compute-bound because the memory is slower.
"""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, known_or
from npuscope.analysis.labels.derived import FEW_FLOPS_PER_BYTE, Derived, once
from npuscope.analysis.labels.metric_groups import MOVERS
from npuscope.analysis.rules.conditions import Condition


@once
def packet(d: Derived) -> Floats:
    """Bytes an instruction of the movement pipes that are busy; of all where none is; NaN = unknown."""
    every = d.most({pipe: -values for pipe, values in d.packets.items()})
    busy = {
        pipe: -np.where(d.pipes[pipe] >= (d.t.move_vector if pipe.startswith("aiv") else d.t.move_cube), values, np.nan)
        for pipe, values in d.packets.items()
        if pipe in d.pipes
    }
    of_busy = d.most(busy)
    return -np.where(np.isnan(of_busy), every, of_busy)


@once
def bandwidth(d: Derived) -> Floats:
    """Share of the peak that tells a poor way to move: measured usage, else that of the compulsory bytes, else the rate
    while the pipe is active. A matrix product with many operations a byte reads its tiles again: its bytes do not tell.
    """
    reuses = d.work.tiled & ~(d.intensity < FEW_FLOPS_PER_BYTE)
    by_bytes = np.where(reuses, np.nan, d.bw_eff)
    slow_pipe = np.where(d.active < d.t.poor, d.active, np.nan)  # above it the pipe may still stand still in between
    return np.where(np.isnan(d.usage), np.where(np.isnan(by_bytes), slow_pipe, by_bytes), d.usage)


@once
def from_memory(d: Derived) -> Floats:
    """Share of HBM peak that the row's bytes needed, but no more than the pipes that move were at work: what goes
    beyond came from L2, and is not what the row waits for.
    """
    at_work = np.where(d.no_mte | d.vec_may_move, np.nan, d.movers)
    return np.where(np.isnan(d.bw_frac), np.nan, np.fmin(d.bw_frac, at_work))


CUBE_SIDE = Condition("move-cube", lambda d: d.move_cube, ">=", "move_cube")
CUBE_LEADS = Condition("move-cube", lambda d: d.move_cube, ">=", "move_leads")
CUBE_WAITS = Condition("move-cube", lambda d: d.move_cube, ">=", lambda d: d.t.move_times * np.fmax(d.cube, d.vec))
VECTOR_SIDE = Condition("move-vector", lambda d: d.move_vector, ">=", "move_vector")
WRITE_OUT = Condition("fixpipe", lambda d: d.fixpipe, ">=", "write_out")
BY_BYTES = Condition("hbm-share", from_memory, ">=", "bw_peak")
CUBE_WINS = Condition("cube-busy", lambda d: d.cube, ">=", "cube_wins")
SUM3 = Condition("sum3", lambda d: d.sum3, ">=", "balanced_sum")
STRENGTH = (CUBE_SIDE, CUBE_LEADS, CUBE_WAITS, VECTOR_SIDE, WRITE_OUT, BY_BYTES, CUBE_WINS, SUM3)

POOR = Condition("bandwidth", bandwidth, "<", "poor")
TIE_LOW = Condition("bandwidth", bandwidth, ">=", "tie_low")
TIE_HIGH = Condition("bandwidth", bandwidth, "<=", "tie_high")
NEAR = Condition("bandwidth", bandwidth, ">=", "near")
LONG = Condition("duration", lambda d: d.D, ">=", "worth_us", "time")
TINY_PACKET = Condition("packet", packet, "<=", "tiny_packet", "bytes")
SMALL_PACKET = Condition("packet", packet, "<", "small_packet", "bytes")
SLOW_MOVER = Condition("bandwidth-mover", lambda d: np.where(d.work.moves_only, d.bw_eff, np.nan), "<", "slow_mover")
POOR_HIT = Condition("l2-hit", lambda d: d.hit, "<", "poor_hit")
REREAD = Condition("reread", lambda d: d.traffic / d.bytes, ">", "reread", "one")
CONFLICT = Condition("conflict", lambda d: d.conflict, ">", "conflict")
WAY = (POOR, TIE_LOW, TIE_HIGH, NEAR, LONG, TINY_PACKET, SMALL_PACKET, SLOW_MOVER, POOR_HIT, REREAD, CONFLICT)


@once
def busy_cube_side(d: Derived) -> Bools:
    """Rows whose cube side moves most of the time, or so much longer than it computes that computing waits for it."""
    found: Bools = CUBE_SIDE.holds(d) | (CUBE_LEADS.holds(d) & CUBE_WAITS.holds(d) & d.complete)
    return found


@once
def pipe_strength(d: Derived) -> Floats:
    """The movement pipe's share where it passes its side's threshold, else 0."""
    cube_side, vector_side, cube = known_or(d.move_cube, 0), known_or(d.move_vector, 0), known_or(d.cube, 0)
    pipe = np.maximum(np.where(busy_cube_side(d), cube_side, 0), np.where(VECTOR_SIDE.holds(d), vector_side, 0))
    pipe = np.maximum(pipe, np.where(WRITE_OUT.holds(d), known_or(d.fixpipe, 0), 0))
    waits = CUBE_WINS.holds(d) & (pipe <= cube + np.float32(d.t.cube_margin))
    return np.where(waits, np.minimum(pipe, np.maximum(cube - np.float32(0.001), 0)), pipe)


@once
def writes_out(d: Derived) -> Bools:
    """Rows that are limited by movement, of which fixpipe is the busiest part."""
    found: Bools = WRITE_OUT.holds(d) & ~(d.fixpipe <= d.move)
    return found


@once
def balanced(d: Derived) -> Bools:
    """Vector rows whose pipes add up to the time without one that fills it: near the limit of this implementation."""
    top = known_or(d.pmax, 0)
    return SUM3.holds(d) & (top >= d.t.balanced_max) & (top < d.t.move_vector) & ~d.no_mte & d.complete & ~d.mix


@once
def strength(d: Derived) -> Floats:
    """How much movement limits a row, 0 where it does not. Never less with a slower memory."""
    by_bytes = np.where(BY_BYTES.holds(d), np.minimum(known_or(from_memory(d), 0), 1.0), 0)
    move = known_or(d.move_vector, 0)
    even = np.where(balanced(d) & (move >= known_or(d.vec, 0)), move, 0)
    found = np.maximum(np.maximum(pipe_strength(d), by_bytes), even)
    return np.where(strided(d), np.maximum(found, np.float32(d.t.strided_score)), found)


@once
def evident(d: Derived) -> Bools:
    """Rows with direct evidence of a wrong access pattern, one that is enough alone or enough votes; not where the
    bandwidth is as good as that of good copies.
    """
    ragged_alone = d.work.ragged & d.a2  # costs 22 to 48 % on A2, little on 950 [DEV]
    votes = (
        SMALL_PACKET.holds(d).astype(np.int8)
        + (d.work.ragged & ~ragged_alone)
        + d.work.off_tile
        + SLOW_MOVER.holds(d)
        + (POOR_HIT.holds(d) & REREAD.holds(d))
    )
    found: Bools = (TINY_PACKET.holds(d) | ragged_alone | (votes >= d.t.votes)) & ~NEAR.holds(d)
    return found


@once
def long_enough(d: Derived) -> Bools:
    """Rows whose bandwidth is measured, or whose task is long enough for its head not to decide it."""
    return LONG.holds(d) | ~np.isnan(d.usage)


@once
def poor(d: Derived) -> Bools:
    """Rows that move far below the peak with all their cores."""
    return POOR.holds(d) & long_enough(d)


@once
def near_poor(d: Derived) -> Bools:
    """Rows between the two: both classes stand."""
    return (TIE_LOW.holds(d) & TIE_HIGH.holds(d)) | (POOR.holds(d) & ~long_enough(d))


@once
def wrong_way(d: Derived) -> Bools:
    """Rows where access leads memory: evident or poor; of those that only move already inside the tie band, since
    they have nothing else to spend their time on.
    """
    mover = near_poor(d) & long_enough(d) & d.work.moves_only
    return ((evident(d) | poor(d) | mover) & (pipe_strength(d) > 0)) | strided(d)


@once
def shares(d: Derived) -> tuple[Floats, Floats]:
    """The strength as memory's score and as access's: the leading one has all of it."""
    whole, wrong = strength(d), wrong_way(d)
    tied = near_poor(d) & ~evident(d) & ~strided(d) & (pipe_strength(d) > 0)
    trailing = np.where(tied, whole - d.t.trailing * d.t.tie, 0)
    return np.where(wrong, trailing, whole), np.where(wrong, whole, trailing)


@once
def without_mte(d: Derived) -> Bools:
    """Rows whose vector share says nothing about computing: SIMT-like ones, and those that only move data."""
    return d.vec_may_move | (d.simt > d.t.simt_share) | d.work.moves_only


@once
def strided(d: Derived) -> Bools:
    """Rows that move without a busy movement pipe and reach memory badly, by bytes or by bank conflicts."""
    by_vec = d.work.moves_only & ((d.vec >= d.t.simt_vec) | d.no_mte)
    slow, conflicts = by_vec & (d.bw_eff < d.t.poor), (by_vec | d.no_mte) & CONFLICT.holds(d)
    found: Bools = (slow | conflicts) & ~np.isnan(d.bytes) & (pipe_strength(d) == 0) & ~BY_BYTES.holds(d)
    return found


def busiest_mover(d: Derived, row: int) -> str | None:
    """The movement pipe with the largest share in the row; None when none was collected."""
    found = [(float(d.pipes[p][row]), p) for p in (*MOVERS, "aic_fixpipe") if p in d.pipes and d.pipes[p][row] >= 0]
    found = [entry for entry in found if entry[1] != "aic_fixpipe" or writes_out(d)[row]]
    return max(found)[1] if found else None
