"""Databases beside the profiles: analysis.db, communication_analyzer.db, cluster_analysis.db. Each table is a Table.

Columns are asked for by name, never all: other programs add their own. Times of collectives stand there in ms and come
out in us, sizes in MB (10^6 bytes), bandwidths in GB/s.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.db_file import opened, tables_of
from npuscope.parsers.msprof.sheet import Progress, settled, unit_of
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Column, Strings, Table

PATTERN = re.compile(r"(?:cluster_)?analysis\.db|communication_analyzer\.db")
MOST_ROWS = 1_000_000
KNOWN = (
    "StepTraceTime", "CommAnalyzerTime", "CommAnalyzerBandwidth", "CommAnalyzerMatrix", "ClusterStepTraceTime",
    "ClusterCommAnalyzerTime", "ClusterCommAnalyzerBandwidth", "ClusterCommAnalyzerMatrix", "CommunicationGroup",
    "CommunicationGroupMapping", "ClusterCommunicationTime", "ClusterCommunicationBandwidth", "HostInfo",
    "RankDeviceMap", "ClusterBaseInfo",
)  # fmt: skip

_MS, _US = 1000.0, 1.0
_STEP_TIMES = (
    "computing", "communication_not_overlapped", "overlapped", "communication", "free", "stage", "bubble",
    "communication_not_overlapped_and_exclude_receive", "preparing",
)  # fmt: skip
_COLUMNS: Mapping[str, tuple[str, float]] = {
    **{name: (f"{name}_us", _US) for name in _STEP_TIMES},
    "start_timestamp": ("start_us", _US),
    **{
        name: (f"{stem}_us", _MS)
        for name, stem in {
            "elapse_time": "elapsed", "elapsed_time": "elapsed", "transit_time": "transit", "wait_time": "wait",
            "synchronization_time": "synchronization", "idle_time": "idle", "total_duration": "total",
        }.items()
    },
    "transit_size": ("size_mb", 1.0), "package_size": ("package_mb", 1.0), "bandwidth": ("bandwidth_gbps", 1.0),
    "hccl_op_name": ("name", 1.0), "op_name": ("operator", 1.0), "deviceId": ("device", 1.0),
    "device_id": ("device", 1.0), "rank_id": ("rank", 1.0), "rankId": ("rank", 1.0), "group_name": ("group", 1.0),
}  # fmt: skip
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True)
class DbTable:
    """One table of a database, and how many rows it has."""

    name: str
    rows: int


def tables(path: str) -> tuple[DbTable, ...]:
    """The tables that hold something, the known ones first. Raises ParseError, also where none is known."""
    with opened(Path(path)) as connection:
        names = tables_of(connection)
        if not set(KNOWN) & names.keys():
            raise ParseError(_unknown(path, sorted(names)))
        order = {name: place for place, name in enumerate(KNOWN)}
        ordered = sorted((name for name in names if not name.startswith("sqlite_")), key=lambda n: order.get(n, 99))
        counted = [DbTable(name, _count(connection, name)) for name in ordered]
    return tuple(one for one in counted if one.rows)


def read(path: str, progress: Progress | None = None, table: str | None = None) -> CsvTable:
    """A table of a database, without a name its first. Raises ParseError."""
    held = tables(path)
    chosen = next((one for one in held if table is None or one.name.casefold() == table.casefold()), None)
    if chosen is None:
        listed = ", ".join(one.name for one in held)
        text = say("files.problem.no-table", file=Path(path).name, table=table, tables=listed or None)
        raise ParseError(Problem("no-table", text, file=path))
    with opened(Path(path)) as connection:
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        columns = tables_of(connection).get(chosen.name, [])
        listed = ", ".join(_quoted(column) for column in columns)
        rows = connection.execute(f"SELECT {listed} FROM {_quoted(chosen.name)} LIMIT {MOST_ROWS}").fetchall()
    problems: tuple[Problem, ...] = ()
    if chosen.rows > MOST_ROWS:
        text = say("files.problem.first-rows", file=chosen.name, rows=MOST_ROWS, of=chosen.rows)
        problems = (Problem("rows-left-out", text, file=path),)
    return CsvTable(path, _table(columns, rows), (), 0, problems)


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {_quoted(table)}").fetchone()[0])


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _unknown(path: str, names: Sequence[str]) -> Problem:
    listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return Problem("unknown-database", say("files.problem.unknown-db", file=Path(path).name, tables=listed), file=path)


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    found: dict[str, Column] = {}
    for place, column in enumerate(columns):
        name, scale = _COLUMNS.get(column, (_CAPITAL.sub("_", column).casefold(), 1.0))
        while name in found:
            name += "_2"
        found[name] = _column([row[place] for row in rows], scale, bool(unit_of(name)[1]))
    return Table(found)


def _column(values: Sequence[Any], scale: float, measured: bool) -> Column:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int} and not measured:
        return np.array([UNKNOWN if value is None else value for value in values], dtype=np.int64)
    if kinds <= {int, float} and kinds:
        numbers: Column = np.array([np.nan if value is None else value for value in values], dtype=np.float64) * scale
        return numbers
    texts = settled(Strings.of(_text(value) for value in values))
    return texts if isinstance(texts, Strings) or scale == 1.0 else texts * scale


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    return f"({len(value)} B)" if isinstance(value, bytes) else str(value)
