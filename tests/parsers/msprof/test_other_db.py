"""analysis.db and its kin: tables by name, units of the columns, nothing written beside them, unknown ones told."""

from __future__ import annotations

import shutil
import sqlite3

import numpy as np
import pytest

from npuscope.parsers.msprof import files
from npuscope.parsers.msprof.databases import db_file, other_db
from npuscope.parsers.say import ParseError


def made(path, tables, *, logged=False):
    connection = sqlite3.connect(path)
    if logged:
        connection.execute("PRAGMA journal_mode=WAL")
    for name, (columns, rows) in tables.items():
        connection.execute(f"CREATE TABLE {name} ({columns})")
        for row in rows:
            connection.execute(f"INSERT INTO {name} VALUES ({','.join('?' * len(row))})", row)
    connection.commit()
    return connection


TABLES = {
    "CommAnalyzerTime": (
        "hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC, elapse_time NUMERIC, step TEXT, type TEXT",
        [
            ("hcom_allReduce__1_2_1", "3985310405473756128", 1764246877147674.5, 0.43614, "step13", "collective"),
            ("hcom_send__1_3_1", None, 1764246877228630, 158, "step13", "p2p"),
        ],
    ),
    "StepTraceTime": (
        "deviceId INTEGER, step TEXT, computing NUMERIC, free NUMERIC, stage NUMERIC, mine TEXT",
        [(4, "13", 400448.26, 131705.28, 809803, "x"), (4, None, None, 0, 1, b"\x01\x02")],
    ),
    "CommAnalyzerMatrix": ("src_rank TEXT, transit_size NUMERIC", []),
}


@pytest.mark.parametrize("name", ["analysis.db", "cluster_analysis.db", "communication_analyzer.db"])
def test_tables_with_something_in_them_the_steps_first(tmp_path, name):
    path = tmp_path / name
    made(path, TABLES).close()
    assert [(one.name, one.rows) for one in other_db.tables(str(path))] == [
        ("StepTraceTime", 2),
        ("CommAnalyzerTime", 2),
    ]
    assert [one.name for one in files.tables_in(str(path))] == ["StepTraceTime", "CommAnalyzerTime"]
    sight = files.read_file(str(path))
    assert (sight.kind, sight.table) == ("analysis_db", "StepTraceTime")


def test_units_and_types(tmp_path):
    path = str(tmp_path / "analysis.db")
    made(path, TABLES).close()
    steps = other_db.read(path, table="steptracetime").table
    assert list(steps.columns) == ["device", "step", "computing_us", "free_us", "stage_us", "mine"]
    assert steps.numbers("device").tolist() == [4, 4]
    assert steps.numbers("step").tolist() == [13, -1]
    assert np.array_equal(steps.numbers("computing_us"), [400448.26, np.nan], equal_nan=True)
    assert steps.numbers("stage_us").dtype == np.float64
    assert steps.strings("mine").tolist() == ["x", "(2 B)"]
    calls = other_db.read(path, table="CommAnalyzerTime").table
    assert calls.numbers("elapsed_us").tolist() == pytest.approx([436.14, 158000.0], rel=1e-12)
    assert calls.numbers("start_us").tolist() == [1764246877147674.5, 1764246877228630.0]
    assert calls.strings("group").tolist() == ["3985310405473756128", None]
    assert calls.strings("name")[0] == "hcom_allReduce__1_2_1"


def test_a_database_with_an_open_log_is_read_and_left_alone(tmp_path):
    path = tmp_path / "analysis.db"
    writer = made(path, TABLES, logged=True)
    try:
        before = sorted(file.name for file in tmp_path.iterdir())
        assert "analysis.db-wal" in before
        assert len(other_db.read(str(path)).table) == 2
        assert sorted(file.name for file in tmp_path.iterdir()) == before
    finally:
        writer.close()
    assert len(other_db.read(str(path)).table) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["analysis.db"]


CLUSTER = {  # cluster_analysis.db as its two generations write it
    "1.0": {
        "ClusterStepTraceTime": (
            "step TEXT, type TEXT, [index] TEXT, computing REAL, communication REAL, free REAL, stage REAL",
            [("13", "rank", "4", 400448.26, 277650.0, 131705.28, 809803.0)],
        ),
        "CommunicationGroup": ("type TEXT, rank_set TEXT", [("collective", "(0,1,2,3)")]),
    },
    "1.2": {
        "ClusterStepTraceTime": (
            "step TEXT, type TEXT, [index] TEXT, computing REAL, communication REAL, free REAL, stage REAL, "
            "dp_index INTEGER, pp_index INTEGER",
            [("13", "rank", "4", 400448.26, 277650.0, 131705.28, 809803.0, 0, 1)],
        ),
        "CommunicationGroupMapping": (
            "type TEXT, rank_set TEXT, group_name TEXT, group_id TEXT, pg_name TEXT",
            [("collective", "(0,1,2,3)", "3985310405473756128", "g0", "default_group")],
        ),
        "HostInfo": ("hostUid TEXT, hostName TEXT", [("77", "node-a")]),
    },
}


