"""Where the operator table's columns stand."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from npuscope.tui import text
from npuscope.tui.operators.cells import with_sign
from npuscope.tui.operators.columns import MORE, head, layout, number_cell


def places(level, width, **more):
    return {placed.column: (placed.x, placed.width) for placed in layout(level, width, **more)}


def test_at_120_columns():
    assert places("types", 120) == {
        "type": (2, 20), "count": (23, 5), "total_us": (29, 9), "share_pct": (39, 4), "bar": (44, 6),
        "median_us": (51, 9), "move_us": (61, 7), "aicore_pct": (69, 9), "label": (80, 18), "bound_us": (98, 8),
        "times_over_bound": (107, 3), "saving_us": (111, 7),
    }  # fmt: skip


def test_at_80_columns():
    assert places("types", 80) == {
        "type": (2, 19), "count": (21, 5), "total_us": (27, 9), "share_pct": (37, 4), "median_us": (42, 6),
        "aicore_pct": (49, 5), "label": (55, 15), "times_over_bound": (71, 3), "saving_us": (75, 4),
    }  # fmt: skip


@pytest.mark.parametrize("level", ["types", "shapes", "instances"])
@pytest.mark.parametrize("width", range(80, 240, 7))
def test_nothing_overlaps_and_label_and_total_stay(level, width):
    placed = layout(level, width)
    names = [column.column for column in placed]
    assert "label" in names
    assert ("duration_us" if level == "instances" else "total_us") in names
    for left, right in zip(placed, placed[1:]):
        assert left.x + left.width <= right.x
    assert placed[-1].x + placed[-1].width <= width
    assert names[-1] == "saving_us"


@pytest.mark.parametrize("width", range(132, 240))
def test_wide_windows_have_more_columns_and_lose_none(width):
    """The share bar may go; the floor stays. From 200 on every indicator is there."""
    names = places("types", width)
    assert set(places("types", 120)) - {"bar"} <= set(names)
    assert {"core", "max_us"} <= set(names)
    if width >= 200:
        assert {"kernel_us", "move_us", "other_us", "aicore_pct", "scalar_ratio"} <= set(names)


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize("level", ["types", "shapes", "instances"])
def test_no_head_is_cut(level, language):
    """By its own width: the widest unit is ms."""
    text.set_language(language)
    for width in (80, 120, 240):
        for placed in layout(level, width, MORE[level]):
            assert cell_len(head(placed, "ms")) <= placed.width, placed.column
    text.set_language("en")


def test_sideways_shows_what_was_cut():
    assert "input_shapes" not in places("types", 120)
    shifted = [places("types", 120, shift=shift) for shift in range(32)]
    assert any("input_shapes" in names for names in shifted)
    assert all("type" in names for names in shifted)


def test_chosen_columns_stand_behind_the_name():
    assert places("types", 160, chosen=("block_dim",))["block_dim"][0] < places("types", 160)["label"][0]


@pytest.mark.parametrize(
    ("value", "width", "shown"), [(17.234, 4, "17.2"), (100.04, 4, "100"), (7.0, 9, "7.0"), (1234.5, 4, "1234")]
)
def test_decimals_go_before_digits(value, width, shown):
    assert number_cell("save_pct_us", value, ("us", 1.0, 1), width) == shown


def test_a_count_is_never_cut():
    assert [number_cell("count", 75_512.0, ("us", 1.0, 1), width) for width in (6, 5, 4)] == ["75 512", "75512", "76k"]


def test_the_sign_of_the_order_never_touches_the_next_head():
    assert with_sign("total ms", "v", 9, 1) == ("total msv", 9)
    assert with_sign("save ms", "v", 7, 2) == ("save msv", 8)
    assert with_sign("move us", "v", 7, 1) == ("movevus", 7)
