"""Timelines: every slice with its lane and exact start, by both ways of reading; cut and broken files."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from npuscope.parsers import json_blocks
from npuscope.parsers.msprof.traces import timeline, trace_events
from npuscope.parsers.msprof.traces.timeline import COMMUNICATION, COMPUTING, EXPOSED, FREE
from npuscope.parsers.say import ParseError

FIXTURES = Path(__file__).parent.parent.parent / "fixtures" / "timeline"
FILES = sorted(FIXTURES.glob("*.json"))


@pytest.fixture(params=["json", "msgspec"], autouse=True)
def way(request, monkeypatch):
    """Both decoders, and blocks small enough that every fixture needs several."""
    if request.param == "msgspec":
        pytest.importorskip("msgspec")
    else:
        monkeypatch.setattr(timeline, "decoder", lambda: trace_events.decode_plainly)
    monkeypatch.setattr(json_blocks, "BLOCK_BYTES", 1500)


def slices_of(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    found = found["traceEvents"] if isinstance(found, dict) else found
    processes = {e["pid"]: e["args"]["name"] for e in found if e["name"] == "process_name"}
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in found if e["name"] == "thread_name"}
    for event in (event for event in found if event["ph"] == "X"):
        start = Decimal(event["ts"]) * 1000 if isinstance(event["ts"], str) else round(event["ts"] * 1000)
        yield {
            "process": processes.get(event["pid"], str(event["pid"])),
            "thread": threads.get((event["pid"], event["tid"]), str(event["tid"])),
            "name": event["name"],
            "start_ns": int(start),
            "duration_us": float(np.float32(event["dur"])),
        }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_slice_is_there(path):
    found = timeline.read(str(path))
    table = found.table()
    assert [table.row(row) for row in range(len(table))] == list(slices_of(path))
    assert found.problems == ()
    assert timeline.PATTERN.fullmatch(path.name)


def test_lanes_of_overlap_analysis_steps_and_frequency():
    found = timeline.read(str(FIXTURES / "trace_view.json"))
    whole = list(slices_of(FIXTURES / "trace_view.json"))
    for what, thread in (
        (COMPUTING, "Computing"),
        (COMMUNICATION, "Communication"),
        (EXPOSED, "Communication(Not Overlapped)"),
        (FREE, "Free"),
    ):
        wanted = [one for one in whole if one["process"] == "Overlap Analysis" and one["thread"] == thread]
        assert found.overlap(what).numbers("start_ns").tolist() == [one["start_ns"] for one in wanted] != []
    marks = [one for one in whole if one["name"].startswith("ProfilerStep#")]
    assert found.steps().numbers("step").tolist() == [50] * len(marks) != []
    assert found.steps().numbers("start_ns").tolist() == [one["start_ns"] for one in marks]
    assert found.frequency.numbers("freq_mhz").tolist() == [1800.0, 1800.0]
    changed = timeline.read(str(FIXTURES / "msprof_20250401202357.json")).frequency
    assert changed.numbers("freq_mhz").tolist() == [1650.0] * 3
    assert changed.numbers("start_ns").tolist()[1] == 1743510230464961194


def test_numbers_as_times():
    table = timeline.read(str(FIXTURES / "step_trace_0_2_1.json")).events
    assert table.numbers("start_ns")[0] == 56635864652490
    assert table.numbers("duration_us")[0] == np.float32(47587.81)


@pytest.mark.parametrize("share", [0.3, 0.7, 0.999])
def test_a_cut_trace_tells_where_it_ends(tmp_path, share):
    whole = (FIXTURES / "trace_view.json").read_bytes()
    cut = tmp_path / "trace_view.json"
    cut.write_bytes(whole[: int(len(whole) * share)])
    found = timeline.read(str(cut))
    expected = [one["start_ns"] for one in slices_of(FIXTURES / "trace_view.json")]
    starts = found.events.numbers("start_ns").tolist()
    assert starts == expected[: len(starts)]
    assert len(starts) >= 10
    (problem,) = found.problems
    assert (problem.code, problem.message.params["bytes"]) == ("invalid-trace", cut.stat().st_size)


def test_a_broken_event_ends_it_there(tmp_path):
    events = [{"ph": "X", "name": str(at), "ts": str(at), "dur": 1, "pid": 1, "tid": 1} for at in range(100)]
    text = json.dumps(events)
    at = text.index('{"ph": "X", "name": "60"')
    path = tmp_path / "trace_view.json"
    path.write_text(text[:at] + "{broken}, " + text[at:])
    found = timeline.read(str(path))
    assert len(found.events) == 60
    assert abs(found.problems[0].message.params["bytes"] - at) <= 2


@pytest.mark.parametrize("text", ["", "hello", '{"step1": {"p2p": {}}}', "12"])
def test_what_is_no_timeline(tmp_path, text):
    path = tmp_path / "trace_view.json"
    path.write_text(text)
    with pytest.raises(ParseError) as refused:
        timeline.read(str(path))
    assert refused.value.problem.code == ("invalid-trace" if text else "empty-file")


def test_an_empty_list_is_a_timeline(tmp_path):
    path = tmp_path / "trace_view.json"
    path.write_text("[]")
    found = timeline.read(str(path))
    assert (len(found.events), found.lanes, found.problems, len(found.table())) == (0, (), (), 0)


def test_odd_cells_are_unknown_and_lose_nothing_else(tmp_path):
    events = [
        {"ph": "X", "name": "good", "ts": "1736408883674584.732", "dur": 1.5, "pid": "a", "tid": None},
        {"ph": "X", "name": "no start", "dur": 1.5, "pid": 1, "tid": 2},
        {"ph": "X", "name": "rounded", "ts": "1.7E+15", "dur": 1.5, "pid": 1, "tid": 2},
        {"ph": "X", "name": None, "ts": 7, "dur": None, "pid": [1], "tid": {"x": 1}},
        {"ph": "X", "ts": 8.5, "dur": "2.25", "pid": 1, "tid": 2},
        {"ph": "M", "name": "process_name", "pid": [1], "args": {"name": "Python"}},
        {"ph": "M", "name": "process_name", "pid": 1, "args": None},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": 7}},
        {"ph": "C", "name": "AI Core Freq", "pid": 1, "ts": "9", "args": {"MHz": "?"}},
        ["no", "event"],
    ]
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps(events))
    found = timeline.read(str(path)).events
    assert found.numbers("start_ns").tolist() == [1736408883674584732, 7000, 8500]
    assert np.array_equal(found.numbers("duration_us"), np.float32([1.5, np.nan, 2.25]), equal_nan=True)


def test_text_that_is_no_utf8_and_control_codes(tmp_path):
    path = tmp_path / "trace_view.json"
    path.write_bytes('[{"ph":"X","name":"算子\n","ts":"1.000","dur":1,"pid":1,"tid":1}]'.encode("gb18030"))
    assert len(timeline.read(str(path)).events) == 1


def test_many_lanes(tmp_path, monkeypatch):
    monkeypatch.setattr(timeline, "_MOST_SHORT", 3)
    events = [{"ph": "X", "name": "k", "ts": str(at), "dur": 1, "pid": 1, "tid": at} for at in range(50)]
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps(events))
    found = timeline.read(str(path))
    assert found.events.numbers("lane").tolist() == list(range(50))
    assert found.events.numbers("lane").dtype == np.int32


def test_progress_and_chunks_in_flat_memory():
    told = []
    chunks = list(timeline.events(str(FIXTURES / "trace_view.json"), told.append))
    assert len(chunks) > 10
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert sum(len(chunk.lanes) for chunk in chunks) == len(list(slices_of(FIXTURES / "trace_view.json")))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.sampled_from([b"", b"[", b'[{"ph":"X","name":"a","ts":']))
def test_nothing_but_parse_error(tmp_path, text, before):
    path = tmp_path / "msprof_20250401202357.json"
    path.write_bytes(before + text)
    try:
        found = timeline.read(str(path))
    except ParseError:
        return
    assert len(found.table()) == len(found.events)


def test_starts_at_once_are_those_one_by_one():
    cells = ["1736408883674584.732", "0000000000000001.000", "9999999999999999.999"]
    assert trace_events.starts_ns(cells[:2]).tolist() == [1736408883674584732, 1000]
    assert trace_events.starts_ns(cells).tolist() == [1736408883674584732, 1000, -1]
    assert trace_events.starts_ns(["12.000", "1x.000", "", None, True]).tolist() == [12000, -1, -1, -1, -1]


@pytest.mark.parametrize("cell", ["1e400", "1e300", "-1e400", '"inf"', "1" + "0" * 400])
def test_a_duration_beyond_all_numbers_is_unknown(tmp_path, cell):
    path = tmp_path / "trace_view.json"
    path.write_text(f'[{{"ph":"X","name":"k","ts":"1.000","dur":{cell},"pid":1,"tid":1}}]')
    (duration,) = timeline.read(str(path)).events.numbers("duration_us")
    assert np.isnan(duration)


@pytest.mark.parametrize("way", [trace_events.decoder, lambda: trace_events.decode_plainly])
def test_a_slice_without_a_name_has_none_and_half_a_letter_can_be_printed(tmp_path, monkeypatch, way):
    monkeypatch.setattr(timeline, "decoder", way)
    path = tmp_path / "trace_view.json"
    path.write_text(
        '[{"ph":"X","ts":"1.000","dur":1,"pid":1},{"ph":"X","name":"a\\ud800","ts":"2.000","dur":1,"pid":1}]'
    )
    assert timeline.read(str(path)).events.strings("name").tolist() == ["", "a\ufffd"]


@pytest.mark.parametrize("cell", ["1e400", "-5", "1" + "0" * 400, "NaN", '"1800"'])
def test_a_frequency_that_is_none_is_left_out(tmp_path, cell):
    path = tmp_path / "trace_view.json"
    mark = f'{{"ph":"C","name":"AI Core Freq","ts":"1.000","pid":1,"args":{{"MHz":{cell}}}}}'
    path.write_text(f'[{mark},{{"ph":"X","name":"k","ts":"1.000","dur":1,"pid":1,"tid":1}}]')
    assert len(timeline.read(str(path)).frequency) == 0


def test_a_list_in_place_of_a_duration_is_none():
    assert np.isnan(trace_events.durations_us([[]])).tolist() == [True]
    assert np.isnan(trace_events.durations_us([[1.0], [2.0]])).tolist() == [True, True]
    assert trace_events.durations_us([1, "2.5"]).tolist() == [1.0, 2.5]
