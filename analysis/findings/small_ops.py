"""Many short operators with an idle device between them: the host cannot launch fast enough."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import kernels, leading_types, run_us, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`small-op-storm`; a graph would save each of its waits but the little that stays before any task."""
    limits, idle_us = summary.thresholds, summary.totals.idle_us
    rows = storm(summary)
    if not rows.any() or not idle_us:
        return ()
    gap = summary.ops.numbers("launch_gap_us")
    saved = float(np.maximum(gap[rows] - limits.launch_left_us, 0).sum())
    short = int((summary.ops.numbers("duration_us") < limits.tiny_op_us).sum())
    return (
        Finding(
            code="small-op-storm",
            severity=severity(summary, saved),
            title=say("finding.small-ops", count=int(rows.sum()), waited_us=float(gap[rows].sum())),
            evidence=say(
                "finding.small-ops.evidence",
                free_pct=100 * idle_us / run_us(summary),
                short=short,
                limit=limits.tiny_op_us,
                rows=len(rows),
                wait_us=limits.wait_us,
            ),
            advice=say("finding.small-ops.advice"),
            saving_us=saved,
            ops=leading_types(summary, rows),
        ),
    )


def storm(summary: Summary) -> Bools:
    """The launch-bound rows that wait for their start, where they are many and what they wait is a visible time; none
    else. A pause in which the host did something else is no launch.
    """
    limits, totals = summary.thresholds, summary.totals
    none = np.zeros(len(summary.ops), dtype=bool)
    if not totals.idle_us or not totals.busy_us or totals.idle_us <= limits.idle_share * run_us(summary):
        return none
    gap = np.nan_to_num(summary.ops.numbers("launch_gap_us"))
    rows = summary.ops.strings("label").mask(("launch",)) & (gap > limits.wait_us) & (gap < limits.stall_gap_us)
    waited = float(gap[rows].sum())
    few = rows.sum() < max(limits.storm_least, limits.storm_share * kernels(summary).sum())
    return none if few or waited <= limits.wait_share * (totals.once_us + waited) else rows
