"""Patterns over several operators, one file each."""

from __future__ import annotations

from collections.abc import Callable

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings import ai_cpu, conversions, exposed, low_block_dim, side_kernels, small_ops
from npuscope.analysis.summary import Finding, Summary

Pattern = Callable[[Summary, "Chip | None"], "tuple[Finding, ...]"]

PATTERNS: tuple[Pattern, ...] = (
    small_ops.find,
    conversions.find,
    side_kernels.find,
    exposed.find,
    ai_cpu.find,
    low_block_dim.find,
)
SEVERITIES = ("high", "medium", "low")


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """All findings, the severest and largest first. `part` = the chip's peaks."""
    found = [finding for pattern in PATTERNS for finding in pattern(summary, part)]
    return tuple(sorted(found, key=lambda one: (SEVERITIES.index(one.severity), -(one.saving_us or 0.0))))
