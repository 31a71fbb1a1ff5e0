"""What the columns of a file's table add up to: smallest, largest, and a sum where adding means something.

Calls of one level contain those of the next, memory is a level and no amount, rates and means do not add: there is a
sum only for the columns of which a file's own makers give one, or whose rows stand beside each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import unit_of
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.table import Column, Strings, Table

TEXT, WHOLE, MOMENT, NUMBER = "text", "whole", "moment", "number"
SUMS: Mapping[str, re.Pattern[str]] = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "op_summary": "duration_us",
        "kernel_details": "duration_us",
        "op_statistic": "total_us|count",
        "task_time": "(?:duration|time)_us|count",
        "communication_statistic": "total_us|count",
        "operator_details": r"\w*_self_\w*us",
        "operator_memory": "size_kb",
        "aicpu": "(?:total|dispatch|compute|copy|memcpy)_us",
        "step_trace_time": r"(?:computing|not_overlapped|overlapped|communication|free|stage|bubble|preparing)_us",
        "analysis_db": r"(?:computing|communication\w*|overlapped|free|stage|bubble|preparing)_us",
        "step_trace": "(?:time|fp_to_bp|refresh|reduce)_us|reduces",
        "communication": "(?:elapsed|transit|wait|synchronization|idle)_us|size_mb",
        "mindspore_types": "total_us|count",
        "viewer": "hits|misses",
        "simulator": "call_count|cycles",
    }.items()
}
NAMES = frozenset({
    "device", "rank", "stream", "task_id", "model_id", "infer_id", "graph_id", "step", "iteration", "line", "block",
    "source", "target", "launch", "pid", "tid",
})  # fmt: skip
_NAME = re.compile(r".*_(?:id|ptr|tid|pid|addr)|(?:id|addr|address|index|type)")


@dataclass(frozen=True)
class ColumnTold:
    """One column: `unit` as people write it ("" = none), `source` = "file:Header" or the file.

    kind = text, whole (a number that counts or names), moment (whole ns), number; known = rows with a value; distinct
    = different texts or names. smallest and largest are None for texts and names, the sum where adding means nothing.
    """

    name: str
    stem: str
    unit: str
    kind: str
    source: str
    known: int
    distinct: int | None = None
    smallest: float | int | None = None
    largest: float | int | None = None
    total: float | int | None = None


def told_of(kind: str, found: CsvTable, file: str) -> tuple[ColumnTold, ...]:
    """What is to be told of each column of a file of this kind."""
    sources = found.sources
    return tuple(_column(kind, name, column, sources.get(name, file)) for name, column in found.table.columns.items())


def is_name(name: str) -> bool:
    """Whether the numbers of a column are names: the largest stream is nothing to know."""
    return name in NAMES or _NAME.fullmatch(name) is not None


def kind_of(name: str, column: Column) -> str:
    """TEXT, WHOLE, MOMENT or NUMBER."""
    if isinstance(column, Strings):
        return TEXT
    if column.dtype.kind in "iu":
        return MOMENT if name.endswith("_ns") else WHOLE
    return NUMBER


def first_moment(table: Table) -> int | None:
    """The earliest of all moments of a table, in ns: the others are shown from there."""
    found = [column for name, column in table.columns.items() if kind_of(name, column) == MOMENT]
    known = [int(column[column != UNKNOWN].min()) for column in found if (column != UNKNOWN).any()]  # type: ignore[union-attr]
    return min(known, default=None)


def _column(file_kind: str, name: str, column: Column, source: str) -> ColumnTold:
    kind = kind_of(name, column)
    stem, unit = unit_of(name)
    if isinstance(column, Strings):
        used = np.unique(column.codes[column.codes >= 0])
        return ColumnTold(name, stem, "", kind, source, int((column.codes >= 0).sum()), len(used))
    known = column[np.isfinite(column)] if kind == NUMBER else column[column != UNKNOWN]
    if not len(known):
        return ColumnTold(name, stem, unit, kind, source, 0)
    if kind == WHOLE and is_name(name):
        return ColumnTold(name, stem, unit, kind, source, len(known), len(np.unique(known)))
    adds = file_kind in SUMS and SUMS[file_kind].fullmatch(name) is not None
    return ColumnTold(
        name, stem, unit, kind, source, len(known),
        smallest=known.min().item(), largest=known.max().item(),
        total=known.sum(dtype=np.float64 if kind == NUMBER else np.int64).item() if adds else None,
    )  # fmt: skip


def with_values(columns: Sequence[ColumnTold]) -> list[ColumnTold]:
    """Those that hold something in any row."""
    return [column for column in columns if column.known]
