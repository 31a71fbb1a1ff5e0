"""Steps in a few numbers: of the operators, of the files beside them, with their pace and their drift."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_ops import look, op, profile

from npuscope.analysis.summarize import summarize
from npuscope.analysis.times.step_summary import summarize_steps
from npuscope.parsers.profile import FileStep
from npuscope.parsers.table import Table
from npuscope.tui import text
from npuscope.tui.operators import stepwords


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


def steps_of(lengths, every=1000.0, cut_first=False):
    """Steps of two operators that last as long as told, one every `every` us."""
    rows = []
    for number, us in enumerate(lengths):
        at = number * every
        if not (cut_first and number == 0):
            rows.append(op(at, us / 2, step=number + 1, name="a"))
        rows.append(op(at + us / 2, us / 2, step=number + 1, name="b"))
    return rows


def test_steps_of_the_operators_and_their_pace():
    found = look(*steps_of([100.0, 110.0, 120.0, 130.0])).steps_summary
    assert (found.count, found.complete, found.median_us, found.source) == (4, 4, 115.0, "step_id")
    assert (found.p90_us, found.p99_us) == (pytest.approx(127.0), pytest.approx(129.7))
    assert found.per_second == pytest.approx(1000.0)  # one every millisecond, although each is over sooner
    assert found.drift_pct is None and not found.drifts


def test_a_cut_step_counts_in_neither_time_nor_pace():
    summary = look(*steps_of([100.0, 100.0, 100.0], cut_first=True))
    found = summary.steps_summary
    assert (found.count, found.complete, found.median_us) == (3, 2, 100.0)
    assert found.per_second == pytest.approx(1000.0)
    assert "steps: 3 (2 complete)" in stepwords.line(found)


def test_one_step_has_no_pace():
    found = look(*steps_of([100.0])).steps_summary
    assert (found.median_us, found.per_second) == (100.0, None)
    assert stepwords.short(found) == "1 step, 100 us"


@pytest.mark.parametrize(
    ("lengths", "drift", "drifts"),
    [
        ([100.0] * 8, None, False),
        ([100.0] * 9, 0.0, False),
        ([900.0, *[100.0] * 11], 0.0, False),  # one slow step at the start is no drift
        ([100.0] * 3 + [105.0] * 3 + [110.0] * 3, 10.0, True),
        ([100.0] * 3 + [99.0] * 3 + [90.0] * 3, -10.0, True),
        ([100.0] * 6 + [104.0] * 3, 4.0, False),
    ],
)
def test_drift_is_between_the_first_and_the_last_third(lengths, drift, drifts):
    found = look(*steps_of(lengths)).steps_summary
    assert found.drift_pct == (None if drift is None else pytest.approx(drift))
    assert found.drifts is drifts
    assert ("last third" in stepwords.line(found)) is drifts


def with_file(steps, source="step_trace_time"):
    made = dataclasses.replace(profile([op(0, 10.0)]), file_steps=tuple(steps), steps_source=source)
    summary = summarize(made)
    found = summary.steps_summary
    assert (summary.step_median_us, summary.step_p99_us) == (found.median_us, found.p99_us)
    return found


def test_steps_of_a_file_where_the_operators_name_none():
    found = with_file(FileStep(number, us) for number, us in ((3, 200.0), (4, 300.0), (5, None)))
    assert (found.count, found.complete, found.median_us, found.source) == (3, 3, 250.0, "step_trace_time")
    assert found.per_second == pytest.approx(4000.0)
    assert "(from step_trace_time)" in stepwords.line(found)


def test_of_several_devices_the_longest_counts():
    found = with_file([FileStep(1, 100.0, 0), FileStep(1, 140.0, 1), FileStep(2, 100.0, 0)], "step_trace")
    assert (found.count, found.median_us) == (2, 120.0)


def test_steps_without_a_number_are_steps_of_their_own():
    assert with_file([FileStep(None, 100.0), FileStep(None, 300.0)]).count == 2


def test_the_operators_steps_come_before_a_files():
    made = dataclasses.replace(profile(steps_of([100.0, 100.0])), file_steps=(FileStep(1, 7.0),), steps_source="x")
    assert summarize(made).steps_summary.source == "step_id"


def test_no_steps_at_all():
    assert look(op()).steps_summary is None
    assert stepwords.short(None) == ""


def test_lost_start_times_leave_the_number_of_steps():
    rows = [{**row, "start_ns": -1} for row in steps_of([100.0, 100.0])]
    found = look(*rows).steps_summary
    assert (found.count, found.median_us, found.per_second) == (2, None, None)
    assert "–" in stepwords.line(found) and stepwords.short(found) == ""


def test_both_languages_say_a_line():
    found = look(*steps_of([100.0] * 9)).steps_summary
    assert stepwords.line(found) == (
        "steps: 9   median 100.0 us   p90 100.0 us   p99 100.0 us   1000 steps/s   (from Step Id)"
    )
    text.set_language("zh")
    assert "每秒 1000 步" in stepwords.line(found)


@given(us=st.lists(st.floats(min_value=1, max_value=1e8), min_size=1, max_size=30))
def test_the_percentiles_are_in_order_and_within_the_steps(us):
    found = with_file(FileStep(number, one) for number, one in enumerate(us))
    assert min(us) <= found.median_us <= found.p90_us <= found.p99_us <= max(us)
    assert found.per_second == pytest.approx(1e6 / np.mean(us))


def test_marks_of_a_timeline_have_the_pace_of_their_ends():
    """Marks of 400 us, 500 us apart: 2000 steps a second; a mark that is missing parts no pace."""
    marks = tuple(FileStep(step, 400.0, None, 1_000_000 + 500_000 * step) for step in (0, 1, 2, 4))
    made = dataclasses.replace(profile([]), file_steps=marks, steps_source="trace")
    found = summarize_steps(Table({}), (), made)
    assert (found.count, found.median_us, found.p99_us, found.source) == (4, 400.0, 400.0, "trace")
    assert found.per_second == pytest.approx(2000.0)
