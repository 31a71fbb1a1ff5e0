"""How the lines of a window are shared out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.tui.live.heights import Heights, maximised, share, without_chips


@pytest.mark.parametrize(
    ("rows", "chips", "cards", "expected"),
    [
        (36, 8, False, Heights(10, 6, 6, 4)),
        (24, 8, False, Heights(10, 0, 6, 3)),
        (24, 8, True, Heights(10, 0, 5, 4)),
        (24, 16, False, Heights(13, 0, 4, 2)),
        (33, 8, False, Heights(10, 0, 9, 5)),
    ],
)
def test_windows_as_they_were_drawn(rows, chips, cards, expected):
    assert share(rows, chips, cards) == expected


def lines(heights: Heights, rows: int) -> int:
    """Everything on the screen: tabs, answer, panels, the blank lines between them and the keys."""
    roomy = rows >= 30
    blanks = 2 + 3 + (1 if heights.plot else 0) if roomy else 1
    return 4 + blanks + heights.chips + heights.plot + heights.processes + heights.profiles


@given(st.integers(24, 100), st.integers(1, 64), st.booleans())
def test_every_window_is_filled_exactly(rows, chips, cards):
    heights = share(rows, chips, cards)
    assert lines(heights, rows) == rows
    assert heights.chips <= chips + 2
    assert heights.processes >= 4
    assert heights.profiles >= 2


@given(st.integers(24, 100), st.integers(1, 64))
def test_chips_scroll_only_when_the_rest_has_given_way(rows, chips):
    heights = share(rows, chips, False)
    if heights.chips < chips + 2:
        assert (heights.plot, heights.processes, heights.profiles) == (0, 4, 2)
        assert heights.chips >= 10


@pytest.mark.parametrize("rows", [24, 29, 30, 36, 60])
def test_a_panel_alone_and_a_box_without_chips_fit(rows):
    roomy = rows >= 30
    alone = maximised(rows, "processes")
    assert (alone.chips, alone.plot, alone.profiles) == (0, 0, 0)
    assert 4 + (2 if roomy else 0) + alone.processes < rows
    bare = without_chips(rows)
    assert 4 + (2 if roomy else 0) + bare.chips + bare.profiles < rows
