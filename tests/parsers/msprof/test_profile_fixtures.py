"""Every profile fixture is found and read as its .json says; cut and garbage forms of it never raise anything else."""

from __future__ import annotations

import dataclasses
import json
import math
import shutil
import time
from datetime import datetime
from pathlib import Path

import pytest

from npuscope.parsers.discovery.runs import find_runs, look_at
from npuscope.parsers.msprof.reader import quick_types, read_profile
from npuscope.parsers.profile import KINDS, STATES, Profile
from npuscope.parsers.say import ParseError
from npuscope.parsers.table import Strings
from npuscope.tui import text

FIXTURES = Path(__file__).parents[2] / "fixtures" / "msprof"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.json"))
LATER = time.time() + 3600  # so that freshly checked out files count as finished


def fixture(name):
    path = FIXTURES / f"{name}.csv"
    return path if path.exists() else FIXTURES / name


def profile_of(path) -> Profile:
    run = look_at(path, LATER)
    assert run is not None
    return read_profile(run)


def plain(value):
    return None if isinstance(value, float) and math.isnan(value) else value


def by_type(table):
    found: dict[str, list[float]] = {}
    names, types = table.strings("name").tolist(), table.strings("type").tolist()
    for name, kind, us in zip(names, types, table.numbers("duration_us").tolist()):
        entry = found.setdefault(str(name if kind is None else kind), [0, 0.0])
        entry[0] += 1
        entry[1] += us
    return found


def test_there_are_fixtures_of_every_kind():
    kinds = {json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))["kind"] for name in NAMES}
    assert kinds == set(KINDS) - {"db"}


@pytest.mark.parametrize("name", NAMES)
def test_fixture(name):
    want = json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))
    run = look_at(fixture(name), LATER)
    assert (run.kind, run.state in STATES) == (want["kind"], True)
    profile = read_profile(run)
    assert profile.run.state == want["state"]
    assert [p.code for p in profile.problems if p.code not in want.get("problems", [p.code])] == []
    assert set(want.get("problems", ())) <= {p.code for p in profile.problems}
    check_rows(profile, want)
    check_about(profile, want)
    for column in profile.ops.columns:
        assert column in profile.sources or column in ("type", "core", "start_ns", "carried")


def check_rows(profile, want):
    ops = profile.ops
    for key, got in (("rows", len(ops)), ("rows_skipped", profile.rows_skipped)):
        assert got == want.get(key, got)
    if "types" in want:
        got = by_type(ops)
        assert sorted(got) == sorted(want["types"])
        for kind, (count, us) in want["types"].items():
            assert got[kind] == [count, pytest.approx(us, abs=1e-6)]
        starts = sorted(start for start in ops.numbers("start_ns").tolist() if start != -1)
        assert starts[:3] == want["starts_ns"]
    if "total_us" in want:
        assert sum(ops.numbers("duration_us").tolist()) == pytest.approx(want["total_us"])
    for column, value in want.get("first", {}).items():
        got = plain(ops.row(0).get(column))
        assert got == (value if value is None or isinstance(value, str) else pytest.approx(value, rel=1e-6)), column
    for column in want.get("columns_absent", ()):
        assert column not in ops
    if "statistic" in want:
        rows = [profile.statistic.row(row) for row in range(len(profile.statistic))]
        got = {
            f"{r['type']}|{r['core']}": [r[k] for k in ("count", "total_us", "min_us", "mean_us", "max_us")]
            for r in rows
        }
        assert got == want["statistic"]


def check_about(profile, want):
    for key in ("rank", "chip", "family", "level", "cann", "aic_metrics", "cube_cores", "vector_cores", "aic_freq_mhz"):
        assert getattr(profile.metadata, key) == want.get(key, getattr(profile.metadata, key)), key
    if "devices" in want:
        assert list(profile.metadata.devices) == want["devices"]
    if "started" in want:
        day, hour, minute, second = want["started"]
        assert profile.run.started_at == pytest.approx(
            datetime.fromisoformat(f"{day}T{hour:02}:{minute:02}").timestamp() + second
        )
    if "ignored" in want:
        assert sorted(one.file for one in profile.run.ignored) == want["ignored"]
    assert (profile.run.next_command or "").startswith(want.get("command", ""))
    if "command" in want:
        place = Path(profile.run.path)
        place = place.parent if "./YOUR_PROGRAM" in profile.run.next_command else place
        assert str(place) in profile.run.next_command.replace("'\"'\"'", "'")
    for code, line in want.get("lines", {}).items():
        assert line in [p.line for p in profile.problems if p.code == code]
    text.set_language("en")
    for code, words in want.get("says", {}).items():
        assert any(words in text.told(p.message) for p in profile.problems if p.code == code)


