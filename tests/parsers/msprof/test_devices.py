"""Devices that only a folder names, and devices of which nothing is in the export."""

from __future__ import annotations

import time

import pytest

from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof.reader import read_profile
from npuscope.tui import text

LATER = time.time() + 3600
PROF = "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP"
HEADER = "Task ID,Stream ID,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)"


def put(root, name, content="x"):
    path = root / PROF / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def table(start, device=None):
    row = f"1,2,Add_1,Add,AI_VECTOR_CORE,{start}.000\t,10.5"
    return f"{HEADER}\n{row}\n" if device is None else f"Device_id,{HEADER}\n{device},{row}\n"


def read(root):
    return read_profile(look_at(root / PROF, LATER))


def test_a_table_of_the_old_layout_is_of_the_device_of_its_folder(tmp_path):
    put(tmp_path, "device_0/summary/op_summary_0_1.csv", table(1690000000000000))
    put(tmp_path, "device_5/summary/op_summary_5_1.csv", table(1690000000000001))
    profile = read(tmp_path)
    assert profile.ops.numbers("device").tolist() == [0, 5]
    assert profile.metadata.devices == (0, 5)
    assert profile.sources["device"] == "op_summary_0_1.csv:folder device_0"
    assert [problem.code for problem in profile.problems if problem.code == "mixed-devices"] == ["mixed-devices"]


def test_what_the_table_says_itself_counts(tmp_path):
    put(tmp_path, "device_0/summary/op_summary_0_1.csv", table(1690000000000000, device=3))
    assert read(tmp_path).ops.numbers("device").tolist() == [3]


@pytest.mark.parametrize("raw", [True, False])
def test_devices_without_a_row_are_named(tmp_path, raw):
    put(tmp_path, "mindstudio_profiler_output/op_summary_20260102030500.csv", table(1760000000000000, device=0))
    put(tmp_path, "device_0/data/stars_soc.data.0.slice_0")
    assert read(tmp_path).run.state == "ready"
    put(tmp_path, "device_1/info.json.1", "{}")
    put(tmp_path, "device_3/info.json.3", "{}")
    if raw:
        put(tmp_path, "device_3/data/stars_soc.data.3.slice_0")
    profile = read(tmp_path)
    assert (profile.run.state, len(profile.ops)) == ("partial", 1)
    assert "device 1, 3" in text.told(profile.run.reason)
    assert [problem.code for problem in profile.problems if "device" in problem.code] == ["no-device-data"]
    assert ("--export" in profile.run.next_command) is raw


def test_a_table_that_names_no_device_says_nothing_of_those_that_lack(tmp_path):
    put(tmp_path, "mindstudio_profiler_output/op_summary_20260102030500.csv", table(1760000000000000))
    put(tmp_path, "device_0/info.json.0", "{}")
    assert read(tmp_path).run.state == "ready"
