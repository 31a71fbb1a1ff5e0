"""The steps in a framework's database: STEP_TIME tells when each began and ended, and so the step of every operator."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.table import Table

TABLE = "STEP_TIME"
SOURCE = f"{TABLE}.id"
_NEEDED = ("id", "startNs", "endNs")


def step_ids(
    connection: sqlite3.Connection, tables: Mapping[str, Sequence[str]], ops: Table
) -> NDArray[np.int64] | None:
    """The step in which each operator began, UNKNOWN between steps; None when the database tells no operator's."""
    if not set(_NEEDED) <= set(tables.get(TABLE, ())):
        return None
    rows = connection.execute(f"SELECT {', '.join(_NEEDED)} FROM {TABLE}").fetchall()
    whole = [row for row in rows if all(isinstance(cell, int) and cell >= 0 for cell in row)]
    steps = sorted((begin, end, number) for number, begin, end in whole if begin <= end)
    if not steps:
        return None
    begins, ends, numbers = (np.array(cells, dtype=np.int64) for cells in zip(*steps))
    start = ops.numbers("start_ns")
    place = np.searchsorted(begins, start, side="right") - 1
    inside = (place >= 0) & (start <= ends[np.maximum(place, 0)])
    return np.where(inside, numbers[np.maximum(place, 0)], UNKNOWN) if inside.any() else None
