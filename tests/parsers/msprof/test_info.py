"""What the small files beside the tables tell, wherever a generation keeps it."""

from __future__ import annotations

import json

import pytest

from npuscope.parsers.msprof import info


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")


@pytest.mark.parametrize("place", ["host/info.json", "device_0/info.json.0"])
def test_the_version_of_cann_stands_in_newer_info_files(tmp_path, place):
    put(tmp_path / place, {"version": "1.0", "cannVersion": " 9.0.0-beta.1 ", "drvVersion": 467736})
    assert info.of_prof(tmp_path).cann == "9.0.0-beta.1"
    put(tmp_path / place, {"version": "1.0", "cannVersion": ""})
    assert info.of_prof(tmp_path).cann is None
    put(tmp_path / place, {"version": "1.0", "drvVersion": 467736})
    assert info.of_prof(tmp_path).cann is None


def test_a_framework_tells_it_itself_or_the_raw_data_inside_does(tmp_path):
    put(tmp_path / "PROF_000001_20260102030405006_AB" / "host" / "info.json", {"cannVersion": "9.0.0"})
    assert info.of_framework(tmp_path).cann == "9.0.0"
    put(tmp_path / "profiler_info_0.json", {"rank_id": 0, "cann_version": "8.3.RC1"})
    assert info.of_framework(tmp_path).cann == "8.3.RC1"


@pytest.mark.parametrize("value", [-1, "-1", True, 10**40, "9" * 40, 2.5, None, [], "1_0", ""])
def test_what_is_no_rank_is_none(tmp_path, value):
    put(tmp_path / "host" / "info.json", {"rank_id": value})
    put(tmp_path / "profiler_info.json", {"rank_id": value})
    put(tmp_path / "device_0" / "info.json.0", {"DeviceInfo": [{"id": 10**40, "ai_core_num": True, "aiv_num": "48"}]})
    found = info.of_prof(tmp_path)
    assert (found.rank, found.devices, found.cube_cores, found.vector_cores) == (None, (), None, 48)
    assert info.of_framework(tmp_path).rank is None


def test_the_group_is_called_as_it_is_asked_for(tmp_path):
    put(tmp_path / "device_0" / "sample.json", {"ai_core_metrics": "PipeUtilizationExct", "profLevel": "l1"})
    assert info.of_prof(tmp_path).aic_metrics == "PipeUtilization"
