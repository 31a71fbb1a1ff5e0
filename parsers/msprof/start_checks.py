"""What start times tell about a table of operators: rows that stand in it twice, and rows that have none."""

from __future__ import annotations

import numpy as np

from npuscope.parsers.say import Problem, say
from npuscope.parsers.table import Column, Strings, Table

# what two tasks cannot share: at one moment a stream begins one task
_SAME = ("start_ns", "duration_us", "device", "stream", "task_id", "name", "core")


def check_starts(table: Table) -> list[Problem]:
    """The problems of a table that has start times."""
    starts = table.columns.get("start_ns")
    if starts is None or isinstance(starts, Strings) or not len(table):
        return []
    return [*_without(starts), *_twice(table, starts)]


def _without(starts: Column) -> list[Problem]:
    """Where some start times lack, what is told from all of them is not known; where all lack the file has none."""
    missing = int(np.count_nonzero(np.asarray(starts) < 0))
    if not 0 < missing < len(starts):
        return []
    return [Problem("no-start-time", say("files.problem.no-start-time", rows=missing, of=len(starts)))]


def _twice(table: Table, starts: Column) -> list[Problem]:
    begun = np.asarray(starts)
    if bool(np.all(begun[1:] > begun[:-1])):
        return []
    order = np.argsort(begun, kind="stable")
    again = begun[order][1:] == begun[order][:-1]
    touched = np.append(again, False) | np.append(False, again)
    rows = order[touched & (begun[order] >= 0)]
    if not len(rows):
        return []
    keys = [_key(table.columns[name])[rows] for name in _SAME if name in table]
    ordered = np.lexsort(keys)
    equal = np.ones(len(rows) - 1, dtype=bool)
    for key in keys:
        equal &= key[ordered][1:] == key[ordered][:-1]
    count = int(np.count_nonzero(equal))
    if not count:
        return []
    first = int(rows[ordered[1:][equal]].min())
    us = float(np.nansum(table.numbers("duration_us")[rows[ordered[1:][equal]]]))
    text = say("files.problem.rows-twice", rows=count, name=table.strings("name")[first], us=us)
    return [Problem("rows-twice", text, say("files.hint.rows-twice"))]


def _key(column: Column) -> np.ndarray:
    return column.codes if isinstance(column, Strings) else np.asarray(column)
