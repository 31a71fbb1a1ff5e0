"""Lines of a screen."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from npuscope.tui import theming
from npuscope.tui.paint import Row, fit, fit_middle, rule

LOOK = theming.look("dark")
PLAIN = theming.look("dark", ascii_only=True)


def test_texts_stand_at_their_columns():
    assert Row(LOOK, 12).put(2, "ab").number(6, "42", 4).strip().text == "  ab    42  "


def test_what_is_too_long_is_cut():
    assert Row(LOOK, 10).put(0, "MatMulV2", width=5).strip().text == "MatM…     "
    assert fit_middle("PROF_000001_20260102", 10).startswith("PROF_0")
    assert cell_len(fit_middle("PROF_000001_20260102", 10)) == 10


def test_bar_shows_the_smallest_share():
    assert Row(LOOK, 6).bar(0, 6, 0.001, "accent").strip().text == "╸─────"
    assert Row(LOOK, 6).bar(0, 6, 0.0, "accent").strip().text == "──────"
    assert Row(LOOK, 6).bar(0, 6, 1.37, "accent").strip().text == "━━━━━━"
    assert Row(PLAIN, 6).bar(0, 6, 0.5, "accent").strip().text == "###..."


@given(st.text(max_size=40), st.integers(0, 20), st.integers(1, 30))
def test_a_line_is_as_wide_as_asked_whatever_is_put_on_it(text, x, width):
    for look in (LOOK, PLAIN):
        strip = Row(look, width).put(x, text).put(x + 3, text, width=4).strip()
        assert strip.cell_length == width
        assert "\x1b" not in strip.text and "\n" not in strip.text


@given(st.text(max_size=40), st.integers(1, 20))
def test_fit_never_exceeds(text, width):
    assert cell_len(fit(text, width)) <= width


def test_rule_carries_title_and_meta():
    text = rule(LOOK, 30, "Chips", "8 x 910B3").text
    assert text.startswith("─ Chips ─") and text.endswith(" 8 x 910B3 ─") and len(text) == 30
