"""Runs of short elementwise operators on tensors of one size, that no named chain holds."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints
from npuscope.analysis.findings.common import chain_words, severity
from npuscope.analysis.findings.sequences import Sequence, by_word
from npuscope.analysis.summary import Finding
from npuscope.parsers.say import say

LONGEST_PERIOD = 64  # kernels after which a run is looked at for a repetition
VECTOR_FAMILIES = ("elementwise", "costly")


def find(order: Sequence) -> list[Finding]:
    """`elementwise-run`: each run cut into what one kernel may replace, in whole periods where it repeats itself."""
    begin, end = _runs(order)
    if not len(begin):
        return []
    periods = _periods(order, begin, end)
    cuts = _cuts(begin, end, periods, int(order.summary.thresholds.fused_most))
    own = np.searchsorted(cuts, begin)
    stops = np.append(cuts[1:], end[-1])
    stops[np.append(own[1:] - 1, len(cuts) - 1)] = end  # a run's last piece ends with it
    by_run = np.add.reduceat(order.saving(cuts, stops), own)
    order.take(begin, end)
    return [_finding(order, begin, end, periods, by_run)]


def _runs(order: Sequence) -> tuple[Ints, Ints]:
    vector = by_word(order.summary, lambda word: word[1] in VECTOR_FAMILIES) > 0
    size = order.summary.shapes.strings("output_shapes").codes
    small = vector[order.shape] & (order.us < order.summary.thresholds.worth_us) & order.free & (size[order.shape] >= 0)
    joins = order.linked & small[1:] & small[:-1] & (size[order.shape[1:]] == size[order.shape[:-1]])
    edges = np.flatnonzero(np.diff(np.concatenate(([False], joins, [False])).astype(np.int8)))
    begin, end = edges[::2], edges[1::2] + 1
    long = end - begin >= order.summary.thresholds.run_least
    return begin[long], end[long]


def _periods(order: Sequence, begin: Ints, end: Ints) -> Ints:
    """After how many kernels each run repeats itself; its length where it does not, or is short enough as it is."""
    length = end - begin
    found = length.copy()
    long = np.flatnonzero(length > order.summary.thresholds.fused_most)
    for size in range(1, LONGEST_PERIOD + 1):
        able = long[length[long] >= 2 * size]
        if not len(able):
            break
        differs: Bools = order.shape[size:] != order.shape[:-size]
        wrong = np.concatenate(([0], np.cumsum(differs)))
        same = wrong[end[able] - size] == wrong[begin[able]]
        found[able[same]] = size
        long = able[~same]
    return found


def _cuts(begin: Ints, end: Ints, periods: Ints, most: int) -> Ints:
    """Where the pieces begin: whole periods, as many as fit into `most`; longer ones in nearly equal parts."""
    size = np.where(periods > most, periods, periods * np.maximum(most // periods, 1))
    parts = -(-size // most)
    run = np.repeat(np.arange(len(begin)), end - begin)
    inside = np.arange(len(run)) - np.repeat(np.cumsum(end - begin) - (end - begin), end - begin)
    within = inside % size[run]
    piece = within * parts[run] // size[run]
    first = (within == 0) | (np.diff(piece, prepend=-1) != 0)
    cuts: Ints = (inside + begin[run])[first]
    return cuts


def _finding(order: Sequence, begin: Ints, end: Ints, periods: Ints, saving: Floats) -> Finding:
    us, best = float(saving.sum()), int(np.argmax(saving))
    first, size = int(begin[best]), int(end[best] - begin[best])
    kinds = order.types(first, int(periods[best]))
    return Finding(
        code="elementwise-run",
        severity=severity(order.summary, us),
        title=say("finding.run", chain=chain_words(kinds, size // len(kinds)), count=len(begin), us=us),
        evidence=say(
            "finding.run.evidence",
            kernels=int((end - begin).sum()),
            size=size,
            us=float(order.us[first : first + size].sum()),
            middle_us=float(order.moved_us[first : first + size - 1].sum()),
            most=int(order.summary.thresholds.fused_most),
        ),
        advice=say("finding.run.advice"),
        saving_us=us,
        ops=tuple(dict.fromkeys(kinds)),
    )
