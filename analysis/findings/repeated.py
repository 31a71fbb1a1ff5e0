"""Sequences of operators that come back again and again, whatever they are: candidates for one kernel, or one graph."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Ints, grouped, totalled
from npuscope.analysis.bounds import TILED
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import severity
from npuscope.analysis.findings.sequences import Sequence, sequence, words
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say

SHORTEST, LONGEST = 3, 10  # operators [ADV fusible_operator min_length, max_length]; pairs are named chains
LOOKED_AT = 20_000  # kernels of a long run: what repeats shows there too, counts are of them alone
BUSY_PIPE = 0.80  # dominant computing: fusing brings little [AGT fusion_value_assessment]
MOST_US = 100.0  # mean of an operator: longer ones are worth tuning by themselves


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`repeated-sequence`: the one whose fusion would save most, of what follows each other by data."""
    order = sequence(summary)
    if order is None:
        return ()
    best = max((_best(order, size) for size in range(SHORTEST, LONGEST + 1)), default=None)
    if best is None or best[0] < summary.thresholds.chain_share * summary.totals.total_us:
        return ()
    us, size, at, count = best
    kind = summary.shapes.strings("type")
    types = [kind[int(order.shape[at + step])] or "" for step in range(size)]
    span = float(order.us[at : at + size].sum())
    return (
        Finding(
            code="repeated-sequence",
            severity=severity(us / summary.totals.total_us, 0.1, 0.3),
            title=say("finding.repeated", size=size, count=count, us=us),
            evidence=say("finding.repeated.evidence", chain=" + ".join(types), us=span),
            advice=say("finding.repeated.advice"),
            saving_us=us,
            ops=tuple(dict.fromkeys(types)),
        ),
    )


def _best(order: Sequence, size: int) -> tuple[float, int, int, int]:
    """Saving in us of all its occurrences, size, position and count of the best window of one size."""
    kept = min(len(order.rows), LOOKED_AT)
    if kept < size:
        return 0.0, size, 0, 0
    windows = order.windows(size)[: kept - size + 1] & _worth(order, size)[: kept - size + 1]
    at = np.flatnonzero(windows)
    at = at[order.dependent(at, size)]
    if not len(at):
        return 0.0, size, 0, 0
    group, count = grouped([order.shape[at + step] for step in range(size)])
    calls = np.bincount(group, minlength=count)
    saved = totalled(group, count, order.saving(at, size))
    saved[calls <= order.summary.thresholds.chain_calls] = 0
    # occurrences may overlap (a b a b a): no more than fit into the kernels looked at
    leading = int(np.argmax(saved))
    apart = _apart(at[group == leading], size)
    share = len(apart) / int(calls[leading])
    return float(saved[leading]) * share, size, int(apart[0]), len(apart)


def _worth(order: Sequence, size: int) -> Bools:
    """Windows of which no operator is long or busy computing, and at most one multiplies matrices."""
    shapes = order.summary.shapes
    busy = np.zeros(len(shapes), dtype=bool)
    for name in ("aic_mac_ratio", "aiv_vec_ratio", "aic_vec_ratio"):
        busy |= shapes.numbers(name) >= BUSY_PIPE
    short = ~busy & (shapes.numbers("mean_us") <= MOST_US)
    tiled = np.array([word[1] in TILED for word in words(order.summary)], dtype=bool)
    fits, large = short[order.shape], tiled[order.shape]
    found = np.ones(max(len(fits) - size + 1, 0), dtype=bool)
    many = np.zeros(len(found), dtype=np.int8)
    for step in range(size):
        found &= fits[step : step + len(found)]
        many += large[step : step + len(found)]
    return found & (many <= 1)


def _apart(at: Ints, size: int) -> Ints:
    kept: list[int] = []
    for position in at.tolist():
        if not kept or position - kept[-1] >= size:
            kept.append(position)
    return np.array(kept, dtype=np.int64)
