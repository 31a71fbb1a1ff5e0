"""Which chip and which tool a profile came from."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from npuscope.analysis import chips
from npuscope.analysis.basis import Calibration, calibration_of
from npuscope.analysis.chips import Chip
from npuscope.analysis.labels.core_clock import core_clock
from npuscope.analysis.labels.counters import SIDES
from npuscope.analysis.summary import ChipChoice
from npuscope.parsers.profile import Metadata, Profile
from npuscope.parsers.table import Strings, Table

LONG_ENOUGH_US = 10.0  # the occupancy column has one decimal: shorter tasks give a coarse product
AGREEING = 0.02  # the products of a profile's rows lie this close together, or they mean nothing

# a name that the 910A generation's part shares with a whole family of split-core parts
AMBIGUOUS = ("910b", "ascend910b")


def choose(
    profile: Profile, chip: str | None, hbm_gbps: float | None, calibrations: tuple[Calibration, ...] = ()
) -> ChipChoice:
    """The chip by option, by what the profile states, or inferred. Its memory bandwidth: hbm_gbps (10^9 bytes/s), else
    what was measured on such a chip, else the table's.
    """
    name, source, part = _named(profile, chip)
    if hbm_gbps is not None:
        return ChipChoice(name, source, hbm_gbps, "option")
    measured = calibration_of(calibrations, name)
    if measured is not None:
        return ChipChoice(name, source, measured.gbps, "calibrated", measured)
    if part is None or part.hbm_gbps is None:
        return ChipChoice(name, source)
    return ChipChoice(name, source, part.hbm_gbps, part.hbm_source)


def _named(profile: Profile, chip: str | None) -> tuple[str | None, str | None, Chip | None]:
    told = profile.metadata.chip
    if chip is not None:
        found = chips.find(chip)
        return (found.name if found else chip), "option", found
    if told is not None and not (told.casefold() in AMBIGUOUS and is_split(profile.ops)):
        found = chips.find(told)
        return (found.name if found else told), "info.json", found
    guess = inferred(profile)
    if guess is not None:
        return guess.name, "inferred", guess
    return told, ("info.json" if told else None), None


def part_of(profile: Profile, chosen: ChipChoice) -> Chip | None:
    """The peaks of the chosen chip, at the cores and the frequency that this box states."""
    found = chips.find(chosen.name)
    if found is None or (chosen.source != "option" and chosen.name in ("Ascend910B",) and is_split(profile.ops)):
        return None
    told = profile.metadata
    if chosen.source == "option" and not _same_part(found, told):
        return found
    clock = core_clock(profile)
    mhz = told.aic_freq_mhz if clock.factor == 1 else None
    return chips.scaled(found, told.cube_cores, told.vector_cores, mhz)


def _same_part(part: Chip, told: Metadata) -> bool:
    """Whether the stated cores are those of the part that the user named."""
    return told.cube_cores in (None, part.cube_cores) and told.vector_cores in (None, part.vector_cores)


def is_split(ops: Table) -> bool:
    """Whether cube and vector cores have counters of their own: not so on 310, 310P and the 910A generation."""
    times = ops.numbers("aiv_time_us") if "aiv_time_us" in ops else np.zeros(0)
    return bool((times > 0).any())


def inferred(profile: Profile) -> Chip | None:
    """The part by frequency and cores: from info.json, else from cycles, occupancy and duration of the rows."""
    told = profile.metadata
    by_clock = core_clock(profile).part
    by_metadata = chips.by_cores(told.cube_cores, told.vector_cores, told.aic_freq_mhz)
    return by_clock or by_metadata or chips.by_core_mhz(core_mhz(profile.ops), is_split(profile.ops))


def core_mhz(ops: Table) -> float | None:
    """Cube cores times MHz: total cycles over occupancy times duration. None when the rows do not agree on it."""
    if "cube_utilization_pct" not in ops or "aic_total_cycles" not in ops:
        return None
    used, cycles, us = (ops.numbers(n) for n in ("cube_utilization_pct", "aic_total_cycles", "duration_us"))
    rows = (used > 1) & (used <= 100) & (cycles > 0) & (us > LONG_ENOUGH_US)
    if not rows.any():
        return None
    products = cycles[rows] / (us[rows] * used[rows] / 100)
    middle = float(np.median(products))
    return middle if float(np.mean(np.abs(products - middle) <= AGREEING * middle)) > 0.5 else None


def tool(profile: Profile) -> str:
    """The kind of tool that wrote the profile, also for a single file that was taken out of its folder."""
    if profile.run.kind in ("csv", "db") and any("kernel_details" in source for source in profile.sources.values()):
        return "torch_npu"
    framework = _DATABASE.match(Path(profile.run.path).name) if profile.run.kind == "db" else None
    if framework is not None:
        return {"pytorch": "torch_npu"}.get(framework.group(1), framework.group(1))
    return profile.run.kind


_DATABASE = re.compile(r"ascend_(pytorch|mindspore)_profiler")


def has_counters(ops: Table) -> bool:
    """Whether any row has a core counter."""
    names = [name for name in ops.columns if name[:3] in SIDES and not isinstance(ops.columns[name], Strings)]
    return any(bool((ops.numbers(name) > 0).any()) for name in names)
