"""How the columns of any file's table are headed and its cells written: each column in one form for all of its rows.

Moments are told from the first one of the table, in the unit of how long it spans; exact ones stand in csv and JSON.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from npuscope.analysis.sheet_totals import MOMENT, NUMBER, TEXT, WHOLE, ColumnTold, is_name
from npuscope.parsers.profile import UNKNOWN
from npuscope.tui import numbers
from npuscope.tui.text import clean

MOST_DECIMALS = 6
_MOMENT_DECIMALS = {"us": 3, "ms": 3, "s": 6}  # as fine as the files: ns, else us


@dataclass(frozen=True)
class CellForm:
    """How a column's values are written: `per` of the column's own unit is one of `unit`."""

    told: ColumnTold
    unit: str
    per: float = 1.0
    decimals: int = 0
    origin_ns: int = 0

    @property
    def left(self) -> bool:
        """Text stands left."""
        return self.told.kind == TEXT

    @property
    def head(self) -> str:
        """`total us`, `allocated at +ms`."""
        sign = "+" if self.told.kind == MOMENT else ""
        return f"{clean(self.told.stem).replace('_', ' ')} {sign}{self.unit}".rstrip()

    def cell(self, value: Any) -> str:
        """A value of the column as its table gives it; unknown is a dash."""
        if value is None or (self.told.kind in (WHOLE, MOMENT) and value == UNKNOWN):
            return numbers.DASH
        if self.told.kind == TEXT:
            return clean(str(value).replace("\n", " "))
        if self.told.kind == MOMENT:
            return numbers.fixed((value - self.origin_ns) / self.per, self.decimals)
        if self.told.kind == WHOLE:
            return str(value) if is_name(self.told.name) else numbers.count(value)
        return numbers.fixed(value, self.decimals)


def forms_of(columns: Sequence[ColumnTold], origin_ns: int | None) -> tuple[CellForm, ...]:
    """The form of each column; `origin_ns` = the first moment of the table."""
    latest = max((int(one.largest) for one in columns if one.kind == MOMENT and one.largest is not None), default=0)
    begin = origin_ns or 0
    unit, us, _ = numbers.time_unit((latest - begin) / 1000)
    moment = (unit, us * 1000, _MOMENT_DECIMALS[unit], begin)
    return tuple(
        CellForm(one, *moment) if one.kind == MOMENT else CellForm(one, one.unit, 1.0, decimals_of(one))
        for one in columns
    )


def decimals_of(column: ColumnTold) -> int:
    """So many that the largest value has four digits at least, and none where all are whole."""
    if column.kind != NUMBER or column.largest is None or column.smallest is None:
        return 0
    largest = max(abs(column.largest), abs(column.smallest))
    if largest == 0 or not math.isfinite(largest):
        return 0
    return max(1, min(MOST_DECIMALS, 3 - math.floor(math.log10(largest)))) if largest < 1000 else 1
