"""How an operator stands against its floor, as lines: by which road, how many times, with which peak."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from npuscope.analysis import chips
from npuscope.analysis.labels.verdict import Verdict
from npuscope.analysis.summary import ChipChoice
from npuscope.tui import numbers
from npuscope.tui.text import t, told


@dataclass(frozen=True)
class Rung:
    """One line of the ladder: a name, a time in us, a remark; `kind`: hbm, l2, cube, vector, start, kernel, total."""

    kind: str
    us: float
    remark: str


def ladder(row: Mapping[str, Any], duration_us: float, chip: ChipChoice) -> list[Rung]:
    """HBM, L2, cube or vector, kernel and total on one scale; what is not known has no rung.

    L2 where the data came faster than HBM brings them: then it is what is left to reach.
    """
    rungs = []
    moved = hbm_us(row, chip)
    if known(moved):
        rungs.append(Rung("hbm", moved, numbers.bytes_in_words(row.get("bytes"))))
    nearer = l2_us(row, chip)
    if known(moved) and known(nearer) and duration_us < moved:
        rungs.append(Rung("l2", nearer, ""))
    kind, computed = compute_us(row)
    if known(computed):
        rungs.append(Rung(kind, computed, numbers.flops_in_words(row.get("flops"))))
    bound = row.get("bound_us", math.nan)
    if row.get("bound_kind") == "start" and known(bound):
        rungs.append(Rung("start", bound, t("floor.start.short")))
    for name, us in (("kernel", row.get("kernel_us", math.nan)), ("total", duration_us)):
        if known(us):
            over = us / bound if known(bound) and bound > 0 else math.nan
            rungs.append(Rung(name, us, t("drill.times", x=over) if known(over) else ""))
    return rungs


def hbm_us(row: Mapping[str, Any], chip: ChipChoice) -> float:
    """Time the bytes of one call need at the chip's HBM peak."""
    moved = row.get("bytes", math.nan)
    return moved / (chip.hbm_gbps * 1000) if known(moved) and moved > 0 and chip.hbm_gbps else math.nan


def l2_us(row: Mapping[str, Any], chip: ChipChoice) -> float:
    """Time the bytes of one call need where all of them are in L2."""
    moved, part = row.get("bytes", math.nan), chips.find(chip.name)
    return moved / (part.l2_gbps * 1000) if known(moved) and moved > 0 and part and part.l2_gbps else math.nan


def compute_us(row: Mapping[str, Any]) -> tuple[str, float]:
    """Time the arithmetic of one call needs, and on which unit."""
    kind = row.get("bound_kind") or ""
    for unit in ("cube", "vector"):
        value = row.get(f"{unit}_bound_us", math.nan)
        if known(value) and value > 0:
            return unit, value
    return (kind, row.get("bound_us", math.nan)) if kind in ("cube", "vector") else ("cube", math.nan)


def no_floor(verdict: Verdict, chip: ChipChoice) -> str:
    """Why there is none: what is wrong with the shapes, or the chip."""
    if verdict.no_floor is not None and verdict.no_floor.key != "work.no-chip":
        return t("floor.none.why", why=told(verdict.no_floor))
    return t("floor.none.chip" if chip.hbm_gbps is None else "floor.none.shapes")


def floor_sentence(row: Mapping[str, Any], chip: ChipChoice, verdict: Verdict) -> str:
    """`45.5 us by cube; 14.7 us by HBM at 1.6 TB/s`, or why there is none."""
    if verdict.no_floor is not None and not known(row.get("bound_us")):
        return no_floor(verdict, chip)
    said = []
    kind, computed = compute_us(row)
    moved = hbm_us(row, chip)
    if known(computed):
        said.append((computed, t("floor.compute", us=computed, unit=t(f"floor.{kind}"))))
    if known(moved):
        said.append((moved, t("floor.hbm", us=moved, gbps=chip.hbm_gbps)))
    bound = row.get("bound_us", math.nan)
    if row.get("bound_kind") == "start" and known(bound):
        said.append((bound, t("floor.start", us=bound)))
    if known(bound) and not known(row.get("saving_us")):
        said.append((0.0, t("floor.open")))
    if not said:
        return no_floor(verdict, chip)
    return t("sentence.join").join(text for _, text in sorted(said, key=lambda entry: -entry[0]))


def hbm_source(chip: ChipChoice) -> str:
    """`HBM 1600 GB/s (chips table, Ascend910B3: ...)`: the bandwidth that bounds rest on, and where it is from."""
    if chip.hbm_source == "option":
        return t("report.bound.hbm.option", gbps=chip.hbm_gbps)
    if chip.calibration is not None:
        return t("report.bound.hbm.calibrated", **vars(chip.calibration))
    return t("report.bound.hbm", gbps=chip.hbm_gbps, chip=chip.name, source=chip.hbm_source)


def known(value: Any) -> bool:
    """A number that is there."""
    return value is not None and not math.isnan(value)
