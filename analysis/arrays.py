"""Small numpy helpers that know unknown: NaN for numbers, -1 for codes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.table import Strings

# what the arrays hold; numpy's types cannot follow a dtype through where(), so these names are for readers
Floats = NDArray[Any]
Bools = NDArray[Any]
Ints = NDArray[Any]

LARGEST_KEY = 2**62


def largest(arrays: Sequence[Floats]) -> Floats:
    """The largest known value of each row; NaN where none is known."""
    found = arrays[0]
    for array in arrays[1:]:
        found = np.fmax(found, array)
    return found


def known_or(array: Floats, value: float) -> Floats:
    """The array with `value` for unknown."""
    return np.where(np.isnan(array), array.dtype.type(value), array)


def ratio(over: Floats, under: Floats) -> Floats:
    """Quotient; NaN where the divisor is unknown or not positive."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(under > 0, over / under, np.nan)


def number(value: Any) -> float | None:
    """A numpy number as a plain one; None for NaN and infinity."""
    plain = float(value)
    return plain if math.isfinite(plain) else None


def decode(codes: Ints, values: Sequence[str]) -> Strings:
    """Small integer codes as a text column."""
    return Strings(codes.astype(np.int32), tuple(values))


def dense(codes: Ints) -> tuple[Ints, int]:
    """Codes of any integers as 0 .. n-1 in the order of their values, and n."""
    if not len(codes):
        return codes.astype(np.int64), 0
    low, high = int(codes.min()), int(codes.max())
    if high - low > 4 * len(codes) + 1024:
        values, inverse = np.unique(codes, return_inverse=True)
        return inverse.reshape(-1).astype(np.int64), len(values)
    shifted = codes.astype(np.int64) - low
    present = np.zeros(high - low + 1, dtype=bool)
    present[shifted] = True
    return (np.cumsum(present) - 1)[shifted], int(present.sum())


def grouped(columns: Iterable[Ints]) -> tuple[Ints, int]:
    """Rows with equal values in all columns share a number 0 .. n-1; and n."""
    key, size = None, 1
    for column in columns:
        codes, count = dense(column)
        if key is None:
            key, size = codes, count
            continue
        if size * max(count, 1) > LARGEST_KEY:
            key, size = dense(key)
        key, size = key * max(count, 1) + codes, size * max(count, 1)
    return dense(key) if key is not None else (np.zeros(0, dtype=np.int64), 0)


def first_rows(groups: Ints, count: int, order: Ints | None = None) -> Ints:
    """The first row of each group, in the rows' order or in `order`."""
    rows = np.arange(len(groups)) if order is None else order
    first = np.zeros(count, dtype=np.int64)
    first[groups[rows[::-1]]] = rows[::-1]
    return first


def totalled(groups: Ints, count: int, weights: Floats | Bools) -> Floats:
    """The sum of the weights of each group."""
    return np.asarray(np.bincount(groups, weights=weights, minlength=count), dtype=np.float64)


def sums(groups: Ints, count: int, values: Floats) -> Floats:
    """The sum of the known values of each group; NaN where none is known."""
    unknown = np.isnan(values)
    if not unknown.any():
        return totalled(groups, count, values)
    total = totalled(groups, count, np.where(unknown, 0.0, values))
    return np.where(totalled(groups, count, ~unknown) > 0, total, np.nan)


def stable_order(groups: Ints) -> Ints:
    """Rows sorted by group, each group in its rows' order."""
    small = groups.astype(np.uint16) if len(groups) and groups.max() < 2**16 else groups
    return np.argsort(small, kind="stable")
