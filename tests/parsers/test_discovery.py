"""What is found in a folder, from names, sizes and times: kinds, order, links, other people's folders."""

from __future__ import annotations

import os
import shlex
import time
from datetime import datetime
from pathlib import Path

import pytest
from made_ranks import write_prof
from nobody import as_nobody

from npuscope.parsers.discovery.runs import find_runs, list_runs, look_at

NOW = 1_800_000_000.0
HOUR = 3600.0
HEADER = "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\n"


def put(path: Path, content: str = "x", changed_at: float = NOW - HOUR) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    os.utime(path, (changed_at, changed_at))
    return path


def prof(root: Path, number=1, stamp="20260102030405006") -> Path:
    folder = root / f"PROF_{number:06d}_{stamp}_ABCDEFGHIJKLMNOP"
    put(folder / "mindstudio_profiler_output" / "op_summary_20260102030500.csv")
    return folder


def age(root: Path, changed_at: float = NOW - HOUR) -> None:
    for path in [*root.rglob("*"), root]:
        os.utime(path, (changed_at, changed_at), follow_symlinks=False)


def found(root):
    age(root)
    return [(run.name, run.kind) for run in find_runs(root, NOW)]


def test_kinds(tmp_path):
    prof(tmp_path)
    put(tmp_path / "a/h_1_20260103030405006_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv")
    put(tmp_path / "a/b/h_1_20260104030405006_ascend_ms/ASCEND_PROFILER_OUTPUT/kernel_details.csv")
    put(tmp_path / "OPPROF_20260105030405_ABCDEFGHIJKLMNOP/OpBasicInfo.csv")
    put(tmp_path / "msprof_20260106030405.db")
    put(tmp_path / "op_summary_20260107030405.csv")
    assert found(tmp_path) == [
        ("op_summary_20260107030405.csv", "csv"),
        ("msprof_20260106030405.db", "db"),
        ("OPPROF_20260105030405_ABCDEFGHIJKLMNOP", "msprof_op"),
        ("h_1_20260104030405006_ascend_ms", "mindspore"),
        ("h_1_20260103030405006_ascend_pt", "torch_npu"),
        ("PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP", "msprof"),
    ]


def test_the_time_in_a_name_is_local_time(tmp_path):
    run = look_at(prof(tmp_path), NOW)
    assert run.started_at == datetime(2026, 1, 2, 3, 4, 5, 6000).timestamp()


@pytest.mark.parametrize("name", ["PROF_000001_20269902030405006_ABCDEFGHIJKLMNOP", "PROF_copy of mine"])
def test_a_name_without_a_time(tmp_path, name):
    prof(tmp_path).rename(tmp_path / name)
    run = look_at(tmp_path / name, NOW)
    assert (run.kind, run.started_at) == ("msprof", None)


def test_raw_data_inside_a_framework_folder_is_no_second_run(tmp_path):
    folder = tmp_path / "h_1_20260103030405006_ascend_pt"
    prof(folder)
    put(folder / "ASCEND_PROFILER_OUTPUT/kernel_details.csv")
    put(folder / "profiler_info_7.json", "{}")
    age(tmp_path)
    (run,) = find_runs(tmp_path, NOW)
    assert (run.name, run.rank, run.files) == (folder.name, 7, ("ASCEND_PROFILER_OUTPUT/kernel_details.csv",))
    assert [(one.file, one.reason.key) for one in run.ignored] == [
        ("PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP", "profiles.ignored.inner-prof")
    ]


@pytest.mark.parametrize(
    "inside", ["", "mindstudio_profiler_output", "../PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP"]
)
def test_a_run_is_recognised_from_inside(tmp_path, inside):
    folder = prof(tmp_path)
    assert look_at(folder / inside, NOW).path == str(folder)


def test_a_relative_path_and_the_folder_itself(tmp_path, monkeypatch):
    folder = prof(tmp_path)
    monkeypatch.chdir(folder)
    assert look_at(Path(), NOW).path == str(folder)
    monkeypatch.chdir(tmp_path)
    assert [run.path for run in find_runs(Path(), NOW)] == [str(folder)]


