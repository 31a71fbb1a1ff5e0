"""What a rank's time is made of, from its operators; its operators against the others'; which runs are one job."""

from __future__ import annotations

import dataclasses
import math
import zipfile
from pathlib import Path

import numpy as np
import pytest
from made_ops import op, table
from made_ranks import rank, write_rank

from npuscope.analysis.ranks.against import MOST_OTHERS, against, peers
from npuscope.analysis.ranks.jobs import Job, job_of, jobs
from npuscope.analysis.ranks.operators import TypeTime, cause, differences, times_by_type
from npuscope.analysis.ranks.times import OPERATORS, RankTimes, of_operators, read_rank
from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.profile import Run
from npuscope.parsers.table import Strings, Table
from npuscope.tui import text

RUN = Run("/made/x", "x", "torch_npu", "ready")


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


def test_operators_as_computing_communication_and_free():
    rows = [
        op(0, 100.0, step=1),
        op(50, 100.0, stream=3, step=1),  # overlaps the first by 50
        op(120, 60.0, type="hcom_allReduce_", core="COMMUNICATION", stream=9, step=1),  # 30 of it alone
        op(200, 100.0, step=2),
        op(350, 50.0, core="AI_CPU", type="Unique", step=2),
    ]
    found = of_operators(RankTimes(RUN, 0), table(rows))
    assert (found.computing_us, found.communication_us, found.overlapped_us) == (300.0, 30.0, 30.0)
    assert (found.free_us, found.stage_us, found.source) == (70.0, 400.0, OPERATORS)
    assert [(step.step, step.computing_us, step.free_us) for step in found.steps] == [(1, 150.0, 0.0), (2, 150.0, 50.0)]


def test_who_waits_in_a_collective_of_the_ai_cpu_does_not_compute():
    half = {"name": "allgatherAicpuKernel", "type": "allgatherAicpuKernel", "core": "AI_CPU", "stream": 41}
    found = of_operators(RankTimes(RUN, 0), table([op(0, 100.0), op(100, 70.0, **half), op(180, 20.0)]))
    assert (found.computing_us, found.communication_us, found.free_us) == (120.0, 70.0, 10.0)
    types = Table({"type": Strings.of(["allgatherAicpuKernel", "Unique"]), "core": Strings.of(["AI_CPU", "AI_CPU"]),
                   "count": np.array([1, 1]), "total_us": np.array([70.0, 5.0])})  # fmt: skip
    assert {name: one.communication for name, one in times_by_type(types).items()} == {
        "allgatherAicpuKernel": True,
        "Unique": False,
    }


def test_without_start_times_nothing_is_told_apart():
    found = of_operators(RankTimes(RUN, 0), table([op(0, 1.0), op(0, 1.0, start_ns=-1)]))
    assert not found.known and found.source == ""
    assert "start times are missing" in text.told(found.reason)


def test_a_run_with_a_step_table(tmp_path):
    folder = write_rank(tmp_path, 3, {1: (100.0, 20.0, 5.0), 2: (110.0, 10.0, 5.0)}, device=7)
    (found,) = read_rank(look_at(folder, 0.0))
    assert (found.rank, found.device, found.source) == (3, 7, "step_trace_time")
    assert (found.computing_us, found.communication_us, found.free_us, found.stage_us) == (210.0, 30.0, 10.0, 250.0)
    assert [step.step for step in found.steps] == [1, 2] and found.preparing_us == 3.0


def test_a_run_without_one(tmp_path):
    folder = write_rank(tmp_path, 0, None)
    (found,) = read_rank(look_at(folder, 0.0))
    assert (found.source, found.rank, found.computing_us) == (OPERATORS, 0, 560.0)
    assert found.free_us == pytest.approx(11.0)  # a microsecond between each two of twelve


def test_a_process_that_drove_two_devices_is_two_entries(tmp_path):
    folder = write_rank(tmp_path, 0, None)
    file = folder / "ASCEND_PROFILER_OUTPUT" / "kernel_details.csv"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines, *(line.replace("1,0,", "1,1,", 1) for line in lines[1:5])]) + "\n")
    found = read_rank(look_at(folder, 0.0))
    assert [(one.device, one.rank, one.computing_us) for one in found] == [(0, None, 560.0), (1, None, 400.0)]


@pytest.mark.parametrize("what", ["empty", "gone", "raw"])
def test_a_rank_without_device_data_has_null_times_and_a_reason(tmp_path, what):
    folder = write_rank(tmp_path, 2, None)
    output = folder / "ASCEND_PROFILER_OUTPUT"
    table_file = output / "kernel_details.csv"
    if what == "empty":
        table_file.write_text("")
    else:
        table_file.unlink()
    if what == "raw":
        output.rmdir()
    (found,) = read_rank(look_at(folder, 1e10))
    assert found.rank == 2 and not found.known and found.computing_us is None
    assert found.state != "ready" and text.told(found.reason)


