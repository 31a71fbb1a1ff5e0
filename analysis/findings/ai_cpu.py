"""Operators that run on the AI CPU instead of a core, and what stands still behind them."""

from __future__ import annotations

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import alone, duration, leading_types
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`ai-cpu`; what it would give back is the time in which nothing else ran."""
    rows, us = summary.ops.strings("label").mask(("ai_cpu",)), duration(summary)
    longest = float(us[rows].max()) if rows.any() else 0.0
    limits = summary.thresholds
    if longest <= limits.ai_cpu_us:
        return ()
    total = float(us[rows].sum())
    share = total / summary.totals.once_us
    high = share >= limits.ai_cpu_high or longest > limits.ai_cpu_high_us
    waited = summary.ops.strings("waited_for").mask(("ai_cpu",)) & (summary.ops.numbers("launch_gap_us") > 0)
    saved = float(alone(summary)[rows].sum())
    return (
        Finding(
            code="ai-cpu",
            severity="high" if high else "medium" if share >= limits.ai_cpu_share else "low",
            title=say("finding.ai-cpu", count=int(rows.sum()), us=total, pct=100 * share),
            evidence=say(
                "finding.ai-cpu.evidence",
                longest_us=longest,
                limit=limits.ai_cpu_us,
                alone_us=saved,
                behind=int(waited.sum()),
            ),
            advice=say("finding.ai-cpu.advice"),
            saving_us=saved,
            ops=leading_types(summary, rows),
        ),
    )
