"""The cores of one call of msprof op: how long each took, ready to draw, and what is worth saying of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from npuscope.analysis.summary import Summary
from npuscope.parsers.table import Table
from npuscope.tui.text import t

SIDES = ("aic", "aiv")
EVEN, UNEVEN = 1.05, 1.20  # slowest over mean: up to here cores work alike; from here evening out is the first thing

Times = NDArray[np.float64]


@dataclass(frozen=True)
class Cores:
    """One call's cores on the side that worked longer, the slowest first. `names` go with `times_us`."""

    side: str
    times_us: Times
    names: tuple[str, ...]

    @property
    def mean_us(self) -> float:
        """Of all of them."""
        return float(self.times_us.mean())

    @property
    def spread(self) -> float:
        """(max - min) / max, 0..1."""
        return float((self.times_us[0] - self.times_us[-1]) / self.times_us[0])

    @property
    def over_mean(self) -> float:
        """The slowest over the mean."""
        return float(self.times_us[0] / self.mean_us)

    @property
    def evenness(self) -> str:
        """even, uneven or bad: by what equal work would save. One fast block has a spread and costs nothing."""
        return "even" if self.over_mean <= EVEN else "uneven" if self.over_mean <= UNEVEN else "bad"


def cores_of(summary: Summary, row: int) -> Cores | None:
    """The cores of row `row` of ops; None where fewer than two were measured."""
    every = summary.profile.cores
    if every is None:
        return None
    mine = every.take(np.flatnonzero(every.numbers("op") == row))
    sides = [(side, mine.take(mine.strings("side").mask((side,)))) for side in SIDES]
    side, longer = max(sides, key=lambda of: float(of[1].numbers("time_us").mean()) if len(of[1]) else -1.0)
    if len(longer) < 2:
        return None
    order = np.argsort(-longer.numbers("time_us"), kind="stable")
    return Cores(side, longer.numbers("time_us")[order], tuple(_names(longer.take(order))))


def _names(cores: Table) -> list[str]:
    """`block 3`, where a block has several cores of the side `block 3 vector1`."""
    blocks = cores.numbers("block").tolist()
    several = len(set(blocks)) < len(blocks)
    parts = cores.strings("sub_block").tolist()
    return [
        t("opprof.core.part", block=block, part=part) if several and part else t("opprof.core", block=block)
        for block, part in zip(blocks, parts)
    ]


def balance_sentence(cores: Cores) -> str:
    """`spread 79 %; equal work would save 42 %`."""
    key = "opprof.balance.even" if cores.evenness == "even" else "opprof.balance.spread"
    return t(key, pct=100 * cores.spread, n=len(cores.times_us), saved=100 * (1 - 1 / cores.over_mean))


def heights(times_us: Times, cells: int) -> tuple[list[int], int, int]:
    """For a chart of `cells` columns: heights in whole steps, columns of a bar, and columns between two bars.

    With more cores than columns a bar is the slowest of its stretch.
    """
    count = len(times_us)
    if count > cells:
        times_us = np.array([part.max() for part in np.array_split(times_us, cells)])
    each = max(1, cells // max(1, len(times_us)))
    gap = 1 if each >= 2 else 0
    return [int(value) for value in np.ceil(1000 * times_us / times_us[0])], min(4, each - gap), gap
