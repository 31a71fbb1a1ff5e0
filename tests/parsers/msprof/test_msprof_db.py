"""Databases of every schema, and those that cannot be read; nothing is ever left beside them.

The tables are made here after the schemas of 2023 (block_dim), 1.0 (blockDim) and 1.2 (blockNum; blockDim is a text).
"""

from __future__ import annotations

import dataclasses
import shutil
import sqlite3
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from npuscope.analysis import choice
from npuscope.analysis.summarize import summarize
from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof import files
from npuscope.parsers.msprof.databases import db_file, msprof_db
from npuscope.parsers.msprof.reader import quick_types, read_profile
from npuscope.parsers.profile import UNKNOWN
from npuscope.sources.loading import key_of

LATER = time.time() + 3600
BASE = (
    "name INTEGER, globalTaskId INTEGER, taskType INTEGER, opType INTEGER, inputShapes INTEGER, inputDataTypes INTEGER"
)
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
    7: "hcom_allReduce_", 8: "N/A", 9: "dynamic", 10: "[1,1,1]",
    20: "aic_total_time", 21: "aic_mac_ratio", 22: "aic_mac_time",
}  # fmt: skip
TASK = (
    "startNs INTEGER, endNs INTEGER, deviceId INTEGER, globalTaskId INTEGER, taskType INTEGER, streamId INTEGER, "
    "taskId INTEGER, modelId INTEGER"
)
START = 1736410576405124296


def make(path, schema="1.0", rows=1, journal="delete", pmu=True):
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode={journal}")
    columns, blocks = BLOCKS[schema]
    connection.execute(f"CREATE TABLE COMPUTE_TASK_INFO({BASE}, {columns})")
    connection.execute(f"CREATE TABLE TASK({TASK})")
    connection.execute("CREATE TABLE STRING_IDS(id INTEGER, value TEXT)")
    connection.executemany("INSERT INTO STRING_IDS VALUES (?, ?)", STRINGS.items())
    connection.execute("CREATE TABLE COMMUNICATION_OP(opName INTEGER, startNs INTEGER, endNs INTEGER, opType INTEGER)")
    connection.execute("INSERT INTO COMMUNICATION_OP VALUES (6, ?, ?, 7)", (START + 900_000, START + 950_500))
    connection.execute("CREATE TABLE NPU_INFO(id INTEGER, name TEXT)")
    connection.execute("INSERT INTO NPU_INFO VALUES (0, 'Ascend910B')")
    connection.execute("CREATE TABLE RANK_DEVICE_MAP(rankId INTEGER, deviceId INTEGER)")
    connection.execute("INSERT INTO RANK_DEVICE_MAP VALUES (3, 1)")
    for row in range(rows):
        connection.execute(
            f"INSERT INTO COMPUTE_TASK_INFO VALUES (1, ?, 3, 2, 4, 5, {','.join('?' * len(blocks))})", (row, *blocks)
        )
        connection.execute(
            "INSERT INTO TASK VALUES (?, ?, 1, ?, 3, 2, 7, 4294967295)", (START + row, START + row + 12_500, row)
        )
    if pmu:
        connection.execute("CREATE TABLE TASK_PMU_INFO(globalTaskId INTEGER, name INTEGER, value NUMERIC)")
        connection.executemany(
            "INSERT INTO TASK_PMU_INFO VALUES (0, ?, ?)", [(20, 11_500.0), (21, 0.25), (22, 2_875.0)]
        )
    connection.commit()
    return connection


def read(path):
    return read_profile(look_at(path, LATER))


def problem_of(path):
    profile = read(path)
    assert not len(profile.ops)
    return profile.problems[-1]


def state_of(path):
    return read(path).run.state


@pytest.mark.parametrize("schema", BLOCKS)
def test_schemas(tmp_path, schema):
    make(tmp_path / "msprof_20260102030405.db", schema).close()
    profile = read(tmp_path / "msprof_20260102030405.db")
    assert (profile.run.kind, profile.run.state, len(profile.ops)) == ("db", "ready", 2)
    task = profile.ops.row(0)
    assert {key: task[key] for key in ("name", "type", "core", "input_shapes", "input_dtypes")} == {
        "name": "MatMul_1", "type": "MatMulV2", "core": "AI_CORE", "input_shapes": "1,2;2,3",
        "input_dtypes": "FLOAT16;FLOAT16",
    }  # fmt: skip
    assert (task["block_dim"], task["mix_block_dim"], task["start_ns"], task["duration_us"]) == (24, 48, START, 12.5)
    assert (task["device"], task["stream"], task["model_id"]) == (1, 2, 4294967295)
    assert task["aic_time_us"] == pytest.approx(11.5)
    assert (task["aic_mac_ratio"], task["aic_mac_time_us"]) == (0.25, pytest.approx(2.875))
    collective = profile.ops.row(1)
    assert (collective["name"], collective["core"], collective["duration_us"]) == ("AllReduce_0", "COMMUNICATION", 50.5)
    assert (collective["device"], collective["block_dim"]) == (1, -1)
    assert collective["aic_mac_ratio"] != collective["aic_mac_ratio"]
    assert (profile.metadata.family, profile.metadata.chip, profile.metadata.rank) == ("Ascend910B", None, 3)
    assert profile.sources["block_dim"].endswith({"2023": ".block_dim", "1.0": ".blockDim", "1.2": ".blockNum"}[schema])
    assert profile.sources["aic_time_us"].endswith("TASK_PMU_INFO.aic_total_time")


