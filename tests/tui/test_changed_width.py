"""How much of a line has to be sent again."""

from __future__ import annotations

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from npuscope.tui.widgets.canvas import changed_width

PLAIN, DIM = Style(color="white"), Style(color="blue")


def strip(*parts: tuple[str, Style]) -> Strip:
    return Strip([Segment(text, style) for text, style in parts])


@pytest.mark.parametrize(
    ("old", "new", "width"),
    [
        (strip(("97 %      ", PLAIN)), strip(("97 %      ", PLAIN)), 0),
        (strip(("97 %      ", PLAIN)), strip(("98 %      ", PLAIN)), 2),
        (strip(("ab", PLAIN), ("cd  ", DIM)), strip(("ax", PLAIN), ("cd  ", DIM)), 2),
        (strip(("ab", PLAIN), ("cd  ", DIM)), strip(("abc", PLAIN), ("d  ", DIM)), 3),
        (strip(("same  ", PLAIN)), strip(("same  ", DIM)), 6),
        (strip(("芯片 7    ", PLAIN)), strip(("芯片 8    ", PLAIN)), 6),
    ],
)
def test_a_line_is_sent_up_to_its_last_change(old, new, width):
    assert changed_width(old, new) == width
