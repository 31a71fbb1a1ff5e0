"""The tables of databases: analysis.db, communication_analyzer.db, cluster_analysis.db, and any other as it lies.

Columns are asked for by name, never all: other programs add their own. Times of collectives stand there in ms and come
out in us, sizes in MB (10^6 bytes), bandwidths in GB/s. In a profile's database texts are numbers into STRING_IDS.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from npuscope.parsers.columns import integer_cell
from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.databases.db_file import columns_of, opened, quoted, select, tables_of
from npuscope.parsers.msprof.sight import Held
from npuscope.parsers.msprof.tables.sheet import settled, unit_of
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.progress import Progress
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
    "waitNs": ("wait_us", 0.001),
    "transit_size": ("size_mb", 1.0), "package_size": ("package_mb", 1.0), "bandwidth": ("bandwidth_gbps", 1.0),
    "hccl_op_name": ("name", 1.0), "op_name": ("operator", 1.0), "deviceId": ("device", 1.0),
    "device_id": ("device", 1.0), "rank_id": ("rank", 1.0), "rankId": ("rank", 1.0), "group_name": ("group", 1.0),
}  # fmt: skip
_STRINGS, _AT_ONCE = "STRING_IDS", 500
_TEXTS = frozenset({
    "name", "opName", "taskType", "opType", "opState", "hf32Eligible", "groupName", "algType", "attrInfo", "gridDim",
    "inputFormats", "inputDataTypes", "inputShapes", "outputFormats", "outputDataTypes", "outputShapes", "inputDtypes",
    "operatorName", "component", "stack", "mode",
})  # fmt: skip
_TYPED = frozenset({"NPU_MEM", "NPU_OP_MEM", "HBM", "LLC"})  # elsewhere `type` is a number into one of the ENUM tables
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def tables(path: str, unknown: bool = False) -> tuple[Held, ...]:
    """The tables that hold something, the known ones first. Raises ParseError, also where none is known.

    `unknown` = of any database, whatever its tables.
    """
    with opened(Path(path)) as connection:
        names = tables_of(connection)
        if not unknown and not set(KNOWN) & names.keys():
            raise ParseError(_unknown(path, sorted(names)))
        order = {name: place for place, name in enumerate(KNOWN)}
        ordered = sorted((name for name in names if not name.startswith("sqlite_")), key=lambda n: order.get(n, 99))
        counted = [Held(name, _count(connection, name)) for name in ordered]
    return tuple(one for one in counted if one.rows)


def read(path: str, progress: Progress | None = None, table: str | None = None, unknown: bool = False) -> CsvTable:
    """A table of a database, without a name its first. Raises ParseError."""
    held = tables(path, unknown)
    chosen = next((one for one in held if table is None or one.name.casefold() == table.casefold()), None)
    if chosen is None:
        listed = ", ".join(one.name for one in held)
        text = say("files.problem.no-table", file=Path(path).name, table=table, tables=listed or None)
        raise ParseError(Problem("no-table", text, file=path))
    with opened(Path(path)) as connection:
        columns = tables_of(connection).get(chosen.name, [])
        rows = connection.execute(select(chosen.name, columns, MOST_ROWS)).fetchall()
        texts = {place: _texts(connection, rows, place) for place in _numbered(connection, chosen.name, columns)}
    problems: tuple[Problem, ...] = ()
    if chosen.rows > MOST_ROWS:
        text = say("files.problem.first-rows", file=chosen.name, rows=MOST_ROWS, of=chosen.rows)
        problems = (Problem("rows-left-out", text, file=path),)
    return CsvTable(path, _table(columns, rows, texts), (), 0, problems)


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {quoted(table)}").fetchone()[0])


def _numbered(connection: sqlite3.Connection, table: str, columns: Sequence[str]) -> list[int]:
    """The places of columns that are numbers into STRING_IDS."""
    if table == _STRINGS or not {"id", "value"} <= set(columns_of(connection, _STRINGS)):
        return []
    # since schema 1.2 blockDim is a text, and blockNum the number of blocks
    texts = _TEXTS | {"blockDim"} if "blockNum" in columns else _TEXTS | {"type"} if table in _TYPED else _TEXTS
    return [place for place, column in enumerate(columns) if column in texts]


def _texts(connection: sqlite3.Connection, rows: Sequence[Sequence[Any]], place: int) -> dict[int, str]:
    wanted = sorted({row[place] for row in rows if type(row[place]) is int})
    found: dict[int, str] = {}
    for begin in range(0, len(wanted), _AT_ONCE):
        some = wanted[begin : begin + _AT_ONCE]
        marks = ",".join("?" * len(some))
        found.update(connection.execute(f"SELECT id, value FROM {_STRINGS} WHERE id IN ({marks})", some))
    return found


def _unknown(path: str, names: Sequence[str]) -> Problem:
    listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return Problem("unknown-database", say("files.problem.unknown-db", file=Path(path).name, tables=listed), file=path)


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]], texts: Mapping[int, Mapping[int, str]]) -> Table:
    found: dict[str, Column] = {}
    for place, column in enumerate(columns):
        name, scale = _COLUMNS.get(column, (_CAPITAL.sub("_", column).casefold(), 1.0))
        while name in found:
            name += "_2"
        values = [row[place] for row in rows]
        if place in texts:
            values = [texts[place].get(value, value) for value in values]
        found[name] = _moments(values) if name.endswith("_ns") else _column(values, scale, bool(unit_of(name)[1]))
    return Table(found)


def _moments(values: Sequence[Any]) -> Column:
    """Nanoseconds, some of which stand there as text: 19 digits are more than a float holds."""
    found = [UNKNOWN if value is None else integer_cell(str(value)) for value in values]
    return np.maximum(np.array(found, dtype=np.int64), UNKNOWN)


def _column(values: Sequence[Any], scale: float, measured: bool) -> Column:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int} and not measured:
        return np.array([UNKNOWN if value is None else value for value in values], dtype=np.int64)
    if kinds <= {int, float} and kinds:
        numbers = np.array([np.nan if value is None else value for value in values], dtype=np.float64) * scale
        return np.where(np.isinf(numbers), np.nan, numbers)
    texts = settled(Strings.of(_text(value) for value in values))
    return texts if isinstance(texts, Strings) or scale == 1.0 else texts * scale


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value or None
    return f"({len(value)} B)" if isinstance(value, bytes) else str(value)
