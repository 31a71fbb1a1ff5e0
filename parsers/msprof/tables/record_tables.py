"""Records of one kind as a Table: what JSON files and small readers give, for those who want to see it whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.table import Column, Strings, Table

Row = Mapping[str, Any]


def table_of(rows: Sequence[Row], columns: Mapping[str, type]) -> Table:
    """Rows as columns of the given types, in their order: str, int (UNKNOWN = -1) or float (NaN); others are unknown.

    A truth value is no number.
    """
    return Table({name: _column([row.get(name) for row in rows], kind) for name, kind in columns.items()})


def _column(values: Sequence[Any], kind: type) -> Column:
    if kind is str:
        return Strings.of(value if isinstance(value, str) and value else None for value in values)
    if kind is int:
        whole = [value if type(value) is int and -(2**63) <= value < 2**63 else UNKNOWN for value in values]
        return np.array(whole, dtype=np.int64)
    return np.array([float(value) if type(value) in (int, float) else np.nan for value in values], dtype=np.float64)
