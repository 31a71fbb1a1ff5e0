"""Operators whose blocks take unequal times, or that spend much time outside the mean of their cores."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, leading_types, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`imbalance`: by the blocks where they were measured (msprof op), else by the time outside the core time."""
    return _measured(summary) or _outside(summary)


def _measured(summary: Summary) -> tuple[Finding, ...]:
    limits = summary.thresholds
    spread = summary.ops.numbers("block_spread")
    rows = (spread >= limits.spread_some) & (summary.ops.numbers("blocks_measured") > 1)
    if not rows.any():
        return ()
    worst = int(np.nanargmax(np.where(rows, spread, np.nan)))
    # the slowest block decides: with equal ones the task would take their mean, at least half way to the fastest
    saved = float(np.nansum(np.where(rows, duration(summary) * spread / 2, 0)))
    return (
        Finding(
            code="imbalance",
            severity="high" if spread[worst] >= limits.spread_bad else "medium",
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


def _outside(summary: Summary) -> tuple[Finding, ...]:
    limits, us = summary.thresholds, duration(summary)
    outside = us - summary.ops.numbers("kernel_us")
    rows = (outside > limits.outside_us) & (outside > (1 - limits.inside) * us)
    rows &= ~summary.ops.strings("label").mask(("communication", "ai_cpu", "other", "launch"))
    saved = float(np.where(rows, outside, 0).sum())
    if not rows.any() or saved < limits.worth_share * summary.totals.total_us:
        return ()
    worst = int(np.argmax(np.where(rows, outside, -1)))
    return (
        Finding(
            code="imbalance",
            severity=severity(saved / summary.totals.total_us, 0.1, 0.3),
            title=say("finding.outside", count=int(rows.sum()), us=saved),
            evidence=say(
                "finding.outside.evidence",
                name=summary.ops.strings("name")[worst],
                us=float(us[worst]),
                core_us=float(us[worst] - outside[worst]),
            ),
            advice=say("finding.imbalance.advice"),
            saving_us=saved,
            ops=leading_types(summary, rows),
        ),
    )