def test_an_exact_chip_name_is_certain(tmp_path):
    connection = make(tmp_path / "msprof_1.db")
    connection.execute("UPDATE NPU_INFO SET name = 'Ascend910B3'")
    connection.commit()
    connection.close()
    assert read(tmp_path / "msprof_1.db").metadata.chip == "Ascend910B3"


def test_quick_types_of_a_database(tmp_path):
    make(tmp_path / "msprof_1.db", rows=3).close()
    table = quick_types(look_at(tmp_path / "msprof_1.db", LATER))
    assert [tuple(table.row(n).values()) for n in range(2)] == [
        ("hcom_allReduce_", "COMMUNICATION", 1, 50.5), ("MatMulV2", "AI_CORE", 3, 37.5),
    ]  # fmt: skip


def test_tasks_without_an_end_are_left_out_and_counted(tmp_path):
    connection = make(tmp_path / "msprof_1.db", rows=3)
    connection.execute("UPDATE TASK SET endNs = NULL WHERE globalTaskId = 1")
    connection.commit()
    connection.close()
    profile = read(tmp_path / "msprof_1.db")
    assert (len(profile.ops), profile.rows_skipped) == (3, 1)
    assert [p.code for p in profile.problems] == ["rows-skipped"]


def test_without_counters(tmp_path):
    make(tmp_path / "msprof_1.db", pmu=False).close()
    assert [p.code for p in read(tmp_path / "msprof_1.db").problems] == ["no-pmu"]


def test_a_write_ahead_log_is_read_and_nothing_is_left(tmp_path):
    path = tmp_path / "ascend_pytorch_profiler_0.db"
    connection = make(path, journal="wal", rows=2)  # still open: the rows are in the log only
    before = sorted(tmp_path.iterdir())
    assert path.with_name(path.name + "-wal") in before
    assert len(read(path).ops) == 3
    assert sorted(tmp_path.iterdir()) == before
    connection.close()
    assert sorted(tmp_path.iterdir()) == [path]
    assert len(read(path).ops) == 3
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_locked_database_is_said_at_once(tmp_path):
    path = tmp_path / "msprof_1.db"
    connection = make(path)
    connection.isolation_level = None
    connection.execute("BEGIN EXCLUSIVE")
    problem = problem_of(path)
    assert problem.code == "locked"
    assert db_file.BUSY_S < 1
    assert state_of(path) == "exporting"
    connection.rollback()
    connection.close()
    assert len(read(path).ops) == 2
    assert sorted(tmp_path.iterdir()) == [path]


def test_databases_that_are_none(tmp_path):
    empty, text, short, other = (tmp_path / f"msprof_{n}.db" for n in range(4))
    empty.write_bytes(b"")
    text.write_text("this is not a database\n" * 50)
    short.write_bytes(b"SQLite format 3\0")
    sqlite3.connect(other).execute("CREATE TABLE T(a)").connection.close()
    assert problem_of(empty).code == "empty-file"
    assert problem_of(text).code == "not-a-database"
    assert problem_of(short).code == "not-a-database"
    problem = problem_of(other)
    assert (problem.code, problem.message.params["tables"]) == ("no-operator-table", "T")
    assert [look_at(path, LATER).state for path in (empty, text)] == ["empty", "ready"]
    assert [state_of(path) for path in (empty, text, other)] == ["empty", "damaged", "damaged"]


