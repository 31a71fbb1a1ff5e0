"""Opening a profile: judged once, brought back after that; with another chip judged anew."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from made_profile import write_profile
from same_records import spelled

from npuscope.analysis.basis import Basis, Calibration
from npuscope.analysis.summarize import summarize
from npuscope.parsers.discovery.runs import find_runs, look_at
from npuscope.parsers.msprof.reader import read_profile
from npuscope.sources import loading
from npuscope.sources.cache import Cache
from npuscope.tui import jobs, opening, text
from npuscope.tui.operators.drillfacts import floor_notes
from npuscope.tui.runs import headlines

FIXTURES = Path(__file__).parents[1] / "fixtures" / "msprof"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.json"))
LATER = time.time() + 3600


@pytest.fixture(autouse=True)
def everything_is_worth_it(monkeypatch):
    monkeypatch.setattr(loading, "WORTH_BYTES", 0)


@pytest.fixture
def run(tmp_path):
    write_profile(tmp_path / "data")
    (found,) = find_runs(tmp_path / "data", LATER)
    return found


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made = opening.usual_cache()
    assert made is not None
    return made


@pytest.fixture
def judged(monkeypatch):
    """The chips runs were judged for."""
    found = []

    def judge(profile, chip=None, hbm_gbps=None, *more):
        found.append((chip, hbm_gbps))
        return summarize(profile, chip, hbm_gbps, *more)

    monkeypatch.setattr(opening, "summarize", judge)
    return found


def test_a_run_is_judged_once_for_each_chip(run, cache, judged):
    for _ in range(2):
        for chip, hbm_gbps in (("910B3", None), ("910B1", None), ("910B3", 1000.0), (None, None)):
            summary = opening.open_summary(run, Basis(chip, hbm_gbps), cache)
            assert spelled(summary) == spelled(summarize(read_profile(run), chip, hbm_gbps))
    assert judged == [("910B3", None), ("910B1", None), ("910B3", 1000.0), (None, None)]
    assert cache.content().runs == 1


def test_without_a_cache_it_is_judged_each_time(run, cache, judged):
    for _ in range(2):
        opening.open_summary(run)
    assert len(judged) == 2 and opening.usual_cache(False) is None
    assert not cache.folder.exists()


@pytest.mark.parametrize("name", NAMES)
def test_every_summary_can_be_kept(name, cache):
    """A record that cannot be kept would be read anew each time, and nobody would notice."""
    path = FIXTURES / f"{name}.csv"
    summary = summarize(read_profile(look_at(path if path.exists() else FIXTURES / name, LATER)), "910B3")
    kept = cache.keep("0" * 32, "summary", summary)
    assert kept is not summary
    assert spelled(kept) == spelled(summary)


def test_a_run_that_is_known_has_no_first_table(run, cache):
    args = (run, Basis(), True)
    assert jobs.first_types(*args) is not None
    jobs.open_run(*args)
    assert jobs.first_types(*args) is None
    assert jobs.first_types(run, Basis("910B1"), True) is not None
    assert jobs.first_types(run, Basis(), False) is not None


def test_a_list_keeps_nothing_but_uses_what_is_there(run, cache, monkeypatch):
    args = (run, Basis(), True)
    monkeypatch.setattr(jobs, "BIG_BYTES", run.size_bytes)
    totals = jobs.headline(*args)
    assert totals.label == headlines.UNREAD and not cache.folder.exists()
    jobs.open_run(*args)
    assert jobs.headline(*args) == headlines.of_summary(summarize(read_profile(run)))


def test_a_list_reads_a_small_run_and_does_not_keep_it(run, cache):
    assert jobs.headline(run, Basis(), True) == headlines.of_summary(summarize(read_profile(run)))
    assert not cache.folder.exists()


def test_a_vanished_profile_does_not_keep_a_summary_alone(run, cache, monkeypatch):
    """The summary's columns lie in the profile's part."""
    monkeypatch.setattr(Cache, "has", lambda self, key, part: False)
    opening.open_summary(run, cache=cache)
    monkeypatch.undo()
    assert [path.name for path in cache.folder.glob("*/*")] == ["profile"]


def test_a_floor_names_the_bandwidth_it_rests_on(run):
    """Published, measured on this box, or given: the peaks' line must not call the latter two the chips table's."""
    text.set_language("en")
    measured = Calibration("Ascend910B3", 1200.0, "2026-01-02", "PROF_1", "Add", "8192,8192", 6)
    for more, said, table in (
        ({}, "HBM 1.6 TB/s", True),
        ({"hbm_gbps": 1000.0}, "HBM 1000 GB/s (--hbm-gbps)", False),
        ({"calibrations": (measured,)}, "calibrated 2026-01-02 from Add 8192,8192, 6 calls, PROF_1", False),
    ):
        summary = summarize(read_profile(run), "910B3", **more)
        notes = floor_notes(summary, {"bound_us": 1.0}, summary.type_verdicts[0])
        assert any(said in note for note in notes), notes
        assert any("HBM" in note and "chips table" in note for note in notes) == table