def types(**us):
    names = list(us)
    return Table({
        "type": Strings.of(names),
        "core": Strings.of("COMMUNICATION" if name.startswith("hcom") else "AI_CORE" for name in names),
        "count": np.array([10] * len(names), dtype=np.int64),
        "total_us": np.array(list(us.values()), dtype=np.float64),
    })  # fmt: skip


OTHERS = [times_by_type(types(MatMulV2=1000.0, Add=300.0, Cast=50.0, hcom_allReduce_=500.0)) for _ in range(3)]


@pytest.mark.parametrize(
    ("own", "late_by_pct", "kind", "said"),
    [
        ({"MatMulV2": 1300.0, "Add": 390.0, "Cast": 66.0}, 30.0, "clock", "All its operators take 30 % longer"),
        ({"MatMulV2": 1400.0, "Add": 301.0, "Cast": 50.0}, 30.0, "operator", "MatMulV2 alone takes 400 us longer"),
        ({"MatMulV2": 1210.0, "Add": 490.0, "Cast": 51.0}, 30.0, "several", "MatMulV2 takes 210 us longer"),
        ({"MatMulV2": 1001.0, "Add": 300.0, "Cast": 50.0}, 30.0, "unexplained", "do not show it"),
        ({"MatMulV2": 900.0, "Add": 300.0, "Cast": 50.0}, 30.0, "unexplained", "do not show it"),
        ({"MatMulV2": 1700.0}, 30.0, "operator", "MatMulV2 alone"),
    ],
)  # fmt: skip
def test_what_the_operators_say_about_a_late_rank(own, late_by_pct, kind, said):
    found = cause(differences(times_by_type(types(**own)), OTHERS), late_by_pct)
    assert found.kind == kind and said in text.told(found.text)


def test_more_operators_are_more_work():
    more = {"MatMulV2": TypeTime(14, 1400.0), "Add": TypeTime(10, 300.0), "Cast": TypeTime(10, 50.0)}
    found = cause(differences(more, OTHERS), 30.0)
    assert found.kind == "work" and "34 operators, the others 30" in text.told(found.text)


def test_differences_come_largest_first_and_communication_last():
    own = times_by_type(types(Add=310.0, Extra=7.0, hcom_allReduce_=5.0))
    found = differences(own, OTHERS)
    assert [one.type for one in found] == ["MatMulV2", "Cast", "Add", "Extra", "hcom_allReduce_"]
    assert (found[0].us, found[0].median_us, found[0].difference_pct) == (0.0, 1000.0, -100.0)
    assert found[3].difference_pct is None and found[4].communication


def test_a_rank_against_the_median_of_the_others_from_files(tmp_path):
    usual = (("MatMulV2", 4, 100.0), ("Add", 8, 20.0), ("hcom_allReduce_", 2, 50.0))
    slow = tuple((kind, calls, us * 1.3) for kind, calls, us in usual)
    folders = [write_rank(tmp_path, n, None, slow if n == 2 else usual) for n in range(3)]
    runs = [look_at(folder, 0.0) for folder in folders]
    seen = []
    found = against(runs[2], runs[:2], 30.0, seen.append)
    assert found.cause.kind == "clock" and len(found.others) == 2
    assert found.types[0].type == "MatMulV2" and found.types[0].difference_us == pytest.approx(120.0)
    assert seen[-1] == 1.0
    assert against(runs[2], runs[:2], None).cause is None


def test_nothing_to_compare_is_a_problem_and_no_crash(tmp_path):
    folder = write_rank(tmp_path, 0, None)
    gone = dataclasses.replace(look_at(folder, 0.0), path=str(tmp_path / "gone"))
    found = against(look_at(folder, 0.0), [gone], 1.0)
    assert found.types == () and found.problems


def test_peers_do_the_same_work_and_are_not_too_many():
    ranks = [rank(n, (1, 1, 1), pipeline_stage=n % 2) for n in range(40)] + [rank(90)]
    chosen = peers(ranks[4], ranks)
    assert len(chosen) == MOST_OTHERS and {one.pipeline_stage for one in chosen} == {0}
    assert ranks[4] not in chosen


def run_of(number, started, folder="/data/run42", kind="torch_npu", **more):
    name = f"node_{number}_{started}_ascend_pt"
    return Run(f"{folder}/{name}", name, kind, "ready", rank=number, started_at=started, signature="s", **more)


def members(found):
    return [[(run.rank, run.started_at) for run in job.runs] for job in found]


def test_ranks_that_began_together_in_one_folder_are_a_job():
    found = jobs([run_of(1, 1003.0), run_of(0, 1001.0), run_of(2, 5000.0), run_of(None, 1002.0)])
    assert members(found) == [[(0, 1001.0), (1, 1003.0)]]
    assert found[0].ranks == (0, 1) and found[0].started_at == 1001.0


