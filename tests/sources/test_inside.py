"""What is counted in a run's folder."""

from __future__ import annotations

import json

from npuscope.sources import inside
from npuscope.sources.inside import Inside, look_inside


def test_a_raw_run_is_counted_with_what_its_notes_tell(tmp_path):
    run = tmp_path / "PROF_000001_20260102030405006_ABCDEFGH"
    (run / "device_0" / "data").mkdir(parents=True)
    (run / "host").mkdir()
    (run / ".hidden").mkdir()
    (run / "device_0" / "data" / "aicore.data.0.slice_0").write_bytes(b"x" * 1000)
    note = {"platform_version": "5", "DeviceInfo": [{"id": 0, "ai_core_num": 20}]}
    (run / "device_0" / "info.json.0").write_text(json.dumps(note))
    seen = look_inside(run)
    assert seen.names == ("device_0", "host")
    assert (seen.files, seen.size_bytes, seen.whole) == (2, 1000 + len(json.dumps(note)), True)
    assert (seen.metadata.family, seen.metadata.cube_cores) == ("Ascend910B", 20)


def test_a_file_a_missing_path_and_an_empty_folder(tmp_path):
    (tmp_path / "op_summary.csv").write_text("abc")
    assert look_inside(tmp_path / "op_summary.csv") == Inside(("op_summary.csv",), 1, 3)
    assert look_inside(tmp_path / "gone") == Inside()
    (tmp_path / "empty").mkdir()
    assert look_inside(tmp_path / "empty") == Inside()


def test_counting_stops_where_there_is_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr(inside, "MOST_FILES", 3)
    for folder in "abc":
        (tmp_path / folder).mkdir()
        for number in range(3):
            (tmp_path / folder / str(number)).touch()
    seen = look_inside(tmp_path)
    assert not seen.whole and 3 < seen.files < 9
