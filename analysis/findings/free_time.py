"""Time in which a device stood idle, and what it waited for."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import severity
from npuscope.analysis.gaps import WAITED_FOR
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say

REASONS = ("host", *WAITED_FOR, "step")


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`free-time`, where it is over 10 % of the span. Its reason is that with the most idle time: a step's begin, what
    ended last (communication, ai_cpu, other), else the host.
    """
    totals, limits = summary.totals, summary.thresholds
    if not totals.idle_us or not totals.busy_us:
        return ()
    span = totals.idle_us + totals.busy_us
    if totals.idle_us <= limits.idle_share * span:
        return ()
    idle = np.nan_to_num(summary.ops.numbers("launch_gap_us"))
    reason = _reasons(summary)
    us = np.bincount(reason, weights=idle, minlength=len(REASONS))
    leading = int(np.argmax(us))
    row = int(np.argmax(np.where(reason == leading, idle, -1)))
    gap = summary.device_gaps[0] if summary.device_gaps else None
    return (
        Finding(
            code="free-time",
            severity=severity(totals.idle_us / span, 0.2, 0.4),
            title=say("finding.free", us=totals.idle_us, pct=100 * totals.idle_us / span),
            evidence=say(
                f"finding.free.{REASONS[leading]}",
                us=float(us[leading]),
                longest_us=gap.us if gap is not None else float(idle[row]),
                before=gap.before if gap is not None else summary.ops.strings("name")[row],
            ),
            advice=say(f"finding.free.{REASONS[leading]}.advice"),
            saving_us=float(us[leading]) if us[leading] > 0 else totals.idle_us,
            ops=tuple(filter(None, (gap.before,))) if gap is not None else (),
        ),
    )


def _reasons(summary: Summary) -> np.ndarray:
    """Index into REASONS of each row's idle time."""
    waited = summary.ops.strings("waited_for")
    places = np.array([*(REASONS.index(value) for value in waited.values), 0], dtype=np.int64)
    found = places[waited.codes]
    step = summary.ops.numbers("step")
    if step.dtype.kind == "i" and len(summary.steps) > 1:
        start = summary.ops.numbers("start_ns")
        order = np.argsort(start, kind="stable")
        begins = np.diff(step[order], prepend=step[order[0]]) != 0
        found[order[begins]] = REASONS.index("step")
    return found
