"""Recordings: what a file must look like, and what its replay gives."""

from __future__ import annotations

import gzip
import itertools
import json
import queue
import time

import pytest

from npuscope.parsers.reading_json import to_json
from npuscope.parsers.readings import Chip, LocalProcess, NpuProcess, Reading, SourceInfo
from npuscope.parsers.say import ParseError
from npuscope.sources.recording import RecordingSource, moved, read_recording, replayed
from npuscope.tui.text import told

DEADLINE_S = 20.0
BASE = 1_767_391_560.0


def reading(at, pct=50, pid=None, age_s=100.0):
    processes = () if pid is None else (NpuProcess(0, 0, pid, "python3", 2048, local=True),)
    local = {} if pid is None else {pid: LocalProcess(pid, "dev", 96.0, 512.0, BASE + at - age_s, "python3 train.py")}
    chips = (Chip(0, 0, "910B3", "OK", aicore_pct=pct, hbm_used_mb=3369, hbm_total_mb=65536),)
    return Reading(BASE + at, 0.3, SourceInfo("npu-smi", "npu-smi info"), 1.0, chips, processes, local)


def line(record):
    return json.dumps(to_json(record, (), told)) + "\n"


@pytest.fixture
def recording(tmp_path):
    def write(*records, packed=False, more=""):
        data = ("".join(map(line, records)) + more).encode()
        path = tmp_path / ("readings.jsonl.gz" if packed else "readings.jsonl")
        path.write_bytes(gzip.compress(data) if packed else data)
        return path

    return write


@pytest.mark.parametrize("packed", [False, True])
def test_a_recording_is_read_as_it_was_taken(recording, packed):
    records = [reading(0.0, 10), reading(1.0, 20, pid=52001), reading(2.5, None)]
    assert read_recording(recording(*records, packed=packed)) == records
    assert read_recording(str(recording(*records, packed=packed))) == records


def test_packed_by_content_not_by_name(recording, tmp_path):
    recording(reading(0.0), packed=True).rename(tmp_path / "plain.jsonl")
    assert len(read_recording(tmp_path / "plain.jsonl")) == 1


def test_empty_lines_do_not_count(recording):
    assert len(read_recording(recording(reading(0.0), more="\n\n" + line(reading(1.0)) + "  \n"))) == 2


@pytest.mark.parametrize(
    ("bad", "key"),
    [
        ("garbage\n", "recording.no-json"),
        ("[]\n", "recording.no-json"),
        ("12\n", "recording.no-json"),
        ("[" * 100_000 + "\n", "recording.no-json"),
        ("{}\n", "recording.no-reading"),
        ('{"schema": "npuscope.report/1"}\n', "recording.no-reading"),
        ('{"schema": "npuscope.snapshot/1", "taken_at": "yesterday", "source": {}}\n', "recording.no-reading"),
        ('{"schema": "npuscope.snapshot/1", "ta', "recording.no-json"),
    ],
)
def test_a_bad_line_is_named(recording, bad, key):
    whole = bad.endswith("\n")
    path = recording(*([reading(0.0)] if whole else []), more=bad)
    with pytest.raises(ParseError) as caught:
        read_recording(path)
    problem = caught.value.problem
    assert (problem.code, problem.file, problem.line) == ("unreadable", str(path), 2 if whole else 1)
    assert problem.message.key == key
    assert f"line {problem.line}" in told(problem.message) or f"第 {problem.line} 行" in told(problem.message)


def test_a_last_line_that_was_cut_is_told_with_the_reading_before_it(recording):
    path = recording(reading(0.0), reading(1.0), more=line(reading(2.0))[:80])
    readings = read_recording(path)
    assert len(readings) == 2
    assert readings[0].problems == ()
    (problem,) = readings[1].problems
    assert (problem.code, problem.line) == ("truncated", 3)
    assert "3" in told(problem.message)


def test_a_packed_recording_that_was_cut_keeps_what_stands(recording):
    path = recording(*(reading(float(second), second % 100) for second in range(500)), packed=True)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    readings = read_recording(path)
    assert 1 < len(readings) < 500
    assert readings == [*(reading(float(second), second % 100) for second in range(len(readings) - 1)), readings[-1]]
    assert readings[-1].problems[0].code == "truncated"


@pytest.mark.parametrize("content", [b"", b"\n", b"\x1f\x8b"])
def test_nothing_in_it(tmp_path, content):
    (tmp_path / "empty").write_bytes(content)
    with pytest.raises(ParseError):
        read_recording(tmp_path / "empty")


def test_no_such_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_recording(tmp_path / "none.jsonl")


def test_the_spacing_is_kept_and_the_round_closes_with_the_usual_one():
    records = [reading(at) for at in (0.0, 1.0, 2.0, 5.0)]
    steps = itertools.islice(replayed(records, 1.0, True), 6)
    assert [at for at, _ in steps] == [0.0, 1.0, 2.0, 5.0, 6.0, 7.0]
    assert [at for at, _ in replayed(records, 2.0, False)] == [0.0, 0.5, 1.0, 2.5]


