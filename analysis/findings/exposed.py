"""Communication during which nothing computes."""

from __future__ import annotations

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.collectives import waited_us
from npuscope.analysis.findings.common import leading_types, run_us, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`communication-exposed`. It can hide only behind what computes and hides none yet; waiting for others cannot."""
    totals = summary.totals
    us, whole = totals.communication_not_overlapped_us, run_us(summary)
    if not us or us < summary.thresholds.exposed * whole:
        return ()
    sent, computing = totals.communication_us or 0.0, totals.computing_us or 0.0
    saved = min(max(us - waited_us(summary), 0.0), max(computing - max(sent - us, 0.0), 0.0))
    return (
        Finding(
            code="communication-exposed",
            severity=severity(summary, us),
            title=say("finding.exposed", us=us, pct=100 * us / whole),
            evidence=say("finding.exposed.evidence", communication_us=sent, computing_us=computing),
            advice=say("finding.exposed.advice"),
            saving_us=saved,
            ops=leading_types(summary, summary.ops.strings("label").mask(("communication",))),
        ),
    )
