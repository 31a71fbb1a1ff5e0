"""A distribution as blocks: how many calls took how long, with the places of median, p99 and the first call."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Histogram:
    """Counts over equal cells from `low` to `high`."""

    low: float
    high: float
    counts: tuple[int, ...]

    def cell(self, value: float) -> int:
        """The cell a value falls into."""
        if self.high <= self.low:
            return len(self.counts) // 2
        return min(len(self.counts) - 1, int((value - self.low) / (self.high - self.low) * len(self.counts)))


def histogram(values: Values, cells: int) -> Histogram:
    """All values between the smallest and the largest; one value fills the middle cell."""
    known = values[np.isfinite(values)]
    if not len(known):
        return Histogram(0.0, 0.0, (0,) * cells)
    low, high = float(known.min()), float(known.max())
    if high <= low:
        counts = [0] * cells
        counts[cells // 2] = len(known)
        return Histogram(low, high, tuple(counts))
    counted, _ = np.histogram(known, bins=cells, range=(low, high))
    return Histogram(low, high, tuple(int(count) for count in counted))


def stacked(counts: Sequence[int], rows: int, blocks: str) -> list[str]:
    """Lines from top to bottom, `rows` cells high; what is not zero shows at least the smallest block."""
    top = max(counts, default=0) or 1
    steps = len(blocks) - 1
    heights = [max(1, round(count / top * rows * steps)) if count else 0 for count in counts]
    lines = []
    for row in range(rows - 1, -1, -1):
        lines.append("".join(blocks[max(0, min(steps, height - row * steps))] for height in heights))
    return lines


def trend(values: Values, cells: int, levels: str) -> str:
    """Values in their order as one line: a cell is the mean of its stretch, the lowest mean the lowest level."""
    known = values[np.isfinite(values)]
    if not len(known):
        return ""
    cells = min(cells, len(known))
    means = [float(part.mean()) for part in np.array_split(known, cells)]
    low, high = min(means), max(means)
    span = (high - low) or 1.0
    return "".join(levels[min(len(levels) - 1, int((mean - low) / span * len(levels)))] for mean in means)


def percentile(values: Values, pct: float) -> float:
    """Nearest-rank percentile of the known values; NaN without any."""
    known = np.sort(values[np.isfinite(values)])
    return float(known[max(0, math.ceil(pct / 100 * len(known)) - 1)]) if len(known) else math.nan


def spread_marks(marks: Sequence[tuple[int, str]], width: int) -> list[tuple[int, str]]:
    """Marks on one line, left to right, none over another; what finds no room is left out."""
    placed: list[tuple[int, str]] = []
    free = 0
    for at, text in sorted(marks):
        at = min(at, width - len(text))
        if at >= free and at >= 0:
            placed.append((at, text))
            free = at + len(text) + 1
    return placed
