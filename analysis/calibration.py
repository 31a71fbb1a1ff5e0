"""The HBM bandwidth that a profile's streaming operators reached: what a chip gives in truth, measured.

Only operators whose bytes are certain count, elementwise ones and copies, and only with more bytes than L2 holds: what
is smaller may never have left L2. Of each shape the median call speaks, over several calls, so that no single outlier
does; of the shapes the fastest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from npuscope.analysis import chips
from npuscope.analysis.basis import Calibration
from npuscope.analysis.chips import Chip
from npuscope.analysis.labels.label import works
from npuscope.analysis.summary import Summary
from npuscope.analysis.work.families import family_of
from npuscope.parsers.say import Say, Value, say

CERTAIN = ("elementwise", "costly", "movement")  # they read all they are given and write all they return, once
LEAST_US = 20.0  # below it the head of the task decides
LEAST_CALLS = 3
SURE = 2.0  # times L2: from here on most of the bytes crossed HBM, whatever L2 held before
MOST_TIMES = 1.3  # of the published bandwidth: more did not come from HBM
LONGEST = 60  # letters of shapes that stand beside every floor
LEAST_TIMES = 0.5  # of it: less is these operators' fault, and would make every floor too easy


@dataclass(frozen=True)
class Streaming:
    """One shape of a streaming operator: bytes and median time of a call, and how many there were."""

    operator: str
    shapes: str
    bytes: float
    median_us: float
    calls: int

    @property
    def gbps(self) -> float:
        """10^9 bytes/s."""
        return self.bytes / (self.median_us * 1e3)


class CalibrationError(Exception):
    """Nothing can be taken from this profile; `why` says so to a person."""

    def __init__(self, why: Say) -> None:
        super().__init__(f"{why.key} {dict(why.params)}")
        self.why = why


def streaming(summary: Summary) -> tuple[Streaming, ...]:
    """Every shape of the operators whose bytes are certain, whatever its size."""
    lines = summary.shapes
    if not len(lines):
        return ()
    kinds, labels = lines.strings("type"), lines.strings("label")
    rows = [
        line
        for line in range(len(lines))
        if family_of(kinds[line]) in CERTAIN and labels[line] not in ("communication", "ai_cpu", "other")
    ]
    found = works(summary.ops.take(lines.numbers("typical_row")[np.array(rows, dtype=np.int64)])) if rows else []
    shapes, us, calls = lines.strings("input_shapes"), lines.numbers("median_us"), lines.numbers("count")
    return tuple(
        Streaming(kinds[line] or "", shapes[line] or "", work.bytes, float(us[line]), int(calls[line]))
        for line, work in zip(rows, found)
        if work.bytes and us[line] > 0
    )


def calibrate(summary: Summary, date: str) -> Calibration:
    """What a profile says of its chip's HBM; `date` = today. Raises CalibrationError."""
    part = chips.find(summary.chip.name)
    if part is None:
        raise CalibrationError(say("calibrate.no-chip"))
    if part.l2_bytes is None:
        raise CalibrationError(say("calibrate.no-l2", chip=part.name))
    best = _best(streaming(summary), part, part.l2_bytes)
    _plausible(best, part)
    run = summary.profile.run
    shapes = best.shapes if len(best.shapes) <= LONGEST else f"{best.shapes[: LONGEST - 1]}…"
    return Calibration(part.name, round(best.gbps, 1), date, run.name, best.operator, shapes, best.calls)


def _best(found: tuple[Streaming, ...], part: Chip, l2_bytes: int) -> Streaming:
    """The fastest shape that fits; one whose bytes are twice L2 where there is any."""
    limits: dict[str, Value] = {"l2": float(l2_bytes), "least_us": LEAST_US, "calls": LEAST_CALLS, "chip": part.name}
    if not found:
        raise CalibrationError(say("calibrate.none", **limits))
    fit = [one for one in found if one.bytes > l2_bytes and one.median_us >= LEAST_US and one.calls >= LEAST_CALLS]
    if not fit:
        largest = max(found, key=lambda one: one.bytes)
        seen: dict[str, Value] = {
            "operator": largest.operator,
            "bytes": largest.bytes,
            "us": largest.median_us,
            "seen": largest.calls,
        }
        raise CalibrationError(say("calibrate.nothing-fits", **limits, **seen))
    sure = [one for one in fit if one.bytes >= SURE * l2_bytes]
    return max(sure or fit, key=lambda one: one.gbps)


def _plausible(best: Streaming, part: Chip) -> None:
    seen: dict[str, Value] = {"operator": best.operator, "shapes": best.shapes, "gbps": best.gbps, "chip": part.name}
    if part.l2_gbps is not None and best.gbps > part.l2_gbps:
        raise CalibrationError(say("calibrate.over-l2", **seen, l2=part.l2_gbps))
    if part.hbm_gbps is None:
        return
    if best.gbps > MOST_TIMES * part.hbm_gbps:
        raise CalibrationError(say("calibrate.over-peak", **seen, peak=part.hbm_gbps, times=MOST_TIMES))
    if best.gbps < LEAST_TIMES * part.hbm_gbps:
        raise CalibrationError(say("calibrate.under", **seen, peak=part.hbm_gbps, share=100 * LEAST_TIMES))
