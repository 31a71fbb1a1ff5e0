"""Sequences of operators that come back again and again, whatever they are: candidates for one kernel, or one graph."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Ints, grouped, totalled
from npuscope.analysis.findings.common import chain_words, severity
from npuscope.analysis.findings.sequences import Sequence, apart, by_word
from npuscope.analysis.summary import Finding
from npuscope.analysis.work.bounds import TILED
from npuscope.parsers.say import say

LOOKED_AT = 20_000  # kernels among which a sequence must show; it is counted in the whole run
SHOWN = 3


def find(order: Sequence) -> list[Finding]:
    """`repeated-sequence`: those whose fusion would save most, of what follows each other by data and is free."""
    found: list[Finding] = []
    fits = _worth(order)
    while len(found) < SHOWN:
        best = _best(order.head(LOOKED_AT), fits[:LOOKED_AT])
        if best is None:
            break
        at, size = best
        begin = _occurrences(order, at, size)
        found.append(_finding(order, begin, size))
        order.take(begin, begin + size)
    return found


def _best(order: Sequence, fits: Ints) -> tuple[int, int] | None:
    """Position and size of the window whose occurrences together would save most; None where none repeats enough."""
    free, limits = order.free & (fits > 0), order.summary.thresholds
    hands = order.linked & free[1:] & free[:-1]
    at = np.flatnonzero(hands)
    hands[at] = order.hands_on(at)
    best, where = 0.0, None
    for size in range(int(limits.window_least), int(limits.fused_most) + 1):
        at = np.flatnonzero(_all_of(hands, size - 1) & (_counted(fits > 1, size) <= 1))
        if not len(at):
            break
        group, count = grouped([order.shape[at + step] for step in range(size)])
        saved = totalled(group, count, order.saving(at, at + size))
        calls = np.bincount(group, minlength=count)
        saved[calls <= limits.chain_calls] = 0
        leading = int(np.argmax(saved))
        own = at[group == leading]
        # occurrences may overlap (a b a b a): no more than fit
        times = int(apart(own, own + size).sum())
        us = float(saved[leading]) * times / len(own)
        if times > limits.chain_calls and us > best:
            best, where = us, (int(own[0]), size)
    return where


def _occurrences(order: Sequence, at: int, size: int) -> Ints:
    wanted = order.shape[at : at + size]
    begin = np.flatnonzero(order.shape[: len(order.shape) - size + 1] == wanted[0])
    for step in range(1, size):
        begin = begin[(order.shape[begin + step] == wanted[step]) & order.linked[begin + step - 1]]
    for step in range(size):
        begin = begin[order.free[begin + step]]
    return begin[apart(begin, begin + size)]


def _worth(order: Sequence) -> Ints:
    """0 = long or busy computing: fusing it brings little; 2 = multiplies matrices, of which one may be in a window;
    1 = any other kernel.
    """
    shapes, limits = order.summary.shapes, order.summary.thresholds
    busy = np.zeros(len(shapes), dtype=bool)
    for name in ("aic_mac_ratio", "aiv_vec_ratio", "aic_vec_ratio"):
        busy |= shapes.numbers(name) >= limits.fusing_busy
    short = ~busy & (shapes.numbers("mean_us") <= limits.fusing_us)
    tiled = by_word(order.summary, lambda word: word[1] in TILED)
    return np.where(short, 1 + tiled, 0)[order.shape]


def _all_of(flags: Bools, size: int) -> Bools:
    """Positions from which `size` flags in a row are set."""
    found: Bools = _counted(flags, size) == size
    return found


def _counted(flags: Bools, size: int) -> Ints:
    sums = np.concatenate(([0], np.cumsum(flags)))
    counted: Ints = sums[size:] - sums[:-size] if len(sums) > size else np.zeros(0, dtype=np.int64)
    return counted


def _finding(order: Sequence, begin: Ints, size: int) -> Finding:
    us = float(order.saving(begin, begin + size).sum())
    first = int(begin[0])
    kinds = order.types(first, size)
    busy_us = float(order.us[first : first + size].sum())
    wall_us = busy_us + float(order.gap_us[first : first + size - 1].sum())
    return Finding(
        code="repeated-sequence",
        severity=severity(order.summary, us),
        title=say("finding.repeated", chain=chain_words(kinds), size=size, count=len(begin), us=us),
        evidence=say("finding.repeated.evidence", us=busy_us, busy_pct=100 * busy_us / (wall_us or 1.0)),
        advice=say("finding.repeated.advice"),
        saving_us=us,
        ops=tuple(dict.fromkeys(kinds)),
    )
