"""Kernels that ran at a lower clock than the chip's own."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import alone, leading_types
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.msprof.traces.host_events import FREQUENCY
from npuscope.parsers.say import say
from npuscope.parsers.table import Table


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`low-frequency`: by the frequency of each row, else by the clock of the timeline; what computing loses by it."""
    limits, ops = summary.thresholds, summary.ops
    current, rated = ops.numbers("freq_mhz"), ops.numbers("rated_freq_mhz")
    if (current > 0).any():  # without a rating, against the highest that was seen [ADV frequency_threshold]
        rated = np.where(rated > 0, rated, np.nanmax(current))
    computing = ops.strings("label").mask(("compute", "stall"))
    drop = np.where((current > 0) & (rated > 0), 1 - current / np.where(rated > 0, rated, 1), np.nan)
    if not np.isfinite(drop).any():
        clock = summary.profile.extras.get("host_events", Table({}))
        row = np.flatnonzero(clock.strings("kind").mask((FREQUENCY,)))
        if not len(row):
            return ()
        mean, full = (float(clock.numbers(name)[row[0]]) for name in ("mean_mhz", "max_mhz"))
        drop = np.full(len(ops), 1 - mean / full)
        current, rated = np.full(len(ops), mean), np.full(len(ops), full)
    rows = np.nan_to_num(drop) >= limits.clock_drop
    if not rows.any():
        return ()
    worst = int(np.argmax(np.nan_to_num(drop)))
    pct, limit = 100 * float(drop[worst]), 100 * limits.clock_drop
    lost = float(np.where(rows & computing, alone(summary) * np.nan_to_num(drop), 0).sum())
    return (
        Finding(
            code="low-frequency",
            severity="high" if drop[worst] >= limits.grave else "medium",
            title=say("finding.clock", freq=float(current[worst]), rated=float(rated[worst])),
            evidence=say("finding.clock.evidence", pct=pct, limit=limit),
            advice=say("finding.clock.advice"),
            saving_us=lost or None,
            ops=leading_types(summary, rows),
        ),
    )
