"""Stall-bound: no pipe is busy enough to be the limit, or the scalar unit holds up all the others.

That nothing is busy is told only where every pipe that could be was collected. A scalar unit that works half the time,
and twice as long as the computing unit, is evidence by itself, weaker than that of a pipe at its threshold.
"""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, known_or
from npuscope.analysis.labels.derived import Derived
from npuscope.analysis.labels.evidence import (
    Explained,
    Names,
    at,
    blocks,
    busiest,
    known,
    largest_of,
    outside,
    plain,
    share,
)
from npuscope.analysis.labels.verdict import Evidence
from npuscope.analysis.rules import compute, movement
from npuscope.analysis.rules.conditions import Condition
from npuscope.parsers.say import say

SCALAR = Condition("scalar", lambda d: d.scalar, ">=", "scalar")
OTHERS = Condition("busiest", lambda d: d.pmax, "<", "scalar")
LEADS = Condition("scalar", lambda d: d.scalar, ">=", "scalar_leads")
TIMES = Condition("scalar", lambda d: d.scalar, ">=", lambda d: d.t.scalar_times * np.fmax(d.cube, d.vec))
IDLE_BW = Condition("hbm-share", lambda d: d.bw_frac, "<", "idle_bw")
SERIAL_LOW = Condition("sum", lambda d: d.serial_sum, ">=", "serial_low")
SERIAL_HIGH = Condition("sum", lambda d: d.serial_sum, "<=", "serial_high")
SERIAL_MAX = Condition("busiest", lambda d: d.pmax, "<", "serial_max")
WAIT = Condition("wait", lambda d: d.wait, ">=", "wait")
QUEUE = Condition("queue", lambda d: d.queue, ">=", "queue_full")
ICACHE = Condition("icache", lambda d: d.icache, ">=", "icache")
SPREAD = Condition("spread", lambda d: d.spread, ">=", "spread_bad")
FEW = Condition("cores-used", lambda d: d.core_share, "<", "few_cores")
OCCUPIED = Condition("occupancy", lambda d: d.occupancy, "<", "occupied")


