"""A list cut into blocks says the same as the whole of it, wherever the cuts fall."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.parsers import json_blocks
from npuscope.parsers.json_blocks import Blocks, object_ends

TEXTS = st.text(alphabet='ab{}[],":\\ \n', max_size=12)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
EVENTS = st.lists(st.dictionaries(TEXTS, VALUES, max_size=4), max_size=12)


def plain(text):
    try:
        return json.loads(text)
    except ValueError:
        return None


def read(text, block=40):
    before, json_blocks.BLOCK_BYTES = json_blocks.BLOCK_BYTES, block
    try:
        blocks = Blocks(io.BytesIO(text), plain)
        return [event for block in blocks for event in block], blocks
    finally:
        json_blocks.BLOCK_BYTES = before


@given(EVENTS, st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]), st.integers(1, 200))
def test_blocks_are_the_list(events, separators, block):
    found, blocks = read(json.dumps(events, separators=separators).encode(), block)
    assert found == events
    assert blocks.opened
    assert blocks.broken_at is None


@given(EVENTS, st.integers(1, 90))
def test_an_object_with_trace_events_is_that_list(events, block):
    whole = {"displayTimeUnit": "ms", "other": [{"a": 1}, {"b": 2}], "traceEvents": events, "after": [{"c": 3}, {}]}
    found, blocks = read(json.dumps(whole, indent=1).encode(), block)
    assert found == events
    assert blocks.broken_at is None


@given(EVENTS.filter(bool), st.data(), st.integers(1, 60))
def test_of_a_cut_list_the_whole_events_count(events, data, block):
    text = json.dumps(events).encode()
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    found, blocks = read(cut, block)
    assert found == events[: len(found)]
    ends = list(object_ends(cut[1:]))
    assert len(found) == len(ends)
    assert blocks.broken_at == len(cut)


@given(EVENTS, EVENTS, st.integers(1, 60))
def test_reading_stops_at_an_event_that_is_none(before, after, block):
    good = json.dumps(before)[:-1] + (", " if before else "")
    text = (good + '{"ph": X}' + "".join(", " + json.dumps(event) for event in after) + "]").encode()
    found, blocks = read(text, block)
    assert found == before
    assert blocks.broken_at is not None
    assert len(good.rstrip(" ,")) <= blocks.broken_at <= len(good) or not before


@given(st.binary(max_size=200), st.integers(1, 50))
def test_any_bytes_are_read_to_an_end(text, block):
    found, _ = read(b"[" + text, block)
    assert all(isinstance(event, (dict, list, str, int, float, type(None))) for event in found)


@pytest.mark.parametrize("text", [b"", b"hello", b"12", b'{"step": {}}', b"\0\0\0\0", b'"traceEvents": ['])
def test_what_is_no_list(text):
    found, blocks = read(text)
    assert found == []
    assert not blocks.opened
    assert blocks.broken_at == 0


def test_a_byte_order_mark_and_blanks():
    found, blocks = read(b'\xef\xbb\xbf\n [ {"a": 1} ]\n')
    assert found == [{"a": 1}]
    assert blocks.broken_at is None


def test_what_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr(json_blocks, "MOST_BYTES", 1000)
    found, blocks = read(b'[{"a": 1}, {"b": "' + b"x" * 5000)
    assert found == [{"a": 1}]
    assert blocks.broken_at == 11
    assert blocks.position < 4000


def test_zeros_behind_a_cut_trace_are_not_read_to_their_end(monkeypatch):
    monkeypatch.setattr(json_blocks, "MOST_BYTES", 1000)
    found, blocks = read(b'[{"a": 1}, {"b": ' + b"\0" * 100_000)
    assert found == [{"a": 1}]
    assert blocks.position < 4000