@pytest.mark.parametrize("schema", CLUSTER)
def test_both_schemas_of_the_cluster_analysis(tmp_path, schema):
    path = str(tmp_path / "cluster_analysis.db")
    made(path, CLUSTER[schema]).close()
    names = {one.name for one in other_db.tables(path)}
    assert names == CLUSTER[schema].keys()
    steps = other_db.read(path, table="ClusterStepTraceTime").table
    assert steps.row(0)["computing_us"] == 400448.26 and steps.row(0)["stage_us"] == 809803.0
    assert ("pp_index" in steps.columns) == (schema == "1.2")
    groups = next(name for name in names if name.startswith("CommunicationGroup"))
    assert other_db.read(path, table=groups).table.strings("rank_set").tolist() == ["(0,1,2,3)"]


def test_a_log_that_is_brought_in_while_it_is_copied(tmp_path, monkeypatch):
    path = tmp_path / "analysis.db"
    writer = made(path, TABLES, logged=True)
    copy = shutil.copyfile
    copied = []

    def written_meanwhile(source, target):
        copy(source, target)
        copied.append(source.name)
        if len(copied) <= changes:
            writer.execute("INSERT INTO StepTraceTime VALUES (4, '14', 1, 2, 3, 'y')")
            writer.commit()
            writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    monkeypatch.setattr(db_file.shutil, "copyfile", written_meanwhile)
    try:
        changes = 1
        assert len(other_db.read(str(path)).table) == 3
        copied.clear()
        writer.execute("DELETE FROM StepTraceTime WHERE step = '14'")
        writer.commit()
        changes = 99
        with pytest.raises(ParseError) as refused:
            other_db.read(str(path))
        assert refused.value.problem.code == "locked"
    finally:
        writer.close()


def test_what_is_written_while_it_is_read_without_a_lock(tmp_path):
    path = tmp_path / "analysis.db"
    made(path, TABLES, logged=True).close()
    with pytest.raises(ParseError) as refused, db_file.opened(path) as connection:
        assert connection.execute("SELECT count(*) FROM StepTraceTime").fetchone() == (2,)
        writer = sqlite3.connect(path)
        writer.execute("INSERT INTO StepTraceTime VALUES (4, '14', 1, 2, 3, 'y')")
        writer.commit()
        writer.close()  # which brings the log into the database
    assert refused.value.problem.code == "locked"
    assert len(other_db.read(str(path)).table) == 3


def test_what_is_refused(tmp_path):
    unknown = tmp_path / "analysis.db"
    made(unknown, {"T": ("a INTEGER", [(1,)])}).close()
    with pytest.raises(ParseError) as refused:
        files.read_file(str(unknown))
    assert refused.value.problem.code == "unknown-database"
    assert refused.value.problem.message.params["tables"] == "T"
    known = tmp_path / "cluster_analysis.db"
    made(known, TABLES).close()
    with pytest.raises(ParseError) as refused:
        other_db.read(str(known), table="Nothing")
    assert refused.value.problem.code == "no-table"
    for name, content, code in (("a", b"", "empty-file"), ("b", b"no database" * 20, "not-a-database")):
        path = tmp_path / name / "analysis.db"
        path.parent.mkdir()
        path.write_bytes(content)
        with pytest.raises(ParseError) as refused:
            files.read_file(str(path))
        assert refused.value.problem.code == code


def test_of_a_long_table_the_first_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(other_db, "MOST_ROWS", 1)
    path = str(tmp_path / "analysis.db")
    made(path, TABLES).close()
    found = other_db.read(path)
    assert len(found.table) == 1
    assert found.problems[0].message.params == {"file": "StepTraceTime", "rows": 1, "of": 2}


def test_infinite_numbers_are_unknown(tmp_path):
    path = str(tmp_path / "analysis.db")
    rows = [(4, "13", float("inf")), (4, "14", 12.5)]
    made(path, {"StepTraceTime": ("deviceId INTEGER, step TEXT, computing NUMERIC", rows)}).close()
    assert np.array_equal(other_db.read(path).table.numbers("computing_us"), [np.nan, 12.5], equal_nan=True)
