"""The filter line."""

from __future__ import annotations

import math

import pytest

from npuscope.tui.filtering import Condition, FilterError, parse

TEXTS, NUMBERS = ("type", "label", "health"), ("us", "util", "core%")


def test_plain_text_searches_the_name():
    assert parse("MatMul", TEXTS, NUMBERS) == (Condition("", "=", "MatMul"),)


def test_conditions_are_joined():
    first, second = parse("util<40 & label=memory", TEXTS, NUMBERS)
    assert (first.field, first.operator, first.number) == ("util", "<", 40.0)
    assert (second.field, second.text) == ("label", "memory")


@pytest.mark.parametrize("text", ["", "  ", "&", " & "])
def test_nothing_typed_is_no_condition(text):
    assert parse(text, TEXTS, NUMBERS) == ()


@pytest.mark.parametrize(("text", "word"), [("colour=red", "colour"), ("us>fast", "us fast"), ("us>", "us")])
def test_what_means_nothing_is_named(text, word):
    with pytest.raises(FilterError) as caught:
        parse(text, TEXTS, NUMBERS)
    assert caught.value.word == word


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("us>100", 100.5, True),
        ("us>=100", 100.0, True),
        ("us<100", None, False),
        ("us<100", math.nan, False),
        ("core%<40", 39.0, True),
        ("health!=OK", "Warning", True),
        ("health!=OK", "OK", False),
        ("label=mem", "memory", True),
        ("TRANS", "TransData", True),
    ],
)
def test_holds(text, value, holds):
    (condition,) = parse(text, TEXTS, NUMBERS)
    assert condition.holds(value) is holds
