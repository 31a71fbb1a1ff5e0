"""Files of an `msprof op` folder as they lie: a row per block and core, per instruction, per line of code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from npuscope.parsers.csv_table import CsvTable, read_csv
from npuscope.parsers.msprof.opprof import visualize
from npuscope.parsers.msprof.tables.op_summary import fast_for
from npuscope.parsers.msprof.tables.record_tables import table_of
from npuscope.parsers.msprof.tables.sheet import Sheet, read_sheet
from npuscope.parsers.msprof.traces import timeline
from npuscope.parsers.opprof_launches import BASIC_INFO, GROUPS
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import Problem, say
from npuscope.parsers.table import Column, Strings, Table

_METRICS = (*GROUPS, "MemoryDetail")
METRICS = re.compile(rf"{BASIC_INFO.pattern}|(?:{'|'.join(_METRICS)})(?:_\d+)?\.csv")
EXECUTED = re.compile(r"core[.\w]*_(?:instr|code)_exe(?:_\d+)?\.csv")
TRACE = re.compile(r"trace\.json")
VIEWER = re.compile(r"visualize_data\.bin")
_EXECUTED = Sheet(texts=frozenset({"instr", "code", "pipe", "addr", "detail"}))


def metrics(path: str, progress: Progress | None = None) -> CsvTable:
    """OpBasicInfo*.csv and the metric files: the columns of operator tables, block and sub_block. Raises ParseError."""
    found = read_csv(path, bool, fast_for(path), progress)
    columns = found.table.columns.items()
    return replace(found, table=Table({name: _finite(column) for name, column in columns}))


def _finite(column: Column) -> Column:
    """An infinite counter is told where the operators are; here it is unknown."""
    if isinstance(column, Strings) or column.dtype.kind != "f":
        return column
    return np.where(np.isinf(column), np.float32(np.nan), column)


def executed(path: str, progress: Progress | None = None) -> CsvTable:
    """*_instr_exe.csv, *_code_exe.csv of the simulator. Raises ParseError."""
    return read_sheet(path, _EXECUTED, progress)


def trace(path: str, progress: Progress | None = None) -> CsvTable:
    """process thread name start duration: as they stand in the file, for not every one is in us. Raises ParseError."""
    found = timeline.read(path, progress)
    table = found.table()
    columns = {name: table.columns[name] for name in ("process", "thread", "name")}
    start = np.where(table.numbers("start_ns") >= 0, table.numbers("start_ns") / 1000, np.nan)
    table = Table({**columns, "start": start, "duration": table.numbers("duration_us")})
    text = say("files.problem.no-unit", file=Path(path).name)
    return CsvTable(path, table, (), 0, (*found.problems, Problem("no-unit", text, file=path)))


def viewer_tables(path: str) -> Mapping[str, Table]:
    """The tables of visualize_data.bin that hold something. Raises ParseError."""
    found = visualize.read(path, cachelines=True)
    said = [vars(one) for one in found.advice]
    about = {"name": found.name, "soc": found.soc, "duration_us": found.duration_us}
    tables = {
        "operator": table_of([about], {"name": str, "soc": str, "duration_us": float}),
        "advice": table_of(said, {"kind": str, "text": str, "blocks": int}),
        "blocks": found.blocks,
        "load": found.load,
        "memory": found.memory,
        "cachelines": found.cachelines,
    }
    return {name: table for name, table in tables.items() if table is not None and len(table)}
