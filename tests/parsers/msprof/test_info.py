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
