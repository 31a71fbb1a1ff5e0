"""`npuscope report --join`: two runs of one program as one page, or the reason why not."""

from __future__ import annotations

import csv
import io
import json
import os
import time
from pathlib import Path

import pytest
from made_profile import write_profile

from npuscope.cli import report
from npuscope.cli.reporting.join import split
from npuscope.tui import text

CONFLICTS = ("aicore_time(us)", "aic_total_cycles", "aiv_time(us)", "aiv_total_cycles")


@pytest.fixture(autouse=True)
def english():
    yield
    text.set_language("en")


def conflicts_instead(table: Path) -> None:
    """The same operators, profiled with another group."""
    header, *rows = csv.reader(io.StringIO(table.read_text("utf-8")))
    shared = header.index("Context ID") + 1
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow([*header[:shared], *CONFLICTS, "aiv_vec_bank_cflt_ratio"])
    for row in rows:
        writer.writerow([*row[:shared], *(row[header.index(name)] for name in CONFLICTS), "0.05"])
    table.write_text(out.getvalue(), "utf-8")


@pytest.fixture
def runs(tmp_path) -> tuple[Path, Path]:
    one, two = write_profile(tmp_path / "a"), write_profile(tmp_path / "b")
    for table in two.rglob("op_summary*.csv"):
        conflicts_instead(table)
    old = time.time() - 3600
    for path in tmp_path.rglob("*"):
        os.utime(path, (old, old))
    return one, two


def said(capsys, *words, code=0):
    assert report.run(report.parser().parse_args([*map(str, words), "--lang", "en"])) == code
    return capsys.readouterr()


@pytest.mark.parametrize("form", ["comma", "paths", "folder"])
def test_one_run_with_the_counters_of_both(runs, capsys, tmp_path, form):
    paths = {"comma": [f"{runs[0]},{runs[1]}"], "paths": runs, "folder": [tmp_path]}[form]
    document = json.loads(said(capsys, *paths, "--join", "--json").out)
    (run,) = document["runs"]
    assert (run["aic_metrics"], run["rows"], run["state"]) == ("PipeUtilization, ResourceConflictRatio", 15, "ready")
    assert run["path"] == f"{runs[0]} + {runs[1]}"
    assert document["problems"] == []


def test_without_join_they_are_two(runs, capsys):
    assert len(json.loads(said(capsys, *runs, "--json").out)["runs"]) == 2


def test_another_program_is_refused_with_the_first_row(runs, capsys, tmp_path):
    other = write_profile(tmp_path / "c", steps=2)
    for path in [other, *other.rglob("*")]:
        os.utime(path, (1, 1))
    out = said(capsys, runs[0], other, "--join", code=4).out
    assert "Row 11" in out and "3 calls against 2" in out
    (run,) = json.loads(said(capsys, runs[0], other, "--join", "--json", code=4).out)["runs"]
    assert (run["state"], [p["code"] for p in run["problems"]], run["rows"]) == ("damaged", ["join"], None)


def test_one_run_alone(runs, capsys):
    assert "nothing to join" in said(capsys, runs[0], "--join", code=3).err


def test_a_path_that_is_not_there(runs, capsys, tmp_path):
    err = said(capsys, f"{runs[0]},{tmp_path}/none", "--join", code=3).err
    assert f"{tmp_path}/none" in err


def test_a_comma_that_belongs_to_the_name(tmp_path):
    both = tmp_path / "a,b"
    assert split([both]) == [tmp_path / "a", Path("b")]
    both.mkdir()
    assert split([both, Path("x")]) == [both, Path("x")]


MSPROF_OP = Path(__file__).parent.parent / "fixtures" / "msprof" / "OPPROF_20260522141522_WNUHHMLYKRJHLWIR"


def test_what_only_msprof_op_tells(capsys):
    """Its cores and the vendor's words stand in the document and on the page."""
    (run,) = json.loads(said(capsys, MSPROF_OP, "--json", "--ops", 1).out)["runs"]
    first = "aivector compute usage lower than 20%"
    assert (run["vendor_verdict"][0], run["ops"][0]["vendor_verdict"][0]) == (first, first)
    (op,) = run["ops"]
    assert (op["launch"], op["blocks_measured"], op["waves"]) == (0, 4, 1.0)
    assert op["block_spread"] == pytest.approx(1 - 712.321655 / 724.386658, abs=1e-6)
    page = said(capsys, MSPROF_OP).out
    assert f'vendor: "{first}" (4 of its blocks)' in page and "7 metric groups" in page
