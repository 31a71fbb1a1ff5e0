"""Long operators whose blocks do not fill the cores, or leave some idle in the last wave."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import duration, leading_types, severity
from npuscope.analysis.labels.derive import blocks_and_cores
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`low-block-dim`; gain = D * (1 - blocks / blocks that fill the waves), if the work can be split further."""
    us = duration(summary)
    block, cores = blocks_and_cores(summary.ops, part)
    waves = np.ceil(block / cores)
    kernel = summary.ops.strings("label").mask(("memory", "compute", "access", "stall"))
    rows = kernel & (us > summary.thresholds.worth_us) & (block < waves * cores)
    gain = np.nan_to_num(np.where(rows, us * (1 - block / (waves * cores)), 0))
    saving = float(gain.sum())
    if not rows.any() or saving < summary.thresholds.worth_share * summary.totals.once_us:
        return ()
    at = int(np.argmax(gain))
    name = summary.ops.strings("name")[at]
    evidence = say("finding.blocks.evidence", name=name, block=int(block[at]), cores=int(cores[at]))
    if waves[at] > 1:
        last = int(block[at] - (waves[at] - 1) * cores[at])
        evidence = say("finding.blocks.waves", waves=int(waves[at]), last=last, **evidence.params)
    return (
        Finding(
            code="low-block-dim",
            severity=severity(summary, saving),
            title=say("finding.blocks", count=int(rows.sum()), us=saving),
            evidence=evidence,
            advice=say("finding.blocks.advice", cores=int(cores[at])),
            saving_us=saving,
            ops=leading_types(summary, rows),
        ),
    )
