"""Order, filter, cursor and window of an operator table."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.parsers.table import Strings, Table
from npuscope.tui.filtering import parse
from npuscope.tui.tableview import TableView, sorted_rows


@pytest.fixture
def table():
    return Table(
        {
            "type": Strings.of(["MatMulV2", "Cast", None, "Add"]),
            "total_us": np.array([170.0, 7.75, math.nan, 40.0]),
            "count": np.array([2, 2, 1, 4]),
        }
    )


def test_largest_first_and_unknown_last(table):
    assert TableView(table, sort="total_us").order.tolist() == [0, 3, 1, 2]


def test_unknown_is_last_in_both_directions(table):
    assert sorted_rows(table, "total_us", descending=False).tolist() == [1, 3, 0, 2]
    assert sorted_rows(table, "type", descending=False).tolist() == [3, 1, 0, 2]
    assert sorted_rows(table, "type", descending=True).tolist() == [0, 1, 3, 2]


def test_same_column_again_reverses(table):
    view = TableView(table, sort="total_us")
    view.arrange(view.sorted_by("total_us"))
    assert view.order.tolist() == [1, 3, 0, 2]


def test_cursor_follows_its_row(table):
    view = TableView(table, sort="total_us")
    view.move(1)
    assert view.row == 3
    view.arrange(view.sorted_by("type"))
    assert view.row == 3
    view.arrange(view.filtered_by(parse("Add", ("type",), ()), "type"))
    assert (view.row, view.cursor, len(view)) == (3, 0, 1)
    view.arrange(view.filtered_by((), "type"))
    assert view.row == 3


def test_filter_by_number_and_text(table):
    view = TableView(table, sort="total_us")
    view.arrange(view.filtered_by(parse("total_us>10 & type=a", ("type",), ("total_us",)), "type"))
    assert view.order.tolist() == [0, 3]


def test_filter_without_a_match_shows_nothing(table):
    view = TableView(table)
    view.arrange(view.filtered_by(parse("Softmax", ("type",), ()), "type"))
    assert len(view) == 0 and view.row is None


def test_window_moves_as_little_as_the_cursor_demands():
    view = TableView(Table({"n": np.arange(100)}))
    assert view.window(10).tolist() == list(range(10))
    view.move(9)
    assert view.window(10)[0] == 0
    view.move(1)
    assert view.window(10)[0] == 1
    view.move(1000)
    assert view.window(10).tolist() == list(range(90, 100))
    view.move(-1)
    assert view.window(10)[0] == 90


@given(
    st.lists(st.one_of(st.floats(allow_nan=True, allow_infinity=False), st.just(math.nan)), min_size=1, max_size=50),
    st.booleans(),
)
def test_every_row_is_shown_once(values, descending):
    order = sorted_rows(Table({"x": np.array(values)}), "x", descending)
    assert sorted(order.tolist()) == list(range(len(values)))
    known = [values[row] for row in order if not math.isnan(values[row])]
    assert known == sorted(known, reverse=descending)
