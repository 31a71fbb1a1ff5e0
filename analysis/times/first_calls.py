"""Which first calls of a shape took unusually long."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Floats
from npuscope.analysis.summary import Summary


def late_first_calls(summary: Summary) -> Floats:
    """Of each line of `summary.shapes` the us that its first call took beyond the median; 0 where that is usual, and
    everywhere when all of it is too little of the run.
    """
    lines, limits = summary.shapes, summary.thresholds
    first, median = lines.numbers("first_us"), lines.numbers("median_us")
    late = np.nan_to_num(first - median)
    # the first collective of a run waits for the other ranks
    kernel = ~lines.strings("label").mask(("communication", "other"))
    slow = (
        kernel
        & (lines.numbers("count") >= limits.first_calls)
        & (first > limits.first_times * median)
        & (late > limits.first_us)
    )
    found: Floats = np.where(slow, late, 0.0)
    return found if found.sum() >= limits.first_share * summary.totals.once_us else np.zeros(len(found))
