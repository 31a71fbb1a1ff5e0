"""Patterns over several operators, one file each."""

from __future__ import annotations

from collections.abc import Callable

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings import (
    ai_cpu,
    clock,
    collectives,
    contention,
    conversions,
    core_halves,
    dynamic_shapes,
    exposed,
    first_launch,
    free_time,
    fusible,
    host,
    imbalance,
    low_block_dim,
    over_fusion,
    shape_affinity,
    side_kernels,
    small_ops,
    small_packets,
    unstable,
    unsteady,
)
from npuscope.analysis.summary import Finding, Summary

Pattern = Callable[[Summary, "Chip | None"], "tuple[Finding, ...]"]

PATTERNS: tuple[Pattern, ...] = (
    small_ops.find,
    conversions.find,
    side_kernels.find,
    exposed.find,
    ai_cpu.find,
    low_block_dim.find,
    free_time.find,
    fusible.find,
    imbalance.find,
    core_halves.find,
    small_packets.find,
    unstable.find,
    unsteady.find,
    collectives.find,
    contention.find,
    host.find,
    clock.find,
    over_fusion.find,
    shape_affinity.find,
    dynamic_shapes.find,
    first_launch.find,
)
SEVERITIES = ("high", "medium", "low")


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """All findings, the severe ones first, of these what saves most. `part` = the chip's peaks. Savings may be of the
    same time: they do not add up.
    """
    if not summary.totals.once_us:
        return ()
    found = [finding for pattern in PATTERNS for finding in pattern(summary, part)]
    return tuple(sorted(found, key=lambda one: (SEVERITIES.index(one.severity), -(one.saving_us or 0.0))))
