"""The AI Core clock in a database: AICORE_FREQ holds a row whenever it changed, and so the clock of every operator."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.table import Table

TABLE = "AICORE_FREQ"
_NEEDED = ("deviceId", "timestampNs", "freq")


def clocks(
    connection: sqlite3.Connection, tables: Mapping[str, Sequence[str]], ops: Table
) -> NDArray[np.float64] | None:
    """MHz at the start of each operator of its device: of the last change before it, else of the first one known.

    NaN where nothing is known; None when the database does not tell.
    """
    if not set(_NEEDED) <= set(tables.get(TABLE, ())):
        return None
    rows = connection.execute(f"SELECT {', '.join(_NEEDED)} FROM {TABLE}").fetchall()
    whole = [row for row in rows if all(isinstance(cell, int) for cell in row) and row[2] > 0]
    if not whole:
        return None
    found = np.full(len(ops), np.nan)
    device, start = ops.numbers("device"), ops.numbers("start_ns")
    for one in {row[0] for row in whole}:
        changes = sorted((at, float(mhz)) for of, at, mhz in whole if of == one)
        own = np.flatnonzero((device == one) & (start >= 0))
        times = np.array([at for at, _ in changes], dtype=np.int64)
        found[own] = last_before(start[own], times, np.array([mhz for _, mhz in changes]))
    return found


def last_before(
    start_ns: NDArray[np.int64], changed_ns: NDArray[np.int64], mhz: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The clock at each start: that of the last change before it, else the first one. Changes are in order."""
    place = np.maximum(np.searchsorted(changed_ns, start_ns, side="right") - 1, 0)
    found: NDArray[np.float64] = mhz[place]
    return found
