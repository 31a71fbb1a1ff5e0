"""How numbers are written."""

from __future__ import annotations

import math

import pytest

from npuscope.tui import numbers


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (6.54, 1, "6.5"),
        (0.03, 1, "<0.1"),
        (0.0, 1, "0.0"),
        (-0.01, 1, "0.0"),
        (None, 1, "–"),
        (math.nan, 2, "–"),
        (1204.4, 0, "1204"),
    ],
)
def test_fixed(value, decimals, text):
    assert numbers.fixed(value, decimals) == text


@pytest.mark.parametrize(
    ("us", "text"),
    [
        (45.53, "45.5 us"),
        (18_210, "18.2 ms"),
        (7_224, "7.22 ms"),
        (94_000_000, "94 s"),
        (8_050_000_000, "2:14:10"),
        (None, "–"),
    ],
)
def test_time_in_words(us, text):
    assert numbers.time_in_words(us) == text


def test_totals_have_four_digits():
    assert numbers.time_in_words(18_214, 4) == "18.21 ms"


@pytest.mark.parametrize(
    ("n", "text"), [(1204, "1204"), (9999, "9999"), (12_480, "12 480"), (1_000_000, "1 000 000"), (None, "–")]
)
def test_counts_are_grouped_from_ten_thousand(n, text):
    assert numbers.count(n) == text


@pytest.mark.parametrize(
    ("n", "width", "text"),
    [
        (12_480, 6, "12 480"), (12_480, 5, "12480"), (75_512, 4, "76k"), (123_456, 5, "123k"), (123_456, 6, "123456"),
        (3_000_000, 5, "3.00M"), (1_234_567_890, 5, "1.23G"), (999, 3, "999"), (999_999, 5, "1000k"), (None, 3, "–"),
    ],
)  # fmt: skip
def test_a_count_finds_room(n, width, text):
    assert numbers.count_in(n, width) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [(1.76, "1.8"), (140.2, "140"), (0.8, "L2"), (7234.0, "7k"), (12.34, "12"), (math.nan, "–")],
)
def test_times_over(x, text):
    assert numbers.times_over(x) == text


@pytest.mark.parametrize(("change", "text"), [(8.7, "+8.7"), (-4.1, "-4.1"), (0.0, "0.0"), (-0.04, "0.0"), (None, "–")])
def test_signed(change, text):
    assert numbers.signed(change) == text


@pytest.mark.parametrize(("largest", "unit"), [(None, "us"), (9_999, "us"), (18_210, "ms"), (20_000_000, "s")])
def test_one_unit_a_column(largest, unit):
    assert numbers.time_unit(largest)[0] == unit


@pytest.mark.parametrize(
    ("us", "unit", "text"),
    [
        (9250.0, ("us", 1.0, 1), "+9250.0"),
        (-4.8, ("us", 1.0, 1), "-4.8"),
        (-0.02, ("us", 1.0, 1), "0.0"),
        (0.0, ("ms", 1000.0, 2), "0.00"),
        (12_340.0, ("ms", 1000.0, 2), "+12.34"),
        (-100.0, ("ms", 1000.0, 2), "-0.10"),
        (-4.8, ("ms", 1000.0, 2), "-4.80 us"),
        (4.8, ("ms", 1000.0, 2), "+4.80 us"),
    ],
)
def test_a_difference_too_small_for_its_column_carries_its_own_unit(us, unit, text):
    assert numbers.column_change(us, unit) == text


@pytest.mark.parametrize(
    ("differences", "unit", "chosen"),
    [
        ((9250.0, -4.8), "ms", "ms"),
        ((4.8, -19.8), "ms", "us"),
        ((4.8, -100.0), "ms", "ms"),
        ((0.0,), "ms", "ms"),
        ((), "ms", "ms"),
        ((0.01,), "us", "us"),
    ],
)
def test_a_column_of_differences_has_the_unit_that_fits(differences, unit, chosen):
    units = {"us": ("us", 1.0, 1), "ms": ("ms", 1000.0, 2)}
    assert numbers.change_unit(differences, units[unit])[0] == chosen


def test_bandwidth_and_bytes_are_powers_of_ten():
    assert numbers.bandwidth_in_words(1600) == "1.6 TB/s"
    assert numbers.bandwidth_in_words(800) == "800 GB/s"
    assert numbers.bytes_in_words(23_600_000) == "23.6 MB"
    assert numbers.flops_in_words(13.4e9) == "13.4 GFLOP"
    assert numbers.gb(61825) == "60.4"
