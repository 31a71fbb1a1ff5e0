"""Launches in which one half of the cores is slower than the other: a matter of their place on the chip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, grouped, ratio, stable_order, totalled
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, leading_types, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say
from npuscope.parsers.table import Table


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`core-halves`, by the cores of a launch in the order of their numbers. Silent where its blocks are unequal
    anyway (`imbalance`), where blocks outnumber cores, and where the cores scatter more than the halves differ.
    """
    cores = summary.profile.cores
    if cores is None or not len(cores):
        return ()
    limits, us = summary.thresholds, duration(summary)
    halves = _halves(cores, part)
    clear = (halves.cores >= limits.halves_least) & (halves.differ > limits.halves)
    clear &= halves.differ * halves.slow_us > limits.halves_clear * halves.error_us
    clear &= (us > limits.worth_us)[halves.op] & ~(summary.ops.numbers("block_spread") >= limits.spread_some)[halves.op]
    if not clear.any():
        return ()
    worst = int(np.argmax(np.where(clear, halves.differ, -1)))
    rows = np.zeros(len(summary.ops), dtype=bool)
    rows[halves.op[clear]] = True
    return (
        Finding(
            code="core-halves",
            severity=severity(summary, float((us[halves.op] * halves.differ)[clear].sum())),
            title=say("finding.halves", count=int(rows.sum()), pct=100 * float(halves.differ[worst])),
            evidence=say(
                f"finding.halves.{'first' if halves.first_slow[worst] else 'second'}",
                name=summary.ops.strings("name")[int(halves.op[worst])],
                cores=int(halves.cores[worst]),
                slow_us=float(halves.slow_us[worst]),
                fast_us=float(halves.slow_us[worst] * (1 - halves.differ[worst])),
                limit=100 * limits.halves,
            ),
            advice=say("finding.halves.advice"),
            saving_us=None,
            ops=leading_types(summary, rows),
        ),
    )


@dataclass(frozen=True)
class _Halves:
    """A launch each: its row, cores of the side that works longer, mean of the slower half in us, by which part of it
    the other is faster (0..1), standard error of the difference in us, and whether the lower numbers are slower.
    """

    op: Ints
    cores: Floats
    slow_us: Floats
    differ: Floats
    error_us: Floats
    first_slow: Bools


def _halves(cores: Table, part: Chip | None) -> _Halves:
    own = np.flatnonzero(_longer_side(cores, part))
    own = own[np.argsort(cores.numbers("block")[own], kind="stable")]
    launch, count = grouped([cores.numbers("op")[own]])
    order = stable_order(launch)
    own, launch = own[order], launch[order]
    us = cores.numbers("time_us")[own].astype(np.float64)
    sizes = totalled(launch, count, np.ones(len(own)))
    place = np.arange(len(own)) - (np.cumsum(sizes) - sizes)[launch]
    half = np.floor(sizes / 2)[launch]  # the middle one of an odd number is in neither
    means, errors = zip(*(_mean(launch, count, us, rows) for rows in (place < half, place >= sizes[launch] - half)))
    slow = np.maximum(*means)
    return _Halves(
        op=cores.numbers("op")[own][np.searchsorted(launch, np.arange(count))].astype(np.int64),
        cores=sizes,
        slow_us=slow,
        differ=ratio(slow - np.minimum(*means), slow),
        error_us=np.sqrt(errors[0] + errors[1]),
        first_slow=means[0] > means[1],
    )


def _longer_side(cores: Table, part: Chip | None) -> Bools:
    """Rows of the side of each launch that works longer; none where it has more blocks than cores."""
    us, side = np.nan_to_num(cores.numbers("time_us")), cores.strings("side")
    launch, count = grouped([cores.numbers("op")])
    masks = [side.mask((name,)) & (us > 0) for name in ("aic", "aiv")]
    sizes = [totalled(launch, count, mask) for mask in masks]
    sums = [totalled(launch, count, np.where(mask, us, 0)) for mask in masks]
    cube = np.nan_to_num(ratio(sums[0], sizes[0])) >= np.nan_to_num(ratio(sums[1], sizes[1]))
    if part is not None:
        for mask, size, most in zip(masks, sizes, (part.cube_cores, part.vector_cores)):
            mask &= ~(size > (most or np.inf))[launch]
    return np.where(cube[launch], masks[0], masks[1])


def _mean(launch: Ints, count: int, us: Floats, rows: Bools) -> tuple[Floats, Floats]:
    """Of the rows of each launch the mean and the square of its standard error."""
    number = totalled(launch, count, rows)
    mean = ratio(totalled(launch, count, np.where(rows, us, 0)), number)
    squares = totalled(launch, count, np.where(rows, (us - mean[launch]) ** 2, 0))
    return mean, ratio(squares, number * (number - 1))
