"""The catalogue: complete in both languages, safe for a terminal."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.parsers.say import say
from npuscope.tui import numbers, text

ENGLISH, CHINESE = text.load("en"), text.load("zh")


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


def fields(template):
    return {(name, spec) for _, name, spec, _ in string.Formatter().parse(template) if name is not None}


def test_languages_have_the_same_keys():
    assert sorted(ENGLISH) == sorted(CHINESE)


@pytest.mark.parametrize("key", sorted(ENGLISH))
def test_both_languages_speak_of_the_same_values(key):
    assert {name for name, _ in fields(ENGLISH[key])} == {name for name, _ in fields(CHINESE.get(key, ""))}


@pytest.mark.parametrize("key", sorted(ENGLISH))
def test_format_words_are_known(key):
    for words in (ENGLISH, CHINESE):
        for _, spec in fields(words[key]):
            assert not spec or spec == "word" or spec in numbers.FORMATS, f"{key}: {spec}"


def test_no_key_stands_in_two_areas():
    import importlib

    seen: dict[str, str] = {}
    for area in text.AREAS:
        for key in importlib.import_module(f"npuscope.tui.words.en.{area}").WORDS:
            assert key not in seen, f"{key} stands in {seen[key]} and {area}"
            seen[key] = area


def test_values_are_formatted_by_unit():
    assert text.t("triage.start.short", name="MatMulV2", us=3550.0, pct=19.4) == (
        "Start with MatMulV2: at its floor the run gains 3.55 ms (19 %)."
    )


def test_text_from_files_is_text():
    shown = text.told(say("triage.start.short", name="\x1b[31m[b]x\x07", us=1.0, pct=1.0))
    assert "\x1b" not in shown and "\x07" not in shown and "[b]" in shown


@given(st.text(max_size=60))
def test_clean_leaves_no_control_character(value):
    import unicodedata

    assert not [
        letter for letter in text.clean(value) if unicodedata.category(letter) == "Cc" or letter in "\u202e\u2066\u2028"
    ]


@given(st.text(max_size=60))
def test_plain_is_ascii(value):
    assert all(ord(letter) < 128 for letter in text.plain(value))


@pytest.mark.parametrize(
    ("environ", "language", "ascii_only"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh", False),
        ({"LANG": "en_US.UTF-8"}, "en", False),
        ({"LANG": "C"}, "en", True),
        ({}, "en", True),
        ({"LANG": "C.UTF-8"}, "en", False),
        ({"LC_ALL": "zh_CN.GBK", "LANG": "en_US.UTF-8"}, "zh", True),
    ],
)
def test_language_and_spelling_come_from_the_locale(environ, language, ascii_only):
    assert text.language_of(environ) == language
    assert text.wants_ascii(environ) == ascii_only
