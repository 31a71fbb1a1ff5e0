"""Patterns over several operators, one file each."""

from __future__ import annotations

from collections.abc import Callable

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings import (
    ai_cpu,
    conversions,
    dynamic_shapes,
    exposed,
    first_launch,
    free_time,
    fusible,
    imbalance,
    low_block_dim,
    over_fusion,
    repeated,
    side_kernels,
    small_ops,
    small_packets,
    unstable,
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
    repeated.find,
    imbalance.find,
    small_packets.find,
    unstable.find,
    over_fusion.find,
    dynamic_shapes.find,
    first_launch.find,
)
SEVERITIES = ("high", "medium", "low")


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """All findings, what saves most first. `part` = the chip's peaks. Savings may be of the same time: they do not add
    up.
    """
    if not summary.totals.total_us:
        return ()
    found = _once([finding for pattern in PATTERNS for finding in pattern(summary, part)])
    return tuple(sorted(found, key=lambda one: (-(one.saving_us or 0.0), SEVERITIES.index(one.severity))))


def _once(found: list[Finding]) -> list[Finding]:
    """Without what another finding says more exactly: idle time before short operators, a sequence of known chains."""
    codes = {one.code for one in found}
    chained = {op for one in found if one.code in ("fusible-chain", "elementwise-run") for op in one.ops}
    kept = []
    for one in found:
        of_host = one.code == "free-time" and one.evidence.key == "finding.free.host"
        known = one.code == "repeated-sequence" and set(one.ops) <= chained
        if not (known or (of_host and "small-op-storm" in codes)):
            kept.append(one)
    return kept
