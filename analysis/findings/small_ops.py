"""Many short operators with an idle device between them: the host cannot launch fast enough."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import leading_types, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say

SHORT_US = 5.0  # about the head cost of one task
FEWEST = 3


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`small-op-storm`; what could be saved is the idle time before launch-bound rows."""
    totals = summary.totals
    launched = summary.ops.strings("label").mask(("launch",))
    if launched.sum() < FEWEST or not totals.idle_us or not totals.busy_us:
        return ()
    gap = np.nan_to_num(summary.ops.numbers("launch_gap_us"))
    waits = np.where(launched & (gap > summary.thresholds.wait_us), gap, 0)
    waited, free = float(waits.sum()), totals.idle_us / (totals.idle_us + totals.busy_us)
    limits = summary.thresholds
    if waited <= limits.wait_share * (totals.total_us + waited) or free <= limits.idle_share:
        return ()
    short = int((summary.ops.numbers("duration_us") < SHORT_US).sum())
    return (
        Finding(
            code="small-op-storm",
            severity=severity(free, 0.2, 0.4),
            title=say("finding.small-ops", count=int(launched.sum()), waited_us=waited),
            evidence=say(
                "finding.small-ops.evidence", free_pct=100 * free, short=short, limit=SHORT_US, rows=len(launched)
            ),
            advice=say("finding.small-ops.advice"),
            saving_us=waited,
            ops=leading_types(summary, launched),
        ),
    )
