"""What a profile is judged by besides what it says itself: options, settings, and what was measured on this box."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from npuscope.analysis.thresholds import Thresholds


@dataclass(frozen=True)
class Calibration:
    """The HBM bandwidth that one chip's streaming operators reached, and where that was seen.

    gbps in 10^9 bytes/s; date = YYYY-MM-DD; shapes = inputs as the profile prints them; calls = how many gave it.
    """

    chip: str
    gbps: float
    date: str
    profile: str
    operator: str
    shapes: str
    calls: int


@dataclass(frozen=True)
class Basis:
    """chip: a part's name that overrides the profile's. hbm_gbps: overrides every other bandwidth (10^9 bytes/s).

    limits: thresholds of thresholds.py that are not the defaults, by name. calibrations: at most one a chip.
    whole_trace: a timeline is read however large it is, and so are the JSON files of collectives.
    """

    chip: str | None = None
    hbm_gbps: float | None = None
    limits: tuple[tuple[str, float], ...] = ()
    calibrations: tuple[Calibration, ...] = ()
    whole_trace: bool = False

    def thresholds(self) -> Thresholds:
        """All thresholds. Raises ThresholdError."""
        from npuscope.analysis.thresholds import overridden

        return overridden(dict(self.limits))


def calibration_of(calibrations: tuple[Calibration, ...], chip: str | None) -> Calibration | None:
    """What was measured for a chip of that name."""
    return next((one for one in calibrations if one.chip == chip), None) if chip else None