def test_one_reading_and_a_clock_that_goes_back():
    assert [at for at, _ in itertools.islice(replayed([reading(0.0)], 2.0, True), 3)] == [0.0, 0.5, 1.0]
    records = [reading(at) for at in (0.0, 1.0, -5.0, 2.0)]
    assert [at for at, _ in replayed(records, 1.0, False)] == [0.0, 1.0, 1.0, 2.0]


def test_processes_keep_their_age_when_moved():
    record = moved(reading(7.0, pid=1, age_s=60.0), 1_800_000_000.0, 2.0)
    assert record.taken_at == 1_800_000_000.0
    assert record.local[1].started_at == 1_800_000_000.0 - 60.0
    assert record.period_s == 0.5
    assert moved(reading(7.0), 5.0, 1.0).local == {}


def test_a_process_that_outlives_the_round_grows_older_one_that_does_not_starts_anew():
    records = [
        Reading(BASE + at, 0.3, SourceInfo("npu-smi"), local={
            1: LocalProcess(1, started_at=BASE - 100.0),
            **({2: LocalProcess(2, started_at=BASE + 1.0)} if at else {}),
        })
        for at in (0.0, 1.0, 2.0)
    ]  # fmt: skip
    ages = [
        {pid: at + BASE - moved(record, BASE + at, 1.0).local[pid].started_at for pid in record.local}
        for at, record in itertools.islice(replayed(records, 1.0, True), 6)
    ]
    assert [age[1] for age in ages] == [100.0, 101.0, 102.0, 103.0, 104.0, 105.0]
    assert [age.get(2) for age in ages] == [None, 0.0, 1.0, None, 0.0, 1.0]


def test_replay_hands_on_readings_taken_now_in_order_and_in_time(recording):
    path = recording(*(reading(float(second), 10 * second) for second in range(3)))
    said = queue.Queue()
    source = RecordingSource(path, speed=50.0)
    before = time.time()
    source.start(lambda record: said.put((time.time(), record)))
    heard = [said.get(timeout=DEADLINE_S) for _ in range(7)]
    source.stop()
    assert [record.chips[0].aicore_pct for _, record in heard] == [0, 10, 20, 0, 10, 20, 0]
    times = [record.taken_at for _, record in heard]
    assert [round(later - earlier, 6) for earlier, later in zip(times, times[1:])] == [0.02] * 6
    assert all(at >= record.taken_at - 0.001 for at, record in heard)
    assert abs(times[0] - before) < DEADLINE_S


def test_without_a_loop_it_ends(recording):
    said = queue.Queue()
    source = RecordingSource(recording(reading(0.0), reading(1.0)), speed=100.0, loop=False)
    source.start(said.put)
    source._thread.join(DEADLINE_S)
    assert said.qsize() == 2
    source.stop()


def test_the_lead_is_a_history_and_the_replay_goes_on_after_it(recording):
    path = recording(*(reading(float(second), second) for second in range(10)))
    said = queue.Queue()
    source = RecordingSource(path, speed=20.0, lead_s=4.0)
    lead = source.lead()
    source.start(said.put)
    first = said.get(timeout=DEADLINE_S)
    source.stop()
    assert [record.chips[0].aicore_pct for record in lead] == [0, 1, 2, 3]
    assert first.chips[0].aicore_pct == 4
    assert round(first.taken_at - lead[0].taken_at, 6) == 4 / 20
    assert lead[-1].taken_at < time.time()


def test_a_replay_that_was_suspended_does_not_catch_up(recording, monkeypatch):
    path = recording(*(reading(float(second), second) for second in range(100)))
    said = queue.Queue()
    source = RecordingSource(path, speed=100.0)
    source._begin = (time.time() - 600.0, time.monotonic() - 600.0)
    source.start(said.put)
    heard = [said.get(timeout=DEADLINE_S) for _ in range(3)]
    source.stop()
    assert all(abs(record.taken_at - time.time()) < DEADLINE_S for record in heard)


@pytest.mark.parametrize(("content", "code"), [(None, "not-found"), (b"garbage\n", "unreadable")])
def test_a_recording_that_cannot_be_read_is_one_reading_that_says_so(tmp_path, content, code):
    path = tmp_path / "readings.jsonl"
    if content is not None:
        path.write_bytes(content)
    said = queue.Queue()
    source = RecordingSource(path, lead_s=5.0)
    assert source.lead() == []
    source.start(said.put)
    record = said.get(timeout=DEADLINE_S)
    source.stop()
    assert not record.source.ok and record.chips == ()
    assert [problem.code for problem in record.problems] == [code]
    assert str(path) in told(record.problems[0].message)


def test_stop_ends_a_long_wait_and_says_nothing_more(recording):
    said = queue.Queue()
    source = RecordingSource(recording(reading(0.0), reading(3600.0)))
    source.start(said.put)
    said.get(timeout=DEADLINE_S)
    source.stop()
    source._thread.join(DEADLINE_S)
    assert not source._thread.is_alive()
    assert said.empty()
