"""Readings over time: gaps stay gaps, 0 stays 0, and memory is bounded."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.analysis.live.history import FIELDS, History, Ring
from npuscope.parsers.readings import Chip, Reading, SourceInfo

CHIP = Chip(0, 0, "910B3", "OK", power_w=98.4, temp_c=50, hbm_used_mb=3369, hbm_total_mb=65536)
KEY = CHIP.key


def reading(at: float, *chips: Chip) -> Reading:
    return Reading(at, 0.1, SourceInfo("npu-smi"), chips=chips)


def history(values: list[float | None], period: float = 1.0, start: float = 1000.0) -> History:
    """One chip with these AI Core values, one reading a period; None = the chip was not in the reading."""
    made = History()
    for number, value in enumerate(values):
        chips = [] if value is None else [replace(CHIP, aicore_pct=int(value))]
        made.append(reading(start + number * period, *chips))
    return made


def test_a_column_is_the_mean_of_its_readings() -> None:
    made = history([0, 10, 20, 30, 40, 50])
    assert made.series(KEY, "aicore", 6.0, 3, 1005.5) == [5.0, 25.0, 45.0]


def test_a_gap_is_a_gap_and_zero_is_zero() -> None:
    made = history([50, 0, None, None, 0, 20])
    assert made.series(KEY, "aicore", 6.0, 6, 1005.5) == [50.0, 0.0, None, None, 0.0, 20.0]


def test_before_the_first_reading_and_after_a_silence_there_is_nothing() -> None:
    made = history([50, 60])
    assert made.series(KEY, "aicore", 4.0, 4, 1001.5) == [None, None, 50.0, 60.0]
    assert made.series(KEY, "aicore", 10.0, 5, 1100.0) == [None] * 5


def test_slow_readings_hold_until_the_next_one() -> None:
    made = history([10, 20, 30], period=5.0)
    assert made.series(KEY, "aicore", 11.0, 11, 1010.5) == [10.0] * 5 + [20.0] * 5 + [30.0]


def test_but_not_over_a_reading_that_is_missing_for_long() -> None:
    made = history([10] * 20)
    made.append(reading(1060.0, replace(CHIP, aicore_pct=30)))
    assert made.series(KEY, "aicore", 42.0, 42, 1060.5)[3:40] == [None] * 37


def test_the_other_fields() -> None:
    made = history([7])
    assert [made.series(KEY, field, 1.0, 1, 1000.5)[0] for field in FIELDS] == [7.0, 3369.0, 98.4, 50.0]


def test_memory_is_ddr_where_there_is_no_hbm() -> None:
    made = History()
    made.append(reading(1.0, Chip(2, 1, "310P3", "OK", memory_used_mb=1529, memory_total_mb=44280)))
    assert made.series((2, 1), "hbm", 1.0, 1, 1.5) == [1529.0]
    assert made.series((2, 1), "power", 1.0, 1, 1.5) == [None]


def test_an_unknown_chip_has_no_numbers() -> None:
    assert history([7]).series((9, 9), "aicore", 1.0, 2, 1000.5) == [None, None]
    assert History().series(KEY, "aicore", 1.0, 2, 1000.5) == [None, None]


def test_a_chip_that_appears_later_has_a_gap_before() -> None:
    made = history([7])
    made.append(reading(1001.0, replace(CHIP, aicore_pct=8), replace(CHIP, npu_id=5, aicore_pct=9)))
    assert made.series((5, 0), "aicore", 2.0, 2, 1001.5) == [None, 9.0]
    assert made.chips == (KEY, (5, 0))
    assert made.latest is not None and made.latest.taken_at == 1001.0


def test_since_is_the_unbroken_run_up_to_now() -> None:
    made = history([90, 10, None, 20, 30])
    assert made.since(KEY, "aicore", lambda pct: pct < 40, 60.0) == 1003.0
    assert made.since(KEY, "aicore", lambda pct: pct > 40, 60.0) is None
    assert made.since(KEY, "aicore", lambda pct: pct < 40, 1.0) == 1003.0
    assert made.since((9, 9), "aicore", lambda pct: pct < 40, 1.0) is None


def test_a_stop_knows_when_and_how_busy_it_was_before() -> None:
    made = history([80, 90, 100, 0, 0])
    stop = made.stop(KEY)
    assert stop is not None
    assert (stop.at, stop.before) == (1003.0, 100.0)
    assert history([0, 5]).stop(KEY) is None
    assert history([50, 0, None]).stop(KEY) is None
    first = history([0]).stop(KEY)
    assert first is not None and first.before is None


def test_a_clock_that_jumps_back_begins_anew() -> None:
    made = history([10, 20, 30])
    made.append(reading(500.0, replace(CHIP, aicore_pct=40)))
    assert len(made) == 1
    assert made.series(KEY, "aicore", 1.0, 1, 500.5) == [40.0]


def test_mean_over_a_time() -> None:
    made = history([10, 20, None, 40])
    assert made.mean(KEY, "aicore", 1001.0, 1003.0) == 30.0
    assert made.mean(KEY, "aicore", 1002.0, 1002.0) is None


def test_an_hour_of_sixteen_chips_is_kept_and_no_more() -> None:
    made = History(capacity=50)
    for number in range(120):
        made.append(reading(float(number), replace(CHIP, aicore_pct=number % 100)))
    assert len(made) == 50
    assert made.samples(KEY, "aicore", 1e6, 200.0)[0] == (70.0, 70.0)
    assert History()._capacity >= 3600


@given(st.integers(1, 7), st.lists(st.floats(0, 100), max_size=30))
def test_a_ring_keeps_the_last(capacity: int, values: list[float]) -> None:
    ring = Ring(capacity)
    for value in values:
        ring.append(value)
    kept = values[-capacity:]
    assert [ring.at(back) for back in range(len(ring))] == kept[::-1]


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 100)), min_size=1, max_size=60),
    st.integers(1, 40),
    st.floats(0.5, 100),
)
def test_a_series_stays_within_what_was_read(values: list[int | None], cells: int, seconds: float) -> None:
    made = history([None if v is None else float(v) for v in values])
    found = made.series(KEY, "aicore", seconds, cells, 1000.0 + len(values))
    known = [v for v in values if v is not None]
    assert len(found) == cells
    assert all(cell is None or min(known) <= cell <= max(known) for cell in found)


def test_asking_for_another_field_is_an_error_of_nobody() -> None:
    assert history([1]).series(KEY, "speed", 1.0, 1, 1000.5) == [None]


@pytest.mark.parametrize("count", [0, 1])
def test_no_period_before_the_second_reading(count: int) -> None:
    assert history([1.0] * count).period() == 0.0
