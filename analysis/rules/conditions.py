"""Conditions as data: what a rule compares is what `--explain` prints, by construction."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from npuscope.analysis.arrays import Bools, Floats
from npuscope.analysis.labels.derived import Derived
from npuscope.analysis.thresholds import SOURCES

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
}


@dataclass(frozen=True)
class Condition:
    """`value` beside a limit: the threshold of that name, or a number of the row. Unknown holds nothing.

    `key` is the last part of a catalogue key, `unit` a format word of it.
    """

    key: str
    value: Callable[[Derived], Floats]
    sign: str
    limit: str | Callable[[Derived], Floats]
    unit: str = "ratio"

    def limits(self, d: Derived) -> Any:
        """What the value is held against: a plain number (so that a share of 0.70 as read is 0.70), or one a row."""
        return getattr(d.t, self.limit) if isinstance(self.limit, str) else self.limit(d)

    def holds(self, d: Derived) -> Bools:
        """Rows where it does."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found: Bools = _SIGNS[self.sign](self.value(d), self.limits(d))
        return found

    def applied(self, d: Derived, row: int) -> Applied:
        """What it says of one row."""
        with np.errstate(invalid="ignore", divide="ignore"):
            limits, values = self.limits(d), self.value(d)
        value, limit = float(values[row]), float(limits[row] if isinstance(limits, np.ndarray) else limits)
        known = not (np.isnan(value) or np.isnan(limit))
        name = self.limit if isinstance(self.limit, str) else None
        holds = bool(self.holds(d)[row]) if known else None
        return Applied(self.key, self.unit, value, self.sign, limit, name, SOURCES.get(name or ""), holds)


@dataclass(frozen=True)
class Applied:
    """A condition of one row: holds None = its value is unknown, so it speaks for nothing. NaN = unknown number.

    `threshold` and `source` are those of thresholds.py, None where it is held against a number of the row.
    """

    key: str
    unit: str
    value: float
    sign: str
    limit: float
    threshold: str | None
    source: str | None
    holds: bool | None