class Stall:
    """Nothing is busy, or only the scalar unit is."""

    label = "stall"
    details = ("scalar", "imbalance", "head", "serial", "waits", "fetch", "few-cores", "latency")
    conditions = (
        SCALAR, OTHERS, LEADS, TIMES, IDLE_BW, compute.OUTSIDE, SPREAD, SERIAL_LOW, SERIAL_HIGH, SERIAL_MAX,
        WAIT, QUEUE, ICACHE, FEW, OCCUPIED,
    )  # fmt: skip

    def score(self, d: Derived) -> Floats:
        """0..1; 0 where a pipe is the limit, or where pipes are missing that could be."""
        scalar = known_or(d.scalar, 0)
        busy = (movement.strength(d) > 0) | (compute.strength(d) > 0)
        quiet = np.where(d.complete & ~busy & ~_unjudged(d), d.t.quiet, 0)
        leads = SCALAR.holds(d) & (OTHERS.holds(d) | np.isnan(d.pmax))
        path = SCALAR.holds(d) & (scalar >= known_or(d.move, 0)) & IDLE_BW.holds(d) & d.complete
        half = LEADS.holds(d) & TIMES.holds(d) & ~SCALAR.holds(d) & ~_unjudged(d)
        # a scalar unit this busy is evidence also beside busier pipes: it then stands behind them
        behind = np.where(SCALAR.holds(d), np.maximum(quiet, d.t.quiet), quiet)
        return np.where(leads | path | half, scalar, behind)

    def detail(self, d: Derived) -> Ints:
        """Index into `details`."""
        top = known_or(d.pmax, 0)
        return np.select(
            [
                SCALAR.holds(d) | (LEADS.holds(d) & (d.scalar >= d.t.scalar_times * top)),
                SPREAD.holds(d),
                compute.inside(d) < 1,
                SERIAL_LOW.holds(d) & SERIAL_HIGH.holds(d) & (top < d.t.serial_max),
                WAIT.holds(d) | QUEUE.holds(d),
                ICACHE.holds(d),
                FEW.holds(d) | OCCUPIED.holds(d),
            ],
            [0, 1, 2, 3, 4, 5, 6],
            default=7,
        )

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence of one row."""
        found = list(_scalar(d, row, names)) if detail == "scalar" else []
        pipe = busiest(d, row, _judged(d, row)) if detail != "scalar" else None
        if pipe:
            found += share(d, row, pipe, names, _limit(d, pipe), "evidence.top")
        found += _waiting_scalar(d, row, names)
        found += _numbers(d, row, detail, names)
        found += outside(d, row, d.t.outside_us)
        return Explained(detail, (*found, *blocks(d, row, names)))


def _unjudged(d: Derived) -> Bools:
    """Rows that did not move through the movement pipes and whose bytes are unknown."""
    return movement.without_mte(d) & np.isnan(d.bytes) & (known_or(d.vec, 0) >= d.t.compute_vector)


def _judged(d: Derived, row: int) -> tuple[str, ...]:
    """The pipes whose share is evidence in this row: every one that works or moves, and the scalar unit that counts."""
    counts = ("aiv_scalar",) if d.vector_side[row] else () if d.mix[row] else ("aic_scalar",)
    return tuple(pipe for pipe in d.pipes if not pipe.endswith("_scalar") or pipe in counts)


def _waiting_scalar(d: Derived, row: int, names: Names) -> tuple[Evidence, ...]:
    """Why a busy scalar unit of the cube side is no limit: in a MIX kernel it waits for the vector side."""
    if not d.mix[row] or "aic_scalar" not in d.pipes or not at(d.pipes["aic_scalar"], row) >= d.t.scalar:
        return ()
    return share(d, row, "aic_scalar", names, d.t.scalar, "evidence.scalar-waits")


def _limit(d: Derived, pipe: str) -> float:
    if pipe.endswith("fixpipe"):
        return d.t.write_out
    return d.t.move_vector if pipe.startswith("aiv") and not pipe.endswith("scalar") else d.t.scalar


def _scalar(d: Derived, row: int, names: Names) -> tuple[Evidence, ...]:
    pipe = "aiv_scalar" if d.vector_side[row] else "aic_scalar"
    if at(d.scalar, row) < d.t.scalar:
        return share(d, row, pipe, names, d.t.scalar_leads, "evidence.scalar-leads")
    return share(d, row, pipe, names, d.t.scalar)


def _numbers(d: Derived, row: int, detail: str | None, names: Names) -> list[Evidence]:
    found = []
    if detail == "serial":
        value = plain(at(d.serial_sum, row))
        found.append(Evidence("sum_of_pipes", value, 1.0, say("evidence.serial", value=value)))
    if detail == "waits":
        waits = at(d.wait, row) >= d.t.wait
        limit = d.t.wait if waits else d.t.queue_full
        column, value = largest_of(d.waits if waits else d.queues, row)
        text = say("evidence.wait" if waits else "evidence.queue", metric=names.of(column), value=value, limit=limit)
        found.append(Evidence(names.of(column), value, limit, text))
    if detail == "fetch":
        value, limit = plain(at(d.icache, row)), d.t.icache
        found.append(Evidence("icache_miss_rate", value, limit, say("evidence.icache", value=value, limit=limit)))
    if detail == "imbalance":
        pct, most = plain(100 * at(d.spread, row)), 100 * d.t.spread_bad
        found.append(Evidence("block_spread_pct", pct, most, say("evidence.spread", pct=pct, limit=most)))
    if detail == "few-cores" and known(d.occupancy, row) and at(d.occupancy, row) < d.t.occupied:
        pct, most = plain(100 * at(d.occupancy, row)), 100 * d.t.occupied
        found.append(Evidence("core_occupancy_pct", pct, most, say("evidence.occupancy", pct=pct, limit=most)))
    return found