def test_a_cut_database_is_damaged(tmp_path):
    path = tmp_path / "msprof_1.db"
    make(path, rows=2000).close()
    whole = path.read_bytes()
    for end in range(100, len(whole), len(whole) // 9):
        path.write_bytes(whole[:end])
        assert problem_of(path).code in ("damaged", "not-a-database", "no-operator-table")


def test_the_newest_database_of_a_prof_folder_counts(tmp_path):
    folder = tmp_path / "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP"
    folder.mkdir()
    make(folder / "msprof_20260102030501.db", rows=1).close()
    make(folder / "msprof_20260102030502.db", rows=4).close()
    profile = read(folder)
    assert (profile.run.kind, profile.run.state, len(profile.ops)) == ("msprof", "ready", 5)
    assert [one.file for one in profile.run.ignored] == ["msprof_20260102030501.db"]
    (folder / "msprof_20260102030503.db").write_text("garbage")
    assert read(folder).run.state == "damaged"


def test_a_framework_folder_with_a_database_only(tmp_path):
    output = tmp_path / "host_1_20260102030405006_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    make(output / "ascend_pytorch_profiler_3.db").close()
    profile = read(output.parent)
    assert (profile.run.kind, profile.run.state, len(profile.ops)) == ("torch_npu", "ready", 2)


def test_a_database_by_itself_gives_what_its_folder_gives(tmp_path):
    """What the run it lies in tells of its communication, steps and settings."""
    folder = tmp_path / "host_1_20260102030405006_ascend_pt"
    output = folder / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    make(output / "ascend_pytorch_profiler_3.db").close()
    shutil.copy(Path(__file__).parents[2] / "fixtures" / "ranks" / "analysis.db", output)
    whole, alone = read(folder), read(output / "ascend_pytorch_profiler_3.db")
    assert alone.run.kind == "db"
    assert alone.extras.keys() == whole.extras.keys() >= {"communication", "packets"}
    assert alone.file_steps == whole.file_steps != ()
    assert (alone.metadata.level, alone.metadata.rank) == (whole.metadata.level, whole.metadata.rank)
    assert choice.tool(alone) == choice.tool(whole) == "torch_npu"
    before = key_of(dataclasses.replace(alone.run, size_bytes=10**9))
    (output / "analysis.db").write_text("x")
    assert None not in (before, key_of(dataclasses.replace(alone.run, size_bytes=10**9))) != before


def test_reading_can_be_followed(tmp_path):
    make(tmp_path / "msprof_1.db").close()
    seen: list[float] = []
    msprof_db.read(str(tmp_path / "msprof_1.db"), seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_a_reader_elsewhere_does_not_hinder(tmp_path):
    connection = make(tmp_path / "msprof_1.db")
    connection.execute("BEGIN")
    connection.execute("SELECT * FROM TASK").fetchone()
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(len(read(tmp_path / "msprof_1.db").ops)))
    thread.start()
    thread.join(20)
    connection.close()
    assert found == [2]


def test_texts_that_are_none_are_unknown_and_the_rest_is_read(tmp_path):
    connection = make(tmp_path / "msprof_1.db")
    connection.execute("UPDATE STRING_IDS SET value = ? WHERE id = 2", (b"\xff\x00",))
    connection.execute("UPDATE STRING_IDS SET value = CAST(? AS TEXT) WHERE id = 1", ("矩阵".encode("gb18030"),))
    connection.commit()
    connection.close()
    task = read(tmp_path / "msprof_1.db").ops.row(0)
    assert task["type"] is None
    assert "\ufffd" in task["name"]
    assert task["duration_us"] == 12.5


def test_a_schema_that_is_no_text_is_damage(tmp_path):
    path = tmp_path / "msprof_1.db"
    make(path).close()
    whole = path.read_bytes()
    at = whole.index(b"CREATE TABLE TASK(")
    path.write_bytes(whole[:at] + b"\xff" + whole[at + 1 :])
    assert problem_of(path).code == "damaged"


def test_the_version_of_cann_in_the_settings(tmp_path):
    connection = make(tmp_path / "msprof_1.db")
    connection.execute("CREATE TABLE META_DATA(name TEXT, value TEXT)")
    connection.executemany(
        "INSERT INTO META_DATA VALUES (?, ?)", [("SCHEMA_VERSION", "1.2.0"), ("cannVersion", "8.5.0")]
    )
    connection.commit()
    connection.close()
    assert read(tmp_path / "msprof_1.db").metadata.cann == "8.5.0"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE CANN_API SET endNs = 9223372036854775807, startNs = 0",
        "ALTER TABLE ENUM_API_TYPE RENAME COLUMN name TO word",
        "UPDATE STRING_IDS SET value = x'ff00' WHERE id = 9",
        "UPDATE CANN_API SET endNs = 9e999",
    ],
)
def test_host_calls_that_are_damaged_do_not_cost_the_operators(tmp_path, damage):
    path = tmp_path / "msprof_1.db"
    connection = make(path)
    connection.execute("CREATE TABLE CANN_API(startNs INTEGER, endNs INTEGER, type INTEGER, name INTEGER)")
    connection.executemany("INSERT INTO CANN_API VALUES (?, ?, 20000, 9)", [(START, START + 900), (START, START + 9)])
    connection.execute("CREATE TABLE ENUM_API_TYPE(id INTEGER, name TEXT)")
    connection.execute("INSERT INTO ENUM_API_TYPE VALUES (20000, 'acl')")
    connection.execute(damage)
    connection.commit()
    connection.close()
    assert read(path).run.state == "ready"
    assert len(read(path).ops) == 2
    calls = msprof_db.read(str(path)).host_calls
    assert calls is None or not np.isinf(calls.numbers("total_us")).any()