def test_renamed_folders_are_known_by_what_is_in_them(tmp_path):
    prof(tmp_path).rename(tmp_path / "baseline")
    put(tmp_path / "rank0/ASCEND_PROFILER_OUTPUT/kernel_details.csv")
    put(tmp_path / "kernel/OpBasicInfo_20260102030405006.csv")
    put(tmp_path / "raw/host/data/x.slice_0")
    put(tmp_path / "raw/device_0/data/stars_soc.data.0.slice_0")
    assert sorted(found(tmp_path)) == [
        ("baseline", "msprof"), ("kernel", "msprof_op"), ("rank0", "torch_npu"), ("raw", "msprof"),
    ]  # fmt: skip


def test_msprof_op_folders_of_many_operators_and_devices(tmp_path):
    top = tmp_path / "OPPROF_20260105030405_ABCDEFGHIJKLMNOP"
    for place in ("Add/0", "Add/1", "device1/Mul/0"):
        put(top / place / "OpBasicInfo_20260105030405006.csv")
        put(top / place / "PipeUtilization_20260105030405006.csv")
    age(tmp_path)
    (run,) = find_runs(tmp_path, NOW)
    assert (run.path, run.kind, run.state) == (str(top), "msprof_op", "ready")
    assert sorted({file.rpartition("/")[0] for file in run.files}) == ["Add/0", "Add/1", "device1/Mul/0"]
    assert (look_at(top, NOW), look_at(top / "Add/1", NOW).files) == (
        run,
        ("OpBasicInfo_20260105030405006.csv", "PipeUtilization_20260105030405006.csv"),
    )


@pytest.mark.parametrize(
    ("inside", "state"),
    [("simulator/core0.veccore0/trace.json", "partial"), ("dump/duration.bin", "partial"), (None, "empty")],
)
def test_msprof_op_folders_without_results(tmp_path, inside, state):
    top = tmp_path / "OPPROF_20260105030405_ABCDEFGHIJKLMNOP"
    top.mkdir()
    if inside:
        put(top / inside)
    age(tmp_path)
    (run,) = find_runs(tmp_path, NOW)
    assert (run.kind, run.state) == ("msprof_op", state)
    assert run.reason is not None


def test_csv_files_of_any_name_are_known_by_their_header_where_nothing_else_is(tmp_path):
    put(tmp_path / "decode.csv", HEADER)
    put(tmp_path / "notes.csv", "a,b\n1,2\n")
    assert found(tmp_path) == [("decode.csv", "csv")]
    prof(tmp_path)
    assert found(tmp_path) == [("PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP", "msprof")]


def test_nothing_there(tmp_path):
    assert find_runs(tmp_path, NOW) == ()
    assert find_runs(tmp_path / "missing", NOW) == ()
    assert find_runs(put(tmp_path / "x.txt"), NOW) == ()
    assert look_at(tmp_path / "missing.csv", NOW) is None


def test_links_and_loops(tmp_path):
    folder = prof(tmp_path / "real")
    (tmp_path / "real" / "loop").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "real")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    (folder / "self").symlink_to(folder)
    outside = prof(tmp_path.parent / f"{tmp_path.name}-outside", 2)
    (tmp_path / "linked").symlink_to(outside)
    runs = find_runs(tmp_path, NOW)
    assert sorted(run.path for run in runs) == sorted([str(folder), str(tmp_path / "linked")])


