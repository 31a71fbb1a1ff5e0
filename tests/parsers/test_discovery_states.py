"""A run's state while it is collected, exported and afterwards, told from names, sizes and times."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from npuscope.parsers.discovery.files import SETTLE_S, Fact
from npuscope.parsers.discovery.msprof import OP_SUMMARY, newest_export
from npuscope.parsers.discovery.runs import look_at
from npuscope.tui import text

NOW = 1_800_000_000.0
OLD = NOW - 3600
PROF = "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP"
TORCH = "h_1_20260103030405006_ascend_pt"


class Disk:
    """Files with sizes and times; folders are always old so that only files decide."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, name: str, size: int = 1, changed_at: float = OLD) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
        os.utime(path, (changed_at, changed_at))

    def look(self, name: str, now: float = NOW):
        for path in [self.root, *self.root.rglob("*")]:
            if path.is_dir():
                os.utime(path, (OLD, OLD))
        return look_at(self.root / name, now)


@pytest.fixture
def disk(tmp_path):
    return Disk(tmp_path)


def key(run):
    text.set_language("en")
    assert run.reason is None or text.told(run.reason)
    return run.state, run.reason.key.rpartition(".")[2] if run.reason else None


OUT = f"{PROF}/mindstudio_profiler_output"
TABLE = f"{OUT}/op_summary_20260102030500.csv"
RAW = f"{PROF}/device_0/data/stars_soc.data.0.slice_0"


def test_a_collection_from_start_to_table(disk):
    (disk.root / PROF).mkdir()
    os.utime(disk.root / PROF, (NOW - 1, NOW - 1))
    assert key(look_at(disk.root / PROF, NOW)) == ("collecting", "just-created")
    disk.put(RAW, changed_at=NOW - 1)
    assert key(disk.look(PROF)) == ("collecting", "collecting")
    disk.put(f"{PROF}/device_0/end_info.0", changed_at=NOW - 1)
    run = disk.look(PROF)
    assert key(run) == ("collected", "not-exported")
    assert run.next_command.startswith("msprof --export=on --output=/")
    disk.put(f"{OUT}/api_statistic_20260102030459.csv", changed_at=NOW - 1)
    assert key(disk.look(PROF)) == ("exporting", "export-started")
    disk.put(TABLE, changed_at=NOW - 1)
    assert key(disk.look(PROF)) == ("exporting", "being-written")
    assert key(disk.look(PROF, NOW + SETTLE_S)) == ("ready", None)


def test_the_readme_ends_an_export_at_once(disk):
    disk.put(TABLE, changed_at=NOW - 1)
    disk.put(f"{OUT}/README.txt", changed_at=NOW - 2)
    assert key(disk.look(PROF)) == ("exporting", "being-written")
    disk.put(f"{OUT}/README.txt", changed_at=NOW - 1)
    assert key(disk.look(PROF)) == ("ready", None)
    disk.put(f"{OUT}/op_statistic_20260102030500.csv", changed_at=NOW - 0.5)
    assert key(disk.look(PROF)) == ("exporting", "being-written")


@pytest.mark.parametrize(("ahead", "state"), [(30, "exporting"), (3600, "ready")])
def test_clocks_of_other_hosts(disk, ahead, state):
    disk.put(TABLE, changed_at=NOW + ahead)
    assert disk.look(PROF).state == state


def test_a_killed_collection_is_collected_once_it_is_quiet(disk):
    disk.put(RAW, changed_at=NOW - 40)
    assert key(disk.look(PROF)) == ("collected", "cut-short")


def test_parsing_before_the_export(disk):
    disk.put(RAW)
    disk.put(f"{PROF}/device_0/end_info.0")
    disk.put(f"{PROF}/host/sqlite/api_event.db")
    disk.look(PROF)
    os.utime(disk.root / PROF / "host" / "sqlite", (NOW - 1, NOW - 1))
    assert key(look_at(disk.root / PROF, NOW)) == ("exporting", "being-parsed")


def test_exports_without_an_operator_table(disk):
    disk.put(f"{OUT}/api_statistic_20260102030459.csv")
    run = disk.look(PROF)
    assert key(run) == ("partial", "no-device-data")
    assert run.next_command.startswith("msprof --output=/") and run.next_command.endswith("./YOUR_PROGRAM")
    disk.put(RAW)
    assert key(disk.look(PROF)) == ("partial", "no-op-summary")
    disk.put(f"{OUT}/op_statistic_20260102030459.csv")
    assert key(disk.look(PROF)) == ("partial", "statistic-alone")


def test_an_export_is_proposed_only_where_there_is_something_to_export(disk):
    disk.put(f"{PROF}/host/data/unaging.api_event.data.slice_0")
    disk.put(f"{PROF}/host/end_info")
    disk.put(f"{PROF}/device_0/info.json.0")
    run = disk.look(PROF)
    assert key(run) == ("partial", "no-device-data")
    assert "--export" not in run.next_command
    disk.put(f"{OUT}/op_statistic_20260102030459.csv")
    run = disk.look(PROF)
    assert key(run) == ("partial", "statistic-alone")
    assert "--export" not in run.next_command
    disk.put(RAW)
    assert "--export" in disk.look(PROF).next_command


