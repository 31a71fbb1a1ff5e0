"""Shared by the patterns."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats
from npuscope.analysis.summary import Summary


def severity(share: float, medium: float, high: float) -> str:
    """high, medium or low by a share of the run, 0..1."""
    return "high" if share >= high else "medium" if share >= medium else "low"


def duration(summary: Summary) -> Floats:
    """Durations in us, 0 for unknown."""
    return np.nan_to_num(summary.ops.numbers("duration_us"))


def leading_types(summary: Summary, rows: Bools, limit: int = 5) -> tuple[str, ...]:
    """The types that take the most time among `rows`."""
    kind = summary.ops.strings("type")
    us = np.bincount(kind.codes[rows] + 1, weights=duration(summary)[rows], minlength=len(kind.values) + 1)[1:]
    return tuple(kind.values[code] for code in np.argsort(-us, kind="stable")[:limit].tolist() if us[code] > 0)
