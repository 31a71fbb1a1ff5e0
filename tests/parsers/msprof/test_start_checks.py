"""Rows that stand in a table twice, and rows without a start."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from made_ops import op, table

from npuscope.parsers.msprof.start_checks import check_starts
from npuscope.tui import text


def codes(rows) -> list[str]:
    return [problem.code for problem in check_starts(table(rows))]


def test_a_row_that_stands_twice_is_counted_and_named():
    rows = [op(0, 10.0), op(20, 5.0, name="add"), op(0, 10.0), op(20, 5.0, name="add"), op(40, 1.0)]
    (problem,) = check_starts(table(rows))
    assert problem.message.params == {"rows": 2, "name": "MatMulV2_0", "us": 15.0}
    text.set_language("en")
    assert "2 rows stand in the table twice (the first: MatMulV2_0): 15.0 us are counted twice" in text.told(
        problem.message
    )


def test_tasks_that_begin_together_are_no_copies():
    assert codes([op(0), op(0, device=1), op(0, stream=3), op(0, task_id=2), op(0, 99.0), op(0, name="other")]) == []
    assert codes([op(0), op(0, name="AivKernel", core="COMMUNICATION")]) == []


def test_rows_without_a_start_are_told_where_others_have_one():
    (problem,) = check_starts(table([op(0), op(10), op(start_ns=-1), op(start_ns=-1)]))
    assert (problem.code, problem.message.params) == ("no-start-time", {"rows": 2, "of": 4})
    assert codes([op(start_ns=-1), op(start_ns=-1)]) == []
    assert codes([]) == []


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_copies_are_found_in_any_order(starts):
    rows = [op(float(at)) for at in starts]
    expected = len(starts) - len(set(starts))
    found = [problem.message.params["rows"] for problem in check_starts(table(rows))]
    assert found == ([expected] if expected else [])
    assert len(np.unique(starts)) + expected == len(starts)
