"""Targets over databases: real schemas whose rows, columns and bytes are not what they were."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import mutations
from fuzz_target import FIXTURES, Target
from invariants import check_plain, check_problem, check_profile, check_refusal, check_table
from mutations import Change, Input

from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof import files, reader
from npuscope.parsers.say import ParseError

LATER = 4e9
BLOCKS = {
    "2023": ("block_dim INTEGER, mixBlockDim INTEGER", (24, 48)),
    "1.0": ("blockDim INTEGER, mixBlockDim INTEGER", (24, 48)),
    "1.2": (
        "blockNum INTEGER, mixBlockNum INTEGER, opState INTEGER, gridDim INTEGER, blockDim INTEGER",
        (24, 48, 9, 10, 10),
    ),
}
STRINGS = {
    1: "MatMul_1", 2: "MatMulV2", 3: "AI_CORE", 4: "1,2;2,3", 5: "FLOAT16;FLOAT16", 6: "AllReduce_0",
    7: "hcom_allReduce_", 8: "N/A", 9: "dynamic", 10: "[1,1,1]", 20: "aic_total_time", 21: "aic_mac_ratio",
    22: "aic_mac_time",
}  # fmt: skip
START = 1736410576405124296
ODD: tuple[Any, ...] = (
    None, -1, 0, 1, 2**63 - 1, -(2**63), 1e308, float("inf"), -0.5, "", "x", "12", "9" * 40, b"\xff\x00", "N/A", "inf",
    "nan", 1e-320, "a\x00b", "\x1b[31m", "x" * 70_000, 3.7, "1e400", "1_0",
)  # fmt: skip
NAMES = ("msprof_20260102030405.db", "ascend_pytorch_profiler_2.db", "analysis.db", "cluster_analysis.db")
SQL = ("db-value", "db-value", "db-value", "db-column", "db-drop", "db-rename", "db-rows", "db-type", "db-double")


def _profile(path: Path, schema: str) -> None:
    columns, blocks = BLOCKS[schema]
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.executescript(
            "PRAGMA page_size=512;"
            "CREATE TABLE COMPUTE_TASK_INFO(name INTEGER, globalTaskId INTEGER, taskType INTEGER, opType INTEGER,"
            f" inputShapes INTEGER, inputDataTypes INTEGER, {columns});"
            "CREATE TABLE TASK(startNs INTEGER, endNs INTEGER, deviceId INTEGER, globalTaskId INTEGER,"
            " taskType INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);"
            "CREATE TABLE STRING_IDS(id INTEGER, value TEXT);"
            "CREATE TABLE COMMUNICATION_OP(opName INTEGER, startNs INTEGER, endNs INTEGER, opType INTEGER,"
            " deviceId INTEGER);"
            "CREATE TABLE NPU_INFO(id INTEGER, name TEXT);"
            "CREATE TABLE RANK_DEVICE_MAP(rankId INTEGER, deviceId INTEGER);"
            "CREATE TABLE META_DATA(name TEXT, value TEXT);"
            "CREATE TABLE TASK_PMU_INFO(globalTaskId INTEGER, name INTEGER, value NUMERIC);"
            "CREATE TABLE CANN_API(startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER,"
            " connectionId INTEGER, name INTEGER);"
            "CREATE TABLE ENUM_API_TYPE(id INTEGER, name TEXT);"
            "CREATE TABLE STEP_TIME(id INTEGER, startNs INTEGER, endNs INTEGER);"
        )
        base.executemany("INSERT INTO STRING_IDS VALUES (?, ?)", STRINGS.items())
        base.execute("INSERT INTO COMMUNICATION_OP VALUES (6, ?, ?, 7, 1)", (START + 900_000, START + 950_500))
        base.execute("INSERT INTO NPU_INFO VALUES (1, 'Ascend910B')")
        base.execute("INSERT INTO RANK_DEVICE_MAP VALUES (3, 1)")
        base.executemany("INSERT INTO META_DATA VALUES (?, ?)", [("SCHEMA_VERSION", schema), ("cannVersion", "8.0")])
        base.execute("INSERT INTO STEP_TIME VALUES (1, ?, ?)", (START, START + 2_000_000))
        base.execute("INSERT INTO ENUM_API_TYPE VALUES (20000, 'acl')")
        base.executemany(
            "INSERT INTO CANN_API VALUES (?, ?, 20000, 1, 1, 2)", [(START, START + 900), (START, START + 9)]
        )
        for row in range(4):
            marks = ",".join("?" * len(blocks))
            base.execute(f"INSERT INTO COMPUTE_TASK_INFO VALUES (1, ?, 3, 2, 4, 5, {marks})", (row, *blocks))
            base.execute(
                "INSERT INTO TASK VALUES (?, ?, 1, ?, 3, 2, 7, 4294967295)",
                (START + row * 20_000, START + row * 20_000 + 12_500, row),
            )
            base.executemany(
                "INSERT INTO TASK_PMU_INFO VALUES (?, ?, ?)", [(row, 20, 11_500.0), (row, 21, 0.25), (row, 22, 2_875.0)]
            )
        base.commit()


@functools.lru_cache(1)
def seeds() -> list[tuple[str, bytes]]:
    """Small databases: the three schemas of profiles, and a real analysis.db."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        for number, schema in enumerate(BLOCKS):
            path = Path(name) / f"{number}.db"
            _profile(path, schema)
            found += [(file, path.read_bytes()) for file in NAMES[:2]]
    analysis = (FIXTURES / "ranks" / "analysis.db").read_bytes()
    return [*found, *((file, analysis) for file in NAMES[2:])]


