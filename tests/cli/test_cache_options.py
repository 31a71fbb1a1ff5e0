"""The cache as commands see it: --no-cache, what a report keeps, and doctor's line about it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from made_profile import write_profile

from npuscope.cli import demo, doctor, doctor_checks, monitor, report
from npuscope.parsers.table import Table
from npuscope.sources import cachefolder, loading
from npuscope.sources.cache import Cache
from npuscope.tui import launch, text


@pytest.fixture(autouse=True)
def english(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(loading, "WORTH_BYTES", 0)
    text.set_language("en")


@pytest.fixture
def place(tmp_path) -> Path:
    return tmp_path / "cache" / "npuscope" / "profiles"


def reported(capsys, *words: str) -> dict:
    assert report.run(report.parser().parse_args([*words, "--json"])) == 0
    return json.loads(capsys.readouterr().out)


def test_a_report_keeps_and_takes_the_same(tmp_path, place, capsys, monkeypatch):
    run = str(write_profile(tmp_path / "data"))
    bare = reported(capsys, run, "--no-cache")
    assert not place.exists()
    first = reported(capsys, run)
    assert len(list(place.glob("*/*/record.json"))) == 2
    monkeypatch.setattr(loading, "read_profile", None)
    assert reported(capsys, run) == first
    for document in (bare, first):
        document.pop("created", None)
    assert bare == first


@pytest.mark.parametrize(("words", "cached"), [([], True), (["--no-cache"], False)])
def test_the_monitor_is_told(monkeypatch, words, cached):
    told = []
    monkeypatch.setattr(monitor, "launch", lambda options: told.append(options) or 0)
    assert monitor.run(monitor.parser().parse_args(words)) == 0
    assert told[0].cached is cached


def test_the_demo_keeps_nothing(monkeypatch):
    told = []
    monkeypatch.setattr(launch, "launch", lambda options: told.append(options) or 0)
    assert demo.run(demo.parser().parse_args([])) == 0
    assert told[0].cached is False


def line_of(monkeypatch) -> doctor_checks.Check:
    monkeypatch.setenv("PATH", "")
    return next(check for check in doctor_checks.profiles({"PATH": ""}, Path("/nowhere")) if check.name == "cache")


def page_of(check: doctor_checks.Check) -> str:
    """Without blanks: a path may be cut between two lines."""
    return "".join("".join(doctor.lines([check], [], 110)).split())


def test_doctor_tells_place_and_size_and_makes_nothing(monkeypatch, tmp_path, place):
    empty = line_of(monkeypatch)
    assert (empty.state, empty.values["path"], empty.values["bytes"]) == (doctor_checks.OK, str(place), 0)
    assert not (tmp_path / "cache").exists()
    Cache(place).keep("0" * 32, "profile", Table({"a": np.arange(100_000)}))
    full = line_of(monkeypatch)
    assert full.values["runs"] == 1 and full.values["bytes"] > 800_000
    page = page_of(full)
    assert str(place) in page and "800kBofatmost2.00GB;profilesthatopenatonce:1" in page


def test_doctor_tells_why_it_is_off_and_what_mends_it(monkeypatch, place):
    place.mkdir(parents=True)
    place.chmod(0o777)
    check = line_of(monkeypatch)
    assert (check.state, check.values["off"]) == (doctor_checks.NOTE, "shared")
    for reason in (cachefolder.CLOSED, cachefolder.SHARED, cachefolder.NETWORK):
        monkeypatch.setattr(cachefolder.CacheFolder, "obstacle", lambda self, reason=reason: reason)
        for language in text.LANGUAGES:
            text.set_language(language)
            page = page_of(line_of(monkeypatch))
            assert str(place) in page and "XDG_CACHE_HOME" in page
    monkeypatch.setattr(cachefolder, "usual_folder", lambda: None)
    assert line_of(monkeypatch).values["path"] is None
