"""The simulator's folders: core by core, and never taken for a chip's times."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from npuscope.parsers.discovery.runs import find_runs, look_at
from npuscope.parsers.msprof.reader import read_profile
from npuscope.tui import text

NAME = "OPPROF_20260607120000_SIMULATEDXXXXXXX"
FIXTURE = Path(__file__).parents[2] / "fixtures" / "msprof" / NAME
LATER = time.time() + 3600


def copied(tmp_path: Path, place: str = NAME) -> Path:
    return Path(shutil.copytree(FIXTURE, tmp_path / place))


def profile_of(path: Path):
    return read_profile(look_at(path, LATER))


def core(folder: Path, name: str) -> Path:
    return folder / "simulator" / name / f"{name}_instr_exe.csv"


def test_pipes_of_each_core():
    cores = profile_of(FIXTURE).cores
    assert cores.numbers("block").tolist() == [0, 3]
    assert cores.strings("sub_block").tolist() == ["veccore0", "veccore0"]
    assert cores.numbers("time_us").tolist() == pytest.approx([0.264, 9.0])
    # flags wait, and are no work of their pipe
    assert cores.numbers("mte2_ratio").tolist() == pytest.approx([0.0, 2.99 / 9.0])
    assert cores.numbers("mte3_ratio").tolist() == pytest.approx([0.0, 2.9 / 9.0])
    assert cores.numbers("vec_ratio").tolist() == pytest.approx([0.104 / 0.264, 0.104 / 9.0])
    assert "scalar_ratio" not in cores


def test_it_is_said_that_the_times_are_simulated():
    profile = profile_of(FIXTURE)
    text.set_language("en")
    assert (profile.run.state, profile.run.reason.key) == ("partial", "profiles.reason.simulator")
    assert any("simulator" in text.told(p.message) for p in profile.problems if p.code == "simulated")


def test_launches_of_several_operators(tmp_path):
    top = tmp_path / "OPPROF_20260607130000_SEVERALXXXXXXXXX"
    copied(top, "Add/0")
    copied(top, "Add/1")
    profile = profile_of(top)
    assert (profile.ops.strings("name").tolist(), profile.ops.numbers("launch").tolist()) == (["Add", "Add"], [0, 1])
    assert profile.cores.numbers("op").tolist() == [0, 0, 1, 1]


def test_a_folder_of_another_name(tmp_path):
    folder = copied(tmp_path, "simulated")
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))
    assert [(run.path, run.kind) for run in find_runs(tmp_path, LATER)] == [(str(folder), "msprof_op")]


@pytest.mark.parametrize("trace", [None, "", "{", "[]", "3", '{"traceEvents": {}}', '{"traceEvents": [{"ph": "X"}]}'])
def test_without_a_time_there_is_no_operator(tmp_path, trace):
    folder = copied(tmp_path)
    path = folder / "simulator/core3.veccore0/trace.json"
    path.unlink()
    if trace is not None:
        path.write_text(trace, "utf-8")
    profile = profile_of(folder)
    assert (len(profile.ops), profile.cores) == (0, None)
    assert [p.code for p in profile.problems] == ["simulator-no-trace"]


def test_traces_that_number_their_pipes_have_no_known_unit(tmp_path):
    folder = copied(tmp_path)
    path = folder / "simulator/core3.veccore0/trace.json"
    found = json.loads(path.read_text("utf-8"))
    for event in found["traceEvents"]:
        event["pid"] = 60
    path.write_text(json.dumps(found), "utf-8")
    assert len(profile_of(folder).ops) == 0


def test_pipes_longer_than_their_core_are_unknown(tmp_path):
    folder = copied(tmp_path)
    table = core(folder, "core3.veccore0")
    table.write_text(table.read_text("utf-8").replace("2.990000", "29.9"), "utf-8")
    assert profile_of(folder).cores.numbers("mte2_ratio").tolist() == pytest.approx([0.0, float("nan")], nan_ok=True)


def test_cores_of_both_sides(tmp_path):
    folder = copied(tmp_path)
    shutil.move(str(folder / "simulator/core3.veccore0"), str(folder / "simulator/core3.cubecore0"))
    old = folder / "simulator/core3.cubecore0/core3.veccore0_instr_exe.csv"
    old.rename(core(folder, "core3.cubecore0"))
    profile = profile_of(folder)
    assert profile.ops.strings("core").tolist() == ["MIX_AIC"]
    assert profile.cores.strings("side").tolist() == ["aiv", "aic"]
    assert profile.ops.numbers("aic_time_us").tolist() == [9.0]


def test_an_instruction_table_that_is_none(tmp_path):
    folder = copied(tmp_path)
    core(folder, "core0.veccore0").write_text("a,b\n1,2\n", "utf-8")
    profile = profile_of(folder)
    assert {p.code for p in profile.problems} == {"damaged", "simulated"}
    assert profile.cores.numbers("block").tolist() == [3]
