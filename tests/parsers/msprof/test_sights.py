"""Files that are no tables of their own: settings, lines, an operator's metrics, the viewer's data, databases."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npuscope.parsers.msprof import files
from npuscope.parsers.msprof.tables import settings_file, text_lines
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.say import ParseError
from npuscope.tui import text
from npuscope.tui.files.sheetwords import kind_words

MSPROF = Path(__file__).parents[2] / "fixtures" / "msprof"
OPPROF = MSPROF / "OPPROF_20260522141522_WNUHHMLYKRJHLWIR"
SIMULATED = MSPROF / "OPPROF_20260607120000_SIMULATEDXXXXXXX" / "simulator"


def rows(path, table=None):
    found = files.read_file(str(path), table).found.table
    return [found.row(row) for row in range(len(found))]


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "name", ["info.json", "info.json.0", "sample.json", "profiler_info_3.json", "start_info.0", "flops_summary_1.json"]
)  # fmt: skip
def test_settings_are_paths_and_values(tmp_path, name):
    held = {"DeviceInfo": [{"id": 0, "aic_frequency": "1800"}], "pid": 7, "devices": [0, 1], "none": None, "on": True}
    assert rows(written(tmp_path, name, held)) == [
        {"key": "DeviceInfo[0].id", "value": "0"},
        {"key": "DeviceInfo[0].aic_frequency", "value": "1800"},
        {"key": "pid", "value": "7"},
        {"key": "devices", "value": "[0, 1]"},
        {"key": "none", "value": "null"},
        {"key": "on", "value": "true"},
    ]
    written(tmp_path, name, "{")
    with pytest.raises(ParseError) as refused:
        files.read_file(str(tmp_path / name))
    assert refused.value.problem.code == "invalid-json"


def test_settings_as_lines(tmp_path):
    path = written(tmp_path, "op_basic_info.txt", "Op Name=Cummin_kernel\nRun Soc Version=Ascend910B2\n\n")
    assert [tuple(row.values()) for row in rows(path)] == [
        ("Op Name", "Cummin_kernel"),
        ("Run Soc Version", "Ascend910B2"),
    ]


def test_lines_of_a_log_are_bounded_and_no_binary_is_one(tmp_path, monkeypatch):
    monkeypatch.setattr(text_lines, "MOST_LINES", 2)
    path = written(tmp_path, "collection_host.log", "one\r\ntwo\nthree\n")
    sight = files.read_file(str(path))
    assert rows(path) == [{"line": 1, "text": "one"}, {"line": 2, "text": "two"}]
    assert (sight.kind, [problem.code for problem in sight.found.problems]) == ("log", ["rows-left-out"])
    assert "2" in text.told(sight.found.problems[0].message)
    path.write_bytes(b"\0\1")
    with pytest.raises(ParseError) as refused:
        files.read_file(str(path))
    assert refused.value.problem.code == "no-table"


def test_many_settings_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(settings_file, "MOST_ROWS", 3)
    sight = files.read_file(str(written(tmp_path, "sample.json", {str(n): n for n in range(9)})))
    assert (len(sight.found.table), sight.found.problems[0].code) == (3, "rows-left-out")


def test_metrics_of_blocks_stay_a_row_a_block():
    sight = files.read_file(str(OPPROF / "PipeUtilization.csv"))
    assert sight.kind == "opprof" == files.kind_of("OpBasicInfo.csv")
    table = sight.found.table
    assert table.numbers("block").tolist() == [0, 1, 2, 3]
    assert table.strings("sub_block").tolist() == ["vector0"] * 4
    assert sight.found.sources["aiv_time_us"] == "PipeUtilization.csv:aiv_time(us)"


def test_the_simulator_s_instructions_and_its_times_without_a_unit():
    sight = files.read_file(str(SIMULATED / "core0.veccore0" / "core0.veccore0_instr_exe.csv"))
    assert sight.kind == "simulator"
    assert {"instr", "pipe", "call_count", "cycles", "running_time_us"} <= sight.found.table.columns.keys()
    traced = files.read_file(str(SIMULATED / "core0.veccore0" / "trace.json"))
    assert (traced.kind, traced.found.problems[-1].code) == ("simulator_trace", "no-unit")
    first = traced.found.table.row(0)
    assert (first["name"], first["start"], first["duration"]) == ("VADD", 1.2, pytest.approx(0.104))


def test_tables_of_the_viewer():
    path = OPPROF / "visualize_data.bin"
    assert [(one.name, one.rows) for one in files.tables_in(str(path))] == [
        ("operator", 1), ("advice", 3), ("blocks", 4), ("load", 4), ("memory", 4),
    ]  # fmt: skip
    assert [row["time_us"] for row in rows(path, "BLOCKS")] == [724.386658, 722.371643, 723.416138, 712.321655]
    assert rows(path)[0]["soc"] == "Ascend910B2"


def test_a_cluster_s_communication(tmp_path):
    times = {"Start Timestamp(us)": 1695115378810042.5, "Elapse Time(ms)": 0.5, "Wait Time(ms)": 0.25}
    entry = {"Communication Time Info": times, "Communication Bandwidth Info": {}}
    held = {"collective": {"step2": {"hcom_allReduce__1@77": {"0": entry, "x": entry}, "Total Op Info": {"0": entry}}}}
    (row,) = rows(written(tmp_path, "cluster_communication.json", held))
    assert (row["rank"], row["step"], row["name"], row["group"]) == (0, 2, "hcom_allReduce__1", "77")
    assert (row["start_ns"], row["elapsed_us"], row["wait_us"]) == (1695115378810042500, 500.0, 250.0)
    link = {"Transport Type": "HCCS", "Transit Size(MB)": 2.0, "Transit Time(ms)": 1.0, "Bandwidth(GB/s)": 2.0}
    held = {"collective": {"step2": {"allreduce@77": {"0-8": link}}}}
    (row,) = rows(written(tmp_path, "cluster_communication_matrix.json", held))
    assert (row["source"], row["target"], row["size_mb"], row["time_us"]) == (0, 8, 2.0, 1000.0)


def database(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE STRING_IDS (id INTEGER, value TEXT)")
        connection.executemany("INSERT INTO STRING_IDS VALUES (?, ?)", [(1, "MatMulV2"), (2, "AI_CORE"), (3, "24")])
        connection.execute("CREATE TABLE EMPTY (id INTEGER)")
        connection.execute(
            "CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, taskType INTEGER, blockNum INTEGER, blockDim INTEGER)"
        )
        connection.executemany("INSERT INTO COMPUTE_TASK_INFO VALUES (?, ?, ?, ?)", [(1, 2, 24, 3), (9, None, 1, 3)])
        connection.execute("CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, name INTEGER)")
        connection.execute("INSERT INTO PYTORCH_API VALUES ('1736410576395167660', NULL, 1)")
    connection.close()
    return path


@pytest.mark.parametrize("name", ["msprof_20260102030405.db", "ascend_pytorch_profiler_0.db"])
def test_tables_of_a_profile_s_database(tmp_path, name):
    path = database(tmp_path / name)
    sight = files.read_file(str(path))
    assert (sight.kind, sight.table) == ("profile_db", "COMPUTE_TASK_INFO")
    assert [(one.name, one.rows) for one in sight.tables] == [
        ("COMPUTE_TASK_INFO", 2), ("STRING_IDS", 3), ("PYTORCH_API", 1),
    ]  # fmt: skip
    table = sight.found.table
    assert table.strings("name").tolist() == ["MatMulV2", "9"]  # a number without its text stays one
    assert table.strings("task_type").tolist() == ["AI_CORE", None]
    assert table.numbers("block_num").tolist() == [24, 1]
    assert table.numbers("block_dim").tolist() == [24, 24]
    (call,) = rows(path, "PYTORCH_API")
    assert call == {"start_ns": 1736410576395167660, "end_ns": UNKNOWN, "name": "MatMulV2"}
    assert not list(tmp_path.glob("*-*"))


@pytest.mark.parametrize(
    "name", ["visualize_data.bin", "msprof_20260102030405.db", "sample.json", "a.log", "trace.json"]
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(noise=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path, name, noise):
    path = tmp_path / name
    path.write_bytes(noise)
    try:
        table = files.read_file(str(path)).found.table
    except ParseError as error:
        assert text.told(error.problem.message)
    else:
        assert len({len(column) for column in table.columns.values()}) <= 1


def test_every_kind_has_words():
    kinds = {kind for _, kind, _ in files.TABLES} | {kind for _, kind in files.OTHERS}
    for language in text.LANGUAGES:
        text.set_language(language)
        unknown = kind_words(None)
        assert all(kind_words(kind) != unknown for kind in kinds)
    text.set_language("en")


def test_an_infinite_metric_is_unknown_in_the_file_s_own_table(tmp_path):
    path = written(
        tmp_path, "PipeUtilization.csv", "block_id,sub_block_id,aiv_time(us),\n0,vector0,inf,\n1,vector0,2.5,\n"
    )
    values = files.read_file(str(path)).found.table.numbers("aiv_time_us").tolist()
    assert values[0] != values[0] and values[1] == 2.5


def test_a_collective_before_1970_has_no_start(tmp_path):
    entry = {"Communication Time Info": {"Start Timestamp(us)": -5.5, "Elapse Time(ms)": 0.5}}
    held = {"step1": {"collective": {"hcom_allReduce__1@77": entry}}}
    (row,) = rows(written(tmp_path, "communication.json", held))
    assert (row.get("start_ns"), row["elapsed_us"]) == (None, 500.0)
