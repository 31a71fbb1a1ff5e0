"""Time in which a device stood idle, and what it waited for."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Ints
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import kernels, run_us, severity
from npuscope.analysis.findings.small_ops import storm
from npuscope.analysis.summary import Finding, Summary
from npuscope.analysis.times.gaps import WAITED_FOR
from npuscope.parsers.say import say

REASONS = ("host", *WAITED_FOR, "step")


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`free-time`, where it is over 10 % of the span. Its reason is that with the most idle time: a step's begin, what
    ended last (communication, ai_cpu, other), else the host. Where there is a `small-op-storm`, the host's short pauses
    belong to it.
    """
    totals, limits = summary.totals, summary.thresholds
    if not totals.idle_us or kernels(summary).sum() < limits.storm_least:
        return ()
    idle, reason = np.nan_to_num(summary.ops.numbers("launch_gap_us")), _reasons(summary)
    told = storm(summary).any() & (reason == REASONS.index("host")) & (idle < limits.stall_gap_us)
    free_us = totals.idle_us - float(idle[told].sum())
    if free_us <= limits.idle_share * run_us(summary):
        return ()
    us = np.bincount(reason, weights=np.where(told, 0.0, idle), minlength=len(REASONS))
    leading = int(np.argmax(us))
    row = int(np.argmax(np.where((reason == leading) & ~told, idle, -1)))
    before = summary.ops.strings("name")[row]
    kind = summary.ops.strings("type")[row]
    return (
        Finding(
            code="free-time",
            severity=severity(summary, float(us[leading])),
            title=say("finding.free", us=free_us, pct=100 * free_us / run_us(summary)),
            evidence=say(
                f"finding.free.{REASONS[leading]}", us=float(us[leading]), longest_us=float(idle[row]), before=before
            ),
            advice=say(f"finding.free.{REASONS[leading]}.advice"),
            saving_us=float(us[leading]) or None,
            ops=(kind,) if kind else (),
        ),
    )


def _reasons(summary: Summary) -> Ints:
    """Index into REASONS of each row's idle time."""
    waited = summary.ops.strings("waited_for")
    places = np.array([*(REASONS.index(value) for value in waited.values), 0], dtype=np.int64)
    found: Ints = places[waited.codes]
    step = summary.ops.numbers("step")
    if step.dtype.kind == "i" and len(summary.steps) > 1:
        start = summary.ops.numbers("start_ns")
        order = np.argsort(start, kind="stable")
        begins = np.diff(step[order], prepend=step[order[0]]) != 0
        found[order[begins]] = REASONS.index("step")
    return found
