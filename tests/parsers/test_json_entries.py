"""Entries of nested objects, read a little at a time: the same as reading all at once."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.parsers import json_entries
from npuscope.parsers.json_entries import entries

JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NESTED = st.dictionaries(st.text(max_size=4), JSON | st.dictionaries(st.text(max_size=4), JSON, max_size=4), max_size=4)


class InBlocks(io.StringIO):
    """A file that gives few characters at a time."""

    def __init__(self, text, block):
        super().__init__(text)
        self.block = block

    def read(self, size=-1):
        return super().read(self.block)


def inside(value, depth):
    """What lies at a depth of a document that was read at once."""
    for name, inner in value.items():
        if depth == 1:
            yield (name,), inner
        elif isinstance(inner, dict):
            yield from (((name, *names), found) for names, found in inside(inner, depth - 1))


@given(document=NESTED, depth=st.integers(1, 3), block=st.integers(1, 9), indent=st.sampled_from([None, 1]))
def test_the_same_as_at_once(document, depth, block, indent):
    text = json.dumps(document, indent=indent)
    assert list(entries(InBlocks(text, block), depth)) == list(inside(json.loads(text), depth))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "7", '{"a"', '{"a": 1', '{"a": 1,}', '{"a": 1} {', '{"a": 1}}', '{"a" 1}', "{1: 2}", '{"a": nul}'],
)
def test_what_is_no_object_is_refused(text):
    for block in (1, 100):
        with pytest.raises(ValueError):
            list(entries(InBlocks(text, block), 1))


def test_what_came_before_a_break_is_handed_out():
    found = []
    with pytest.raises(ValueError):
        found.extend(entries(io.StringIO('{"a": {"b": 1, "c": nul'), 2))  # a list keeps what it got
    assert found == [(("a", "b"), 1)]


def test_half_a_surrogate_pair_and_an_entry_without_end(monkeypatch):
    assert list(entries(io.StringIO('{"a": "\\ud800"}'), 1)) == [(("a",), "�")]
    monkeypatch.setattr(json_entries, "MOST", 20)
    with pytest.raises(ValueError, match="without end"):
        list(entries(InBlocks('{"a": "' + "x" * 60 + '"}', 5), 1))
