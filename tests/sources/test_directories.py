"""Watching folders end to end: with events, with the poll only, with both against the same changes."""

from __future__ import annotations

import ctypes
import os
import queue
import shutil
import time
from pathlib import Path

import pytest
from watchdog.events import FileSystemEventHandler
from watchdog.observers import inotify_c

from npuscope.sources import events
from npuscope.sources.directories import Changed, DirectorySource
from npuscope.tui.text import LANGUAGES, load

NAME = "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP"
OTHER = "PROF_000002_20260102030406006_ABCDEFGHIJKLMNOP"
DEADLINE_S = 20.0


class Listener:
    """What a source said, waited for with a deadline."""

    def __init__(self, *roots, **options):
        self.said = queue.Queue()
        self.source = DirectorySource(list(roots), **{"poll_s": 0.05, "settle_s": 0.3, **options})

    def __enter__(self):
        self.source.start(self.said.put)
        self.until(lambda changed: "first look" not in self.source.how)
        return self

    def __exit__(self, *_):
        self.source.stop()

    def until(self, wanted):
        """The first thing said that is wanted; what was said before it is dropped."""
        end = time.monotonic() + DEADLINE_S
        while True:
            changed = self.said.get(timeout=max(0.01, end - time.monotonic()))
            if wanted(changed):
                return changed

    def told(self, path):
        """Wait until this path is spoken of."""
        return self.until(lambda changed: changed.paths is not None and path in changed.paths)

    def whole(self, root):
        """Wait until all of a root is spoken of."""
        return self.until(lambda changed: changed == Changed(root))


@pytest.fixture(params=["events", "events that never come", "poll"])
def way(request, monkeypatch):
    """The three ways a change reaches us; where events shall do it, the poll comes too seldom to help."""
    if request.param == "events that never come":
        monkeypatch.setattr(events, "_handler", lambda *_: FileSystemEventHandler())
    elif request.param == "poll":
        monkeypatch.setattr(events, "silent_file_system", lambda _: "nfs4")
    return request.param


@pytest.fixture
def poll_s(way):
    return 600.0 if way == "events" else 0.05


