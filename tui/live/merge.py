"""What a new reading does to the chips known so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from npuscope.parsers.readings import Chip, ChipKey, Reading

PROFILING = "profiling"
GONE = "-"  # as health: npu-smi says nothing of it


def merged(known: Mapping[ChipKey, tuple[Chip, float]], reading: Reading) -> dict[ChipKey, tuple[Chip, float]]:
    """The chips as last read and when, in a lasting order. One that is no longer listed stays: its row says why."""
    fresh = {chip.key: (chip, reading.taken_at) for chip in reading.chips}
    return {**{key: fresh.get(key, old) for key, old in known.items()}, **fresh}


def gone(chip: Chip) -> Chip:
    """A chip that is no longer listed: what it is stays, what it did last is no value of now."""
    return Chip(
        chip.npu_id,
        chip.chip_id,
        chip.name,
        GONE,
        bus_id=chip.bus_id,
        memory_total_mb=chip.memory_total_mb,
        hbm_total_mb=chip.hbm_total_mb,
    )


def without_profiled(reading: Reading, profiling: bool) -> Reading:
    """The reading with an AI Core of 0 made unknown while a profile is collected: the profiler holds the counters."""
    if not profiling or all(chip.aicore_pct != 0 for chip in reading.chips):
        return reading
    chips = tuple(
        replace(chip, aicore_pct=None, aicore_note=PROFILING) if chip.aicore_pct == 0 else chip
        for chip in reading.chips
    )
    return replace(reading, chips=chips)
