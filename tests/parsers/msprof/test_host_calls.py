"""Host calls of a database; made after the layout of ascend_pytorch_profiler databases."""

from __future__ import annotations

import sqlite3

import numpy as np
import pytest

from npuscope.parsers.msprof.databases import host_calls
from npuscope.parsers.msprof.databases.db_file import tables_of


def made(*calls):
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE CANN_API(startNs INTEGER, endNs INTEGER, type INTEGER, tid, id, name INTEGER)")
    connection.execute("CREATE TABLE ENUM_API_TYPE(id INTEGER, name TEXT)")
    connection.execute("CREATE TABLE STRING_IDS(id INTEGER, value TEXT)")
    connection.executemany("INSERT INTO ENUM_API_TYPE VALUES(?, ?)", [(10000, "node"), (20000, "acl")])
    connection.executemany(
        "INSERT INTO STRING_IDS VALUES(?, ?)", [(1, "launch"), (2, "aclnnAdd"), (3, "aclrtSetDevice")]
    )
    connection.executemany("INSERT INTO CANN_API VALUES(?, ?, ?, 0, 0, ?)", calls)
    return connection


def read(connection):
    return host_calls.read(connection, tables_of(connection))


def test_calls_add_up_by_level_and_name():
    found = read(made((0, 4000, 20000, 2), (5000, 7000, 20000, 2), (100, 1100, 10000, 1)))
    assert found.strings("level").tolist() == ["acl", "node"]
    assert found.strings("name").tolist() == ["aclnnAdd", "launch"]
    assert found.numbers("count").tolist() == [2, 1]
    assert found.numbers("total_us").tolist() == [6.0, 1.0]
    assert found.numbers("mean_us").tolist() == [3.0, 1.0]
    assert found.numbers("max_us").tolist() == [4.0, 1.0]


def test_a_call_without_a_beginning_has_no_time():
    found = read(made((0, int(5e12), 20000, 3)))
    assert np.isnan(found.numbers("total_us")[0])


def test_calls_without_an_end_are_left_out():
    assert read(made((100, -1, 20000, 2))) is None


@pytest.mark.parametrize("table", ["CANN_API", "ENUM_API_TYPE"])
def test_a_database_without_host_calls(table):
    connection = made((0, 1, 20000, 2))
    connection.execute(f"DROP TABLE {table}")
    assert read(connection) is None
