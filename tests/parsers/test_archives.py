"""Profiles in archives: found by the names in them, read like the folder, nothing left behind; bad ones refused."""

from __future__ import annotations

import io
import os
import re
import shutil
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_ranks import write_prof

from npuscope.analysis.ranks.jobs import jobs
from npuscope.parsers import archive_members
from npuscope.parsers.archive_members import members, unpacked
from npuscope.parsers.archives import exists, inside, stem_of
from npuscope.parsers.discovery import archive as discovery_archive
from npuscope.parsers.discovery.runs import find_runs, look_at
from npuscope.parsers.msprof.reader import quick_types, read_profile
from npuscope.parsers.say import ParseError
from npuscope.tui import text

FIXTURES = Path(__file__).parent.parent / "fixtures" / "msprof"
PROF = FIXTURES / "PROF_000001_20240418071826722_FAIIQKPEMHJLPCIC"
RANK = FIXTURES / "rank2_torch_npu_2025_ascend_pt"
RAW = FIXTURES / "PROF_000001_20260102030405006_NOTEXPORTEDNOTEX"
LATER = time.time() + 3600
FORMATS = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


@pytest.fixture(autouse=True)
def private(tmp_path, monkeypatch):
    """Private folders are made where the test can see that they are gone."""
    place = tmp_path / "private"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    assert list(place.iterdir()) == []


