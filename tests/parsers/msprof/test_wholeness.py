"""Copies that were cut: the run is partial, in words, and the numbers that other files tell better are theirs."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from npuscope.analysis.summarize import summarize
from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof.reader import read_profile
from npuscope.tui import text
from npuscope.tui.runs import headlines
from npuscope.tui.runs.view import state_of

FIXTURES = Path(__file__).parents[2] / "fixtures" / "msprof"
LATER = time.time() + 3600
ONE_LAUNCH = "OPPROF_20260522141522_WNUHHMLYKRJHLWIR"
HEADER = "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Input Shapes\n"
STEPS = "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage\n"


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


def kernels(count):
    return "".join(f'1,m{at},MatMul,AI_CORE,{1000 + 100 * at}.0\t,80.0,0,20,"""8,8"""\n' for at in range(count))


def framework(tmp_path, table, computing="800.0"):
    folder = tmp_path / "host_1_20260102030405006_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    folder.mkdir(parents=True)
    (folder / "kernel_details.csv").write_text(HEADER + table)
    (folder / "step_trace_time.csv").write_text(f"{STEPS}0,1,{computing},0,0,0,180.0,980.0\n")
    return folder.parent


def read(path):
    run = look_at(path, LATER)
    assert run.state == "ready"
    return run, read_profile(run)


def test_a_whole_table_is_ready(tmp_path):
    _, profile = read(framework(tmp_path, kernels(10)))
    assert (profile.run.state, profile.run.reason) == ("ready", None)
    assert summarize(profile).step_median_us == 980.0


@pytest.mark.parametrize(
    ("language", "words"), [("en", "the last row is incomplete"), ("zh", "最后一行")], ids=("en", "zh")
)
def test_a_table_whose_last_line_is_cut_is_partial_with_the_words(tmp_path, language, words):
    text.set_language(language)
    whole = kernels(10)
    run, profile = read(framework(tmp_path, whole[:-30]))
    assert (profile.run.state, len(profile.ops)) == ("partial", 9)
    assert words in text.told(profile.run.reason)
    found = headlines.of_summary(summarize(profile))
    assert state_of(run, found) == "partial"
    assert found.problem.message == profile.run.reason


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_a_table_cut_between_two_lines_holds_less_than_the_step_table_tells(tmp_path, language):
    text.set_language(language)
    _, profile = read(framework(tmp_path, kernels(4)))
    assert profile.run.state == "partial"
    said = text.told(profile.run.reason)
    assert "kernel_details.csv" in said
    assert "320 us" in said
    assert "800 us" in said
    assert summarize(profile).step_median_us == 980.0, "the step table knows the whole step"


def test_a_tenth_may_lie_outside_the_steps_and_the_reverse_is_no_fault(tmp_path):
    assert read(framework(tmp_path / "less", kernels(10), "880.0"))[1].run.state == "ready"
    assert read(framework(tmp_path / "more", kernels(10), "80.0"))[1].run.state == "ready"


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_a_metric_file_without_all_blocks_makes_a_launch_partial(tmp_path, language):
    text.set_language(language)
    folder = Path(shutil.copytree(FIXTURES / ONE_LAUNCH, tmp_path / ONE_LAUNCH))
    assert read(folder)[1].run.state == "ready"
    (file,) = folder.glob("PipeUtilization*.csv")
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:3]))
    _, profile = read(folder)
    assert profile.run.state == "partial"
    said = text.told(profile.run.reason)
    assert file.name in said
    assert " 2 " in said
    assert f" {len(lines) - 1} " in said


def test_a_metric_file_whose_last_line_is_cut_makes_a_launch_partial(tmp_path):
    folder = Path(shutil.copytree(FIXTURES / ONE_LAUNCH, tmp_path / ONE_LAUNCH))
    (file,) = folder.glob("PipeUtilization*.csv")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    _, profile = read(folder)
    assert profile.run.state == "partial"
    assert "the last row is incomplete" in text.told(profile.run.reason)
