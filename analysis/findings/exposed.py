"""Communication during which nothing computes."""

from __future__ import annotations

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import leading_types, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`communication-exposed`."""
    us, busy = summary.totals.communication_not_overlapped_us, summary.totals.busy_us
    if not us or not busy or us < summary.thresholds.exposed * busy:
        return ()
    sent = summary.totals.communication_us or 0.0
    return (
        Finding(
            code="communication-exposed",
            severity=severity(us / busy, 0.2, 0.4),
            title=say("finding.exposed", us=us, pct=100 * us / busy),
            evidence=say("finding.exposed.evidence", communication_us=sent),
            advice=say("finding.exposed.advice"),
            saving_us=us,
            ops=leading_types(summary, summary.ops.strings("label").mask(("communication",))),
        ),
    )
