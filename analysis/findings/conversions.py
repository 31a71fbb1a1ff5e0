"""Conversions of format, type and layout that take a visible part of the time."""

from __future__ import annotations

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, leading_types, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say

CONVERSIONS = ("TransData", "Cast", "Transpose", "TransposeD")  # msprof-analyze's "Vector (Trans)"
LEAST_SHARE = 0.05  # of computing time
MANY = 0.30  # data preparation over 30 %: the organisation of the data is the problem
FEWEST = 3  # [MSP condition_transData_2: more than 2]


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`transdata-storm`."""
    rows = summary.ops.strings("type").mask(CONVERSIONS)
    us, whole = float(duration(summary)[rows].sum()), summary.totals.computing_us or 0.0
    if rows.sum() < FEWEST or not whole or us < LEAST_SHARE * whole:
        return ()
    types = leading_types(summary, rows)
    return (
        Finding(
            code="transdata-storm",
            severity=severity(us / whole, 0.1, MANY),
            title=say("finding.conversions", count=int(rows.sum()), us=us, pct=100 * us / whole),
            evidence=say("finding.conversions.evidence", types=", ".join(types)),
            advice=say("finding.conversions.advice"),
            saving_us=us,
            ops=types,
        ),
    )
