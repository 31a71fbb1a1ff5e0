"""Operators that move their data in many small instructions."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import largest
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, leading_types, severity
from npuscope.analysis.labels import metric_groups
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`small-packets`, for operators whose label is an access pattern and whose instructions were counted."""
    packets = metric_groups.packets(summary.ops)
    if not packets:
        return ()
    size = -largest([-values for values in packets.values()])
    rows = (size < summary.thresholds.small_packet) & summary.ops.strings("label").mask(("access",))
    if not rows.any():
        return ()
    us = duration(summary)
    gain = summary.ops.numbers("step_gain_us")
    gain = np.where(np.isnan(gain), summary.ops.numbers("saving_us"), gain)
    worst = int(np.argmax(np.where(rows, us, -1)))
    return (
        Finding(
            code="small-packets",
            severity=severity(summary, float(us[rows].sum())),
            title=say("finding.packets", count=int(rows.sum()), us=float(us[rows].sum())),
            evidence=say(
                "finding.packets.evidence",
                name=summary.ops.strings("name")[worst],
                size=float(size[worst]),
                limit=summary.thresholds.small_packet,
            ),
            advice=say("finding.packets.advice"),
            saving_us=float(np.nansum(np.where(rows, gain, 0))) or None,
            ops=leading_types(summary, rows),
        ),
    )