def export(run):
    output = run / "mindstudio_profiler_output"
    output.mkdir(parents=True, exist_ok=True)
    (output / "op_summary_20260102030500.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    return run


def test_every_root_is_spoken_of_at_the_start(tmp_path):
    (tmp_path / "a").mkdir()
    said = queue.Queue()
    source = DirectorySource([tmp_path / "a", tmp_path / "missing"])
    source.start(said.put)
    assert said.get(timeout=DEADLINE_S) == Changed(tmp_path / "a")
    assert said.get(timeout=DEADLINE_S) == Changed(tmp_path / "missing")
    source.stop()


def test_a_run_grown_step_by_step_then_settled(tmp_path, way, poll_s):
    run = tmp_path / NAME
    with Listener(tmp_path, poll_s=poll_s) as listener:
        run.mkdir()
        listener.told(run)
        (run / "device_0").mkdir()
        listener.told(run)
        (run / "device_0" / "end_info.0").write_text("{}", encoding="utf-8")
        (run / "mindstudio_profiler_output").mkdir()
        listener.told(run)
        with (run / "mindstudio_profiler_output" / "op_summary_1.csv").open("w", encoding="utf-8") as table:
            for _ in range(3):
                table.write("a,b\n")
                table.flush()
            listener.told(run)
        listener.told(run)
        assert listener.source.how == ("polling (nfs4)" if way == "poll" else "events")


def test_a_growing_file_is_told_again_after_it_settled(tmp_path, way, poll_s):
    """The last word comes settle_s after the last change, so that 'exporting' becomes 'ready' without a key."""
    with Listener(tmp_path, poll_s=poll_s, settle_s=0.5) as listener:
        export(tmp_path / NAME)
        changed_at = (tmp_path / NAME / "mindstudio_profiler_output" / "op_summary_20260102030500.csv").stat().st_mtime
        end = time.monotonic() + DEADLINE_S
        while time.time() < changed_at + 0.5 and time.monotonic() < end:
            listener.told(tmp_path / NAME)
        assert time.time() >= changed_at + 0.5


def test_a_run_half_written_at_the_start_is_told_when_it_settled(tmp_path):
    export(tmp_path / NAME)
    with Listener(tmp_path, poll_s=600.0) as listener:
        assert listener.told(tmp_path / NAME) == Changed(tmp_path, (tmp_path / NAME,))


def test_a_whole_tree_at_once(tmp_path, way, poll_s):
    away = tmp_path / "away"
    root = tmp_path / "root"
    root.mkdir()
    runs = [root / "host1" / f"PROF_{number:06d}_20260102030405006_AB" for number in range(20)]
    for run in runs:
        export(away / run.relative_to(root))
    with Listener(root, poll_s=poll_s) as listener:
        (away / "host1").rename(root / "host1")
        left = set(runs)
        while left:
            left -= set(listener.until(lambda changed: changed.paths).paths)


def test_deleted_and_renamed(tmp_path, way, poll_s):
    export(tmp_path / NAME)
    export(tmp_path / OTHER)
    third = tmp_path / "PROF_000003_20260102030407006_AB"
    with Listener(tmp_path, poll_s=poll_s) as listener:
        shutil.rmtree(tmp_path / NAME)
        listener.told(tmp_path / NAME)
        (tmp_path / OTHER).rename(third)
        left = {tmp_path / OTHER, third}
        while left:
            left -= set(listener.until(lambda changed: changed.paths).paths)


def test_a_root_that_comes_later_goes_and_returns(tmp_path):
    root = tmp_path / "later"
    with Listener(root) as listener:
        assert listener.source.how == "polling (not there)"
        root.mkdir()
        listener.whole(root)
        export(root / NAME)
        listener.told(root / NAME)
        listener.until(lambda _: listener.source.how == "events")
        shutil.rmtree(root)
        listener.whole(root)
        export(root / NAME)
        listener.whole(root)
        export(root / OTHER)
        listener.told(root / OTHER)


def test_a_root_that_is_a_file(tmp_path):
    table = tmp_path / "op_summary.csv"
    table.write_text("a", encoding="utf-8")
    with Listener(table) as listener:
        assert listener.source.how == "polling (one file)"
        table.write_text("a,b", encoding="utf-8")
        listener.told(table)


def test_loose_tables_other_files_and_links_in_a_circle(tmp_path, way, poll_s):
    (tmp_path / "circle").symlink_to(tmp_path)
    with Listener(tmp_path, poll_s=poll_s) as listener:
        (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
        (tmp_path / "kernel_details.csv").write_text("x", encoding="utf-8")
        assert listener.until(lambda changed: changed.paths).paths == (tmp_path / "kernel_details.csv",)


def test_paths_are_named_as_the_root_was(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    with Listener(Path("link"), poll_s=600.0) as listener:
        export(tmp_path / "real" / NAME)
        assert listener.told(Path("link") / NAME).root == Path("link")


def test_rescan_speaks_of_every_root_at_once(tmp_path):
    with Listener(tmp_path, poll_s=600.0) as listener:
        listener.source.rescan()
        listener.whole(tmp_path)


def test_raw_data_that_pours_in_is_one_run_not_a_thousand_calls(tmp_path):
    data = tmp_path / NAME / "device_0" / "data"
    data.mkdir(parents=True)
    with Listener(tmp_path, poll_s=600.0, settle_s=600.0) as listener:
        for number in range(1000):
            (data / f"stars_soc.data.0.slice_{number}").write_bytes(b"x")
        (tmp_path / OTHER).mkdir()
        listener.told(tmp_path / OTHER)
        assert listener.said.qsize() < 3


@pytest.mark.parametrize("number", [24, 28])
def test_no_more_watches_to_be_had(tmp_path, monkeypatch, number):
    """EMFILE (instances) and ENOSPC (watches) of the kernel: only the poll is left, and says so."""

    def refuse(*_):
        ctypes.set_errno(number)
        return -1

    monkeypatch.setattr(inotify_c, "inotify_init" if number == 24 else "inotify_add_watch", refuse)
    with Listener(tmp_path) as listener:
        assert listener.source.how == "polling (inotify limit)"
        export(tmp_path / NAME)
        listener.told(tmp_path / NAME)


def test_too_many_folders_for_the_kernel(tmp_path, monkeypatch):
    monkeypatch.setattr(events, "MOST_FOLDERS", 3)
    for number in range(5):
        (tmp_path / str(number)).mkdir()
    with Listener(tmp_path) as listener:
        assert listener.source.how == "polling (too many folders)"


def test_when_watchdog_breaks_down_the_poll_goes_on(tmp_path, monkeypatch):
    with Listener(tmp_path) as listener:
        assert listener.source.how == "events"
        monkeypatch.setattr(events.Events, "broken", property(lambda self: self._observer is not None))
        listener.source.rescan()
        listener.until(lambda _: listener.source.how == "polling (inotify limit)")
        export(tmp_path / NAME)
        listener.told(tmp_path / NAME)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_root_without_permission_is_watched_once_it_may_be_read(tmp_path):
    root = tmp_path / "closed"
    export(root / NAME)
    root.chmod(0)
    with Listener(root) as listener:
        assert listener.source.how == "polling (permission)"
        root.chmod(0o755)
        listener.told(root / NAME)
        listener.until(lambda _: listener.source.how == "events")


def test_several_roots_watched_in_several_ways(tmp_path, monkeypatch):
    assert DirectorySource([tmp_path]).how == "polling (first look)"
    monkeypatch.setattr(events, "silent_file_system", lambda _: "fuse.sshfs")
    with Listener(tmp_path, tmp_path / "none") as listener:
        assert listener.source.how == "polling (fuse.sshfs), polling (not there)"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_to_poll_has_words(language):
    words = load(language)
    assert {f"watch.{reason.replace(' ', '_')}" for reason in events.REASONS} <= words.keys()


def test_no_call_after_stop_and_no_thread_left(tmp_path):
    with Listener(tmp_path) as listener:
        thread = listener.source._thread
    thread.join(DEADLINE_S)
    assert not thread.is_alive()
    before = listener.said.qsize()
    export(tmp_path / NAME)
    listener.source.rescan()
    assert listener.said.qsize() == before
    listener.source.stop()
