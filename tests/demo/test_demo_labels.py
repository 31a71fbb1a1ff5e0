"""What the program itself makes of the demo's profiles: the lesson each one is there for."""

from __future__ import annotations

import time
import zipfile

import pytest

from npuscope.analysis.summarize import summarize
from npuscope.demo.make import HERE, PROFILES
from npuscope.parsers.discovery.runs import find_runs
from npuscope.parsers.msprof.reader import read_profile


@pytest.fixture(scope="module")
def summaries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("profiles")
    with zipfile.ZipFile(HERE / PROFILES) as archive:
        archive.extractall(folder)
    runs = find_runs(folder, time.time() + 3600)
    assert [run.state for run in runs] == ["ready"] * 6
    found = (summarize(read_profile(run)) for run in runs)
    return {summary.profile.run.name.rpartition("_")[2]: summary for summary in found}


@pytest.mark.parametrize(
    ("run", "label", "detail", "floor_us", "times"),
    [
        ("DEMOCOPYNPUSCOPE", "memory", "hbm", 167.8, 1.28),
        ("DEMONORMBEFORENP", "access", "slow", 167.8, 22.1),
        ("DEMONORMAFTERNPU", "compute", "vector", 167.8, 11.3),
    ],
)
def test_one_operator_runs(summaries, run, label, detail, floor_us, times):
    summary = summaries[run]
    assert summary.chip.name == "Ascend910B3"
    assert summary.label == label
    row = summary.types.row(0)
    assert (row["label"], row["detail"]) == (label, detail)
    assert row["bound_us"] == pytest.approx(floor_us, abs=0.1)
    assert row["times_over_bound"] == pytest.approx(times, abs=0.1)


def test_the_storm_waits_for_the_host(summaries):
    totals = summaries["DEMOSTORMNPUSCOP"].totals
    assert summaries["DEMOSTORMNPUSCOP"].label == "launch"
    assert totals.busy_pct < 15
    assert any(finding.code == "small-op-storm" for finding in summaries["DEMOSTORMNPUSCOP"].findings)


def test_the_step_is_led_by_a_matrix_product_that_reads_its_tiles_again(summaries):
    before, after = summaries["DEMOSTEPBEFORENP"], summaries["DEMOSTEPAFTERNPU"]
    assert after.label in ("memory", "mixed")
    assert (after.totals.rows, after.totals.total_us) == (1204, pytest.approx(18_210.0))
    assert before.totals.total_us == pytest.approx(18_990.0)
    assert after.totals.span_us == pytest.approx(21_900.0)
    first = after.types.row(0)
    assert (first["type"], first["count"], first["label"], first["detail"]) == ("MatMulV2", 96, "memory", "tiling")
    assert first["bound_us"] == pytest.approx(45.5, abs=0.05)
    labels = {after.types.row(row)["label"] for row in range(len(after.types))}
    assert {"memory", "compute", "launch", "access", "stall", "communication", "ai_cpu"} <= labels
