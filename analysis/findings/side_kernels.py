"""API calls of which a part goes into conversions around the main kernel: the main kernel is not the cost of a call."""

from __future__ import annotations

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.analysis.times.apis import side_types
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`side-kernels`, for the few APIs that lose most."""
    total = summary.totals.once_us
    lossy = [
        a
        for a in summary.apis
        if a.side_pct >= 100 * summary.thresholds.side_share
        and a.side_pct / 100 * a.total_us >= summary.thresholds.side_of_run * total
    ]
    if not lossy:
        return ()
    api = max(lossy, key=lambda one: one.side_pct * one.total_us)
    types = side_types(summary.ops, api.api)
    us = api.side_pct / 100 * api.total_us
    return (
        Finding(
            code="side-kernels",
            severity=severity(summary, us),
            title=say("finding.side", pct=api.side_pct, api=api.api, types="/".join(types)),
            evidence=say(
                "finding.side.others" if len(lossy) > 1 else "finding.side.evidence",
                kernels=api.kernels,
                calls=api.calls,
                per_call_us=api.per_call_us,
                others=len(lossy) - 1,
            ),
            advice=say("finding.side.advice"),
            saving_us=us,
            ops=types,
        ),
    )
