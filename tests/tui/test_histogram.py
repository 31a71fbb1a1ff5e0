"""Distributions as blocks."""

from __future__ import annotations

import math

import numpy as np

from npuscope.tui.glyphs import ASCII, UNICODE
from npuscope.tui.operators.histogram import histogram, percentile, spread_marks, stacked, trend


def test_counts_lie_between_smallest_and_largest():
    bars = histogram(np.array([78.0, 81.0, 81.0, 112.0]), 34)
    assert (bars.low, bars.high, sum(bars.counts)) == (78.0, 112.0, 4)
    assert bars.counts[bars.cell(81.0)] == 2
    assert bars.cell(112.0) == 33


def test_one_value_stands_in_the_middle():
    assert histogram(np.array([5.0, 5.0]), 5).counts == (0, 0, 2, 0, 0)


def test_no_value_draws_nothing():
    assert histogram(np.array([math.nan]), 4).counts == (0, 0, 0, 0)


def test_rare_values_show():
    lines = stacked([1000, 1, 0], 2, UNICODE.blocks)
    assert lines == ["█  ", "█▁ "]
    assert stacked([1000, 1, 0], 1, ASCII.blocks)[0][2] == " "


def test_trend_scales_between_lowest_and_highest():
    assert trend(np.array([1.0, 1.0, 7.0]), 10, UNICODE.levels) == "▁▁▇"
    assert trend(np.array([2.0, 2.0]), 10, UNICODE.levels) == "▁▁"


def test_percentile_is_one_of_the_values():
    assert percentile(np.array([1.0, 2.0, math.nan, 3.0]), 99) == 3.0
    assert math.isnan(percentile(np.array([]), 50))


def test_marks_do_not_cover_each_other():
    assert spread_marks([(3, "^ median"), (5, "^ p99"), (40, "^ 1st")], 60) == [(3, "^ median"), (40, "^ 1st")]