BESIDE = (
    f"{OUT}/api_statistic_20260102030459.csv", f"{OUT}/step_trace_20260102030459.csv",
    f"{OUT}/l2_cache_20260102030459.csv", f"{OUT}/fusion_op_20260102030459.csv",
    f"{OUT}/operator_memory_20260102030459.csv", f"{OUT}/task_time_20260102030459.csv",
)  # fmt: skip


@pytest.mark.parametrize("file", BESIDE)
def test_what_is_read_beside_the_table_changes_the_signature(disk, file):
    disk.put(TABLE)
    before = disk.look(PROF)
    disk.put(file)
    there = disk.look(PROF)
    disk.put(file, 2)
    changed = disk.look(PROF)
    assert len({before.signature, there.signature, changed.signature}) == 3
    assert before.files == changed.files
    disk.put(f"{OUT}/nothing_that_is_read.txt")
    assert disk.look(PROF).signature == changed.signature


@pytest.mark.parametrize("file", ["step_trace_time.csv", "trace_view.json", "analysis.db", "../profiler_info_0.json"])
def test_the_same_of_a_framework(disk, file):
    disk.put(f"{TORCH}/ASCEND_PROFILER_OUTPUT/kernel_details.csv")
    disk.put(f"{TORCH}/ASCEND_PROFILER_OUTPUT/{file}")
    before = disk.look(TORCH)
    disk.put(f"{TORCH}/ASCEND_PROFILER_OUTPUT/{file}", 2)
    assert disk.look(TORCH).signature != before.signature


def test_the_same_of_the_old_layout_and_of_msprof_op(disk):
    old = f"{PROF}/device_0/summary"
    disk.put(f"{old}/op_summary_0_1.csv")
    disk.put(f"{old}/step_trace_0_1.csv")
    before = disk.look(PROF)
    disk.put(f"{old}/step_trace_0_1.csv", 2)
    assert disk.look(PROF).signature != before.signature
    disk.put("OPPROF_z/OpBasicInfo.csv")
    disk.put("OPPROF_z/PipeUtilization.csv")
    before = disk.look("OPPROF_z")
    disk.put("OPPROF_z/visualize_data.bin")
    assert disk.look("OPPROF_z").signature != before.signature


def test_tables_of_0_bytes(disk):
    disk.put(TABLE, 0)
    assert key(disk.look(PROF)) == ("empty", "zero-bytes")
    disk.put(f"{OUT}/op_statistic_20260102030459.csv")
    assert key(disk.look(PROF)) == ("partial", "statistic-only")
    disk.put(f"{PROF}/msprof_20260102030500.db")
    run = disk.look(PROF)
    assert key(run) == ("ready", "database-instead")
    assert "msprof_20260102030500.db" in run.files


def test_empty_and_unknown_folders(disk):
    (disk.root / PROF).mkdir()
    assert key(disk.look(PROF)) == ("empty", "empty-folder")
    disk.put(f"{PROF}/device_0/info.json.0")
    assert key(disk.look(PROF)) == ("partial", "no-raw-data")


def test_the_analysis_of_a_framework_folder(disk):
    (disk.root / TORCH).mkdir()
    assert key(disk.look(TORCH)) == ("empty", "empty-folder")
    disk.put(f"{TORCH}/FRAMEWORK/torch.op_range")
    os.utime(disk.root / TORCH / "FRAMEWORK", (NOW - 1, NOW - 1))
    assert key(look_at(disk.root / TORCH, NOW)) == ("collecting", "collecting")
    disk.put(f"{TORCH}/profiler_info_3.json", changed_at=NOW - 1)
    run = disk.look(TORCH)
    assert key(run) == ("collected", "not-analysed")
    assert run.rank == 3
    out = f"{TORCH}/ASCEND_PROFILER_OUTPUT"
    disk.put(f"{out}/kernel_details.csv", changed_at=NOW - 1)
    assert key(disk.look(TORCH)) == ("exporting", "being-analysed")
    disk.put(f"{out}/analyse.done", 0, changed_at=NOW - 1)
    assert key(disk.look(TORCH)) == ("ready", None)
    disk.put(f"{out}/trace_view.json", changed_at=NOW - 0.5)
    assert key(disk.look(TORCH)) == ("exporting", "being-analysed")
    assert key(disk.look(TORCH, NOW + SETTLE_S)) == ("ready", None)


def test_framework_folders_that_lack_the_table(disk):
    out = f"{TORCH}/ASCEND_PROFILER_OUTPUT"
    disk.put(f"{out}/step_trace_time.csv")
    assert key(disk.look(TORCH)) == ("partial", "no-kernel-details")
    disk.put(f"{out}/op_statistic.csv")
    assert key(disk.look(TORCH)) == ("partial", "statistic-alone")
    disk.put(f"{out}/kernel_details.csv", 0)
    assert key(disk.look(TORCH)) == ("partial", "statistic-only")
    disk.put(f"{out}/ascend_pytorch_profiler_0.db")
    assert key(disk.look(TORCH)) == ("ready", "database-instead")
    disk.put(f"{out}/op_statistic.csv", 0)
    (disk.root / out / "ascend_pytorch_profiler_0.db").unlink()
    assert key(disk.look(TORCH)) == ("empty", "zero-bytes")


