"""Operators that run with dynamic shapes, and types of which hardly any shape comes twice."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import totalled
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, leading_types
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`dynamic-shapes`: every operator dynamic [ADV], and the shapes of a type that takes time really vary."""
    state = summary.ops.strings("op_state")
    told = state.codes >= 0
    dynamic = np.array([*("dynamic" in value.casefold() for value in state.values), False], dtype=bool)[state.codes]
    if not told.any() or not dynamic[told].all():
        return ()  # a column that is not there tells nothing
    types, shapes = summary.types, summary.types.numbers("shapes")
    many = shapes >= summary.thresholds.shape_variants
    seldom = many & (types.numbers("count") < summary.thresholds.seldom * shapes)
    seldom &= ~types.strings("label").mask(("communication", "other"))
    rows = seldom[summary.ops.numbers("type_row")] & dynamic
    us = float(totalled(rows.astype(np.int64), 2, duration(summary))[1])
    if us < summary.thresholds.varying_share * summary.totals.once_us:
        return ()
    line = int(np.argmax(np.where(seldom, types.numbers("total_us"), -1)))
    return (
        Finding(
            code="dynamic-shapes",
            severity="low",
            title=say("finding.dynamic", count=int(seldom.sum()), us=us),
            evidence=say(
                "finding.dynamic.evidence",
                type=types.strings("type")[line],
                calls=int(types.numbers("count")[line]),
                shapes=int(shapes[line]),
            ),
            advice=say("finding.dynamic.advice"),
            ops=leading_types(summary, rows),
        ),
    )
