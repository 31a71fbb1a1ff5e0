"""Which column stands where. The figures are those of the visual specification."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.tui.live.columns import Column, Traits, chips, processes, runs


def places(columns: tuple[Column, ...]) -> list[tuple[str, int, int]]:
    return [(column.name, column.x, column.width) for column in columns]


@pytest.mark.parametrize(
    ("width", "traits", "expected"),
    [
        (
            120,
            Traits(mhz=True),
            "npu 2 3, health 7 8, core 16 3, bar 20 14, history 36 24, hbm 62 4, hbmbar 67 8, power 77 4, temp 83 3, "
            "mhz 88 4, note 95 24",
        ),
        (
            80,
            Traits(mhz=True),
            "npu 2 3, health 7 7, core 15 3, bar 19 9, history 30 20, hbm 52 4, power 58 4, temp 63 3, note 68 12",
        ),
        (
            80,
            Traits(dies=2),
            "npu 2 3, health 7 7, core 15 3, history 19 14, hbm 34 2, temp 37 3, core 46 3, history 50 14, hbm 65 2, "
            "temp 68 3, power 75 4",
        ),
    ],
)
def test_columns_stand_where_they_were_drawn(width, traits, expected):
    found = ", ".join(f"{name} {x} {w}" for name, x, w in places(chips(width, traits).columns))
    assert found == expected


def test_processes_and_runs_stand_under_the_chips():
    note = chips(120, Traits(mhz=True)).note
    assert places(processes(120, note)) == [
        ("pid", 2, 7), ("user", 11, 8), ("chips", 20, 9), ("hbm", 30, 6), ("cpu", 38, 5), ("rss", 45, 6), ("up", 53, 8),
        ("command", 63, 30), ("note", 95, 24),
    ]  # fmt: skip
    assert [(name, x) for name, x, _ in places(runs(120, note))][-2:] == [("label", 82), ("change", 95)]


def names(width: int, traits: Traits) -> list[str]:
    return [column.name for column in chips(width, traits).columns]


def test_columns_are_dropped_in_a_fixed_order():
    traits = Traits(mhz=True, mixed=True)
    whole = set(names(180, traits))
    lost = [whole - set(names(width, traits)) for width in range(180, 79, -1)]
    steps = [step for before, step in zip([set(), *lost], lost) if step != before]
    assert steps == [{"mhz"}, {"mhz", "hbmbar"}, {"mhz", "hbmbar", "model"}]


@pytest.mark.parametrize("width", [80, 99, 100, 119, 120, 149, 150, 200])
def test_a_clock_column_only_where_a_chip_has_a_clock(width):
    assert "mhz" not in names(width, Traits())


def test_histories_span_what_they_say():
    assert chips(80, Traits()).span_s == chips(120, Traits()).span_s == 120
    assert chips(150, Traits()).span_s == 300
    assert chips(80, Traits(dies=2)).span_s == 60
    assert chips(150, Traits()).column("history").width == 44


any_traits = st.builds(
    Traits,
    label=st.integers(1, 7),
    mixed=st.booleans(),
    mhz=st.booleans(),
    engines=st.sampled_from([(), ("bandwidth",), ("bandwidth", "vector")]),
    totals_differ=st.booleans(),
    dies=st.just(1),
)


@given(st.integers(80, 260), any_traits)
def test_no_column_overlaps_or_leaves_the_window(width, traits):
    layout = chips(width, traits)
    for columns in (layout.columns, processes(width, layout.note), runs(width, layout.note)):
        for left, right in zip(columns, columns[1:]):
            assert left.end < right.x, (left, right)
        assert columns[-1].end <= width
        assert all(column.width > 0 for column in columns)


@given(st.integers(80, 260), any_traits)
def test_what_matters_is_never_dropped(width, traits):
    assert {"npu", "health", "core", "history", "hbm", "power", "temp", "note"} <= set(names(width, traits))


@given(st.integers(80, 260))
def test_a_card_with_two_dies_loses_nothing(width):
    layout = chips(width, Traits(dies=2))
    for die in (0, 1):
        assert all(layout.column(name, die) is not None for name in ("core", "history", "hbm", "temp"))
    assert layout.columns[-1].end <= width
    assert all(left.end < right.x for left, right in zip(layout.columns, layout.columns[1:]))
