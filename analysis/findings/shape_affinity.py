"""Matrix products and attention whose axes do not fit the tiles that the cube works in."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, kernels, leading_types
from npuscope.analysis.labels.derive import SIMT_FAMILIES
from npuscope.analysis.labels.label import works
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say

TOLD = ("unaligned", "tile")  # details of an access pattern that name the axes already


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`shape-affinity`: inner axes of a product, head sizes and lengths of attention. Not where the label says so; not
    on 950 parts, whose copies do not mind.
    """
    if part is not None and part.family in SIMT_FAMILIES:
        return ()
    limits, us = summary.thresholds, duration(summary)
    rows = kernels(summary) & (us > limits.worth_us) & ~_told(summary)
    line = summary.ops.numbers("shape_row")
    off = np.zeros(len(summary.shapes), dtype=np.int64)  # of each line the axis that does not fit, 0 = none
    tile = np.zeros(len(summary.shapes), dtype=np.int64)
    wanted = np.unique(line[rows])
    for at, work in zip(wanted.tolist(), works(summary.ops.take(summary.shapes.numbers("typical_row")[wanted]))):
        most = limits.attention_axis if work.family.startswith("attention") else limits.product_axis
        tile[at] = max(1, round(most))
        off[at] = next((axis for axis in work.axes if axis > 1 and axis % tile[at]), 0)
    rows &= (off > 0)[line]
    taken = float(us[rows].sum())
    if taken == 0 or taken < limits.worth_share * summary.totals.once_us:
        return ()
    worst = int(np.argmax(np.bincount(line[rows], weights=us[rows], minlength=len(off))))
    return (
        Finding(
            code="shape-affinity",
            severity="low",
            title=say("finding.affinity", count=int(rows.sum()), us=taken),
            evidence=say(
                "finding.affinity.evidence",
                type=summary.shapes.strings("type")[worst],
                shapes=summary.shapes.strings("input_shapes")[worst],
                axis=int(off[worst]),
                tile=int(tile[worst]),
            ),
            advice=say("finding.affinity.advice"),
            saving_us=None,
            ops=leading_types(summary, rows),
        ),
    )


def _told(summary: Summary) -> Bools:
    access, detail = summary.ops.strings("label").mask(("access",)), summary.ops.strings("detail").mask(TOLD)
    told: Bools = access & detail
    return told
