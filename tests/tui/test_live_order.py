"""Rows keep their place until a change is worth it; the cursor keeps its row."""

from __future__ import annotations

import pytest

from npuscope.tui.listing import Listing
from npuscope.tui.live.order import Order, sorted_keys


def order(column: str = "core") -> Order:
    return Order(column, True, live=("core",), texts=("model",), rising=("npu",))


def test_a_live_order_waits_five_seconds():
    one = order()
    assert one.arrange([("a", 10.0), ("b", 50.0)], 0) == ["b", "a"]
    assert one.arrange([("a", 90.0), ("b", 50.0)], 4.9) == ["b", "a"]
    assert one.arrange([("a", 90.0), ("b", 50.0)], 5.0) == ["a", "b"]


def test_a_live_order_stays_for_less_than_three_points():
    one = order()
    one.arrange([("a", 50.0), ("b", 51.0)], 0)
    assert one.arrange([("a", 52.9), ("b", 50.0)], 60) == ["b", "a"]
    assert one.arrange([("a", 53.0), ("b", 50.0)], 61) == ["a", "b"]


def test_a_new_row_or_column_sorts_at_once():
    one = order()
    one.arrange([("a", 10.0), ("b", 50.0)], 0)
    assert one.arrange([("a", 10.0), ("b", 50.0), ("c", 99.0)], 0.1) == ["c", "b", "a"]
    one.by("core")
    assert not one.descending
    assert one.arrange([("a", 10.0), ("b", 50.0), ("c", 99.0)], 0.2) == ["a", "b", "c"]


def test_what_does_not_move_by_itself_is_always_in_order():
    one = order("npu")
    one.descending = False
    assert one.arrange([("a", 1), ("b", 0)], 0) == ["b", "a"]
    assert one.arrange([("a", 0), ("b", 1)], 0.1) == ["a", "b"]


@pytest.mark.parametrize(("column", "descending"), [("npu", False), ("model", False), ("power", True)])
def test_numbers_start_with_the_largest_names_and_places_with_the_first(column, descending):
    one = order()
    one.by(column)
    assert (one.column, one.descending) == (column, descending)


def test_columns_are_walked_both_ways():
    one = order("npu")
    columns = ["npu", "health", "core"]
    one.step(columns, -1)
    assert one.column == "core"
    one.step(columns, 1)
    assert one.column == "npu"
    one.column = "dropped"
    one.step(columns, 1)
    assert one.column == "npu"


@pytest.mark.parametrize("descending", [False, True])
def test_unknown_stands_last(descending):
    keys = sorted_keys([("a", None), ("b", 2.0), ("c", 3.0), ("d", None)], descending)
    assert keys[2:] == ["a", "d"]


def test_texts_sort_without_case():
    assert sorted_keys([("a", "beta"), ("b", "Alpha")], False) == ["b", "a"]


def test_the_cursor_follows_its_row():
    listing: Listing[str] = Listing(lambda row: row)
    listing.show(["a", "b", "c"])
    listing.move(1)
    listing.show(["c", "x", "y", "b"])
    assert listing.row == "b"
    listing.show(["c"])
    assert listing.row == "c"
    listing.show([])
    assert listing.row is None


def test_the_window_moves_as_little_as_it_must():
    listing: Listing[int] = Listing(lambda row: row)
    listing.show(list(range(10)))
    listing.move(4)
    assert list(listing.window(3)) == [2, 3, 4]
    listing.move(-1)
    assert list(listing.window(3)) == [2, 3, 4]
    listing.move(-3)
    assert list(listing.window(3)) == [0, 1, 2]
    listing.reveal(lambda row: row == 8, 3)
    assert list(listing.window(3, follow=False)) == [6, 7, 8]
