"""Loading through the cache: the same run is not read twice, and another run is never taken for it."""

from __future__ import annotations

import dataclasses
import os
import sys
import time
from pathlib import Path

import pytest
from made_profile import write_profile
from same_records import spelled

from npuscope.parsers.discovery.runs import find_runs, look_at
from npuscope.parsers.msprof.reader import read_profile
from npuscope.parsers.profile import Profile
from npuscope.parsers.say import ParseError
from npuscope.sources import loading
from npuscope.sources.cache import Cache

FIXTURES = Path(__file__).parents[1] / "fixtures" / "msprof"
NAMES = sorted(path.stem for path in FIXTURES.glob("*.json"))
LATER = time.time() + 3600


@pytest.fixture(autouse=True)
def everything_is_worth_it(monkeypatch):
    monkeypatch.setattr(loading, "WORTH_BYTES", 0)


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache")


@pytest.fixture
def folder(tmp_path):
    made = write_profile(tmp_path / "data")
    (made / "host").mkdir()
    (made / "host" / "info.json").write_text('{"platform_version": "5"}')
    return made


def run_of(path):
    (run,) = find_runs(path, LATER)
    return run


@pytest.fixture
def reads(monkeypatch):
    """The runs that were really read."""
    found = []

    def read(run, progress=None, most=None):
        found.append(run.name)
        return read_profile(run, progress, most)

    monkeypatch.setattr(loading, "read_profile", read)
    return found


def tree(folder):
    return {path: path.stat().st_mtime_ns for path in [folder, *folder.rglob("*")]}


def test_a_run_is_read_once(folder, cache, reads):
    first = loading.load(run_of(folder), None, cache)
    again = loading.load(run_of(folder), None, Cache(cache.folder))
    assert len(reads) == 1
    assert spelled(again) == spelled(first) == spelled(read_profile(run_of(folder)))


def test_nothing_is_written_beside_the_data(folder, cache):
    before = tree(folder.parent)
    loading.load(run_of(folder), None, cache)
    assert tree(folder.parent) == before


def test_a_cache_inside_the_run_is_not_used(folder, reads):
    inside = Cache(folder / "cache")
    for _ in range(2):
        loading.load(run_of(folder), None, inside)
    assert len(reads) == 2 and not (folder / "cache").exists()


def test_a_cache_in_the_folder_of_a_csv_is_not_used(folder, reads):
    csv = next(folder.rglob("op_summary*.csv"))
    for _ in range(2):
        loading.load(run_of(csv), None, Cache(csv.parent))
    assert len(reads) == 2 and sorted(path.name for path in csv.parent.iterdir()) == ["README.txt", csv.name]


def test_without_a_cache_it_is_read(folder, reads):
    for _ in range(2):
        assert len(loading.load(run_of(folder)).ops) == 15
    assert len(reads) == 2


def test_progress_is_told_while_it_is_read(folder, cache):
    told = []
    loading.load(run_of(folder), told.append, cache)
    assert told and told[-1] == 1.0


def longer(folder):
    csv = next(folder.rglob("op_summary*.csv"))
    csv.write_text(csv.read_text() + csv.read_text().splitlines()[-1] + "\n")


def same_size_and_time(folder):
    csv = next(folder.rglob("op_summary*.csv"))
    found = csv.stat()
    csv.write_text(csv.read_text().replace("MatMulV2", "MatMulV3"))
    os.utime(csv, ns=(found.st_atime_ns, found.st_mtime_ns))


def touched(folder):
    os.utime(next(folder.rglob("op_summary*.csv")), ns=(0, 1))


def about(folder):
    (folder / "host" / "info.json").write_text('{"platform_version": "2"}')


def more_about(folder):
    (folder / "device_0").mkdir()
    (folder / "device_0" / "sample.json").write_text("{}")


@pytest.mark.parametrize("change", [longer, same_size_and_time, touched, about, more_about])
def test_a_changed_file_is_read_anew(folder, cache, reads, change):
    loading.load(run_of(folder), None, cache)
    change(folder)
    again = loading.load(run_of(folder), None, cache)
    assert len(reads) == 2
    assert spelled(again) == spelled(read_profile(run_of(folder)))


@pytest.mark.parametrize(
    ("module", "name", "value"), [("npuscope", "__version__", "x"), ("npuscope.sources.loading", "FORMAT", -1)]
)
def test_another_npuscope_reads_it_anew(folder, cache, reads, monkeypatch, module, name, value):
    loading.load(run_of(folder), None, cache)
    monkeypatch.setattr(sys.modules[module], name, value)
    loading.load(run_of(folder), None, cache)
    assert len(reads) == 2


