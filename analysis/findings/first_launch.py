"""First calls that took much longer than the others of their shape: loading or compiling, not work."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.chips import Chip
from npuscope.analysis.summary import Finding, Summary
from npuscope.analysis.times.first_calls import late_first_calls
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`first-launch`; it saves nothing where the operator runs many times: the profile is what it spoils."""
    late = late_first_calls(summary)
    if not late.any():
        return ()
    line = int(np.argmax(late))
    lines, us = summary.shapes, float(late.sum())
    kinds = lines.strings("type")
    leading = np.argsort(-late, kind="stable")[:5]
    return (
        Finding(
            code="first-launch",
            severity="low",
            title=say("finding.first", count=int((late > 0).sum()), us=us),
            evidence=say(
                "finding.first.evidence",
                type=kinds[line],
                first_us=float(lines.numbers("first_us")[line]),
                median_us=float(lines.numbers("median_us")[line]),
            ),
            advice=say("finding.first.advice"),
            ops=tuple(dict.fromkeys(kinds[at] or "" for at in leading.tolist() if late[at] > 0)),
        ),
    )
