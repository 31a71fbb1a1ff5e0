"""Operators whose blocks take unequal times, or that spend much time outside the mean of their cores."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, ratio, totalled
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, leading_types, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say
from npuscope.parsers.table import Table


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`imbalance` by the blocks where they were measured (msprof op), else `outside-cores`."""
    return _measured(summary) or _outside(summary)


def _measured(summary: Summary) -> tuple[Finding, ...]:
    """The slowest block decides: with equal ones the task would take their mean."""
    limits = summary.thresholds
    spread = summary.ops.numbers("block_spread")
    rows = (spread >= limits.spread_some) & (summary.ops.numbers("blocks_measured") > 1)
    if not rows.any():
        return ()
    worst = int(np.nanargmax(np.where(rows, spread, np.nan)))
    saved = float(np.nansum(np.where(rows, duration(summary) * _uneven(summary, spread), 0)))
    return (
        Finding(
            code="imbalance",
            severity=severity(summary, saved),
            title=say("finding.imbalance", count=int(rows.sum()), pct=100 * float(spread[worst])),
            evidence=say(
                "finding.imbalance.evidence",
                name=summary.ops.strings("name")[worst],
                blocks=int(summary.ops.numbers("blocks_measured")[worst]),
                limit=100 * limits.spread_some,
            ),
            advice=say("finding.imbalance.advice"),
            saving_us=saved,
            ops=leading_types(summary, rows),
        ),
    )


def _uneven(summary: Summary, spread: Floats) -> Floats:
    """Of each row the part of its time that equal blocks would save: 1 - mean / longest of its busier side's blocks.
    Without the blocks one by one, half of their spread.
    """
    cores = summary.profile.cores
    if cores is None or not len(cores):
        return spread / 2
    sides = [_mean_and_longest(cores, side, len(spread)) for side in ("aic", "aiv")]
    (aic_mean, aic_most), (aiv_mean, aiv_most) = sides
    cube = aic_most >= aiv_most
    found = 1 - ratio(np.where(cube, aic_mean, aiv_mean), np.where(cube, aic_most, aiv_most))
    return np.where(np.isnan(found), spread / 2, found)


def _mean_and_longest(cores: Table, side: str, rows: int) -> tuple[Floats, Floats]:
    us = cores.numbers("time_us")
    own = cores.strings("side").mask((side,)) & (us > 0)
    op, us = cores.numbers("op")[own].astype(np.int64), us[own]
    longest = np.zeros(rows)
    np.maximum.at(longest, op, us)
    return ratio(totalled(op, rows, us), totalled(op, rows, np.ones(len(op)))), longest


def _outside(summary: Summary) -> tuple[Finding, ...]:
    """`outside-cores`, only in a run in which others of the same side of the chip do fill their task: where none does,
    the cores ran at another clock than their times were worked out with.
    """
    limits, us = summary.thresholds, duration(summary)
    core_us = summary.ops.numbers("kernel_us")
    long = (us > limits.worth_us) & (core_us > 0)
    long &= ~summary.ops.strings("label").mask(("communication", "ai_cpu", "other", "launch"))
    filled = long & (core_us >= limits.inside * us)
    outside = us - core_us
    rows = long & ~filled & (outside > limits.outside_us) & _side_of(summary, filled)
    saved = float(outside[rows].sum())
    if not rows.any() or saved < limits.worth_share * summary.totals.once_us:
        return ()
    worst = int(np.argmax(np.where(rows, outside, -1)))
    return (
        Finding(
            code="outside-cores",
            severity=severity(summary, saved),
            title=say("finding.outside", count=int(rows.sum()), us=saved),
            evidence=say(
                "finding.outside.evidence",
                name=summary.ops.strings("name")[worst],
                us=float(us[worst]),
                core_us=float(core_us[worst]),
                limit=100 * limits.inside,
            ),
            advice=say("finding.outside.advice"),
            saving_us=saved,
            ops=leading_types(summary, rows),
        ),
    )


def _side_of(summary: Summary, filled: Bools) -> Bools:
    """Rows of the kinds of core (Task Type) that some of `filled` are of."""
    core = summary.ops.strings("core")
    known = np.zeros(len(core.values) + 1, dtype=bool)
    known[np.unique(core.codes[filled])] = True
    return known[core.codes]
