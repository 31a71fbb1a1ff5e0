"""What a timeline adds up to, read in blocks; host calls, steps and clock out of it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from npuscope.analysis.indicators import stages
from npuscope.parsers import json_blocks
from npuscope.parsers.msprof import files
from npuscope.parsers.msprof.sight import rows_of
from npuscope.parsers.msprof.traces import host_events, timeline, trace_events
from npuscope.parsers.msprof.traces.trace_tally import tally
from npuscope.parsers.say import ParseError

FIXTURES = Path(__file__).parent.parent.parent / "fixtures" / "timeline"
FILES = sorted(FIXTURES.glob("*.json"))


@pytest.fixture(params=["json", "msgspec"], autouse=True)
def way(request, monkeypatch):
    """Both decoders, and blocks small enough that every file needs several."""
    if request.param == "msgspec":
        pytest.importorskip("msgspec")
    else:
        monkeypatch.setattr(timeline, "decoder", lambda: trace_events.decode_plainly)
    monkeypatch.setattr(json_blocks, "BLOCK_BYTES", 700)


def named(pid, process, tid=None, thread=None):
    yield {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": process}}
    if tid is not None:
        yield {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": thread}}


def part(name, at, us, pid=1, tid=7, text=True):
    return {"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": f"{at}.250" if text else at, "dur": us}


def written(path, events, form=list):
    path.write_text(json.dumps(events if form is list else {"schemaVersion": 1, "traceEvents": events}))
    return str(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_same_as_of_all_slices(path):
    whole, found = timeline.read(str(path)).table(), tally([str(path)])
    wanted = {}
    for row in range(len(whole)):
        one = whole.row(row)
        end = one["start_ns"] + round(one["duration_us"] * 1000)
        key = one["process"], one["thread"], one["name"]
        count, first, last, total, least, most = wanted.get(key, (0, 2**63, -1, 0.0, np.inf, 0.0))
        us = one["duration_us"]
        wanted[key] = (
            count + 1, min(first, one["start_ns"]), max(last, end), total + us, min(least, us), max(most, us),
        )  # fmt: skip
    rows = [found.table.row(row) for row in range(len(found.table))]
    sums = ("count", "first_ns", "last_ns", "total_us", "min_us", "max_us")
    got = {(row["process"], row["thread"], row["name"]): tuple(row[name] for name in sums) for row in rows}
    assert got.keys() == wanted.keys()
    for key, values in got.items():
        assert values == pytest.approx(wanted[key], rel=1e-12)
    events = json.loads(path.read_text(encoding="utf-8"))
    events = events["traceEvents"] if isinstance(events, dict) else events
    assert sum(found.phases.values()) == len(events)
    assert found.phases["X"] == sum(event["ph"] == "X" for event in events)


@pytest.mark.parametrize("form", [list, dict])
@pytest.mark.parametrize("text", [True, False])
def test_lanes_flows_and_the_longest(tmp_path, form, text):
    events = [
        *named(1, "Python", 7, "Thread 7"),
        *(part("aten::add", 1000 + at, 2.0, text=text) for at in range(30)),
        part("aten::mm", 2000, 50.0, text=text),
        part("MatMul", 3000, 9.0, pid=2, tid=4, text=text),
        *(
            {"ph": kind, "name": "async_npu", "id": at, "pid": 1, "tid": 7, "ts": "9.1"}
            for at in (1, 2)
            for kind in "sf"
        ),
    ]
    found = tally([written(tmp_path / "trace_view.json", events, form)])
    shift = 250 if text else 0
    assert [found.lanes().row(row) for row in range(2)] == [
        {
            "process": "Python", "thread": "Thread 7", "count": 31, "names": 2, "first_ns": 1_000_000 + shift,
            "last_ns": 2_050_000 + shift, "total_us": 110.0, "max_us": 50.0, "longest": "aten::mm",
        },
        {
            "process": "2", "thread": "4", "count": 1, "names": 1, "first_ns": 3_000_000 + shift,
            "last_ns": 3_009_000 + shift, "total_us": 9.0, "max_us": 9.0, "longest": "MatMul",
        },
    ]  # fmt: skip
    assert found.phases == {"M": 2, "X": 32, "s": 2, "f": 2}


def test_more_names_than_there_is_room_for_at_first(tmp_path):
    events = [part(f"name {at}", 1000 + at, at) for at in range(2500)]
    found = tally([written(tmp_path / "trace_view.json", events)]).table
    assert found.strings("name").tolist() == [event["name"] for event in events]
    assert found.numbers("total_us").tolist() == [event["dur"] for event in events]


def test_slices_of_one_export_are_one_timeline(tmp_path):
    lanes = list(named(5, "CANN", 7, "Thread 7"))
    first = written(tmp_path / "a.json", [*lanes, part("AscendCL@aclrtMemcpy", 10, 4.0, 5)])
    second = written(tmp_path / "b.json", [part("Node@launch", 20, 1.0, 5), part("AscendCL@aclrtMemcpy", 30, 6.0, 5)])
    shares = []
    found = tally([first, second], shares.append)
    assert found.table.strings("process").tolist() == ["CANN", "CANN"]
    assert found.table.numbers("count").tolist() == [2, 1]
    assert found.table.numbers("total_us").tolist() == [10.0, 1.0]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_odd_durations_and_starts_cost_nothing_else(tmp_path):
    events = [part("a", 10, "x"), part("a", 20, -5), part("a", 30, 1e300), part("a", 40, 2.0)]
    events.append({"ph": "X", "name": "a", "pid": 1, "tid": 7, "dur": 5.0})
    row = tally([written(tmp_path / "trace_view.json", events)]).table.row(0)
    assert (row["count"], row["total_us"], row["last_ns"]) == (4, 2.0, 42_250)


def test_host_calls_are_those_of_api_statistic(tmp_path):
    """By level and name, in newer files under CANN, in older ones under their level; and the three stages of them."""
    events = [
        *named(1, "Python"), *named(2, "CANN"), *named(3, "AscendCL"), *named(4, "Ascend Hardware"),
        part("AscendCL@aclnnAdd", 1, 30.0, 2), part("AscendCL@aclnnAdd", 2, 10.0, 2), part("Node@launch", 3, 5.0, 2),
        part("aclrtMemcpy", 4, 8.0, 3), part("aten::add", 5, 99.0, 1), part("Add", 6, 60.0, 4),
        part("AscendCL@aclrtSetDevice", 7, 4e9, 2),
    ]  # fmt: skip
    table = host_events.read([written(tmp_path / "trace_view.json", events)]).calls
    told = {
        (table.strings("level")[row], table.strings("name")[row]): [
            table.row(row)[name] for name in ("count", "total_us", "mean_us", "min_us", "max_us")
        ]
        for row in range(len(table))
    }
    endless = told.pop(("acl", "aclrtSetDevice"))
    assert endless[0] == 1
    assert np.isnan(endless[1])  # of a call that had no beginning
    assert told == {
        ("acl", "aclnnAdd"): [2, 40.0, 20.0, 10.0, 30.0],
        ("node", "launch"): [1, 5.0, 5.0, 5.0, 5.0],
        ("acl", "aclrtMemcpy"): [1, 8.0, 8.0, 8.0, 8.0],
    }
    found = stages(60.0, table)
    assert (found.preparation_us, found.kernel_us, found.copy_us) == (40.0, 60.0, 8.0)


def test_marks_of_steps_and_the_clock(tmp_path):
    clock = [
        {"ph": "C", "pid": 9, "name": "AI Core Freq", "ts": at, "args": {"MHz": f}} for at, f in ((1, 1800), (2, 900))
    ]
    steps = [part(f"ProfilerStep#{step}", 100 * step, us) for step, us in ((4, 90.0), (3, 80.0))]
    found = host_events.read([written(tmp_path / "trace_view.json", [*steps, *clock])])
    assert [(one.step, one.us, one.end_ns) for one in found.steps] == [(3, 80.0, 380_250), (4, 90.0, 490_250)]
    row = found.events.row(0)
    assert (row["kind"], row["mean_mhz"], row["max_mhz"]) == ("frequency", 1350.0, 1800.0)


def test_a_timeline_as_tables(tmp_path):
    flows = [{"ph": kind, "id": 1, "pid": 1, "tid": 7, "ts": "9.1"} for kind in "sf"]
    events = [*named(1, "Python", 7, "Thread 7"), part("a", 10, 2.0), part("a", 20, 9.0), part("b", 30, 1.0, 2), *flows]
    path = written(tmp_path / "trace_view.json", events)
    lanes = files.read_file(path)
    assert (lanes.kind, lanes.table, len(lanes.found.table)) == ("timeline", "lanes", 2)
    assert [(one.name, one.rows) for one in lanes.tables] == [("lanes", 2), ("names", 2), ("events", 3), ("kinds", 4)]
    assert rows_of(lanes.tables) == 3
    assert lanes.note.params == {
        "slices": 3, "lanes": 2, "us": 21.0, "flows": 1, "name": "a", "longest_us": 9.0,
    }  # fmt: skip
    names = files.read_file(path, "names").found.table
    assert names.strings("name").tolist() == ["a", "b"]
    assert names.numbers("total_us").tolist() == [11.0, 1.0]
    kinds = files.read_file(path, "KINDS").found.table
    told = dict(zip(kinds.strings("kind").tolist(), kinds.numbers("count").tolist()))
    assert told == {"slice": 3, "name": 2, "flow begin": 1, "flow end": 1}
    every = files.read_file(path, "events")
    assert every.tables == lanes.tables
    assert every.found.table.strings("name").tolist() == ["a", "a", "b"]
    with pytest.raises(ParseError) as refused:
        files.read_file(path, "nothing")
    assert refused.value.problem.code == "no-table"


@pytest.mark.parametrize("form", [list, dict])
def test_a_timeline_of_another_name(tmp_path, form):
    path = written(tmp_path / "of rank 0.json", [*named(1, "Python"), part("a", 10, 2.0)], form)
    assert files.kind_of("of rank 0.json") is None
    assert files.read_file(path).kind == "timeline"


@pytest.mark.parametrize(
    "text", ["", "[]", "[1, 2]", '{"ph": "X"}', '[{"name": "a"}]', '{"traceEvents": []}', '["ph", {}]']
)
def test_other_json_is_no_timeline(tmp_path, text):
    (tmp_path / "notes.json").write_text(text)
    assert files.kind_by_columns(str(tmp_path / "notes.json")) is None


def test_a_timeline_without_slices_has_no_note(tmp_path):
    found = files.read_file(written(tmp_path / "trace_view.json", list(named(1, "Python"))))
    assert (found.note, len(found.found.table)) == (None, 0)