def test_other_code_reads_it_anew(folder, cache, reads, monkeypatch):
    loading.load(run_of(folder), None, cache)
    monkeypatch.setattr(loading, "own_code", lambda: "another")
    loading.load(run_of(folder), None, cache)
    assert len(reads) == 2


def test_own_code_changes_with_every_file(tmp_path, monkeypatch):
    (tmp_path / "parsers").mkdir()
    monkeypatch.setattr(loading.npuscope, "__file__", str(tmp_path / "__init__.py"))
    found = []
    for text in ("a", "aa"):
        (tmp_path / "parsers" / "x.py").write_text(text)
        found.append(loading.own_code.__wrapped__())
    assert found[0] != found[1]


@pytest.mark.parametrize("state", ["exporting", "partial", "damaged", "collecting"])
def test_what_is_not_whole_is_not_kept(folder, state):
    assert loading.key_of(run_of(folder)) is not None
    assert loading.key_of(dataclasses.replace(run_of(folder), state=state)) is None


def test_a_small_run_is_not_kept(folder, monkeypatch):
    monkeypatch.setattr(loading, "WORTH_BYTES", run_of(folder).size_bytes + 1)
    assert loading.key_of(run_of(folder)) is None


def test_a_run_with_an_empty_file_is_not_kept(folder):
    """What is said about it depends on the free space of the disk."""
    (folder / "mindstudio_profiler_output" / "op_statistic_20260102030500.csv").touch()
    assert loading.key_of(run_of(folder)) is None


def test_a_run_that_is_gone_is_not_kept(folder, cache):
    run = run_of(folder)
    next(folder.rglob("op_summary*.csv")).unlink()
    (folder / "mindstudio_profiler_output" / "README.txt").unlink()
    loading.load(run, None, cache)
    assert cache.content().runs == 0


def test_a_file_that_changes_while_it_is_read_is_not_kept(folder, cache, monkeypatch):
    def read(run, progress=None, most=None):
        profile = read_profile(run)
        longer(folder)
        return profile

    monkeypatch.setattr(loading, "read_profile", read)
    loading.load(run_of(folder), None, cache)
    assert cache.content().runs == 0


def test_a_run_that_cannot_be_read_says_so_each_time(folder, cache, monkeypatch):
    def read(run, progress=None, most=None):
        raise ParseError(None)

    monkeypatch.setattr(ParseError, "__init__", lambda self, problem: None)
    monkeypatch.setattr(loading, "read_profile", read)
    for _ in range(2):
        with pytest.raises(ParseError):
            loading.load(run_of(folder), None, cache)


def test_a_log_beside_a_database_counts(tmp_path):
    database = tmp_path / "msprof_20260102030405.db"
    database.write_text("x")
    before = loading.key_of(look_at(database, LATER))
    Path(f"{database}-wal").write_text("y")
    assert None not in (before, loading.key_of(look_at(database, LATER))) != before


def fixture(name):
    path = FIXTURES / f"{name}.csv"
    return path if path.exists() else FIXTURES / name


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_of_profile_comes_back_as_it_was(name, cache):
    run = look_at(fixture(name), LATER)
    profile = read_profile(run)
    assert spelled(cache.keep("0" * 32, "profile", profile)) == spelled(profile)
    assert spelled(cache.find("0" * 32, "profile", Profile)) == spelled(profile)


_opened: list[str] | None = None


def _heard(event, args):
    if _opened is not None and event in ("open", "sqlite3.connect") and isinstance(args[0], (str, bytes, os.PathLike)):
        _opened.append(os.fsdecode(args[0]))


@pytest.mark.parametrize("name", NAMES)
def test_every_file_that_is_looked_into_counts(name):
    """A reader that opens one more file must not go unnoticed."""
    global _opened
    run = look_at(fixture(name), LATER)
    if not getattr(sys, "npuscope_listens", False):
        sys.addaudithook(_heard)
        sys.npuscope_listens = True
    _opened = []
    try:
        read_profile(run)
        opened = {path for path in _opened if path.startswith(run.path) and Path(path).is_file()}
    finally:
        _opened = None
    assert opened or run.state != "ready"
    assert opened <= {str(path) for path in loading._files(run)}
