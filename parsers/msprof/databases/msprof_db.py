"""msprof_*.db and ascend_(pytorch|mindspore)_profiler*.db: the operator table rebuilt from the database.

Compute tasks come first, then the communication operators. Texts are numbers into STRING_IDS, times are nanoseconds.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers import columns as c
from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.databases import host_calls
from npuscope.parsers.msprof.databases.db_file import opened, tables_of
from npuscope.parsers.msprof.databases.db_frequency import clocks
from npuscope.parsers.msprof.databases.db_steps import SOURCE as STEPS_SOURCE
from npuscope.parsers.msprof.databases.db_steps import step_ids
from npuscope.parsers.msprof.info import FAMILIES
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Column, Strings, Table, concatenate

PATTERN = re.compile(r"(?:msprof(?:_\w+)?|ascend_(?:pytorch|mindspore)_profiler(?:_\w+)?)\.db")
Ids = NDArray[np.int64]

_CHIP = re.compile(r"Ascend\d{3}\w[\w-]*")
_NEEDED = ("COMPUTE_TASK_INFO", "TASK", "STRING_IDS")
_ROWS_AT_ONCE = 50_000
_COUNTERS_FROM = 0.4  # share of the reading that is done when the counters begin

# column -> the spellings of it, newest schema first: since 1.2 `blockDim` is the text of a SIMT block, not a count
_TEXTS = {
    "name": ("name",), "type": ("opType",), "core": ("taskType",), "op_state": ("opState",),
    "hf32_eligible": ("hf32Eligible",), "input_shapes": ("inputShapes",), "input_dtypes": ("inputDataTypes",),
    "input_formats": ("inputFormats",), "output_shapes": ("outputShapes",), "output_dtypes": ("outputDataTypes",),
    "output_formats": ("outputFormats",),
}  # fmt: skip
_BLOCKS = {
    "block_dim": ("blockNum", "blockDim", "block_dim"),
    "mix_block_dim": ("mixBlockNum", "mixBlockDim", "mix_block_dim"),
}  # fmt: skip
_TASK = {"start_ns": "startNs", "device": "deviceId", "stream": "streamId", "task_id": "taskId", "model_id": "modelId"}


@dataclass(frozen=True)
class Database:
    """What a database tells: the operators, what stands about the run in its small tables, and its host calls
    (host_calls.py).
    """

    operators: CsvTable
    chip: str | None = None
    family: str | None = None
    rank: int | None = None
    devices: tuple[int, ...] = ()
    host_calls: Table | None = None
    cann: str | None = None


def read(path: str, progress: Progress | None = None) -> Database:
    """The operator instances of a database. Raises ParseError."""
    file = Path(path)
    with opened(file) as connection:
        tables = tables_of(connection)
        if not set(_NEEDED) <= tables.keys():
            listed = ", ".join(sorted(tables)[:5])
            text = say("profiles.problem.no-operator-tables", file=file.name, tables=listed or None)
            raise ParseError(Problem("no-operator-table", text, say("profiles.hint.no-operator-tables"), path))
        reader = _Reader(connection, tables)
        compute, columns = reader.compute(progress or (lambda part: None))
        whole = concatenate([compute, reader.communication()])
        mhz = clocks(connection, tables, whole)
        if mhz is not None:
            whole = whole.extended({"freq_mhz": mhz})
        steps = step_ids(connection, tables, whole)
        if steps is not None:
            whole = whole.extended({"step": steps})
            columns = (*columns, c.Column(UNKNOWN, STEPS_SOURCE, "step", c.INTEGER))
        timed = whole.numbers("duration_us") >= 0
        skipped = int(len(whole) - np.count_nonzero(timed))
        problems = (_unfinished(file, skipped),) if skipped else ()
        operators = CsvTable(path, whole.take(timed) if skipped else whole, columns, skipped, problems)
        return Database(operators, *reader.about(), host_calls=host_calls.read(connection, tables), cann=reader.cann())


def _unfinished(file: Path, rows: int) -> Problem:
    text = say("profiles.problem.tasks-skipped", file=file.name, rows=rows)
    return Problem("rows-skipped", text, say("profiles.hint.incomplete"), str(file))


def _durations_us(starts: Ids, ends: Ids) -> NDArray[np.float64]:
    """NaN where a task has no start or no end."""
    return np.where((starts >= 0) & (ends >= 0), (ends - starts) / 1000, np.nan)


class _Reader:
    """One open database."""

    def __init__(self, connection: sqlite3.Connection, tables: Mapping[str, Sequence[str]]) -> None:
        self._connection = connection
        self._tables = tables
        self._spelled: dict[str, str] = {}
        rows = connection.execute("SELECT id, value FROM STRING_IDS")
        self._strings: dict[Any, str] = {number: text for number, text in rows if isinstance(text, str)}

    def compute(self, progress: Progress) -> tuple[Table, tuple[c.Column, ...]]:
        """Compute tasks with their counters, and where each column stands."""
        has = self._tables["COMPUTE_TASK_INFO"]
        found = {name: _first(spellings, has) for name, spellings in {**_TEXTS, **_BLOCKS}.items()}
        info = {name: spelling for name, spelling in found.items() if spelling is not None}
        task = {name: column for name, column in _TASK.items() if column in self._tables["TASK"]}
        wanted = [f"t.{column}" for column in task.values()] + [f"c.{column}" for column in info.values()]
        query = f"SELECT c.globalTaskId, t.endNs, {', '.join(wanted)} FROM COMPUTE_TASK_INFO c"
        cells = self._columns(f"{query} JOIN TASK t ON t.globalTaskId = c.globalTaskId")
        progress(_COUNTERS_FROM)
        ids, ends, *values = cells
        columns: dict[str, Column] = {}
        for name, value in zip([*task, *info], values):
            columns[name] = self._texts(name, value) if name in _TEXTS else value
        starts = np.maximum(values[0], UNKNOWN) if "start_ns" in task else np.full(len(ids), UNKNOWN, dtype=np.int64)
        columns.update(start_ns=starts, duration_us=_durations_us(starts, ends))
        columns.update(self._counters(ids, progress))
        self._spelled.update({name: f"TASK.{column}" for name, column in _TASK.items()}, duration_us="TASK.endNs")
        self._spelled.update({name: f"COMPUTE_TASK_INFO.{column}" for name, column in info.items()})
        return Table(columns), tuple(c.Column(UNKNOWN, self._spelled[name], name, c.kind_of(name)) for name in columns)

    def _columns(self, query: str) -> list[Ids]:
        """The result of a query of whole numbers, column by column; what is no whole number is UNKNOWN."""
        cursor = self._connection.execute(query)
        width = len(cursor.description)
        parts: list[list[Ids]] = [[] for _ in range(width)]
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            for part, cells in zip(parts, zip(*rows)):
                part.append(_integers(cells))
        return [np.concatenate(part) if part else np.empty(0, np.int64) for part in parts]

    def _texts(self, name: str, ids: Ids) -> Strings:
        distinct, places = np.unique(ids, return_inverse=True)
        meaning = c.shape_cell if c.kind_of(name) == c.SHAPE else c.text_cell
        texts = [meaning(self._strings.get(number) or "") for number in distinct.tolist()]
        coded = Strings.of(texts)
        return coded.take(places.reshape(-1))

    def _counters(self, ids: Ids, progress: Progress) -> dict[str, Column]:
        if "TASK_PMU_INFO" not in self._tables or not len(ids):
            return {}
        tasks, places = np.unique(ids, return_inverse=True)
        names = [row[0] for row in self._connection.execute("SELECT DISTINCT name FROM TASK_PMU_INFO")]
        found: dict[str, Column] = {}
        for number, identifier in enumerate(names):
            spelled = self._strings.get(identifier) or ""
            named = c.name_of(spelled)
            if named is not None and c.kind_of(named[0]) == c.COUNTER:
                found[named[0]] = self._counter(identifier, named[0], tasks)[places.reshape(-1)]
                self._spelled[named[0]] = f"TASK_PMU_INFO.{spelled}"
            progress(_COUNTERS_FROM + (1 - _COUNTERS_FROM) * (number + 1) / len(names))
        return found

    def _counter(self, identifier: int, name: str, tasks: Ids) -> NDArray[np.float32]:
        scale = 0.001 if name.endswith("_time_us") else 1.0
        values = np.full(len(tasks), np.nan, dtype=np.float32)
        cursor = self._connection.execute("SELECT globalTaskId, value FROM TASK_PMU_INFO WHERE name = ?", (identifier,))
        while rows := cursor.fetchmany(_ROWS_AT_ONCE):
            ids = _integers([row[0] for row in rows])
            places = np.minimum(np.searchsorted(tasks, ids), len(tasks) - 1)
            known = tasks[places] == ids
            values[places[known]] = (np.array([_number(row[1]) for row in rows]) * scale)[known]
        return values

    def communication(self) -> Table:
        """Communication operators, as op_summary lists them."""
        has = self._tables.get("COMMUNICATION_OP", ())
        if not {"opName", "startNs", "endNs"} <= set(has):
            return Table({})
        kind = "opType" if "opType" in has else "NULL"
        device = "deviceId" if "deviceId" in has else "NULL"
        query = f"SELECT opName, {kind}, startNs, endNs, {device} FROM COMMUNICATION_OP"
        names, types, starts, ends, devices = self._columns(query)
        if not len(names):
            return Table({})
        only = self.about()[3]
        if device == "NULL" and len(only) == 1:
            devices = np.full(len(names), only[0], dtype=np.int64)
        return Table({
            "start_ns": np.maximum(starts, UNKNOWN),
            "device": devices,
            "name": self._texts("name", names),
            "type": self._texts("type", types),
            "core": Strings(np.zeros(len(names), np.int32), ("COMMUNICATION",)),
            "duration_us": _durations_us(starts, ends),
        })  # fmt: skip

    def about(self) -> tuple[str | None, str | None, int | None, tuple[int, ...]]:
        """Chip where the name is one, chip family, rank and devices."""
        names = [str(row[0]) for row in self._select("NPU_INFO", "name")]
        family = next((name for name in names if name in FAMILIES.values()), None)
        chip = next((name for name in names if name not in FAMILIES.values() and _CHIP.fullmatch(name)), None)
        ranks = {row[0] for row in self._select("RANK_DEVICE_MAP", "rankId")}
        rank = ranks.pop() if len(ranks) == 1 else None
        listed = {_integer(row[0]) for row in self._select("TASK", "DISTINCT deviceId")} - {UNKNOWN}
        return chip, family, rank if isinstance(rank, int) and rank >= 0 else None, tuple(sorted(listed))

    def cann(self) -> str | None:
        """The version of CANN, where the settings of the database hold it."""
        if not {"name", "value"} <= set(self._tables.get("META_DATA", ())):
            return None
        rows = self._connection.execute("SELECT name, value FROM META_DATA")
        told = {str(name).replace("_", "").casefold(): value for name, value in rows}
        version = told.get("cannversion")
        return version.strip() or None if isinstance(version, str) else None

    def _select(self, table: str, column: str) -> list[Any]:
        if column.rpartition(" ")[2] not in self._tables.get(table, ()):
            return []
        return self._connection.execute(f"SELECT {column} FROM {table}").fetchall()


def _first(spellings: Sequence[str], has: Sequence[str]) -> str | None:
    return next((spelling for spelling in spellings if spelling in has), None)


def _integers(cells: Sequence[Any]) -> Ids:
    try:
        return np.array(cells, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        return np.array([_integer(cell) for cell in cells], dtype=np.int64)


def _integer(cell: Any) -> int:
    if isinstance(cell, int):
        return cell
    return c.integer_cell(cell) if isinstance(cell, str) else UNKNOWN


def _number(cell: Any) -> float:
    if isinstance(cell, (int, float)):
        return float(cell)
    return c.number_cell(cell) if isinstance(cell, str) else float("nan")
