"""The demo's folder as the real discovery sees it; times are handed in except where a thread plays."""

from __future__ import annotations

import csv
import io
import json
import os
import queue
import threading
import time
from datetime import datetime
from pathlib import Path

import pytest

from npuscope.demo import play
from npuscope.demo.play import BEGIN_S, PIECES, DemoBox, moved, recorded, schedule
from npuscope.parsers.discovery.runs import find_runs, look_at
from npuscope.sources.directories import DirectorySource

DEADLINE_S = 30.0
NOW = 1_790_000_000.25


def steps():
    return schedule([list(files) for files in recorded().values()])


def test_the_first_is_ready_within_eight_seconds_and_a_new_one_comes_about_every_fifteen():
    ready = [max(step.at_s for step in steps() if step.run == number) for number in range(6)]
    assert ready[0] < 8
    assert all(10 <= later - earlier <= 25 for earlier, later in zip(ready, ready[1:]))
    assert all(end - begin <= 6 for begin, end in zip(BEGIN_S, ready))


def test_every_file_comes_into_being_once_in_pieces_and_in_order():
    for number, files in enumerate(recorded().values()):
        own = [step for step in steps() if step.run == number]
        last = {step.path: step for step in own}
        assert set(last) == set(files)
        assert all(step.piece == step.pieces for step in last.values())
        assert len(own) == len(files) + PIECES - 1
        assert own[-1].path.endswith("README.txt")
        assert [step.at_s for step in own] == sorted(step.at_s for step in own)


def test_a_run_goes_through_its_states_as_the_discovery_sees_them(tmp_path):
    """Files get the times they would have; nothing waits."""
    folder, files = list(recorded().items())[3]
    run, states = tmp_path / folder, []
    for step in (step for step in steps() if step.run == 3):
        path = run / step.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(files[step.path][: len(files[step.path]) * step.piece // step.pieces])
        at = NOW + step.at_s
        for changed in (path, path.parent, run):
            os.utime(changed, (at, at))
        found = look_at(run, at + 0.01)
        if found.state not in states[-1:]:
            states.append(found.state)
    assert states == ["collecting", "collected", "exporting", "ready"]


def test_a_moved_run_is_the_recorded_one_with_other_times():
    for folder, files in recorded().items():
        named, content = moved(folder, files, NOW)
        local = datetime.fromtimestamp(int(NOW))
        assert named == f"{folder[:12]}{local:%Y%m%d%H%M%S}250_{folder[-16:]}"
        assert len(content) == len(files)
        began = int(json.loads(content["host/start_info"])["collectionTimeBegin"])
        assert began == round(NOW * 1e6)
        shift = began - int(json.loads(files["host/start_info"])["collectionTimeBegin"])
        assert json.loads(content["device_0/sample.json"])["result_dir"].endswith(f"/{named}/device_0/")
        old, new = (table(part) for part in (files, content))
        assert len(old) == len(new)
        for before, after in zip(old, new):
            assert int(after[8].strip().replace(".", "")) - int(before[8].strip().replace(".", "")) == 1000 * shift
            assert after[8].endswith("\t")
            assert before[:8] + before[9:] == after[:8] + after[9:]
        names = sorted(path.rpartition("/")[2] for path in content if path.endswith(".csv"))
        assert all(abs(int(name[-18:-4]) - int(f"{local:%Y%m%d%H%M%S}")) < 10_000 for name in names)


def table(files):
    data = next(data for path, data in files.items() if "op_summary" in path)
    return list(csv.reader(io.StringIO(data.decode())))[1:]


def test_the_recorded_readings_begin_with_two_minutes_of_history():
    said = queue.Queue()
    source = play.recorded_source(speed=10.0)
    lead = source.lead()
    source.start(said.put)
    first = said.get(timeout=DEADLINE_S)
    source.stop()
    assert len(lead) == 120
    assert lead[0].taken_at < lead[-1].taken_at < first.taken_at
    assert [chip.aicore_pct for chip in lead[0].chips][:4] == [0, 0, 0, 0]
    assert min(chip.aicore_pct for chip in first.chips[:4]) > 90


def test_all_at_once_for_those_who_only_want_to_read(tmp_path):
    box = DemoBox()
    try:
        now = time.time()
        box.fill(now, unfinished=1)
        runs = find_runs(box.folder, now + 60)
        assert [run.state for run in runs] == ["collected"] + ["ready"] * 5
        assert [run.name[5:11] for run in runs] == [f"{number:06d}" for number in range(6, 0, -1)]
        assert all(now - 120 < run.started_at <= now for run in runs)
    finally:
        box.stop()
    assert not box.folder.exists()


def test_the_real_watcher_and_the_real_discovery_see_the_show():
    """Thirty times as fast: every run appears, and the last one becomes ready."""
    ready, seen = threading.Event(), {}
    with DemoBox(speed=30.0) as box:

        def look(_):
            for run in find_runs(box.folder, time.time()):
                seen.setdefault(run.name, []).append(run.state)
            if len(seen) == 6 and all(states[-1] == "ready" for states in seen.values()):
                ready.set()

        source = DirectorySource([box.folder], poll_s=0.1, settle_s=0.5)
        source.start(look)
        assert ready.wait(DEADLINE_S), seen
        source.stop()
        folder = box.folder
        assert folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()


def test_a_box_that_is_stopped_early_leaves_nothing(monkeypatch):
    written = queue.Queue()
    write = play._write
    monkeypatch.setattr(play, "_write", lambda path, data: (write(path, data), written.put(path)))
    box = DemoBox(speed=30.0)
    box.start()
    written.get(timeout=DEADLINE_S)
    box.stop()
    box._thread.join(DEADLINE_S)
    assert not box._thread.is_alive()
    assert not box.folder.exists()
    box.stop()


def test_a_folder_that_vanishes_ends_the_show_quietly(monkeypatch, capfd):
    def refuse(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(play, "_write", refuse)
    with DemoBox(speed=30.0) as box:
        box._thread.join(DEADLINE_S)
        assert not box._thread.is_alive()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("zone", ["UTC", "Asia/Shanghai", "America/St_Johns"])
def test_names_carry_this_box_s_time(monkeypatch, zone):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        folder, files = next(iter(recorded().items()))
        named, _ = moved(folder, files, NOW)
        run = look_at(Path("/") / named, NOW)
        assert run.started_at == pytest.approx(NOW, abs=0.001)
    finally:
        monkeypatch.undo()
        time.tzset()
