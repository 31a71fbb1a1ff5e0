"""What is read beside the operators: host calls, fused operators, memory, L2 rates, kernels out of task_time."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.analysis.summarize import summarize
from npuscope.analysis.times.host_calls import missing
from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof import extras
from npuscope.parsers.msprof.extras import matched
from npuscope.parsers.msprof.reader import quick_types, read_profile
from npuscope.parsers.say import say

FIXTURES = Path(__file__).parents[2] / "fixtures"
LATER = time.time() + 3600
HEADER = (
    "Device_id,Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Task Wait Time(us)"
)


def prof(tmp_path, files):
    folder = tmp_path / "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP"
    output = folder / "mindstudio_profiler_output"
    output.mkdir(parents=True)
    (folder / "device_0" / "data").mkdir(parents=True)
    (folder / "device_0" / "data" / "stars_soc.data.0.slice_0").write_bytes(b"x")
    for name, content in files.items():
        if isinstance(content, Path):
            shutil.copy(content, output / name)
        else:
            (output / name).write_text(content)
    return folder


def operators(*cells):
    lines = [f"0,{task},{stream},{name},{name},AI_CORE,{1000 + at}.000\t,1.5,0" for at, (task, stream, name) in
             enumerate(cells)]  # fmt: skip
    return "\n".join([HEADER, *lines]) + "\n"


def read(folder):
    return read_profile(look_at(folder, LATER))


def test_host_calls_fused_operators_and_memory_are_extras(tmp_path):
    files = FIXTURES / "files"
    profile = read(prof(tmp_path, {
        "op_summary_20260102030405.csv": operators((1, 2, "a")),
        "api_statistic_20260102030405.csv": files / "api_statistic_20251127120000.csv",
        "fusion_op_20260102030405.csv": files / "fusion_op_20260102030405.csv",
        "operator_memory_20260102030405.csv": files / "operator_memory_20230919172304.csv",
    }))  # fmt: skip
    assert sorted(profile.extras) == ["api_statistic", "fusion_op", "operator_memory"]
    assert profile.extras["api_statistic"].strings("device")[0] == "host"
    assert len(profile.extras["operator_memory"]) == 6
    assert len(profile.ops) == 1


def test_of_several_exports_the_newest_and_never_a_huge_one(tmp_path, monkeypatch):
    row = "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n0,acl,{},1,1,1,1,1,0\n"
    folder = prof(tmp_path, {
        "op_summary_20260102030405.csv": operators((1, 2, "a")),
        "api_statistic_20260102030405.csv": row.format("old"),
        "api_statistic_20260102030500.csv": row.format("new"),
    })  # fmt: skip
    assert read(folder).extras["api_statistic"].strings("name").tolist() == ["new"]
    monkeypatch.setattr(extras, "MOST_BYTES", 10)
    assert read(folder).extras == {}


def test_what_is_broken_is_told_and_costs_nothing_else(tmp_path):
    profile = read(prof(tmp_path, {
        "op_summary_20260102030405.csv": operators((1, 2, "a")),
        "api_statistic_20260102030405.csv": "a,b\n1,2\n",
        "l2_cache_20260102030405.csv": "Stream Id,Nothing\n1,2\n",
    }))  # fmt: skip
    assert [problem.code for problem in profile.problems].count("other-columns") == 2
    assert len(profile.ops) == 1


def test_l2_rates_stand_at_their_tasks(tmp_path):
    profile = read(prof(tmp_path, {
        "op_summary_20260102030405.csv": operators((1, 2, "a"), (2, 2, "b"), (1, 3, "a"), (9, 2, "a")),
        "l2_cache_20260102030405.csv": "Device_id,Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n"
        "0,2,2,0.5,0.25,b\n0,3,1,N/A,1.25,a\n0,2,1,0.875,0,a\n1,2,9,0.1,0.1,a\n0,2,1,0.1,0.1,other\n",
    }))  # fmt: skip
    hits, victims = (profile.ops.numbers(name) for name in ("l2_hit_rate_pct", "l2_victim_rate_pct"))
    assert np.array_equal(hits, np.float32([87.5, 50, np.nan, np.nan]), equal_nan=True)
    assert np.array_equal(victims, np.float32([0, 25, 125, np.nan]), equal_nan=True)
    assert hits.dtype == np.float32
    assert profile.sources["l2_hit_rate_pct"] == "l2_cache_20260102030405.csv:Hit Rate"
    assert "no-pmu" in [problem.code for problem in profile.problems]


def test_rates_that_are_all_unknown_are_no_column(tmp_path):
    profile = read(prof(tmp_path, {
        "op_summary_20260102030405.csv": operators((11054, 2, "trans_TransData_1"), (11055, 2, "Conv2D1")),
        "l2_cache_20260102030405.csv": FIXTURES / "files" / "l2_cache.csv",
    }))  # fmt: skip
    assert "l2_hit_rate_pct" not in profile.ops
    assert np.allclose(profile.ops.numbers("l2_victim_rate_pct"), [6.6608, 7.1554])


@pytest.mark.parametrize(("family", "first"), [("Ascend310P", np.nan), ("Ascend910B", 50.0)])
def test_where_the_first_rates_mean_nothing(family, first, tmp_path):
    run = look_at(prof(tmp_path, {
        "op_summary_20260102030405.csv": operators((1, 2, "a"), (2, 2, "b")),
        "l2_cache_20260102030405.csv": "Stream Id,Task Id,Hit Rate,Victim Rate,Op Name\n2,1,0.5,0,a\n2,2,0.25,0,b\n",
    }), LATER)  # fmt: skip
    columns, _, _ = extras.l2_rates(run, read_profile(run).ops, family)
    assert np.array_equal(columns["l2_hit_rate_pct"], np.float32([first, 25]), equal_nan=True)


@given(st.lists(st.integers(0, 4), max_size=20), st.lists(st.integers(0, 4), max_size=20))
def test_the_first_of_a_key_belongs_to_the_first(one, other):
    keys = [np.array([[key, 7] for key in found], dtype=np.int64).reshape(-1, 2) for found in (one, other)]
    rows, places = matched(*keys)
    pairs = dict(zip(rows.tolist(), places.tolist()))
    for row, key in enumerate(one):
        if one.count(key) == other.count(key):
            nth = one[:row].count(key)
            assert pairs[row] == [place for place, found in enumerate(other) if found == key][nth]
        else:
            assert row not in pairs


def test_without_op_summary_the_kernels_come_from_task_time(tmp_path):
    folder = prof(tmp_path, {"task_time_20250401202358.csv": FIXTURES / "files" / "task_time_20250401202358.csv"})
    profile = read(folder)
    assert profile.run.state == "partial"
    assert profile.run.reason.key == "files.problem.task-time"
    assert "no-op-summary" in [problem.code for problem in profile.problems]
    (row,) = [profile.ops.row(at) for at in range(len(profile.ops))]
    assert {name: row[name] for name in ("name", "core", "stream", "task_id", "start_ns", "duration_us")} == {
        "name": "Eye",
        "core": "AI_VECTOR_CORE",
        "stream": 2,
        "task_id": 0,
        "start_ns": 1743510231043199364,
        "duration_us": 218.46,
    }
    assert quick_types(look_at(folder, LATER)).row(0)["type"] == "Eye"


@pytest.mark.parametrize("damaged", ["\x01\x02garbage\n", operators((1, 2, "a"))[:-3]])
def test_an_op_summary_that_gives_no_operators_leaves_those_of_task_time(tmp_path, damaged):
    profile = read(prof(tmp_path, {
        "op_summary_20260102030405.csv": damaged,
        "task_time_20250401202358.csv": FIXTURES / "files" / "task_time_20250401202358.csv",
    }))  # fmt: skip
    assert profile.ops.strings("name").tolist() == ["Eye"]
    assert (profile.run.state, profile.run.reason.key) == ("partial", "files.problem.task-time")
    assert any("op_summary_20260102030405.csv" in str(problem.file) for problem in profile.problems)


def test_tasks_without_names_are_no_operators(tmp_path):
    lines = (FIXTURES / "files" / "task_time_20250401202358.csv").read_text().splitlines(keepends=True)
    profile = read(prof(tmp_path, {"task_time_20250401202358.csv": "".join(lines[:2])}))
    assert len(profile.ops) == 0
    assert profile.run.state == "partial"
    assert profile.run.reason.key == "profiles.reason.no-op-summary"


def test_an_op_summary_goes_before_task_time(tmp_path):
    profile = read(prof(tmp_path, {
        "op_summary_20260102030405.csv": operators((1, 2, "a")),
        "task_time_20250401202358.csv": FIXTURES / "files" / "task_time_20250401202358.csv",
    }))  # fmt: skip
    assert profile.ops.strings("name").tolist() == ["a"]
    assert profile.run.state == "ready"


def event(name, at, us, pid=1):
    return {"ph": "X", "name": name, "pid": pid, "tid": 1, "ts": f"{at}.000", "dur": us}


CANN = {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "CANN"}}


def test_a_timeline_tells_what_no_table_does(tmp_path):
    """Host calls where there is no api_statistic, steps where no file has them; all slices of the newest export."""
    trace = [CANN, event("AscendCL@aclnnAdd", 5, 4.0), event("GC", 9, 2.0, 2), event("ProfilerStep#3", 1, 50.0, 2)]
    files = {
        "op_summary_20260102030405.csv": operators((1, 2, "a")),
        "msprof_20250102030405.json": json.dumps([CANN, event("AscendCL@aclnnOld", 5, 4.0)]),
        "msprof_slice_0_20260102030405.json": json.dumps(trace),
        "msprof_slice_1_20260102030405.json": json.dumps({"traceEvents": [event("AscendCL@aclnnAdd", 60, 6.0)]}),
    }
    profile = read(prof(tmp_path, files))
    calls = profile.extras["api_statistic"]
    assert calls.strings("name").tolist() == ["aclnnAdd"]
    assert calls.numbers("total_us").tolist() == [10.0]
    assert summarize(profile).stages.source == "msprof_slice_0_20260102030405.json:CANN"
    assert profile.extras["host_events"].strings("kind").tolist() == ["gc"]
    assert (profile.steps_source, [(one.step, one.us) for one in profile.file_steps]) == ("trace", [(3, 50.0)])
    row = "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance\n0,acl,own,1,1,1,1,1,0\n"
    profile = read(prof(tmp_path / "other", {**files, "api_statistic_20260102030405.csv": row}))
    assert profile.extras["api_statistic"].strings("name").tolist() == ["own"]
    assert summarize(profile).stages.source == "api_statistic"


COLLECTIVE = {"Communication Time Info": {"Elapse Time(ms)": 2.0, "Wait Time(ms)": 1.0}}


def test_a_larger_trace_is_left_out_and_told_and_read_when_it_is_asked_for(tmp_path, monkeypatch):
    folder = tmp_path / "host01_1_20260102030405006_ascend_pt"
    output = folder / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "kernel_details.csv").write_text("Name,Type,Start Time(us),Duration(us)\na,b,1.0,2.0\n")
    (output / "trace_view.json").write_text(json.dumps([event("GC", at, 2.0) for at in range(9)]))
    (output / "communication.json").write_text(json.dumps({"step1": {"collective": {"hcom_a@1": COLLECTIVE}}}))
    small = read_profile(look_at(folder, LATER))
    assert small.extras["host_events"].numbers("count").tolist() == [9]
    assert small.extras["communication"].numbers("wait_us").tolist() == [1000.0]
    left = read_profile(look_at(folder, LATER), None, 20)
    assert left.extras.keys().isdisjoint(("host_events", "communication", "packets"))
    told = [problem for problem in left.problems if problem.code == "left-out"]
    assert sorted(Path(problem.file).name for problem in told) == ["communication.json", "trace_view.json"]
    assert all(problem.message.params["most"] == 20 for problem in told)
    assert len(left.ops) == len(small.ops) == 1
    assert missing(left) == say("stages.none.left-out", file="trace_view.json")
    assert missing(small).key == "stages.none"
    shares = []
    whole = read_profile(look_at(folder, LATER), shares.append, None)
    assert whole.extras.keys() == small.extras.keys()
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def clock(at, mhz, pid=5):
    return {"ph": "C", "name": "AI Core Freq", "pid": pid, "tid": 0, "ts": f"{at}.500", "args": {"MHz": mhz}}


def test_the_clock_of_each_operator_by_the_timeline(tmp_path):
    """The last change before it; where it fell, the remark. Not of several chips, nor from another time."""
    changes = [clock(1001, 900), clock(990, 1800), clock(1005, 1800)]

    def of(name, trace):
        files = {"op_summary_20260102030405.csv": operators((1, 2, "a"), (1, 3, "b"), (1, 4, "c"))}
        return read(prof(tmp_path / name, {**files, "msprof_20260102030405.json": json.dumps(trace)}))

    profile = of("one", [*changes, event("GC", 1002, 5.0)])
    assert profile.ops.numbers("freq_mhz").tolist() == [1800.0, 1800.0, 900.0]
    assert profile.sources["freq_mhz"] == "msprof_20260102030405.json:AI Core Freq"
    assert [problem.message.params["least"] for problem in profile.problems if problem.code == "low-frequency"] == [
        900.0
    ]
    for name, trace in {
        "several": [*changes, clock(1001, 900, 6), event("GC", 1002, 5.0)],
        "later": [clock(2000, 900), event("GC", 2000, 5.0)],
        "before": [clock(10, 900), event("GC", 20, 5.0)],
    }.items():
        assert "freq_mhz" not in of(name, trace).ops