def test_a_rank_that_comes_again_belongs_to_the_next_job():
    runs = [run_of(n, at + n) for at in (1000.0, 1010.0) for n in (0, 1)]
    assert members(jobs(runs)) == [[(0, 1010.0), (1, 1011.0)], [(0, 1000.0), (1, 1001.0)]]
    skewed = [run_of(0, 1000.0), run_of(0, 1010.0), run_of(1, 1012.0), run_of(1, 1020.0)]
    assert members(jobs(skewed)) == [[(0, 1010.0), (1, 1020.0)], [(0, 1000.0), (1, 1012.0)]]


def test_a_folder_for_each_host_is_one_job_when_no_rank_comes_twice():
    hosts = [run_of(n, 1000.0 + n, folder=f"/data/run42/host{n // 2}") for n in range(4)]
    (job,) = jobs(hosts)
    assert job.ranks == (0, 1, 2, 3) and job.folder == "/data/run42"
    twice = [run_of(n, 1000.0 + n, folder=f"/data/exp{copy}") for copy in (1, 2) for n in range(2)]
    assert sorted(job.folder for job in jobs(twice)) == ["/data/exp1", "/data/exp2"]
    late = [*hosts[:2], *(dataclasses.replace(run, started_at=5000.0) for run in hosts[2:])]
    assert [job.ranks for job in jobs(late)] == [(2, 3), (0, 1)]


def test_a_folder_for_each_rank_is_one_job_too():
    runs = [run_of(n, 1000.0, folder=f"/data/run42/rank{n}") for n in range(3)]
    assert [job.ranks for job in jobs(runs)] == [(0, 1, 2)]


def test_folders_far_apart_and_kinds_part_jobs_unless_one_asks_for_all():
    apart = [run_of(0, 1000.0), run_of(1, 1000.0, folder="/other/run42/prof")]
    assert jobs(apart) == ()
    assert members(jobs(apart, anywhere=True)) == [[(0, 1000.0), (1, 1000.0)]]
    assert jobs([run_of(0, 1000.0), run_of(1, 1000.0, kind="mindspore")]) == ()


def test_names_without_a_time_count_by_their_folder():
    found = jobs([run_of(1, None), run_of(0, None), run_of(2, 1000.0)])
    assert members(found) == [[(0, None), (1, None)]]
    beside = [run_of(0, None, folder="/data/a"), run_of(1, None, folder="/data/b")]
    assert jobs(beside) == () and len(jobs(beside, anywhere=True)) == 1


def test_the_job_a_run_belongs_to():
    runs = [run_of(0, 1000.0), run_of(1, 1000.0), run_of(2, 9000.0)]
    assert job_of(runs[1], runs) == Job((runs[0], runs[1]))
    assert job_of(runs[2], runs) is None


def test_thousands_of_runs_of_one_rank_are_looked_at_once_each():
    many = [run_of(0, 1000.0 + 40 * at) for at in range(3000)]
    assert jobs(many) == ()
    assert len(jobs([*many, *(run_of(1, 1001.0 + 40 * at) for at in range(3000))])) == 3000
    undated = [dataclasses.replace(run_of(n % 2, None), path=f"/data/run42/{n}") for n in range(6)]
    assert [len(job.runs) for job in jobs(undated)] == [2, 2, 2]


def test_an_archive_of_a_rank_is_read_as_its_folder(tmp_path):
    told = {"distributed_args": {"world_size": 8}}
    folder = write_rank(tmp_path, 3, {1: (100.0, 20.0, 5.0)}, device=7, metadata=told)
    archive = packed(folder)
    whole, (found,) = read_rank(look_at(folder, 0.0)), read_rank(look_at(archive, math.inf))
    assert found == dataclasses.replace(whole[0], run=found.run)
    assert (found.run.path, found.source, found.world_size) == (str(archive), "step_trace_time", 8)


def test_what_is_wrong_in_an_archive_is_told_of_the_archive(tmp_path):
    folder = write_rank(tmp_path, 3, {1: (100.0, 20.0, 5.0)})
    output = folder / "ASCEND_PROFILER_OUTPUT"
    (output / "step_trace_time.csv").write_text("no,table\n1,2\n")
    (output / "kernel_details.csv").write_text("no,table\n1,2\n")
    (found,) = read_rank(look_at(packed(folder), math.inf))
    assert found.state == "damaged" and not found.known
    files = {problem.file for problem in found.problems}
    assert files and all(file.startswith(f"{folder}.zip") for file in files)


def test_a_cut_archive_is_a_rank_without_times(tmp_path):
    archive = packed(write_rank(tmp_path, 3, {1: (100.0, 20.0, 5.0)}))
    run = look_at(archive, math.inf)
    archive.write_bytes(archive.read_bytes()[:200])
    (found,) = read_rank(run)
    assert found.state == "damaged" and found.rank == 3 and not found.known
    assert "cannot be read as an archive" in text.told(found.reason)


def packed(folder):
    """A rank's folder as folder.zip."""
    archive = Path(f"{folder}.zip")
    with zipfile.ZipFile(archive, "w") as out:
        for file in sorted(folder.rglob("*")):
            out.write(file, file.relative_to(folder.parent))
    return archive
