"""Texts of JSON can always be printed, and nothing else changes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.parsers.json_text import loads


@pytest.mark.parametrize("text", ['{"\\ud800": ["a\\uDC00b"]}', b'{"\\ud800": ["a\\uDC00b"]}'])
def test_half_a_pair_becomes_a_sign(text):
    assert loads(text) == {"\ufffd": ["a\ufffdb"]}


def test_a_whole_pair_is_its_character():
    assert loads('["\\ud83d\\ude00"]') == ["\U0001f600"]
    assert loads(b'["\xed\xa0\x80"]') == ["\ufffd"]  # half a pair written as if it were a character


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3)))
def test_all_else_is_as_the_json_module_reads_it(value):
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert loads(text) == loads(text.encode()) == value
