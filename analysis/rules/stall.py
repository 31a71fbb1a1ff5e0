"""Stall-bound: no pipe is busy enough to be the limit, or the scalar unit holds up all the others."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, known_or
from npuscope.analysis.derived import Derived
from npuscope.analysis.evidence import Explained, Names, at, blocks, busiest, known, outside, plain, share
from npuscope.analysis.rules import compute, movement
from npuscope.analysis.verdict import Evidence
from npuscope.parsers.say import Say, say

SCALAR = 0.80  # [MSP scalar]
SCALAR_ALONE = 0.90  # enough although other pipes were not sampled: element-wise access, address math [AGT]
SCALAR_LEADS = 0.50  # and twice every other pipe: the sub-label [OPT]
IDLE_BW = 0.10  # the scalar unit is the movement path [TRN]
SERIAL_MAX = 0.60  # no pipe above it while all add up to the time: one after the other [AGT rule 6]
WAIT = 0.25  # *_wait_ratio, *_iq_full_ratio (own choice)
ICACHE = 0.10  # icache_miss_rate (own choice)
OCCUPIED = 0.40  # AI Core share with clear room
FEW = 0.50  # blocks over cores
LEAST = 0.50  # score of a row that merely has no busy pipe: any evidence beats absence
OUTSIDE_US, INSIDE = 30.0, 0.80


class Stall:
    """Nothing is busy, or only the scalar unit is."""

    label = "stall"
    details = ("scalar", "head", "serial", "waits", "fetch", "few-cores", "latency")

    def score(self, d: Derived) -> Floats:
        """0..1; 0 where a pipe is the limit, or where pipes are missing that could be."""
        scalar, top = known_or(d.scalar, 0), known_or(d.pmax, 0)
        busy = (movement.strength(d) > 0) | (compute.strength(d) > 0) | movement.strided(d)
        quiet = np.where(d.complete & ~busy & ~_unjudged(d), LEAST, 0)
        leads = (scalar >= SCALAR) & (top < SCALAR) & (d.complete | (scalar >= SCALAR_ALONE))
        moves = known_or(d.move, 0)
        path = (scalar >= SCALAR) & (scalar >= moves) & (known_or(d.bw_frac, 0) < IDLE_BW) & d.complete
        return np.where(leads | path, scalar, quiet)

    def detail(self, d: Derived) -> Ints:
        """Index into `details`."""
        scalar, top = known_or(d.scalar, 0), known_or(d.pmax, 0)
        serial = (known_or(d.serial_sum, 0) >= movement.SERIAL_LOW) & (
            known_or(d.serial_sum, 9) <= movement.SERIAL_HIGH
        )
        return np.select(
            [
                (scalar >= SCALAR) | ((scalar >= SCALAR_LEADS) & (scalar >= 2 * top)),
                (d.outside > OUTSIDE_US) & (d.T < INSIDE * d.D),
                serial & (top < SERIAL_MAX),
                known_or(d.wait, 0) >= WAIT,
                known_or(d.icache, 0) >= ICACHE,
                (known_or(d.core_share, 1) < FEW) | (known_or(d.occupancy, 1) < OCCUPIED),
            ],
            [0, 1, 2, 3, 4, 5],
            default=6,
        )

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence and advice of one row."""
        found = list(_scalar(d, row, names)) if detail == "scalar" else []
        pipe = busiest(d, row, tuple(d.pipes)) if detail != "scalar" else None
        if pipe:
            found += share(d, row, pipe, names, _limit(pipe), "evidence.top")
        found += _numbers(d, row, detail)
        found += outside(d, row, OUTSIDE_US)
        return Explained(detail, (*found, *blocks(d, row, names)), self.advice(d, row, detail))

    def advice(self, d: Derived, row: int, detail: str | None) -> tuple[Say, ...]:
        """What to try, best first."""
        cores: tuple[Say, ...] = ()
        if at(d.core_share, row) < 1:
            cores = (say("advice.all-cores", cores=int(at(d.cores, row)), block=int(at(d.block, row))),)
        buffer, barrier = say("advice.stall.double-buffer"), say("advice.stall.barriers")
        told = {
            "scalar": (say("advice.stall.scalar"), say("advice.stall.vectorise"), *cores),
            "head": (say("advice.stall.per-core"), say("advice.stall.tail"), *cores),
            "serial": (buffer, barrier, *cores),
            "waits": (buffer, barrier, *cores),
            "fetch": (say("advice.stall.code-size"), say("advice.stall.scalar"), *cores),
            "few-cores": (*(cores or (say("advice.stall.tail"),)), say("advice.stall.bigger-tiles")),
        }
        return told.get(detail or "", (buffer, barrier, say("advice.stall.bigger-tiles"), *cores))


def _unjudged(d: Derived) -> Bools:
    """Rows that did not move through the movement pipes and whose bytes are unknown."""
    return movement.without_mte(d) & np.isnan(d.bytes) & (known_or(d.vec, 0) >= compute.VECTOR)


def _limit(pipe: str) -> float:
    return movement.VECTOR_SIDE if pipe.startswith("aiv") and not pipe.endswith("scalar") else SCALAR


def _scalar(d: Derived, row: int, names: Names) -> tuple[Evidence, ...]:
    pipe = "aiv_scalar" if d.vector_side[row] else "aic_scalar"
    if at(d.scalar, row) < SCALAR:
        return share(d, row, pipe, names, SCALAR_LEADS, "evidence.scalar-leads")
    return share(d, row, pipe, names, SCALAR)


def _numbers(d: Derived, row: int, detail: str | None) -> list[Evidence]:
    found = []
    if detail == "serial":
        value = plain(at(d.serial_sum, row))
        found.append(Evidence("sum_of_pipes", value, 1.0, say("evidence.serial", value=value)))
    if detail == "waits" and known(d.wait, row):
        value = plain(at(d.wait, row))
        found.append(Evidence("wait_ratio", value, WAIT, say("evidence.wait", value=value, limit=WAIT)))
    if detail == "fetch" and known(d.icache, row):
        value = plain(at(d.icache, row))
        found.append(Evidence("icache_miss_rate", value, ICACHE, say("evidence.icache", value=value, limit=ICACHE)))
    if detail == "few-cores" and known(d.occupancy, row) and at(d.occupancy, row) < OCCUPIED:
        pct = plain(100 * at(d.occupancy, row))
        text = say("evidence.occupancy", pct=pct, limit=100 * OCCUPIED)
        found.append(Evidence("core_occupancy_pct", pct, 100 * OCCUPIED, text))
    return found
