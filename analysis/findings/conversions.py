"""Conversions of format, type and layout that take a visible part of the time."""

from __future__ import annotations

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, leading_types, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say

CONVERSIONS = ("TransData", "Cast", "Transpose", "TransposeD")  # msprof-analyze's "Vector (Trans)"
# what only prepares data for the operators that compute [DOC data preparation]
PREPARATION = (
    *CONVERSIONS, "Slice", "SliceD", "StridedSlice", "StridedSliceD", "Concat", "ConcatD", "ConcatV2", "Pad", "PadD",
    "AsStrided", "BroadcastTo", "BroadcastToD", "MemSet", "Identity", "TensorMove", "ViewCopy",
)  # fmt: skip
SHOWN = 5


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`transdata-storm`, and `data-preparation` where the layout work around it makes up over 30 %."""
    return (*_conversions(summary), *_preparation(summary))


def _conversions(summary: Summary) -> tuple[Finding, ...]:
    limits = summary.thresholds
    rows = summary.ops.strings("type").mask(CONVERSIONS)
    us, whole = float(duration(summary)[rows].sum()), summary.totals.computing_us or 0.0
    if rows.sum() < limits.conversions_least or not whole or us < limits.conversions * whole:
        return ()
    types = leading_types(summary, rows)
    return (
        Finding(
            code="transdata-storm",
            severity=severity(us / whole, 0.1, limits.conversions_high),
            title=say("finding.conversions", count=int(rows.sum()), us=us, pct=100 * us / whole),
            evidence=say("finding.conversions.evidence", types=", ".join(types)),
            advice=say("finding.conversions.advice"),
            saving_us=us,
            ops=types,
        ),
    )


def _preparation(summary: Summary) -> tuple[Finding, ...]:
    rows = summary.ops.strings("type").mask(PREPARATION)
    us, whole = float(duration(summary)[rows].sum()), summary.totals.computing_us or 0.0
    converting = float(duration(summary)[summary.ops.strings("type").mask(CONVERSIONS)].sum())
    if not whole or us <= summary.thresholds.preparation * whole or converting > us / 2:
        return ()  # mostly conversions: said already
    types = leading_types(summary, rows, SHOWN)
    return (
        Finding(
            code="data-preparation",
            severity="high",
            title=say("finding.preparation", count=int(rows.sum()), us=us, pct=100 * us / whole),
            evidence=say(
                "finding.preparation.evidence", types=", ".join(types), limit=100 * summary.thresholds.preparation
            ),
            advice=say("finding.preparation.advice"),
            saving_us=us,
            ops=types,
        ),
    )