def test_two_ranks_in_one_folder_have_no_rank(disk):
    for rank in (0, 1):
        disk.put(f"{TORCH}/profiler_info_{rank}.json")
    assert disk.look(TORCH).rank is None


def test_single_files(disk):
    disk.put("op_summary_1.csv", changed_at=NOW - 1)
    disk.put("kernel_details.csv")
    disk.put("op_statistic_1.csv")
    disk.put("msprof_1.db", 0)
    assert key(disk.look("op_summary_1.csv")) == ("exporting", "being-written")
    assert key(disk.look("kernel_details.csv")) == ("ready", None)
    assert key(disk.look("op_statistic_1.csv")) == ("partial", "statistic-alone")
    assert key(disk.look("msprof_1.db")) == ("empty", "zero-bytes")


def test_msprof_op_folders(disk):
    disk.put("OPPROF_x/OpBasicInfo.csv", changed_at=NOW - 1)
    assert key(disk.look("OPPROF_x")) == ("exporting", "being-written")
    assert key(disk.look("OPPROF_x", NOW + SETTLE_S)) == ("partial", "no-pipe-utilization")
    disk.put("OPPROF_x/PipeUtilization.csv")
    assert key(disk.look("OPPROF_x", NOW + SETTLE_S)) == ("ready", None)
    disk.put("OPPROF_x/OpBasicInfo.csv", 0)
    assert key(disk.look("OPPROF_x")) == ("empty", "zero-bytes")
    disk.put("OPPROF_y/dump/duration.bin")
    os.utime(disk.root / "OPPROF_y", (NOW - 1, NOW - 1))
    assert key(look_at(disk.root / "OPPROF_y", NOW)) == ("collecting", "collecting")


def test_the_old_layout(disk):
    disk.put(f"{PROF}/device_0/summary/op_summary_0_1.csv")
    disk.put(f"{PROF}/device_1/summary/op_summary_1_1.csv")
    run = disk.look(PROF)
    assert key(run) == ("ready", None)
    assert run.files == ("device_0/summary/op_summary_0_1.csv", "device_1/summary/op_summary_1_1.csv")


def test_the_new_layout_goes_before_the_old_one(disk):
    disk.put(f"{PROF}/device_0/summary/op_summary_0_1.csv")
    disk.put(TABLE)
    assert disk.look(PROF).files == ("mindstudio_profiler_output/op_summary_20260102030500.csv",)


def test_a_database_beside_the_table_is_not_read(disk):
    disk.put(TABLE)
    disk.put(f"{PROF}/msprof_20260102030400.db")
    disk.put(f"{PROF}/msprof_20260102030500.db")
    run = disk.look(PROF)
    assert run.files == ("mindstudio_profiler_output/op_summary_20260102030500.csv",)
    assert {one.file: one.reason.key.rpartition(".")[2] for one in run.ignored} == {
        "msprof_20260102030400.db": "older-export",
        "msprof_20260102030500.db": "same-as-csv",
    }
    assert run.problems == ()


@pytest.mark.parametrize(
    ("names", "newest"),
    [
        ("400 500", "500"),
        ("slice_0_500 slice_1_503", "slice_0_500 slice_1_503"),
        ("500 slice_1_501", "500 slice_1_501"),
        ("slice_0_500 slice_1_501 600", "600"),
        ("400 slice_0_500 slice_1_501", "slice_0_500 slice_1_501"),
        ("slice_10_501 slice_2_501", "slice_2_501 slice_10_501"),
    ],
)
def test_the_newest_export(names, newest):
    def name(short):
        part, _, seconds = short.rpartition("_")
        return f"op_summary_{part}{'_' if part else ''}20260102030{seconds}.csv"

    facts = [Fact(name(short), 1, OLD) for short in names.split()]
    assert [one.file for one in newest_export(facts, OP_SUMMARY)] == [name(short) for short in newest.split()]


def test_older_exports_are_named(disk):
    disk.put(f"{OUT}/op_summary_20260102030400.csv")
    disk.put(TABLE)
    run = disk.look(PROF)
    assert [(one.file, text.told(one.reason)) for one in run.ignored] == [
        ("mindstudio_profiler_output/op_summary_20260102030400.csv", "older export")
    ]
    assert [problem.code for problem in run.problems] == ["older-export"]


def test_no_analysis_is_proposed_where_nothing_of_a_device_was_collected(disk):
    disk.put(f"{TORCH}/ASCEND_PROFILER_OUTPUT/operator_details.csv")
    disk.put(f"{TORCH}/{PROF}/host/data/unaging.api_event.data.slice_0")
    run = disk.look(TORCH)
    assert (key(run), run.next_command) == (("partial", "no-device-data"), None)
    disk.put(f"{TORCH}/{RAW}")
    assert key(disk.look(TORCH)) == ("partial", "no-kernel-details")
