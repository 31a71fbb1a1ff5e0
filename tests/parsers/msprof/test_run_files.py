"""All files of a run: how each is used, in folders and archives, of joined runs; nothing is left out in silence."""

from __future__ import annotations

import os
import shutil
import time
import zipfile
from pathlib import Path

import pytest

from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.joined import joined_run
from npuscope.parsers.msprof import run_files
from npuscope.parsers.msprof.run_files import IGNORED, RAW, READ, SHOWN, UNKNOWN, files_of
from npuscope.parsers.profile import Run

FIXTURES = Path(__file__).parents[2] / "fixtures"
PROF = FIXTURES / "msprof" / "PROF_000001_20240418071826722_FAIIQKPEMHJLPCIC"
LATER = time.time() + 3600
OUTPUT = "mindstudio_profiler_output"
EXTRA = {
    f"{OUTPUT}/api_statistic_20240418071836.csv": "api_statistic_20251127120000.csv",
    f"{OUTPUT}/api_statistic_20240418071700.csv": "api_statistic_20251127120000.csv",
    f"{OUTPUT}/task_time_20240418071836.csv": "task_time_20250401202358.csv",
}


@pytest.fixture
def folder(tmp_path):
    """A run with further files, one of them an older export."""
    made = tmp_path / PROF.name
    shutil.copytree(PROF, made)
    for target, source in EXTRA.items():
        shutil.copy(FIXTURES / "files" / source, made / target)
    for path in made.rglob("op_summary_*.csv"):
        shutil.copy(path, path.with_name("op_summary_20230101000000.csv"))
    (made / "device_0" / "data").mkdir(parents=True, exist_ok=True)
    (made / "device_0" / "data" / "stars_soc.data.0.slice_0").write_bytes(b"\0\1")
    (made / "mine.odt").write_bytes(b"x")
    (made / OUTPUT / "step_trace_20240418071836.csv").write_bytes(b"")
    return made


def uses(found):
    return {one.file: one.use for one in found.files}


def test_every_file_and_how_it_is_used(folder):
    found = files_of(look_at(folder, LATER))
    assert set(uses(found)) == {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    used = uses(found)
    assert used[f"{OUTPUT}/api_statistic_20240418071836.csv"] == READ
    assert used[f"{OUTPUT}/api_statistic_20240418071700.csv"] == IGNORED
    assert used[f"{OUTPUT}/op_summary_20230101000000.csv"] == IGNORED
    assert used[f"{OUTPUT}/task_time_20240418071836.csv"] == SHOWN
    assert used["device_0/data/stars_soc.data.0.slice_0"] == RAW
    assert used["mine.odt"] == UNKNOWN
    assert [one.reason.key for one in found.files if one.use == IGNORED] == ["profiles.ignored.older-export"] * 2
    by_name = {one.file: one for one in found.files}
    assert by_name[f"{OUTPUT}/task_time_20240418071836.csv"].opens
    assert not by_name["mine.odt"].opens
    assert not by_name["device_0/data/stars_soc.data.0.slice_0"].opens
    assert not by_name[f"{OUTPUT}/step_trace_20240418071836.csv"].opens
    assert [one.use for one in found.files] == sorted((one.use for one in found.files), key=run_files._USES.index)


@pytest.mark.parametrize("flat", [False, True])
def test_in_an_archive_they_are_the_same(folder, tmp_path, flat):
    archive = tmp_path / f"{folder.name}.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                out.write(path, path.relative_to(folder if flat else folder.parent).as_posix())
    os.utime(archive, (1, 1))
    packed = files_of(look_at(archive, LATER))
    assert uses(packed) == uses(files_of(look_at(folder, LATER)))
    one = next(one for one in packed.files if one.file.endswith("task_time_20240418071836.csv"))
    assert one.path == f"{archive}/{'' if flat else folder.name + '/'}{one.file}"


def test_of_joined_runs_those_of_each(folder, tmp_path):
    other = tmp_path / "PROF_000001_20240418071900000_ABCDEFGHIJKLMNOP"
    shutil.copytree(PROF, other)
    runs = [look_at(folder, LATER), look_at(other, LATER)]
    found = files_of(joined_run(runs))
    assert len(found.files) == sum(len(files_of(run).files) for run in runs)
    assert {one.file.partition("/")[0] for one in found.files} == {folder.name, other.name}
    assert all(Path(one.path).is_file() for one in found.files)


def test_a_run_that_is_one_file(tmp_path):
    path = tmp_path / "op_summary_20240418071836.csv"
    shutil.copy(next(PROF.rglob("op_summary_*.csv")), path)
    (tmp_path / "other.csv").write_text("a\n")
    assert uses(files_of(look_at(path, LATER))) == {path.name: READ}


def test_links_are_not_followed_and_many_files_are_bounded(folder, tmp_path, monkeypatch):
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    run = look_at(folder, LATER)
    assert not any(one.file.startswith("loop/") for one in files_of(run).files)
    monkeypatch.setattr(run_files, "MOST_FILES", 3)
    found = files_of(run)
    assert (len(found.files), [problem.code for problem in found.problems]) == (3, ["files-left-out"])


def test_a_run_that_is_gone_or_damaged(tmp_path):
    found = files_of(Run(str(tmp_path / "gone"), "gone", "msprof", "ready"))
    assert (found.files, len(found.problems)) == ((), 1)
    archive = tmp_path / "PROF_1.zip"
    archive.write_bytes(b"PK\3\4 and no more")
    found = files_of(Run(str(archive), "PROF_1", "msprof", "damaged"))
    assert (found.files, found.problems[0].code) == ((), "damaged")


def test_a_timeline_that_is_read_with_the_run_says_so(folder, monkeypatch):
    """The newest with its slices, up to the bound; an older one, and that of a run within the run, are only shown."""
    names = [f"msprof_slice_{part}_20240418071836.json" for part in (0, 1)]
    for name in (*names, "msprof_20240418070000.json"):
        (folder / OUTPUT / name).write_text("[{}]")
    (folder / "PROF_2" / OUTPUT).mkdir(parents=True)
    (folder / "PROF_2" / OUTPUT / "msprof_20250418071836.json").write_text("[{}]")
    used = uses(files_of(look_at(folder, LATER)))
    assert [used[f"{OUTPUT}/{name}"] for name in names] == [READ, READ]
    assert used[f"{OUTPUT}/msprof_20240418070000.json"] == SHOWN
    assert used[f"PROF_2/{OUTPUT}/msprof_20250418071836.json"] == SHOWN
    monkeypatch.setattr(run_files, "is_read", lambda name, size: size <= 7)  # both together have 8 bytes
    assert uses(files_of(look_at(folder, LATER)))[f"{OUTPUT}/{names[0]}"] == SHOWN