def pack(target, *folders, flat=False):
    """An archive of folders; flat = of what is in the one folder."""
    base = folders[0] if flat else None
    files = [
        (path, path.relative_to(base if flat else folder.parent).as_posix())
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    if target.name.endswith(".zip"):
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
            for path, name in files:
                out.write(path, name)
    else:
        mode = {".tar": "w", ".gz": "w:gz", ".tgz": "w:gz", ".bz2": "w:bz2", ".xz": "w:xz"}[target.suffix]
        with tarfile.open(target, mode) as out:
            for path, name in files:
                out.add(path, name)
    os.utime(target, (LATER - 7200, LATER - 7200))
    return target


def told(profile):
    ops = profile.ops
    return {
        "state": profile.run.state,
        "reason": profile.run.reason and profile.run.reason.key,
        "kind": profile.run.kind,
        "rank": profile.run.rank,
        "rows": len(ops),
        "us": float(ops.numbers("duration_us").sum()) if len(ops) else 0,
        "columns": list(ops.columns),
        "problems": [problem.code for problem in profile.problems],
        "metadata": profile.metadata,
        "statistic": profile.statistic and len(profile.statistic),
    }


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("folder", [PROF, RANK], ids=["msprof", "torch_npu"])
def test_an_archive_is_its_folder(tmp_path, folder, suffix):
    archive = pack(tmp_path / f"{folder.name}{suffix}", folder)
    (run,) = find_runs(tmp_path, LATER)
    assert (run.path, run.name) == (str(archive), folder.name)
    assert look_at(archive, LATER) == run
    plain = look_at(folder, LATER)
    assert (run.kind, run.state, run.rank, run.files, run.started_at) == (
        plain.kind, plain.state, plain.rank, plain.files, plain.started_at,
    )  # fmt: skip
    progress = []
    profile = read_profile(run, progress.append)
    assert told(profile) == told(read_profile(plain))
    assert profile.run.path == str(archive)
    assert not any(str(tempfile.tempdir) in str(problem) for problem in profile.problems)
    assert progress == sorted(progress)
    assert quick_types(run).row(0) == quick_types(plain).row(0)


def test_a_folder_packed_without_itself(tmp_path):
    archive = pack(tmp_path / f"{PROF.name}.zip", PROF, flat=True)
    assert told(read_profile(look_at(archive, LATER))) == told(read_profile(look_at(PROF, LATER)))


def test_several_runs_are_called_by_their_paths(tmp_path):
    archive = pack(tmp_path / "ranks of tuesday.tar.gz", PROF, RANK, RAW)
    assert len(find_runs(tmp_path, LATER)) == 3  # its name tells nothing, but nothing else lies there
    assert look_at(archive, LATER) is None
    runs = {run.name: run for run in find_runs(archive, LATER)}
    assert sorted(runs) == sorted([PROF.name, RANK.name, RAW.name])
    for name, run in runs.items():
        assert run.path == str(archive / name)
        assert look_at(Path(run.path), LATER) == run
        assert exists(Path(run.path))
        assert told(read_profile(run))["rows"] == told(read_profile(look_at(FIXTURES / name, LATER)))["rows"]
    assert (runs[RAW.name].state, runs[RAW.name].files) == ("collected", ())
    assert runs[RAW.name].next_command.startswith("tar -xf ")
    assert look_at(archive / "nothing", LATER) is None


def test_an_archive_beside_its_folder_is_the_same_run(tmp_path):
    shutil.copytree(PROF, tmp_path / PROF.name)
    pack(tmp_path / f"{PROF.name}.zip", PROF)
    assert [run.path for run in find_runs(tmp_path, LATER)] == [str(tmp_path / PROF.name)]


def test_archives_of_any_name_are_looked_into_where_a_folder_has_nothing_else(tmp_path):
    """A folder that holds nothing but what a colleague sent."""
    archive = pack(tmp_path / "from a colleague.zip", PROF, RANK)
    (tmp_path / "photos.zip").write_bytes(b"not an archive")
    (tmp_path / "empty.tar.gz").touch()
    (tmp_path / "notes.txt").touch()
    assert {run.path for run in find_runs(tmp_path, LATER)} == {str(archive / f.name) for f in (PROF, RANK)}
    shutil.copytree(PROF, tmp_path / PROF.name)
    assert [run.path for run in find_runs(tmp_path, LATER)] == [str(tmp_path / PROF.name)]


def test_a_big_compressed_archive_is_known_by_its_name_until_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(discovery_archive, "LOOKED_INTO_BYTES", 10)
    archive = pack(tmp_path / f"{RANK.name}.tar.gz", RANK)
    (run,) = find_runs(tmp_path, LATER)
    assert (run.kind, run.state, run.files) == ("torch_npu", "ready", ())
    assert told(read_profile(run))["us"] == told(read_profile(look_at(RANK, LATER)))["us"]
    assert read_profile(run).run.rank == 2
    pack(tmp_path / "PROF_000001_20260102030405006_NOTHING.tar.gz", RAW)
    archive.unlink()
    (run,) = find_runs(tmp_path, LATER)
    with pytest.raises(ParseError) as refused:
        read_profile(run)
    assert refused.value.problem.code == "no-profile"


def test_an_archive_that_is_being_written_empty_or_closed(tmp_path):
    archive = pack(tmp_path / f"{PROF.name}.zip", PROF)
    now = archive.stat().st_mtime + 1
    assert look_at(archive, now).state == "exporting"
    archive.write_bytes(b"")
    os.utime(archive, (1, 1))
    assert look_at(archive, LATER).state == "empty"


def with_member(path, name, content=b"x", **more):
    if path.name.endswith(".zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr(name, content)
    else:
        with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as out:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            for key, value in more.items():
                setattr(entry, key, value)
            out.addfile(entry, io.BytesIO(content))
    os.utime(path, (1, 1))
    return path


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz"])
@pytest.mark.parametrize(
    "name", ["../evil.csv", "a/../../evil.csv", "/etc/evil.csv", "C:/evil.csv", "a\\..\\..\\evil.csv"]
)
def test_names_that_lead_out_refuse_the_archive(tmp_path, suffix, name):
    path = with_member(tmp_path / f"PROF_evil{suffix}", name)
    (run,) = find_runs(tmp_path, LATER)
    assert (run.state, run.problems[0].code) == ("damaged", "archive-unsafe")
    with pytest.raises(ParseError) as refused, unpacked(path, lambda name: True):
        pass
    assert refused.value.problem.code == "archive-unsafe"
    assert not list(tmp_path.rglob("evil.csv"))
    assert "evil" in text.told(refused.value.problem.message)


def test_links_and_devices_are_passed_over(tmp_path):
    path = tmp_path / "PROF_links.tar"
    with tarfile.open(path, "w") as out:
        for name, kind in (("link", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE), ("device", tarfile.CHRTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "/etc/passwd"
            out.addfile(entry)
        out.addfile(tarfile.TarInfo("plain"), io.BytesIO())
    assert [member.name for member in members(path)] == ["plain"]
    with unpacked(path, lambda name: True) as folder:
        assert [file.name for file in folder.iterdir()] == ["plain"]


@pytest.mark.parametrize("suffix", [".zip", ".tar.gz"])
def test_what_unfolds_beyond_measure_is_refused(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(archive_members, "RATIO_FROM_BYTES", 10_000)
    path = with_member(tmp_path / f"PROF_bomb{suffix}", "op_summary.csv", b"0" * 3_000_000)
    (run,) = find_runs(tmp_path, LATER)
    assert run.problems[0].code == "archive-bomb"
    with pytest.raises(ParseError) as refused, unpacked(path, lambda name: True):
        pass
    assert refused.value.problem.message.params["size"] == 3_000_000


@pytest.mark.parametrize("suffix", [".zip", ".tar"])
def test_sizes_are_bounded(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(archive_members, "MOST_BYTES", 1000)
    path = with_member(tmp_path / f"PROF_large{suffix}", "op_summary.csv", bytes(range(256)) * 10)
    with pytest.raises(ParseError) as refused, unpacked(path, lambda name: True):
        pass
    assert (refused.value.problem.code, refused.value.problem.message.params["room"]) == ("archive-too-large", 1000)
    with unpacked(path, lambda name: False) as folder:
        assert list(folder.iterdir()) == []


def test_a_member_that_is_longer_than_it_says(tmp_path):
    path = with_member(tmp_path / "PROF_untrue.zip", "a.csv", b"0123456789" * 100)
    raw = path.read_bytes()
    path.write_bytes(raw.replace((1000).to_bytes(4, "little"), (10).to_bytes(4, "little")))
    with pytest.raises(ParseError) as refused, unpacked(path, lambda name: True):
        pass
    assert refused.value.problem.code in ("archive-untrue", "damaged")


def test_a_password_and_too_many_files(tmp_path, monkeypatch):
    path = with_member(tmp_path / "PROF_locked.zip", "a.csv")
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    with pytest.raises(ParseError) as refused:
        members(path)
    assert refused.value.problem.code == "archive-locked"
    monkeypatch.setattr(archive_members, "MOST_MEMBERS", 0)
    with pytest.raises(ParseError) as refused:
        members(with_member(tmp_path / "PROF_many.tar", "a.csv"))
    assert refused.value.problem.code == "archive-too-many"


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("share", [0.02, 0.5, 0.95])
def test_a_cut_archive_is_told(tmp_path, suffix, share):
    archive = pack(tmp_path / f"{PROF.name}{suffix}", PROF)
    whole = archive.read_bytes()
    archive.write_bytes(whole[: int(len(whole) * share)])
    os.utime(archive, (1, 1))
    for run in find_runs(tmp_path, LATER):
        assert run.state in ("damaged", "partial", "ready", "empty", "collected")
        try:
            profile = read_profile(run)
        except ParseError as error:
            assert text.told(error.problem.message)
        else:
            assert profile.run.state != "ready" or len(profile.ops)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=300), st.sampled_from(FORMATS), st.integers(0, 2000), st.booleans())
def test_any_bytes_are_a_run_or_none(tmp_path, noise, suffix, at, whole):
    place = tmp_path / "noise"
    place.mkdir(exist_ok=True)
    archive = place / f"PROF_noise{suffix}"
    if not whole:
        archive.write_bytes(noise)
    else:
        raw = pack(archive, PROF).read_bytes()
        archive.write_bytes(raw[:at] + noise + raw[at + len(noise) :])
    os.utime(archive, (1, 1))
    for run in find_runs(place, LATER):
        try:
            read_profile(run)
        except ParseError as error:
            assert text.told(error.problem.message)
    archive.unlink()


def test_names_of_archives():
    assert stem_of("PROF_1.tar.gz") == "PROF_1"
    assert stem_of("a.TGZ") == "a"
    assert stem_of("a.tar") == "a"
    assert stem_of("a.gz") is None
    assert stem_of(".zip") is None
    assert inside("/nowhere/a.zip/b") is None


def test_a_member_without_a_name_is_passed_over(tmp_path):
    path = tmp_path / "PROF_000001_20260102030405006_AB.zip"
    with zipfile.ZipFile(path, "w") as out:
        out.writestr(zipfile.ZipInfo("\0hidden"), "1")
        out.writestr("a.csv", "1")
    assert [member.name for member in members(path)] == ["a.csv"]


@pytest.mark.parametrize("suffix", FORMATS)
def test_an_archive_cut_anywhere_near_its_beginning_is_damaged(tmp_path, suffix):
    path = tmp_path / f"{PROF.name}{suffix}"
    pack(path, PROF)
    whole = path.read_bytes()
    for end in range(1, 40):
        path.write_bytes(whole[:end])
        with pytest.raises(ParseError) as refused:
            members(path)
        assert refused.value.problem.code == "damaged"


@pytest.mark.parametrize("suffix", [".zip", ".tar.gz"])
def test_a_run_without_operators_keeps_what_is_known_of_it(tmp_path, suffix):
    folder = tmp_path / "plain" / RANK.name
    shutil.copytree(RANK, folder)
    for path in folder.rglob("kernel_details.csv"):
        path.unlink()
    shutil.copy(FIXTURES.parent / "files" / "step_trace_time.csv", folder / "ASCEND_PROFILER_OUTPUT")
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (1e9, 1e9))
    plain, packed = look_at(folder, LATER), look_at(pack(tmp_path / f"{folder.name}{suffix}", folder), LATER)
    assert (packed.state, packed.files) == (plain.state, plain.files)
    assert told(read_profile(packed))["metadata"] == told(read_profile(plain))["metadata"]
    assert read_profile(packed).metadata.level is not None


def test_what_lies_beside_the_operators_comes_with_them(tmp_path):
    folder = tmp_path / "plain" / RANK.name
    shutil.copytree(RANK, folder)
    files = FIXTURES.parent / "ranks" / "communication"
    for name in ("communication.json", "communication_matrix.json"):
        shutil.copy(next(files.rglob(name)), folder / "ASCEND_PROFILER_OUTPUT" / name)
    for name in ("api_statistic.csv", "operator_memory.csv"):
        shutil.copy(FIXTURES.parent / "files" / name, folder / "ASCEND_PROFILER_OUTPUT" / name)
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (1e9, 1e9))
    plain = read_profile(look_at(folder, LATER))
    packed = read_profile(look_at(pack(tmp_path / f"{folder.name}.zip", folder), LATER))
    assert {"api_statistic", "operator_memory", "communication"} <= plain.extras.keys()
    assert {kind: len(table) for kind, table in packed.extras.items()} == {
        kind: len(table) for kind, table in plain.extras.items()
    }


@pytest.mark.parametrize("suffix", [".zip", ".tar"])
def test_tables_alone_in_an_archive(tmp_path, suffix):
    folder = tmp_path / "sent"
    (folder / "inner").mkdir(parents=True)
    table = next(PROF.rglob("op_summary_*.csv"))
    shutil.copy(table, folder / "op_summary_1.csv")
    one = pack(tmp_path / f"one{suffix}", folder)
    (run,) = find_runs(one, LATER)
    assert (run.kind, run.path, run.name) == ("csv", str(one), "one")
    assert told(read_profile(run))["rows"] == told(read_profile(look_at(table, LATER)))["rows"] > 0
    shutil.copy(table, folder / "inner" / "kernel_details.csv")
    several = pack(tmp_path / f"several{suffix}", folder)
    runs = find_runs(several, LATER)
    assert sorted(run.path.rpartition("/")[2] for run in runs) == ["kernel_details.csv", "op_summary_1.csv"]
    for run in runs:
        assert look_at(Path(run.path), LATER) == run
        assert len(read_profile(run).ops) > 0
        assert quick_types(run).row(0) == quick_types(look_at(table, LATER)).row(0)


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("suffix", [".zip", ".tar.gz"])
def test_ranks_packed_each_by_itself_are_one_job_like_their_folders(tmp_path, suffix, old):
    folders = [write_prof(tmp_path / "plain", number, 100.0, old=old) for number in range(3)]
    place = tmp_path / "packed"
    place.mkdir()
    for folder in folders:
        pack(place / f"{folder.name}{suffix}", folder)
    (job,) = jobs(find_runs(place, LATER))
    assert job.ranks == (0, 1, 2) and job.folder == str(place)
    together = pack(tmp_path / f"job{suffix}", *folders)
    assert [one.ranks for one in jobs(find_runs(together, LATER))] == [(0, 1, 2)]


def test_a_rank_that_cannot_be_read_leaves_the_archive_listed(tmp_path, monkeypatch):
    folder = write_prof(tmp_path / "plain", 5, 100.0)
    note = (folder / "host" / "info.json").read_bytes()
    archive = tmp_path / f"{folder.name}.zip"
    with zipfile.ZipFile(archive, "w") as out:
        out.writestr("PROF_1/host/info.json", note)
        out.write(next(folder.rglob("op_summary*.csv")), "PROF_1/mindstudio_profiler_output/op_summary_1.csv")
    os.utime(archive, (LATER - 7200, LATER - 7200))
    assert look_at(archive, LATER).rank == 5
    archive.write_bytes(archive.read_bytes().replace(note, b"{" * len(note)))  # its check sum is wrong now
    os.utime(archive, (LATER - 7200, LATER - 7200))
    assert (look_at(archive, LATER).state, look_at(archive, LATER).rank) == ("ready", None)
    monkeypatch.setattr(archive_members, "HEADS_BYTES", len(note) - 1)
    assert all(not member.head for member in members(archive, re.compile(".*")) if member.name.endswith("info.json"))
