"""CANN_API of a profiler database: host calls by level and name, as api_statistic has them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.msprof.tables.api_statistic import LONGEST_US
from npuscope.parsers.table import Strings, Table

_NEEDED = ("startNs", "endNs", "type", "name")
_QUERY = """
    SELECT e.name, s.value, COUNT(*), SUM(a.endNs - a.startNs), MIN(a.endNs - a.startNs), MAX(a.endNs - a.startNs)
    FROM CANN_API a LEFT JOIN ENUM_API_TYPE e ON e.id = a.type LEFT JOIN STRING_IDS s ON s.id = a.name
    WHERE a.endNs >= a.startNs AND a.startNs >= 0 GROUP BY e.name, s.value ORDER BY e.name, s.value
"""


def read(connection: sqlite3.Connection, tables: Mapping[str, Sequence[str]]) -> Table | None:
    """level name count total_us mean_us min_us max_us; None where the database has no host call.

    The total of a name with a call of more than an hour is unknown, as in api_statistic: it had no beginning.
    """
    has_names = {"id", "name"} <= set(tables.get("ENUM_API_TYPE", ()))
    if not has_names or not set(_NEEDED) <= set(tables.get("CANN_API", ())):
        return None
    try:
        rows = connection.execute(_QUERY).fetchall()
    except sqlite3.Error:  # sums beyond 64 bits, a damaged page: the operators do not depend on it
        return None
    if not rows:
        return None
    levels, names, counts, *times = zip(*rows)
    total, least, most = (_us(values) for values in times)
    calls = np.array(counts, dtype=np.int64)
    total = np.where(most > LONGEST_US, np.nan, total)
    return Table(
        {
            "level": Strings.of(map(_text, levels)),
            "name": Strings.of(map(_text, names)),
            "count": calls,
            "total_us": total,
            "mean_us": total / calls,
            "min_us": least,
            "max_us": most,
        }
    )


def _us(nanoseconds: Sequence[Any]) -> NDArray[np.float64]:
    """Unknown where there is no number, or one beyond all."""
    known = (value if isinstance(value, (int, float)) else np.nan for value in nanoseconds)
    found = np.array(list(known), dtype=np.float64) / 1000
    return np.where(np.isinf(found), np.nan, found)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
