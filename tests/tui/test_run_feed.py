"""Which runs a folder holds after a change: the whole folder is listed only where a run came or went."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace

import pytest

from npuscope.sources.directories import Changed
from npuscope.tui import feeds
from npuscope.tui.feeds import listing_after

NAMES = [f"PROF_00000{n}_2026010203040500{n}_ABCDEFGHIJKLMNOP" for n in (1, 2, 3)]


def export(run, text="a,b\n1,2\n"):
    output = run / "mindstudio_profiler_output"
    output.mkdir(parents=True, exist_ok=True)
    table = output / "op_summary_20260102030500.csv"
    table.write_text(text, encoding="utf-8")
    os.utime(table, (1_767_300_000, 1_767_300_000))
    return run


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Three runs, known; `folder.listings` counts how often the whole folder is listed from then on."""
    for name in NAMES:
        export(tmp_path / name)
    known, listings, list_runs = feeds.list_runs(tmp_path, time.time()), [], feeds.list_runs
    monkeypatch.setattr(feeds, "list_runs", lambda *args: (listings.append(args), list_runs(*args))[1])

    def after(*paths):
        return listing_after(Changed(tmp_path, paths), known, time.time())

    return tmp_path, known, listings, after


def test_a_run_that_changed_is_looked_at_alone(folder):
    root, known, listings, after = folder
    (root / NAMES[1] / "mindstudio_profiler_output" / "op_summary_20260102030500.csv").write_text("")
    found = after(root / NAMES[1])
    assert not listings
    assert {run.name: run.state for run in found.runs} == dict(zip(NAMES, ("ready", "exporting", "ready")))
    assert sum(now is before for now in found.runs for before in known.runs) == 2


def test_a_new_run_and_one_that_is_gone_have_the_folder_listed(folder):
    root, _, listings, after = folder
    new = export(root / "PROF_000009_20260102030405009_ABCDEFGHIJKLMNOP")
    assert len(after(new).runs) == 4
    shutil.rmtree(root / NAMES[0])
    assert {run.name for run in after(root / NAMES[0]).runs} == {*NAMES[1:], new.name}
    assert len(listings) == 2


def test_what_is_no_run_by_itself_has_the_folder_listed(folder):
    root, known, listings, after = folder
    loose = root / "notes.csv"
    loose.write_text("a,b\n", encoding="utf-8")
    assert after(loose) == known
    assert len(listings) == 1


def test_closed_folders_stay_known_while_single_runs_change(folder):
    root, known, _, _ = folder
    before = replace(known, closed=("/closed",))
    assert listing_after(Changed(root, (root / NAMES[1],)), before, time.time()) == before


def test_nothing_changed_but_how_the_folder_is_watched(folder):
    _, known, listings, after = folder
    assert after() == known
    assert not listings


def test_the_first_word_lists_the_folder(folder):
    root, known, listings, _ = folder
    assert listing_after(Changed(root), known, time.time()) == known
    assert listing_after(Changed(root, (root / NAMES[0],)), None, time.time()) == known
    assert len(listings) == 2