def changed(given: Input, folder: Path) -> tuple[str, bytes]:
    """The seed with its rows and columns changed by SQL, then its bytes."""
    name, data = seeds()[given.seed % len(seeds())]
    work = folder / "work.db"
    work.write_bytes(data)
    with contextlib.closing(sqlite3.connect(work, isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode=OFF")
        base.execute("PRAGMA synchronous=OFF")
        for change in given.changes:
            with contextlib.suppress(sqlite3.Error, UnicodeEncodeError, OverflowError):
                _by_sql(base, change)
    data = work.read_bytes()
    work.unlink()
    return name, mutations.changed(data, given.changes)


def _by_sql(base: sqlite3.Connection, change: Change) -> None:
    kind, a, b, c = change
    tables = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    if kind not in SQL or not tables:
        return
    table = tables[a % len(tables)]
    columns = [row[1] for row in base.execute(f'PRAGMA table_info("{table}")')]
    column, odd = columns[b % len(columns)], ODD[c % len(ODD)]
    if kind == "db-value":
        base.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid % 3 = ?', (odd, c % 3))
    elif kind == "db-column":
        base.execute(f'UPDATE "{table}" SET "{column}" = ?', (odd,))
    elif kind == "db-drop":
        base.execute(f'ALTER TABLE "{table}" DROP COLUMN "{column}"' if c % 3 else f'DROP TABLE "{table}"')
    elif kind == "db-rename":
        new = ("NAME", "x y", column.upper(), "_" + column, "value")[c % 5]
        base.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "{new}"')
    elif kind == "db-rows":
        base.execute(f'DELETE FROM "{table}" WHERE rowid % 2 = ?' if c % 2 else f'DELETE FROM "{table}" WHERE ?', (1,))
    elif kind == "db-type":  # a view of that name, and columns of no type
        base.execute(f'ALTER TABLE "{table}" RENAME TO "old_{table}"')
        base.execute(
            f'CREATE VIEW "{table}" AS SELECT * FROM "old_{table}"'
            if c % 2
            else f'CREATE TABLE "{table}" AS SELECT CAST("{column}" AS TEXT) AS "{column}" FROM "old_{table}"'
        )
    else:
        base.execute(f'INSERT INTO "{table}" SELECT * FROM "{table}"')


def databases(given: Input, folder: Path) -> None:
    """As a run, and as the tables of a file."""
    name, data = changed(given, folder)
    path = folder / name
    path.write_bytes(data)
    try:
        if name in NAMES[:2]:
            run = look_at(path, LATER)
            if run is not None:
                check_profile(reader.read_profile(run))
        _tables(path)
    except ParseError as error:
        check_refusal(error)
    finally:
        left = sorted(file.name for file in folder.iterdir())
        path.unlink()
        assert left == [name], left


def _tables(path: Path) -> None:
    for one in files.tables_in(str(path)):
        check_plain([one.name, one.rows])
        found = files.read_file(str(path), one.name).found
        check_table(found.table)
        for problem in found.problems:
            check_problem(problem)


def _data(given: Input) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        return changed(given, Path(name))[1]


TARGETS: tuple[Target, ...] = (
    Target(
        "databases",
        mutations.inputs((*SQL, *SQL, "cut", "remove", "insert", "flip", "flip", "zeros", "repeat", "splice", "empty")),
        databases,
        _data,
        "profile databases of three schemas, analysis.db: rows, columns, bytes",
    ),
)
