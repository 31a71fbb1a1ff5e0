"""The filter line."""

from __future__ import annotations

import math

import pytest

from npuscope.tui.filtering import Condition, FilterError, any_of, parse

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


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("type==Add|Mul", "mul", True),
        ("type==Add|Mul", "AddRmsNorm", False),
        ("type=Add | Mul", "AddRmsNorm", True),
        ("type!=Add|Mul", "Muls", False),
        ("type!=Add|Mul", "Cast", True),
        ("type=Add|", "Cast", False),
        ("type==", "Cast", False),
    ],
)
def test_texts_of_which_one_is_enough(text, value, holds):
    (condition,) = parse(text, TEXTS, NUMBERS)
    assert condition.holds(value) is holds


@pytest.mark.parametrize("text", ["MatMul | Add", "label=memory | label=stall", "us>1 & a | b"])
def test_there_is_no_or_between_conditions(text):
    with pytest.raises(FilterError) as caught:
        parse(text, TEXTS, NUMBERS)
    assert caught.value.word == "|"


def test_a_line_for_rows_of_some_values():
    assert any_of("type", ("Add", "Mul", "odd|one", "a&b", "")) == "type==Add|Mul"
    assert any_of("type", ("odd|one",)) == ""