def test_a_root_that_is_a_link(tmp_path):
    prof(tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert len(find_runs(tmp_path / "link", NOW)) == 1


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("noted, rank", [(3, 3), ("2", 2), (-1, None), ("-1", None), ("no", None), (10**9, None)])
def test_the_rank_that_the_collector_noted(tmp_path, noted, rank, old):
    folder = write_prof(tmp_path, 1, 100.0, noted=noted, old=old)
    assert look_at(folder, time.time()).rank == rank


def test_devices_of_several_ranks_in_one_folder_are_no_rank(tmp_path):
    folder = write_prof(tmp_path, 1, 100.0, old=True)
    (folder / "device_5").mkdir()
    (folder / "device_5" / "info.json.5").write_text('{"rank_id": 5}')
    assert look_at(folder, time.time()).rank is None


def test_hidden_folders_and_environments_are_left_out(tmp_path):
    for name in (".git", ".cache", "node_modules", "site-packages"):
        prof(tmp_path / name)
    assert find_runs(tmp_path, NOW) == ()


def test_names_for_shells_and_pythons_are_quoted(tmp_path):
    folder = tmp_path / "a b'$(c)" / "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP"
    put(folder / "device_0/data/stars_soc.data.0.slice_0")
    put(folder / "device_0/end_info.0")
    analysed = tmp_path / "it's" / "h_1_20260103030405006_ascend_pt"
    put(analysed / "FRAMEWORK/torch.op_range")
    age(tmp_path)
    commands = {run.kind: shlex.split(run.next_command) for run in find_runs(tmp_path, NOW)}
    assert commands["msprof"] == ["msprof", "--export=on", f"--output={folder}"]
    assert commands["torch_npu"][:2] == ["python3", "-c"]
    assert commands["torch_npu"][2].endswith(f"import analyse; analyse({str(analysed)!r})")
    compile(commands["torch_npu"][2], "command", "exec")


def test_the_signature_changes_with_the_files(tmp_path):
    folder = prof(tmp_path)
    file = folder / "mindstudio_profiler_output" / "op_summary_20260102030500.csv"
    first = look_at(folder, NOW)
    assert look_at(folder, NOW).signature == first.signature
    put(file, "longer", NOW - HOUR)
    second = look_at(folder, NOW)
    put(file, "longer", NOW - 10)
    third = look_at(folder, NOW)
    assert len({first.signature, second.signature, third.signature}) == 3
    assert (first.size_bytes, second.size_bytes, third.changed_at) == (1, 6, pytest.approx(NOW - 10, abs=HOUR * 1e6))


def test_many_runs_come_newest_first(tmp_path):
    for number in range(300):
        prof(tmp_path, number, f"20260102{number // 60:02d}{number % 60:02d}00000")
    runs = find_runs(tmp_path, NOW)
    assert [run.name[5:11] for run in runs] == [f"{number:06d}" for number in reversed(range(300))]


def test_closed_folders_and_files_are_shown_with_their_path(shared):
    good, closed, file_closed, inner_closed = (prof(shared, number) for number in (1, 2, 3, 5))
    private = prof(shared / "private", 4).parent
    table = file_closed / "mindstudio_profiler_output" / "op_summary_20260102030500.csv"
    table.chmod(0)
    closed.chmod(0)
    private.chmod(0)
    inner = inner_closed / "mindstudio_profiler_output"
    inner.chmod(0)

    def work():
        found = list_runs(shared, time.time() + HOUR)
        assert found.closed == (str(private),)  # which is no run by its name
        runs = found.runs
        assert all(run.changed_at > 0 for run in runs)  # never a date in 1970
        return [[r.path, r.state, r.reason.params["path"] if r.reason else None, len(r.problems)] for r in runs]

    assert sorted(as_nobody(work)) == [
        [str(good), "ready", None, 0],
        [str(closed), "unreadable", str(closed), 1],
        [str(file_closed), "unreadable", str(table), 1],
        [str(inner_closed), "unreadable", str(inner), 1],
    ]


def test_closed_folders_are_one_problem_that_names_the_first_of_them(shared):
    prof(shared)
    closed = [shared / f"user{number}" for number in range(5)]
    for folder in closed:
        folder.mkdir(mode=0)

    def work():
        (problem,) = list_runs(shared, NOW).problems
        return [problem.code, problem.message.key, dict(problem.message.params), problem.file]

    names = ", ".join(str(folder) for folder in closed[:3]) + ", …"
    key = "profiles.problem.closed-folders"
    assert as_nobody(work) == ["permission", key, {"n": 5, "names": names}, str(closed[0])]
    assert list_runs(shared / "nothing", NOW).problems == ()


def test_a_folder_that_may_be_listed_but_not_entered_is_told_by_what_is_in_it(shared):
    inner = prof(shared / "listed").parent / "group"
    inner.mkdir()
    (shared / "listed").chmod(0o444)
    assert str(inner) in as_nobody(lambda: list_runs(shared, NOW).closed)


def test_files_that_vanish_while_looking(tmp_path, monkeypatch):
    folder = prof(tmp_path)
    put(tmp_path / "gone" / "op_summary_1.csv")
    real = os.scandir

    def scandir(path):
        listed = real(path)
        entries = list(listed)
        listed.close()
        if Path(path).name in ("gone", "mindstudio_profiler_output"):
            for entry in entries:
                Path(entry.path).unlink()

        class Listed(list):
            def __enter__(self):
                return self

            def __exit__(self, *_):
                return None

        return Listed(entries)

    monkeypatch.setattr(os, "scandir", scandir)
    (run,) = find_runs(tmp_path, NOW)
    assert (run.path, run.files) == (str(folder), ())
