"""What a new reading does to the chips known so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from npuscope.parsers.readings import Chip, ChipKey, Reading

PROFILING = "profiling"
# a table with one of these ends before its last chip: what it does not list is not gone
INCOMPLETE = frozenset(("truncated", "timeout"))


def merged(known: Mapping[ChipKey, tuple[Chip, float]], reading: Reading) -> dict[ChipKey, tuple[Chip, float]]:
    """The chips as last read and when. A chip that a whole table no longer lists is gone; a cut one keeps the rest."""
    fresh = {chip.key: (chip, reading.taken_at) for chip in reading.chips}
    if not any(problem.code in INCOMPLETE for problem in reading.problems):
        return fresh
    return {**{key: fresh.get(key, old) for key, old in known.items()}, **fresh}


def without_profiled(reading: Reading, profiling: bool) -> Reading:
    """The reading with an AI Core of 0 made unknown while a profile is collected: the profiler holds the counters."""
    if not profiling or all(chip.aicore_pct != 0 for chip in reading.chips):
        return reading
    chips = tuple(
        replace(chip, aicore_pct=None, aicore_note=PROFILING) if chip.aicore_pct == 0 else chip
        for chip in reading.chips
    )
    return replace(reading, chips=chips)
