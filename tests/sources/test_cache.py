"""The folder of read runs: what is kept comes back mapped; whatever happens to it, it counts as not there."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from same_records import spelled

from npuscope.parsers.table import Strings, Table
from npuscope.sources import cache as cache_module
from npuscope.sources import cachefolder
from npuscope.sources.cache import Cache
from npuscope.sources.mapped import place_of

KEY, OTHER = "0" * 32, "1" * 32
TABLE = Table({"us": np.arange(5.0), "name": Strings.of(["a", "b", None, "a", "c"])})


@dataclass(frozen=True)
class Kept:
    """A record with a table."""

    name: str
    table: Table
    more: Table | None = None


@pytest.fixture
def cache(tmp_path):
    return Cache(tmp_path / "cache" / "profiles")


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_what_was_kept_is_found_again_by_another(cache):
    assert cache.find(KEY, "profile", Kept) is None
    cache.keep(KEY, "profile", Kept("x", TABLE))
    found = Cache(cache.folder).find(KEY, "profile", Kept)
    assert spelled(found) == spelled(Kept("x", TABLE))
    assert cache.find(OTHER, "profile", Kept) is None and cache.find(KEY, "summary", Kept) is None
    assert files(cache.folder) == [f"{KEY}/profile/columns.npy", f"{KEY}/profile/record.json"]
    assert cache.folder.stat().st_mode & 0o777 == 0o700


def test_columns_are_mapped_and_cannot_be_written(cache):
    back = cache.keep(KEY, "profile", Kept("x", TABLE))
    place = place_of(back.table.numbers("us"))
    assert place is not None and place[0] == cache.folder / KEY / "profile" / "columns.npy"
    with pytest.raises(ValueError, match="read-only"):
        back.table.numbers("us")[0] = 1.0


def test_columns_of_another_part_are_not_written_again(cache):
    table = Table({"us": np.arange(100_000.0)})
    profile = cache.keep(KEY, "profile", Kept("p", table))
    column = np.arange(100_000, dtype=np.int32)
    summary = cache.keep(KEY, "summary", Kept("s", profile.table.extended({"row": column}), Table({"row": column})))
    assert spelled(summary.table) == spelled(table.extended({"row": column}))
    assert (cache.folder / KEY / "summary" / "columns.npy").stat().st_size < column.nbytes + 1000
    assert place_of(summary.table.numbers("us"))[0].parent.name == "profile"


def test_a_slice_of_a_mapped_column_is_a_column_of_its_own(cache):
    profile = cache.keep(KEY, "profile", Kept("p", TABLE))
    for rows in (np.s_[1:3], np.s_[::2]):
        part = Kept("s", Table({"us": profile.table.numbers("us")[rows]}))
        assert spelled(cache.keep(KEY, f"part-{rows.start}", part)) == spelled(part)


numbers = st.sampled_from(["<i8", "<i4", "<i2", "|u1", "<f4", "<f8", "|b1"]).map(np.dtype)
texts = st.text(st.characters(codec=None), max_size=5)


@st.composite
def tables(draw):
    rows = draw(st.integers(0, 20))
    columns = {}
    for name in draw(st.lists(texts, max_size=4, unique=True)):
        values = tuple(draw(st.lists(texts, max_size=3)))
        if draw(st.booleans()):
            codes = arrays.arrays(np.int32, rows, elements=st.integers(-1, len(values) - 1))
            columns[name] = Strings(draw(codes), values)
        else:
            columns[name] = draw(arrays.arrays(draw(numbers), rows))
    return Table(columns)


@given(tables(), tables())
def test_every_table_comes_back_as_it_was(first, second):
    with tempfile.TemporaryDirectory() as folder:
        cache = Cache(Path(folder))
        record = Kept("x", first, second)
        cache.keep(KEY, "profile", record)
        assert spelled(cache.find(KEY, "profile", Kept)) == spelled(record)


def test_two_at_once_the_second_takes_what_is_there(cache, monkeypatch):
    """Another npuscope puts the same part in place between the writing and the renaming of this one."""
    rename = Path.rename

    def late(path, target):
        monkeypatch.setattr(Path, "rename", rename)
        Cache(cache.folder).keep(KEY, "profile", Kept("first", TABLE))
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", late)
    assert cache.keep(KEY, "profile", Kept("second", TABLE)).name == "first"
    assert len(files(cache.folder)) == 2


def test_what_is_being_written_is_not_seen(cache, monkeypatch):
    seen = []
    rename = Path.rename

    def looked_at(path, target):
        seen.append(Cache(cache.folder).find(KEY, "profile", Kept))
        seen.append(cache.content())
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", looked_at)
    cache.keep(KEY, "profile", Kept("x", TABLE))
    assert seen[0] is None and seen[1].bytes == 0


def cut(path):
    os.truncate(path, path.stat().st_size - 8)


def emptied(path):
    os.truncate(path, 0)


def garbage(path):
    path.write_bytes(b"\x80\x04garbage" * 50)


def changed(path, how):
    known = json.loads(path.read_text())
    how(known)
    path.write_text(json.dumps(known))


def other_format(known):
    known["format"] = -1


def other_record(known):
    known["record"][0] = 7


def no_record(known):
    del known["record"]


def column(*place):
    def how(known):
        known["record"][1][0][1] = list(place)

    return how


DAMAGES = [
    ("columns.npy", cut),
    ("columns.npy", emptied),
    ("columns.npy", garbage),
    ("columns.npy", Path.unlink),
    ("record.json", cut),
    ("record.json", emptied),
    ("record.json", garbage),
    *(
        ("record.json", how)
        for how in (
            other_format, other_record, no_record,
            column("profile", "<f8", 0, 500), column("profile", "<f8", 3, 5), column("profile", "<f8", -64, 5),
            column("profile", "|O", 0, 5), column("profile", "no dtype", 0, 5), column("../../x", "<f8", 0, 5),
            column("/etc", "<f8", 0, 5), column(7, "<f8", 0, 5), column("profile", "<f8", 0, 5.0), column("profile"),
            column("profile", "<f8", 0, 4), column("profile", "<f8", 10**30, 5),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "damage"), DAMAGES)
def test_what_is_damaged_is_not_there_and_is_removed(cache, name, damage):
    cache.keep(KEY, "profile", Kept("x", TABLE))
    cache.keep(OTHER, "profile", Kept("other", TABLE))
    path = cache.folder / KEY / "profile" / name
    if damage.__module__ == __name__ and damage not in (cut, emptied, garbage):
        changed(path, damage)
    else:
        damage(path)
    assert cache.find(KEY, "profile", Kept) is None
    assert not (cache.folder / KEY).exists()
    assert cache.find(OTHER, "profile", Kept).name == "other"
    assert cache.keep(KEY, "profile", Kept("again", TABLE)).name == "again"


def test_an_array_of_objects_is_never_loaded(cache):
    """A pickle inside a .npy would run what its writer wants."""
    cache.keep(KEY, "profile", Kept("x", TABLE))
    np.save(cache.folder / KEY / "profile" / "columns.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert cache.find(KEY, "profile", Kept) is None


def test_another_kind_of_record_is_not_there(cache):
    cache.keep(KEY, "profile", Kept("x", TABLE))
    assert cache.find(KEY, "profile", Table) is None


def test_a_part_that_was_begun_by_hand_is_written_anew(cache):
    (cache.folder / KEY / "profile").mkdir(parents=True, mode=0o700)
    (cache.folder / KEY / "profile" / "columns.npy").write_text("half")
    cache.folder.chmod(0o700)
    cache.keep(KEY, "profile", Kept("x", TABLE))
    assert cache.keep(KEY, "profile", Kept("x", TABLE)).name == "x"
    assert cache.find(KEY, "profile", Kept) is not None


def used(cache, key, seconds):
    os.utime(cache.folder / key, (seconds, seconds))


def test_the_least_recently_used_goes_first(cache):
    size = dict.fromkeys(("a", "b", "c"))
    for number, key in enumerate(size):
        cache.keep(key, "profile", Kept(key, TABLE))
        used(cache, key, 1_000_000 + number)
    cache.find("a", "profile", Kept)  # used just now
    one = cache.content().bytes // 3
    small = Cache(cache.folder, limit_bytes=3 * one + one // 2)
    assert small.keep("d", "profile", Kept("d", TABLE)).name == "d"
    assert sorted(path.name for path in cache.folder.iterdir()) == ["a", "c", "d"]
    assert small.content().bytes <= small.limit_bytes


def test_a_run_larger_than_the_cache_is_not_kept(cache):
    small = Cache(cache.folder, limit_bytes=100)
    record = Kept("x", TABLE)
    assert small.keep(KEY, "profile", record) is record
    assert files(cache.folder) == []


def test_a_disk_that_is_nearly_full_is_left_to_others(cache, monkeypatch):
    monkeypatch.setattr(cache_module.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(9, 9, 1_000_000_000))
    record = Kept("x", TABLE)
    assert cache.keep(KEY, "profile", record) is record
    assert files(cache.folder) == []


def test_a_disk_that_fails_while_writing_leaves_nothing(cache, monkeypatch):
    def full(shelf, out):
        out.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache_module._Shelf, "write", full)
    record = Kept("x", TABLE)
    assert cache.keep(KEY, "profile", record) is record
    assert list(cache.folder.iterdir()) == []


def test_what_a_killed_npuscope_left_is_taken_away(cache):
    cache.keep(OTHER, "profile", Kept("x", TABLE))
    for name, age_s in (("tmp-old", 1e6), ("tmp-new", 0)):
        (cache.folder / name).mkdir()
        if age_s:
            os.utime(cache.folder / name, (age_s, age_s))
    cache.keep(KEY, "profile", Kept("x", TABLE))
    assert sorted(path.name for path in cache.folder.iterdir()) == [KEY, OTHER, "tmp-new"]


def test_what_cannot_be_kept_is_given_back(cache):
    record = Kept("x", Table({"a": np.array([None], dtype=object)}))
    assert cache.keep(KEY, "profile", record) is record
    assert files(cache.folder) == []


def test_a_file_in_the_place_of_the_folder_turns_it_off(cache):
    cache.folder.parent.mkdir()
    cache.folder.write_text("not a folder")
    record = Kept("x", TABLE)
    assert cache.obstacle() == "closed"
    assert cache.keep(KEY, "profile", record) is record and cache.find(KEY, "profile", Kept) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_closed_folder_turns_it_off_in_fact(cache):
    cache.folder.parent.mkdir()
    cache.folder.parent.chmod(0o500)
    record = Kept("x", TABLE)
    assert cache.obstacle() == "closed"
    assert cache.keep(KEY, "profile", record) is record
    cache.folder.parent.chmod(0o700)


def test_a_closed_folder_turns_it_off(cache, monkeypatch):
    cache.keep(KEY, "profile", Kept("x", TABLE))
    monkeypatch.setattr(cachefolder.os, "access", lambda path, mode: False)
    record = Kept("x", TABLE)
    assert cache.obstacle() == "closed"
    assert cache.keep(KEY, "profile", record) is record and cache.find(KEY, "profile", Kept) is None


def test_a_folder_that_others_may_write_to_is_not_used(cache, monkeypatch):
    cache.keep(KEY, "profile", Kept("x", TABLE))
    cache.folder.chmod(0o770)
    assert cache.obstacle() == "shared" and cache.find(KEY, "profile", Kept) is None
    cache.folder.chmod(0o700)
    assert cache.obstacle() is None
    monkeypatch.setattr(cachefolder.os, "geteuid", lambda: -1)
    assert cache.obstacle() == "shared"


def test_a_network_folder_is_not_used(cache, monkeypatch):
    monkeypatch.setattr(cachefolder, "silent_file_system", lambda path: "nfs4")
    record = Kept("x", TABLE)
    assert cache.obstacle() == "network" and cache.keep(KEY, "profile", record) is record
    assert not cache.folder.exists()


def test_asking_makes_no_folder(cache):
    assert cache.obstacle() is None and cache.content().runs == 0 and cache.find(KEY, "profile", Kept) is None
    assert not cache.folder.parent.exists()


def test_where_it_is(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cachefolder.usual_folder() == tmp_path / "npuscope" / "profiles"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/li")
    assert cachefolder.usual_folder() == Path("/home/li/.cache/npuscope/profiles")


def test_without_a_home_there_is_none(monkeypatch):
    import platformdirs

    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: "~/.cache/npuscope")
    assert cachefolder.usual_folder() is None
