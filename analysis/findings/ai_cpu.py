"""Operators that run on the AI CPU instead of a core, and what stands still behind them."""

from __future__ import annotations

from npuscope.analysis.arrays import Bools
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, leading_types
from npuscope.analysis.summary import Finding, Summary
from npuscope.analysis.timeline import lanes
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`ai-cpu`."""
    rows, us = summary.ops.strings("label").mask(("ai_cpu",)), duration(summary)
    longest = float(us[rows].max()) if rows.any() else 0.0
    limits = summary.thresholds
    if longest <= limits.ai_cpu_us:
        return ()
    total = float(us[rows].sum())
    share = total / summary.totals.total_us
    high = share >= limits.ai_cpu_high or longest > limits.ai_cpu_high_us
    alone, behind = _blocked(summary, rows)
    return (
        Finding(
            code="ai-cpu",
            severity="high" if high else "medium" if share >= limits.ai_cpu_share else "low",
            title=say("finding.ai-cpu", count=int(rows.sum()), us=total, pct=100 * share),
            evidence=say(
                "finding.ai-cpu.evidence", longest_us=longest, limit=limits.ai_cpu_us, alone_us=alone, behind=behind
            ),
            advice=say("finding.ai-cpu.advice"),
            saving_us=total if alone is None else alone,
            ops=leading_types(summary, rows),
        ),
    )


def _blocked(summary: Summary, rows: Bools) -> tuple[float | None, int]:
    """us in which nothing else ran on the device while these did (None without start times), and how many kernels began
    right behind one of them.
    """
    by_device = lanes(summary.ops, by_stream=False)
    waited = summary.ops.strings("waited_for").mask(("ai_cpu",)) & (summary.ops.numbers("launch_gap_us") > 0)
    behind = int(waited.sum())
    if len(by_device.rows) < len(summary.ops):
        return None, behind
    return float(by_device.alone_us()[rows[by_device.rows]].sum()), behind
