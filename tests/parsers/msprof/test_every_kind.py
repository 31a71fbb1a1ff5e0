"""Each kind of file of the registry has a file with its right values, and its empty, cut and broken forms are borne.

A kind that is added to the registry without such a pair fails here.
"""

from __future__ import annotations

import contextlib
import functools
import json
import sqlite3
from pathlib import Path

import pytest

from npuscope.parsers.msprof import files
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.say import ParseError
from npuscope.tui import text

FIXTURES = Path(__file__).parents[2] / "fixtures"
VALUES = json.loads((FIXTURES / "kinds" / "values.json").read_text(encoding="utf-8"))
NOT_READ = ("raw",)  # slices of raw data are no table
KINDS = sorted({kind for _, kind, _ in files.TABLES} | {kind for _, kind in files.OTHERS} - set(NOT_READ))
GARBAGE = b"\x00\xff{garbage\nx,y\n1\n"
# of these whatever text there is, is what they are
LINES = ("log", "notes", "mark")


@functools.lru_cache(None)
def pairs():
    """Kind -> file of the pairs whose columns test_files works out from the file itself."""
    found = {}
    for values in sorted((FIXTURES / "files").glob("*.json")):
        held = json.loads(values.read_text(encoding="utf-8"))
        path = next((path for path in values.parent.glob(f"{values.stem}.*") if path.suffix in (".csv", ".txt")), None)
        if path is not None and "columns" in held:
            found.setdefault(held["kind"], path)
    return found


def file_of(kind, folder):
    """The fixture of a kind, put into a folder under its own name."""
    assert kind in VALUES or kind in pairs(), f"{kind}: a file with its right values is missing in tests/fixtures/kinds"
    source = FIXTURES / VALUES[kind]["file"] if kind in VALUES else pairs()[kind]
    target = folder / source.name
    if source.suffix == ".sql":
        target = folder / source.stem
        with contextlib.closing(sqlite3.connect(target)) as base:
            base.executescript(source.read_text(encoding="utf-8"))
    else:
        target.write_bytes(source.read_bytes())
    return target


def plain(value):
    return None if value != value or value == UNKNOWN else value


@pytest.mark.parametrize("kind", KINDS)
def test_right_values(kind, tmp_path):
    path = file_of(kind, tmp_path)
    sight = files.read_file(str(path))
    assert sight.kind == files.kind_of(path.name) == kind
    assert len(sight.found.table) > 0
    if kind in VALUES:
        assert len(sight.found.table) == VALUES[kind]["rows"]
        first = {name: plain(value) for name, value in sight.found.table.row(0).items()}
        assert first.keys() == VALUES[kind]["first"].keys()
        for name, value in VALUES[kind]["first"].items():
            wanted = pytest.approx(value, rel=1e-6) if isinstance(value, float) else value
            assert first[name] == wanted, name


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_file_is_said(kind, tmp_path):
    path = file_of(kind, tmp_path)
    path.write_bytes(b"")
    with pytest.raises(ParseError) as refused:
        files.read_file(str(path))
    assert refused.value.problem.code == "empty-file"
    assert path.name in text.told(refused.value.problem.message)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cut_file_gives_what_is_whole_and_says_so(kind, tmp_path):
    """Cut inside the last row, line or value: no row more than before, and none that is not said to be missing."""
    path = file_of(kind, tmp_path)
    whole = path.read_bytes()
    rows = len(files.read_file(str(path)).found.table)
    for end in (len(whole) * 2 // 3, len(whole.rstrip()) - 3):
        path.write_bytes(whole[:end])
        try:
            found = files.read_file(str(path)).found
        except ParseError as error:
            assert text.told(error.problem.message)
            continue
        assert len(found.table) <= rows
        if not path.name.endswith((".csv", ".txt", ".db")) and kind not in LINES and len(found.table) == rows:
            assert found.problems, "cut, and nothing was said"


@pytest.mark.parametrize("kind", KINDS)
def test_garbage_is_refused_in_a_sentence(kind, tmp_path):
    path = file_of(kind, tmp_path)
    path.write_bytes(GARBAGE)
    try:
        found = files.read_file(str(path)).found
    except ParseError as error:
        assert text.told(error.problem.message)
        assert error.problem.code != "empty-file"
    else:
        assert kind in ("summary", "opprof", "simulator")  # any columns will do there
        assert len(found.table) <= 1
