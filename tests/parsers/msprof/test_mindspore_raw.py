"""profiler/ folders of MindSpore up to 2.2: a run for each rank, times in their units, shapes joined by name."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from npuscope.parsers.discovery.runs import find_runs, look_at
from npuscope.parsers.msprof.reader import quick_types, read_profile
from npuscope.tui import text

FILES = Path(__file__).parents[2] / "fixtures" / "files"
LATER = time.time() + 3600


@pytest.fixture
def folder(tmp_path):
    """Rank 2, real; rank 1 of another generation beside it when a test adds it."""
    made = tmp_path / "profiler"
    made.mkdir()
    for name in ("aicore_intermediate_2_detail.csv", "aicore_intermediate_2_type.csv", "framework_raw_2.csv",
                 "aicpu_intermediate_2.csv", "step_trace_raw_2_detail_time.csv"):  # fmt: skip
        shutil.copy(FILES / name, made / name)
    return made


def add_rank_1(folder):
    for name in ("aicore_intermediate_1_detail.csv", "aicore_intermediate_1_type.csv"):
        shutil.copy(FILES / name, folder / name)


def test_one_rank_is_the_folder(folder):
    (run,) = find_runs(folder.parent, LATER)
    assert (run.path, run.kind, run.state, run.rank) == (str(folder), "mindspore", "ready", 2)
    assert look_at(folder, LATER) == run
    assert run.files[0] == "aicore_intermediate_2_detail.csv"
    assert len(run.files) == 5


def test_operators_types_steps_and_ai_cpu(folder):
    profile = read_profile(look_at(folder, LATER))
    assert profile.run.state == "ready"
    assert profile.metadata.rank == 2
    first = profile.ops.row(0)
    assert {name: first[name] for name in ("name", "type", "core", "duration_us", "start_ns", "task_id", "stream")} == {
        "name": "Default/AssignAdd-op142",
        "type": "AssignAdd",
        "core": "AI_CORE",
        "duration_us": pytest.approx(2.19),
        "start_ns": -1,
        "task_id": 4,
        "stream": 519,
    }
    assert profile.ops.numbers("duration_us").sum() == pytest.approx(2.19 + 47.035 + 1.76 + 1.53)
    transdata = profile.ops.row(1)
    assert (transdata["input_shapes"], transdata["output_shapes"]) == ("2,3,227,227", "2,1,227,227,16")
    assert (transdata["input_dtypes"], transdata["output_formats"]) == ("UNDEFINED", "NC1HWC0")
    assert transdata["block_dim"] == 32
    assert first["input_dtypes"] == "UINT8;UINT8"
    assert profile.statistic.strings("type").tolist() == ["AssignAdd", "TransData", "OneHot", "GatherV2"]
    assert profile.statistic.numbers("total_us").tolist() == pytest.approx([4.92, 193.765, 1.76, 1.53])
    assert profile.statistic.numbers("count").tolist() == [3, 3, 1, 1]
    (step,) = profile.file_steps
    assert (step.step, step.us) == (1, pytest.approx(23709.05))
    assert profile.extras["aicpu"].numbers("total_us")[0] == pytest.approx(7906)
    assert [problem.code for problem in profile.problems] == ["mean-times", "no-pmu"]


def test_types_without_the_framework_are_the_names(folder):
    (folder / "framework_raw_2.csv").unlink()
    ops = read_profile(look_at(folder, LATER)).ops
    assert ops.strings("type").tolist() == ["AssignAdd", "TransData", "OneHot", "GatherV2"]
    assert set(ops.numbers("task_id").tolist()) == set(ops.numbers("block_dim").tolist()) == {-1}


def test_several_ranks_are_runs_of_their_own(folder):
    add_rank_1(folder)
    assert look_at(folder, LATER) is None
    runs = sorted(find_runs(folder, LATER), key=lambda run: run.rank)
    assert [(run.rank, Path(run.path).name) for run in runs] == [
        (1, "aicore_intermediate_1_detail.csv"),
        (2, "aicore_intermediate_2_detail.csv"),
    ]
    assert {run.path for run in find_runs(folder.parent, LATER)} == {run.path for run in runs}
    first = read_profile(runs[0])
    assert first.ops.numbers("duration_us")[0] == pytest.approx(1.33)
    assert first.ops.strings("name")[0] == "Default/AtomicAddrClean-op104"
    assert len(read_profile(runs[1]).ops) == 4
    again = look_at(Path(runs[1].path), LATER)
    assert (again.path, again.rank, again.files) == (runs[1].path, 2, runs[1].files)
    assert len(quick_types(runs[1])) == 4


def test_only_types_are_a_part_of_it(folder):
    (folder / "aicore_intermediate_2_detail.csv").unlink()
    profile = read_profile(look_at(folder, LATER))
    assert (profile.run.state, len(profile.ops), len(profile.statistic)) == ("partial", 0, 4)


def test_steps_alone_are_no_operators(folder):
    for name in ("aicore_intermediate_2_detail.csv", "aicore_intermediate_2_type.csv"):
        (folder / name).unlink()
    (run,) = find_runs(folder.parent, LATER)
    assert (run.state, run.reason.key, run.reason.params["files"]) == ("partial", "files.reason.no-operators", 3)
    prof = folder / "PROF_000001_20230818142704322_ABCDEFGHIJKLMNOP" / "device_0" / "timeline"
    prof.mkdir(parents=True)
    for name in ("msprof_0_2_1.json", "hccl_0_2_1.json", "hccl_0_2_2.json"):
        (prof / name).write_text("[]")
    (run,) = find_runs(folder.parent, LATER)
    assert (run.kind, run.state) == ("msprof", "partial")
    assert run.reason.params == {"files": 3, "kinds": "hccl, msprof"}
    assert run.next_command is not None
    assert "hccl, msprof" in text.told(run.reason)


def test_raw_data_in_the_folder_is_no_run_of_its_own(folder):
    (folder / "PROF_000001_20230818142704322_ABCDEFGHIJKLMNOP").mkdir()
    (run,) = find_runs(folder.parent, LATER)
    assert [one.file for one in run.ignored] == ["PROF_000001_20230818142704322_ABCDEFGHIJKLMNOP"]


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x00\xff,\n,,,,", b"full_op_name,execution_time\n"])
def test_broken_files_are_told(folder, content):
    (folder / "aicore_intermediate_2_detail.csv").write_bytes(content)
    (folder / "framework_raw_2.csv").write_bytes(content)
    profile = read_profile(look_at(folder, LATER))
    assert len(profile.ops) == 0
    assert profile.run.state in ("partial", "empty")
    for problem in profile.problems:
        assert text.told(problem.message)


def test_op_info_that_is_no_json(folder):
    (folder / "framework_raw_2.csv").write_text(
        "task_id,stream_id,block_dim,full_op_name,op_name,op_type,subgraph,op_info\n"
        '1,2,3,Default/AssignAdd-op142,AssignAdd-op142,AssignAdd,Default,"{broken"\n'
        '4,5,6,Default/TransData-op118,x,TransData,Default,"{""input_0"": {""shape"": [1, 2]}, ""input_10"": {}, '
        '""input_2"": {""data_type"": ""NUMBER_TYPE_FLOAT32"", ""shape"": """"}}"\n'
    )
    ops = read_profile(look_at(folder, LATER)).ops
    assert ops.strings("input_shapes").tolist() == [None, "1,2;;", None, None]
    assert ops.strings("input_dtypes").tolist()[1] == "UNDEFINED;FLOAT;UNDEFINED"
    assert np.array_equal(ops.numbers("task_id"), [1, 4, -1, -1])
