"""Themes."""

from __future__ import annotations

import pytest

from npuscope.tui import glyphs, theming


@pytest.mark.parametrize("name", theming.names())
def test_every_theme_has_every_colour(name):
    palette = theming.read(name)
    assert set(theming.TOKENS) <= set(palette.colors)
    assert len(palette.ramp) == 4


def luminance(hexa):
    parts = [int(hexa[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", ["dark", "light"])
@pytest.mark.parametrize("token", ["text", "bright", "dim", "accent", "warn", "bad", *theming.HUES])
def test_words_are_readable(name, token):
    colors = theming.read(name).colors
    assert contrast(colors[token], colors["bg"]) >= 4.5
    assert contrast(colors[token], colors["sel"]) >= 4.5


def test_unknown_theme_is_named():
    with pytest.raises(theming.ThemeError, match="no theme 'pink'"):
        theming.read("pink")


@pytest.mark.parametrize(
    ("environ", "colors", "name"),
    [
        ({}, "truecolor", "dark"),
        ({}, "256", "dark"),
        ({}, "standard", "ansi"),
        ({"NO_COLOR": "1"}, "256", "mono"),
        ({}, None, "mono"),
    ],
)
def test_default_follows_the_terminal(environ, colors, name):
    assert theming.default_name(environ, colors) == name


def test_ascii_signs_are_ascii():
    for sign in vars(glyphs.ASCII).values():
        assert all(ord(letter) < 128 for letter in sign)


def test_levels_have_seven_steps():
    assert len(glyphs.UNICODE.levels) == len(glyphs.ASCII.levels) == 7
    assert len(glyphs.UNICODE.blocks) == len(glyphs.ASCII.blocks) == 9
