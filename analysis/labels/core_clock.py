"""The clock that core times in us were computed with, and the one the cores ran at.

The tool divides cycles by the frequency that info.json states. Boards of the 310B family state 1250 MHz whatever their
cores run at (public runs of AscendCContest: long kernels of one core count 500 cycles a us of their task, so their core
times are 2.5 times too short). Shares of pipes do not depend on it; times on the core do.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from npuscope.analysis import chips
from npuscope.analysis.chips import Chip
from npuscope.parsers.profile import Profile

LONG_US = 50.0  # the head of a task, a few us, hides little of its cycles
BELOW = 1.2  # told over counted: more than head cost and rounding explain
MATCHES = (0.95, 1.01)  # cycles a us of long tasks over a part's rated clock
UNSURE_FAMILIES = ("Ascend310B",)
_ONLY_310B = re.compile(r"(vec|mac)_exe_ratio$")


@dataclass(frozen=True)
class CoreClock:
    """`factor` that core times have to be multiplied with, NaN = their clock is not known. told_mhz = as stated or
    used; real_mhz and part where long tasks of this profile show them.
    """

    factor: float = 1.0
    told_mhz: float | None = None
    real_mhz: float | None = None
    part: Chip | None = None


def core_clock(profile: Profile) -> CoreClock:
    """Held against the cycles that the longest tasks count in their time."""
    told = profile.metadata.aic_freq_mhz or _used_mhz(profile)
    if not told:
        return CoreClock()
    family, cores = profile.metadata.family or _family(profile), profile.metadata.cube_cores or 1
    counted = _counted_mhz(profile, cores)
    part = None if counted is None or counted * BELOW > told else _rated(family, cores, counted)
    if part is not None and part.cube_mhz:
        return CoreClock(told / part.cube_mhz, told, part.cube_mhz, part)
    confirmed = counted is not None and counted * BELOW > told
    if family in UNSURE_FAMILIES and not confirmed:
        return CoreClock(math.nan, told)
    return CoreClock(told_mhz=told)


def _used_mhz(profile: Profile) -> float | None:
    """The clock that cycles were turned into core times with, by kernels of one block; None where there are none."""
    ops = profile.ops
    if any(name not in ops for name in ("aic_total_cycles", "aic_time_us", "block_dim")):
        return None
    cycles, us = ops.numbers("aic_total_cycles"), ops.numbers("aic_time_us")
    rows = (ops.numbers("block_dim") == 1) & (cycles > 0) & (us > 0)
    return float(np.median(cycles[rows] / us[rows])) if rows.any() else None


def _family(profile: Profile) -> str | None:
    """The family, where only one has counters of these names."""
    headers = (source.rpartition(":")[2] for source in profile.sources.values())
    return "Ascend310B" if any(_ONLY_310B.match(header) for header in headers) else None


def _counted_mhz(profile: Profile, cores: int) -> float | None:
    """Most cycles a us and core of any long task; None where there is none."""
    ops = profile.ops
    if "aic_total_cycles" not in ops or "duration_us" not in ops:
        return None
    us, cycles, blocks = (ops.numbers(name) for name in ("duration_us", "aic_total_cycles", "block_dim"))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = cycles / (us * np.clip(blocks, 1, cores))
    found = found[(us >= LONG_US) & (cycles > 0)]
    return float(found.max()) if len(found) else None


def _rated(family: str | None, cores: int, counted: float) -> Chip | None:
    """The part of this family and so many cores that is rated at this clock."""
    for chip in chips.table().values():
        fits = chip.family == family and chip.cube_cores == cores and chip.cube_mhz
        if fits and MATCHES[0] <= counted / (chip.cube_mhz or math.inf) <= MATCHES[1]:
            return chip
    return None
