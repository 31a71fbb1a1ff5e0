"""What could be one kernel: chains with a fused operator of their own, elementwise runs, whatever repeats."""

from __future__ import annotations

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings import chains, elementwise, repeated
from npuscope.analysis.findings.sequences import sequence
from npuscope.analysis.summary import Finding, Summary

SHOWN = 5  # [ADV fusible_operator top_num]


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`fusible-chain`, `elementwise-run` and `repeated-sequence`, the few that would save most.

    A kernel is part of one finding only, in this order: their savings are of different time.
    """
    order = sequence(summary)
    if order is None:
        return ()
    found = [*chains.find(order), *elementwise.find(order), *repeated.find(order)]
    least = summary.thresholds.chain_share * summary.totals.once_us
    worth = [one for one in found if (one.saving_us or 0.0) >= least]
    return tuple(sorted(worth, key=lambda one: -(one.saving_us or 0.0))[:SHOWN])
