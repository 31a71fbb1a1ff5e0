"""Operators that run on the AI CPU instead of a core."""

from __future__ import annotations

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, leading_types
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say

LEAST_US = 20.0  # a single one [ADV]
MEDIUM_SHARE, HIGH_SHARE = 0.05, 0.20  # of the run [MSP], [ASI]
HIGH_US = 1000.0  # a single one [ASI]


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`ai-cpu`."""
    rows, us = summary.ops.strings("label").mask(("ai_cpu",)), duration(summary)
    longest = float(us[rows].max()) if rows.any() else 0.0
    if longest <= LEAST_US:
        return ()
    total = float(us[rows].sum())
    share = total / summary.totals.total_us
    high = share >= HIGH_SHARE or longest > HIGH_US
    return (
        Finding(
            code="ai-cpu",
            severity="high" if high else "medium" if share >= MEDIUM_SHARE else "low",
            title=say("finding.ai-cpu", count=int(rows.sum()), us=total, pct=100 * share),
            evidence=say("finding.ai-cpu.evidence", longest_us=longest, limit=LEAST_US),
            advice=say("finding.ai-cpu.advice"),
            saving_us=total,
            ops=leading_types(summary, rows),
        ),
    )
