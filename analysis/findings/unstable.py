"""One operator with one set of shapes that takes very different times."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import severity
from npuscope.analysis.findings.sequences import by_word
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say

# how much they have to do stands in no shape: tokens of experts, keys of a cache, valid lengths
VARYING = ("grouped", "attention", "attention-grad", "cached")


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`unstable-operator`, where shapes are told and tell the work: the longest of more than ten calls took over twice
    as long as the shortest, and those beyond the median cost a visible time. The first call, and those of collectives
    that wait for other ranks, do not count.
    """
    lines, limits = summary.shapes, summary.thresholds
    shortest, longest, count = lines.numbers("min_us"), lines.numbers("max_us"), lines.numbers("count")
    kernel = ~lines.strings("label").mask(("communication", "other")) & (lines.strings("input_shapes").codes >= 0)
    varying = by_word(summary, lambda word: word[1] in VARYING) > 0
    wide = kernel & ~varying & (count > limits.unstable_calls) & (shortest > 0) & (longest > limits.unstable * shortest)
    if not wide.any():
        return ()
    shape, us = summary.ops.numbers("shape_row"), summary.ops.numbers("duration_us")
    usual = lines.numbers("median_us")[shape]
    late = np.where(wide[shape] & (us > limits.late_call * usual), us - usual, 0)
    lost = np.bincount(shape, weights=np.nan_to_num(late), minlength=len(lines))
    lost -= np.nan_to_num(np.maximum(lines.numbers("first_us") - lines.numbers("median_us"), 0)) * wide
    total = float(np.maximum(lost, 0).sum())
    if total < limits.worth_share * summary.totals.once_us:
        return ()
    line = int(np.argmax(lost))
    kinds = lines.strings("type")
    leading = np.argsort(-lost, kind="stable")[:5]
    return (
        Finding(
            code="unstable-operator",
            severity=severity(summary, total),
            title=say("finding.unstable", count=int((lost > 0).sum()), us=total),
            evidence=say(
                "finding.unstable.evidence",
                type=kinds[line],
                calls=int(count[line]),
                low_us=float(shortest[line]),
                median_us=float(lines.numbers("median_us")[line]),
                high_us=float(longest[line]),
            ),
            advice=say("finding.unstable.advice"),
            saving_us=total,
            ops=tuple(dict.fromkeys(kinds[at] or "" for at in leading.tolist() if lost[at] > 0)),
        ),
    )
