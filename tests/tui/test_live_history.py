"""Histories in bins of absolute time: gaps, base line, and cells that stay."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from npuscope.analysis.live.history import History
from npuscope.parsers.readings import Chip, Reading, SourceInfo
from npuscope.parsers.say import Problem, say
from npuscope.tui import glyphs
from npuscope.tui.live.history import Bins, MeanBins, cells, level, mean, plot_rows

KEY, OTHER = (0, 0), (1, 0)
START = 1_000_000.0  # divisible by the 5 s and 10 s of the bins below


def read(history: History, at: float, *values: int | None) -> None:
    chips = tuple(Chip(n, 0, "910B3", "OK", aicore_pct=value) for n, value in enumerate(values))
    history.append(Reading(at, 0.1, SourceInfo("made"), chips=chips))


def every_second(values: list[int | None], start: float = START) -> History:
    history = History()
    for second, value in enumerate(values):
        read(history, start + second, value)
    return history


def test_bins_lie_on_multiples_of_their_width():
    history = every_second([10] * 5 + [20] * 5 + [30] * 3)
    bins = Bins(5.0, 4)
    bins.update(history, [KEY], START + 12)
    assert bins.closed(KEY) == [None, 10, 20]
    assert bins.open(KEY) == 30
    assert bins.begin(0) == START - 5


def test_a_closed_bin_never_changes():
    history = every_second([10] * 5 + [20] * 5)
    bins = Bins(5.0, 4)
    bins.update(history, [KEY], START + 9)
    seen = []
    for second in range(10, 20):
        read(history, START + second, 50 + second)
        bins.update(history, [KEY], START + second)
        seen.append((tuple(bins.closed(KEY)), bins.serial))
    assert len(set(seen)) == 2, "it changes when a bin closes, and then for good"
    assert seen[-1][0] == (10, 20, 62.0)


@given(st.lists(st.one_of(st.none(), st.integers(0, 100)), min_size=2, max_size=60), st.integers(1, 59))
def test_bins_kept_from_before_are_those_of_a_first_look(values, earlier):
    history = History()
    kept, fresh = Bins(5.0, 8), Bins(5.0, 8)
    for second, value in enumerate(values):
        read(history, START + second, value)
        if second >= earlier:
            kept.update(history, [KEY], START + second)
    kept.update(history, [KEY], START + len(values) - 1)
    fresh.update(history, [KEY], START + len(values) - 1)
    assert list(kept.closed(KEY)) == list(fresh.closed(KEY))
    assert kept.open(KEY) == fresh.open(KEY)


def test_a_gap_is_no_reading_and_not_0():
    history = every_second([80] * 10)
    for second in range(30, 40):
        read(history, START + second, 0)
    bins = Bins(5.0, 8)
    bins.update(history, [KEY], START + 39)
    assert bins.closed(KEY)[-7:] == [80, 80, None, None, None, None, 0]
    assert bins.open(KEY) == 0


def test_a_chip_that_was_away_comes_back_at_the_right_place():
    history = History()
    bins = Bins(5.0, 5)
    for second in range(40):
        here = (50, 60) if second < 10 or second >= 30 else (50,)
        read(history, START + second, *here)
        bins.update(history, [(n, 0) for n in range(len(here))], START + second)
    assert list(bins.closed(OTHER)) == [None, None, None, 60]


def test_another_box_keeps_nothing_of_the_one_before():
    bins = Bins(5.0, 4)
    bins.update(every_second([90] * 12), [KEY], START + 11)
    bins.update(every_second([10] * 2, START + 10), [KEY], START + 11)
    assert bins.closed(KEY) == [None, None, None]
    assert bins.open(KEY) == 10


def test_the_mean_is_over_what_is_known():
    assert mean([10, None, 20]) == 15
    assert mean([None]) is None
    history = History()
    for second in range(25):
        read(history, START + second, 10, 30 if second < 10 else None)
    plot = MeanBins(10.0, 3)
    plot.update(history, [KEY, OTHER], START + 24)
    assert list(plot.values) == [None, 20, 10]
    assert plot.position(START + 3) == 1
    assert plot.position(START - 300) is None
    assert plot.position(START + 23) is None, "the present bin is not on the plot yet"


def test_a_cut_table_does_not_enter_the_mean():
    history = History()
    for second in range(40):
        read(history, START + second, 90, 10)
    cut = Problem("truncated", say("smi.recorded", text="cut"))
    for second in range(40, 80):
        chips = (Chip(0, 0, "910B3", "OK", aicore_pct=90),)
        history.append(Reading(START + second, 0.1, SourceInfo("made"), chips=chips, problems=(cut,)))
    plot, rows = MeanBins(10.0, 8), Bins(10.0, 9)
    plot.update(history, [KEY, OTHER], START + 80)
    rows.update(history, [KEY], START + 80)
    assert list(plot.values) == [50, 50, 50, 50, None, None, None, None]
    assert rows.closed(KEY) == [90] * 8


def test_levels():
    assert [level(pct, 7) for pct in (0, 0.4, 0.5, 1, 14, 15, 36, 97, 100)] == [0, 0, 1, 1, 1, 2, 3, 7, 7]


def test_nothing_is_a_base_line_and_no_reading_is_blank():
    parts = cells([100, 50, 0, 0, None, 3], glyphs.UNICODE)
    assert parts == [("▇▄", "hist"), ("▁▁", "faint"), (" ▂", "hist")]
    assert cells([100, 0, None], glyphs.ASCII) == [("#", "hist"), ("_", "faint"), (" ", "hist")]


def test_0_has_a_sign_of_its_own_without_colour():
    for signs in (glyphs.UNICODE, glyphs.ASCII):
        drawn = {pct: cells([pct], signs)[0][0] for pct in (0, 1, 5, 14, 100)}
        assert [pct for pct, sign in drawn.items() if sign == drawn[0]] == [0]


def test_a_plot_of_four_rows():
    lines = plot_rows([100, 50, 1, 0, None], 4, 2, glyphs.UNICODE.blocks)
    texts = ["".join(text for text, _ in line) for line in lines]
    assert texts == ["██        ", "██        ", "████      ", "████▁▁▁▁  "]
    assert [token for _, token in lines[3]] == ["hist", "faint", "hist"]


@given(st.lists(st.one_of(st.none(), st.floats(0, 100)), min_size=1, max_size=40), st.integers(1, 8), st.integers(1, 4))
def test_a_plot_is_as_wide_as_its_bins(values, rows, per_bin):
    for line in plot_rows(values, rows, per_bin, glyphs.UNICODE.blocks):
        assert sum(len(text) for text, _ in line) == len(values) * per_bin