@pytest.mark.parametrize("language", text.LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_everything_said_is_in_the_catalogue(name, language):
    text.set_language(language)
    profile = profile_of(fixture(name))
    said = [p.message for p in profile.problems] + [p.hint for p in profile.problems if p.hint]
    said += [profile.run.reason] if profile.run.reason else []
    said += [one.reason for one in profile.run.ignored]
    assert all(text.told(sentence) for sentence in said)


def csv_files():
    return sorted(path for path in FIXTURES.rglob("*.csv") if path.stat().st_size)


def copied(path, tmp_path):
    """The run that a csv belongs to, copied, and the copy of that csv."""
    top = FIXTURES / path.relative_to(FIXTURES).parts[0]
    target = tmp_path / top.name
    if top.is_dir():
        shutil.copytree(top, target)
    else:
        shutil.copy(top, target)
    return target, tmp_path / path.relative_to(FIXTURES)


@pytest.mark.parametrize("path", csv_files(), ids=lambda path: str(path.relative_to(FIXTURES)))
def test_cut_and_garbage_forms_give_a_profile_or_a_parse_error(path, tmp_path):
    target, file = copied(path, tmp_path)
    whole = path.read_bytes()
    forms = [whole[: len(whole) * part // 7] for part in range(7)]
    forms += [whole[:-2], whole + b"\0\0\0", whole.replace(b",", b"\0", 9), b"\xff\xfe" * 50, b'"', b"\n\n\n", b",,,\n"]
    forms += [whole.replace(b'"', b"", 3), whole.replace(b"\n", b"\r"), whole + b'"' + whole]
    for form in forms:
        file.write_bytes(form)
        for run in find_runs(target, LATER):
            for read in (read_profile, quick_types):
                try:
                    read(run)
                except ParseError as error:
                    assert text.told(error.problem.message)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.csv")), ids=lambda path: path.stem)
def test_a_cut_file_never_gains_time(path, tmp_path):
    whole = path.read_bytes()
    total = sum(profile_of(path).ops.numbers("duration_us").tolist())
    for end in range(whole.find(b"\n") + 1, len(whole), 37):
        cut = tmp_path / "op_summary_1.csv"
        cut.write_bytes(whole[:end])
        try:
            assert sum(profile_of(cut).ops.numbers("duration_us").tolist()) <= total + 1e-6
        except ParseError as error:
            assert error.problem.code in ("no-operator-table", "empty-file")


def test_quick_types_agree_with_the_whole_table():
    for name in NAMES:
        run = look_at(fixture(name), LATER)
        profile = read_profile(run)
        quick = quick_types(run)
        totals = quick.numbers("total_us").tolist()
        assert totals == sorted(totals, reverse=True)
        assert isinstance(quick.columns["core"], Strings)
        table = profile.statistic if profile.statistic is not None and not len(profile.ops) else None
        if table is None:
            want = by_type(profile.ops)
        else:
            want = dict(zip(table.strings("type").tolist(), zip(table.numbers("count"), table.numbers("total_us"))))
        got: dict[str, list[float]] = {}
        for row in range(len(quick)):
            entry = got.setdefault(str(quick.row(row)["type"]), [0, 0.0])
            entry[0] += quick.row(row)["count"]
            entry[1] += quick.row(row)["total_us"]
        assert sorted(got) == sorted(want)
        for kind, (count, us) in want.items():
            assert got[kind] == [count, pytest.approx(us)]


def test_reading_changes_nothing_on_disk(tmp_path):
    for name in NAMES:
        target, _ = copied(fixture(name), tmp_path)
        before = {path: path.stat().st_mtime_ns for path in target.rglob("*")}
        read_profile(look_at(target, LATER))
        assert {path: path.stat().st_mtime_ns for path in target.rglob("*")} == before


def test_an_unreadable_run_is_refused_with_its_path():
    run = dataclasses.replace(look_at(fixture("made_bom"), LATER), state="unreadable", problems=())
    with pytest.raises(ParseError) as caught:
        read_profile(run)
    assert caught.value.problem.code == "permission"
    assert caught.value.problem.message.params["path"] == run.path
