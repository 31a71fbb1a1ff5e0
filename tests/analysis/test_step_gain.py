"""What the step would gain if an operator reached its floor: never more than the device ran nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_ops import START_NS, look, op, shapes

from npuscope.analysis.times.timeline import lanes
from npuscope.parsers.table import Table

SQUARE = shapes("8192,8192;8192,8192", "8192,8192")  # 251.66 us at 1.6 TB/s
FLOOR = 3 * 8192 * 8192 * 2 / 1.6e6


def add(at, us, **more):
    return op(at, us, **{"type": "Add", **SQUARE, **more})


def test_alone_on_the_device_it_is_the_saving():
    summary = look(add(0, 400.0), add(500, 300.0), chip="910B3")
    line = summary.types.row(0)
    assert (
        line["step_gain_us"] == pytest.approx(line["saving_us"], rel=1e-5) == pytest.approx(700 - 2 * FLOOR, rel=1e-5)
    )
    assert summary.step_gain_us == pytest.approx(line["step_gain_us"])


def test_what_runs_beside_another_stream_gives_nothing_back():
    """The Add runs 400 us, the Sort beside it on another stream from 50 us to 390 us."""
    summary = look(add(0, 400.0), op(50, 340.0, type="Sort", stream=3), chip="910B3")
    assert summary.types.row(0)["saving_us"] == pytest.approx(400 - FLOOR)
    assert summary.types.row(0)["step_gain_us"] == pytest.approx(60.0, rel=1e-5)


def test_another_device_does_not_count():
    summary = look(add(0, 400.0), op(0, 400.0, type="Sort", device=1), chip="910B3")
    assert summary.types.row(0)["step_gain_us"] == pytest.approx(400 - FLOOR, rel=1e-5)


def test_without_start_times_it_is_unknown():
    assert np.isnan(look(add(0, 400.0, start_ns=-1), chip="910B3").types.row(0)["step_gain_us"])
    assert look(add(0, 400.0, start_ns=-1), chip="910B3").step_gain_us is None


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30), st.integers(0, 1)), min_size=1, max_size=12))
def test_alone_is_what_a_ruler_measures(drawn):
    """Each nanosecond is counted for the one interval that covers it, if only one of its device does."""
    start, length, device = (np.array(values) for values in zip(*drawn))
    table = Table(
        {"start_ns": START_NS + start, "duration_us": length / 1000.0, "device": device, "stream": np.zeros(len(start))}
    )
    by_device = lanes(table, by_stream=False)
    found = np.zeros(len(start))
    found[by_device.rows] = by_device.alone_us() * 1000
    for row in range(len(start)):
        covered = 0
        for moment in range(start[row], start[row] + length[row]):
            inside = (start <= moment) & (moment < start + length) & (device == device[row])
            covered += inside.sum() == 1
        assert found[row] == pytest.approx(covered)
    spans, busy = by_device.spans()
    assert found.sum() / 1000 <= busy.sum() + 1e-9 <= spans.sum() + 2e-9


def test_the_sum_of_gains_is_within_what_the_devices_were_busy():
    rows = [add(at, 300.0, stream=at % 3) for at in range(0, 3000, 170)]
    summary = look(*rows, chip="910B3")
    assert summary.step_gain_us <= summary.totals.busy_us
