"""Conversions of format, type and layout that take a visible part of the time."""

from __future__ import annotations

from npuscope.analysis.arrays import Bools
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import alone, duration, leading_types, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say

CONVERSIONS = ("TransData", "Cast", "Transpose", "TransposeD")  # msprof-analyze's "Vector (Trans)"
# what only prepares data for the operators that compute [DOC data preparation]
PREPARATION = (
    *CONVERSIONS, "Slice", "SliceD", "StridedSlice", "StridedSliceD", "Concat", "ConcatD", "ConcatV2", "Pad", "PadD",
    "AsStrided", "BroadcastTo", "BroadcastToD", "MemSet", "Identity", "TensorMove", "ViewCopy",
)  # fmt: skip


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`transdata-storm`; or `data-preparation` where other layout work makes up most of over 30 %."""
    limits, us = summary.thresholds, duration(summary)
    kind, whole = summary.ops.strings("type"), summary.totals.computing_us or 0.0
    converting, preparing = kind.mask(CONVERSIONS), kind.mask(PREPARATION)
    converted, prepared = float(us[converting].sum()), float(us[preparing].sum())
    if whole and prepared > limits.preparation * whole and converted <= prepared / 2:
        limit = 100 * limits.preparation
        return (_finding(summary, "data-preparation", "finding.preparation", preparing, limit),)
    if converting.sum() < limits.conversions_least or not whole or converted < limits.conversions * whole:
        return ()
    return (_finding(summary, "transdata-storm", "finding.conversions", converting, 100 * limits.conversions),)


def _finding(summary: Summary, code: str, key: str, rows: Bools, limit: float) -> Finding:
    us, whole = float(duration(summary)[rows].sum()), summary.totals.computing_us or 0.0
    types = leading_types(summary, rows)
    saved = float(alone(summary)[rows].sum())
    return Finding(
        code=code,
        severity=severity(summary, saved),
        title=say(key, count=int(rows.sum()), us=us, pct=100 * us / whole),
        evidence=say(f"{key}.evidence", types=", ".join(types), limit=limit),
        advice=say(f"{key}.advice"),
        saving_us=saved,
        ops=types,
    )
