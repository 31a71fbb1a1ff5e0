"""Which rank a run is: from its files, never from its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof.rank_info import RankInfo, read_rank_info
from npuscope.parsers.profile import Run

FIXTURES = Path(__file__).parents[2] / "fixtures" / "ranks"
METADATA = {
    "distributed_args": {"rank": 5, "world_size": 8},
    "parallel_group_info": {"a": {"group_name": "pp", "group_rank": 1, "global_ranks": [1, 5]}},
}


def folder(tmp_path, files, name="host_1_20260102030405006_ascend_pt"):
    made = tmp_path / name
    for file, content in files.items():
        path = made / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    made.mkdir(exist_ok=True)
    return look_at(made, 0.0)


def test_a_real_job_tells_ranks_world_and_stages():
    found = [read_rank_info(look_at(FIXTURES / "four_ranks" / f"rank_{n}_ascend_pt", 0.0)) for n in range(4)]
    assert found == [RankInfo(rank, 4, rank // 2, 2) for rank in range(4)]


@pytest.mark.parametrize(
    ("files", "rank"),
    [
        ({"profiler_info_3.json": {"rank_id": "3"}}, 3),
        ({"profiler_info.json": {"rank_id": "2"}}, 2),
        ({"profiler_info.json": {"rank_id": 0}}, 0),
        ({"profiler_info.json": {"rank_id": -1}}, None),
        ({"profiler_info.json": {"rank_id": "-1"}}, None),
        ({"profiler_info.json": {"rank_id": True}}, None),
        ({"profiler_info.json": {"rank_id": "1" * 30}}, None),
        ({"profiler_info.json": {"rank_id": 1e30}}, None),
        ({"profiler_info.json": "no json"}, None),
        ({"profiler_metadata.json": METADATA}, 5),
        ({"profiler_info.json": {"rank_id": -1}, "PROF_1/host/info.json": {"rank_id": 4}}, 4),
        ({"ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_6.db": "x"}, 6),
        ({}, None),
    ],
)
def test_the_rank_of_a_framework_folder(tmp_path, files, rank):
    assert read_rank_info(folder(tmp_path, files)).rank == rank


@pytest.mark.parametrize(
    ("files", "rank"),
    [
        ({"host/info.json": {"rank_id": "7"}}, 7),
        ({"host/info.json": {"rank_id": 0}, "device_3/info.json.3": {"rank_id": 3}}, 0),
        ({"host/info.json": {"rank_id": -1}}, None),
        ({"device_1/info.json.1": {"rank_id": 1}}, 1),
        ({"device_0/info.json.0": {"rank_id": 0}, "device_1/info.json.1": {"rank_id": 1}}, None),
    ],
)
def test_the_rank_of_a_prof_folder(tmp_path, files, rank):
    assert read_rank_info(folder(tmp_path, files, "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP")).rank == rank


def test_a_number_in_a_folders_name_is_no_rank(tmp_path):
    assert read_rank_info(folder(tmp_path, {}, "rank_9_ascend_pt")).rank is None


def test_world_size_and_stage_from_the_metadata(tmp_path):
    assert read_rank_info(folder(tmp_path, {"profiler_metadata.json": METADATA})) == RankInfo(5, 8, 1, 2)
    groups = {"parallel_group_info": {"g": {"group_name": "default_group", "global_ranks": [0, 1, 2, "x"]}}}
    assert read_rank_info(folder(tmp_path, {"profiler_metadata.json": groups})).world_size == 3
    mindspore = {"profiler_info_0.json": {"rank_id": "0", "rank_size": 2}}
    assert read_rank_info(folder(tmp_path / "m", mindspore, "x_ascend_ms")).world_size == 2


@pytest.mark.parametrize(
    "content", [[], 3, {"distributed_args": [], "parallel_group_info": [1]}, {"parallel_group_info": {"a": 1}}]
)
def test_metadata_of_another_form_tells_nothing(tmp_path, content):
    assert read_rank_info(folder(tmp_path, {"profiler_metadata.json": content})) == RankInfo()


def test_a_database_by_itself():
    run = Run("/made/ascend_pytorch_profiler_3.db", "ascend_pytorch_profiler_3.db", "db", "ready")
    assert read_rank_info(run).rank == 3
