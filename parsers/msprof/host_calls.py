"""CANN_API of a profiler database: host calls by level and name, as api_statistic has them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np

from npuscope.parsers.msprof.api_statistic import LONGEST_US
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
    if not set(_NEEDED) <= set(tables.get("CANN_API", ())) or "ENUM_API_TYPE" not in tables:
        return None
    rows = connection.execute(_QUERY).fetchall()
    if not rows:
        return None
    levels, names, counts, *times = zip(*rows)
    total, least, most = (np.array(values, dtype=np.float64) / 1000 for values in times)
    calls = np.array(counts, dtype=np.int64)
    total = np.where(most > LONGEST_US, np.nan, total)
    return Table(
        {
            "level": Strings.of(levels),
            "name": Strings.of(names),
            "count": calls,
            "total_us": total,
            "mean_us": total / calls,
            "min_us": least,
            "max_us": most,
        }
    )