def test_tasks_that_do_not_say_when_they_began_have_no_time(tmp_path):
    path = tmp_path / "msprof_1.db"
    connection = make(path, rows=2)
    connection.execute("ALTER TABLE TASK RENAME COLUMN startNs TO began")
    connection.commit()
    profile = read(path)
    assert (len(profile.ops), profile.rows_skipped) == (1, 2)  # the collective has its own times
    connection.execute("ALTER TABLE TASK RENAME COLUMN began TO startNs")
    connection.execute("UPDATE TASK SET startNs = -5 WHERE globalTaskId = 1")
    connection.commit()
    connection.close()
    assert read(path).ops.numbers("start_ns").tolist() == [START, START + 900_000]
    assert min(files.read_file(str(path), "TASK").found.table.numbers("start_ns")) == UNKNOWN


def with_clocks(path, *changes, rows=4):
    connection = make(path, rows=rows)  # operators begin one nanosecond after the other, on device 1
    connection.execute("CREATE TABLE AICORE_FREQ(deviceId INTEGER, timestampNs NUMERIC, freq INTEGER)")
    connection.executemany("INSERT INTO AICORE_FREQ VALUES (?, ?, ?)", changes)
    connection.commit()
    connection.close()
    return read(path)


def test_the_clock_of_every_operator_and_that_it_fell(tmp_path):
    file = tmp_path / "msprof_20260102030405.db"
    profile = with_clocks(file, (1, START + 2, 800), (1, START - 50, 1800), (0, START, 1000))
    assert profile.ops.numbers("freq_mhz").tolist() == [1800.0, 1800.0, 800.0, 800.0, 800.0]
    (problem,) = (one for one in profile.problems if one.code == "low-frequency")
    told = problem.message.params
    assert (told["rows"], told["least"], told["most"]) == (3, 800.0, 1800.0)
    assert told["pct"] == pytest.approx(100 * (12.5 + 12.5 + 50.5) / (4 * 12.5 + 50.5))


def test_a_steady_clock_is_no_problem_and_one_noted_late_was_so_before(tmp_path):
    profile = with_clocks(tmp_path / "msprof_1.db", (1, START + 3, 1800), (1, START + 900, 1750))
    assert profile.ops.numbers("freq_mhz").tolist() == [1800.0] * 4 + [1750.0]
    assert "low-frequency" not in [one.code for one in profile.problems]


@pytest.mark.parametrize(
    "change",
    [
        (1, "x", 800),
        (1, None, 800),
        (1, START, 0),
        (1, START, "fast"),
        (0, START, 800),
        (1, 9e999, 800),
        (1, START, 9e999),
    ],
)
def test_clocks_that_say_nothing(tmp_path, change):
    profile = with_clocks(tmp_path / "msprof_1.db", change)
    assert len(profile.ops) == 5 and "low-frequency" not in [one.code for one in profile.problems]
    assert "freq_mhz" not in profile.ops or not (profile.ops.numbers("freq_mhz") > 0).any()


def with_steps(path, *steps):
    connection = make(path, rows=6)  # operators begin one nanosecond after the other, the collective 900 us later
    connection.execute("CREATE TABLE STEP_TIME(id INTEGER, startNs NUMERIC, endNs NUMERIC)")
    connection.executemany("INSERT INTO STEP_TIME VALUES (?, ?, ?)", steps)
    connection.commit()
    connection.close()
    return read(path)


def test_the_step_of_every_operator(tmp_path):
    path = tmp_path / "msprof_1.db"
    profile = with_steps(path, (8, START + 4, START + 1_000_000), (7, START + 1, START + 2))
    assert profile.ops.numbers("step").tolist() == [-1, 7, 7, -1, 8, 8, 8]
    assert profile.sources["step"] == "msprof_1.db:STEP_TIME.id"
    summary = summarize(profile)
    assert [(step.step, step.kernels) for step in summary.steps] == [(7, 2), (8, 3)]
    assert summary.steps_summary.source == "step_time"


@pytest.mark.parametrize(
    "step", [(1, None, START), (1, START + 9, START), ("x", START, START + 9), (-1, START, START + 9), (1, 5, 9)]
)
def test_steps_that_say_nothing(tmp_path, step):
    assert "step" not in with_steps(tmp_path / "msprof_1.db", step).ops
