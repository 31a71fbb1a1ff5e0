"""Evidence of one row: numbers beside their thresholds, named as the file names them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from npuscope.analysis.arrays import Floats
from npuscope.analysis.labels.derived import Derived
from npuscope.analysis.labels.verdict import Evidence
from npuscope.parsers.say import say

LEAST_SHARE = 0.01  # of its time: number types below it are not told


@dataclass(frozen=True)
class Explained:
    """What a rule says about one row."""

    detail: str | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Names:
    """Column names as their file spells them; `sources` gives "file:Header" per column."""

    sources: Mapping[str, str]

    def of(self, column: str) -> str:
        """The header of a column, or its own name."""
        return self.sources.get(column, column).rpartition(":")[2] or column


def plain(value: float) -> float | None:
    """A number as a person would copy it: float32 tails off; None = unknown."""
    value = float(value)
    return round(value, 6) if math.isfinite(value) else None


def at(array: Floats, row: int) -> float:
    """One number of an array."""
    return float(array[row])


def known(array: Floats, row: int) -> bool:
    """Whether the row has a number there."""
    return not math.isnan(float(array[row]))


def share(
    d: Derived, row: int, pipe: str, names: Names, limit: float, key: str = "evidence.share"
) -> tuple[Evidence, ...]:
    """A pipe's share beside its limit; nothing when it was not sampled."""
    if pipe not in d.pipes or not known(d.pipes[pipe], row):
        return ()
    metric, value = names.of(d.names[pipe]), plain(d.pipes[pipe][row])
    return (Evidence(metric, value, limit, say(key, metric=metric, value=value, limit=limit)),)


def busiest(d: Derived, row: int, pipes: tuple[str, ...]) -> str | None:
    """The one of these pipes with the largest share in the row; None when none was sampled."""
    found = [(float(d.pipes[pipe][row]), pipe) for pipe in pipes if pipe in d.pipes and known(d.pipes[pipe], row)]
    return max(found)[1] if found else None


def bandwidth(d: Derived, row: int, limit: float, key: str) -> tuple[Evidence, ...]:
    """The share of HBM peak that the row's bytes needed, in percent."""
    if known(d.usage, row):
        pct = plain(100 * at(d.usage, row))
        return (Evidence("bw_usage_rate", pct, 100 * limit, say("evidence.usage", pct=pct, limit=100 * limit)),)
    if not known(d.bw_frac, row):
        return _active(d, row, limit)
    pct = plain(100 * at(d.bw_frac, row))
    if at(d.bw_frac, row) > d.t.from_l2:
        return (Evidence("hbm_share_pct", pct, 100 * d.t.from_l2, say("evidence.l2-resident")),)
    return (Evidence("hbm_share_pct", pct, 100 * limit, say(key, pct=pct, limit=100 * limit)),)


def blocks(d: Derived, row: int, names: Names) -> tuple[Evidence, ...]:
    """Blocks beside the cores of their kind; nothing when they fill the cores."""
    block, cores = at(d.block, row), at(d.cores, row)
    if not (block < cores):
        return ()
    metric = names.of("block_dim")
    return (Evidence(metric, block, cores, say("evidence.blocks", block=int(block), cores=int(cores))),)


def outside(d: Derived, row: int, least_us: float) -> tuple[Evidence, ...]:
    """Time of the task outside the mean core time, where it is more than `least_us`."""
    if not known(d.T, row) or at(d.outside, row) <= least_us:
        return ()
    us = plain(at(d.outside, row))
    return (Evidence("outside_core_us", us, least_us, say("evidence.outside", us=us, core_us=plain(at(d.T, row)))),)


def _active(d: Derived, row: int, limit: float) -> tuple[Evidence, ...]:
    """The rate of the movement pipe while it is active, as share of HBM peak if every core had it."""
    if not known(d.active, row) or at(d.active, row) >= limit:
        return ()
    pct = plain(100 * at(d.active, row))
    return (Evidence("active_bw_share_pct", pct, 100 * limit, say("evidence.active", pct=pct, limit=100 * limit)),)


def counted_bytes(d: Derived, row: int) -> tuple[Evidence, ...]:
    """Bytes as msprof op counted them at the memory: what the floor rests on, or beside those of the shapes."""
    if not at(d.traffic, row) > 0:
        return ()
    moved = plain(at(d.traffic, row))
    if d.work.measured[row]:
        text = say("evidence.bytes-counted", bytes=moved)
    elif known(d.bytes, row):
        text = say("evidence.bytes-both", bytes=moved, shapes=plain(at(d.bytes, row)))
    else:
        return ()
    return (Evidence("read+write_main_memory_datas", moved, None, text),)


def cache(d: Derived, row: int) -> tuple[Evidence, ...]:
    """L2 read hits, where they were counted."""
    if not known(d.hit, row):
        return ()
    pct = plain(100 * at(d.hit, row))
    return (Evidence("l2_read_hit_pct", pct, None, say("evidence.l2-hit", pct=pct)),)


def conflict(d: Derived, row: int) -> tuple[Evidence, ...]:
    """The largest conflict ratio, where it passes its limit."""
    if not at(d.conflict, row) > d.t.conflict:
        return ()
    _, value = largest_of(d.conflicts, row)
    text = say("evidence.conflict", value=value, limit=d.t.conflict)
    return (Evidence("vec_bank_conflict_ratio", value, d.t.conflict, text),)


def largest_of(columns: Mapping[str, Floats], row: int) -> tuple[str, float]:
    """The column with the largest known value in the row, and the value; ("", nan) when none is known."""
    found = [(at(values, row), name) for name, values in columns.items() if known(values, row)]
    value, name = max(found, default=(math.nan, ""))
    return name, plain(value) or 0.0


def mixture(d: Derived, row: int, pipe: str | None) -> tuple[Evidence, ...]:
    """Which number types the computing unit works in, where ArithmeticUtilization was collected; largest first."""
    start, end = f"{pipe}_", "_ratio"
    found = sorted(
        (
            (at(values, row), name)
            for name, values in d.mixtures.items()
            if name.startswith(start) and known(values, row)
        ),
        reverse=True,
    )
    told = [f"{name[len(start) : -len(end)]} {value:.2f}" for value, name in found if value >= LEAST_SHARE]
    if not told:
        return ()
    value, name = found[0]
    return (Evidence(name, plain(value), None, say("evidence.types", types=", ".join(told))),)
