"""Shared by the patterns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npuscope.analysis.arrays import Bools, Floats
from npuscope.analysis.summary import Summary

NAMED = 4  # operators of a chain that a title names


def run_us(summary: Summary) -> float:
    """What the run took: the spans of its devices, or the sum of durations where start times are lost."""
    totals = summary.totals
    if totals.busy_us is None or totals.idle_us is None:
        return totals.once_us
    return totals.busy_us + totals.idle_us


def severity(summary: Summary, us: float) -> str:
    """high, medium or low by the part of the run that could be given back."""
    share, limits = us / (run_us(summary) or 1.0), summary.thresholds
    return "high" if share >= limits.grave else "medium" if share >= limits.serious else "low"


def duration(summary: Summary) -> Floats:
    """Durations in us, 0 for unknown."""
    return np.nan_to_num(summary.ops.numbers("duration_us"))


def alone(summary: Summary) -> Floats:
    """Of each row the us in which nothing else of its device ran: what the run gains if the row falls away. Where its
    start is unknown, its duration.
    """
    us = summary.ops.numbers("alone_us")
    return np.where(np.isnan(us), duration(summary), us)


def kernels(summary: Summary) -> Bools:
    """Rows that are core kernels: neither communication nor AI CPU nor events and copies."""
    beside: Bools = summary.ops.strings("label").mask(("communication", "ai_cpu", "other"))
    return ~beside


def leading_types(summary: Summary, rows: Bools, limit: int = 5) -> tuple[str, ...]:
    """The types that take the most time among `rows`."""
    kind = summary.ops.strings("type")
    us = np.bincount(kind.codes[rows] + 1, weights=duration(summary)[rows], minlength=len(kind.values) + 1)[1:]
    return tuple(kind.values[code] for code in np.argsort(-us, kind="stable")[:limit].tolist() if us[code] > 0)


def period(kinds: Sequence[str]) -> int:
    """After how many of them they repeat; all of them where they do not."""
    size = len(kinds)
    return next((p for p in range(1, size // 2 + 1) if all(kinds[at] == kinds[at - p] for at in range(p, size))), size)


def chain_words(kinds: Sequence[str], times: int = 1) -> str:
    """`Mul + Add + Sqrt + Adds ... (+8)`; of what repeats one period and how often: `(Mul + Add) ×5`.

    times: how often these kinds come in a row.
    """
    size = period(kinds)
    shown = size if size <= NAMED + 1 else NAMED
    joined = " + ".join(kinds[:shown]) + (f" ... (+{size - shown})" if shown < size else "")
    times *= len(kinds) // size
    return joined if times == 1 else f"({joined}) ×{times}"
