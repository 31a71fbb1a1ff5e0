"""Time that stands in a table twice: kernels that do the work of a collective which has a row of its own.

`total_us` of a run stays the sum of all rows; where times are added up to tell what a run did with its time, and in the
lines of types and shapes, these rows count nothing.
"""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Floats, Ints
from npuscope.parsers.msprof.row_checks import CARRIED
from npuscope.parsers.table import Table


def told_once_us(ops: Table, rows: Ints | slice = slice(None)) -> Floats:
    """The duration of these rows (of all of them) in us; unknown where another row tells it."""
    duration = ops.numbers("duration_us")[rows]
    return np.where(ops.numbers(CARRIED)[rows] == 1, np.nan, duration) if CARRIED in ops else duration


def counted_us(ops: Table) -> Floats:
    """The duration of each row in us; 0 where another row tells it, or it is not known."""
    duration = np.nan_to_num(ops.numbers("duration_us"), nan=0.0, posinf=0.0, neginf=0.0)
    return np.where(ops.numbers(CARRIED) == 1, 0.0, duration) if CARRIED in ops else duration
