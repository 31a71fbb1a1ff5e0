"""The pipes of one operator row, ready to draw: which there are, how busy, how long."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from npuscope.parsers.profile import PIPES

SIDES = ("aic", "aiv")
SHORT = {"fixpipe": "fixp"}  # where its side stands before it
NEGLIGIBLE = 0.2  # a side with less than this share of the other side's time says nothing (BOTTLENECKS 2)


@dataclass(frozen=True)
class Pipe:
    """One pipe: name as shown, busy share of the core time (as read), time in us if the file has it."""

    name: str
    column: str
    ratio: float
    time_us: float = math.nan


def pipes_of(row: Mapping[str, Any]) -> list[Pipe]:
    """The pipes with a counter, in the order of the data's way; with both sides at work their names carry the side."""
    sides = [side for side in SIDES if _works(row, side)]
    found = []
    for side in sides:
        for pipe in PIPES:
            ratio = row.get(f"{side}_{pipe}_ratio")
            if (
                ratio is None
                or math.isnan(ratio)
                or (pipe in ("mte1", "fixpipe", "mac") and side == "aiv" and ratio == 0)
            ):
                continue
            name = f"{side} {SHORT.get(pipe, pipe)}" if len(sides) > 1 else pipe
            found.append(Pipe(name, f"{side}_{pipe}_ratio", ratio, float(row.get(f"{side}_{pipe}_time_us", math.nan))))
    return found


def _works(row: Mapping[str, Any], side: str) -> bool:
    mine, other = (_time(row, name) for name in (side, "aiv" if side == "aic" else "aic"))
    if not any(_known(row.get(f"{side}_{pipe}_ratio")) for pipe in PIPES):
        return False
    return not (other > 0 and mine < NEGLIGIBLE * other)


def _time(row: Mapping[str, Any], side: str) -> float:
    value = row.get(f"{side}_time_us", math.nan)
    if _known(value):
        return float(value)
    return max(
        (float(row[f"{side}_{pipe}_ratio"]) for pipe in PIPES if _known(row.get(f"{side}_{pipe}_ratio"))), default=0
    )


def _known(value: Any) -> bool:
    return value is not None and not math.isnan(value)


def leading(pipes: list[Pipe]) -> Pipe | None:
    """The busiest."""
    return max(pipes, key=lambda pipe: pipe.ratio, default=None)
