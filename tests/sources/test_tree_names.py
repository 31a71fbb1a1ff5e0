"""Whose an event is, by the names on its path alone."""

from __future__ import annotations

import pytest

from npuscope.sources.tree import noise, owner

NAME = "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP"


@pytest.mark.parametrize(
    ("path", "run"),
    [
        ("/p", None),
        ("/p/notes", None),
        ("/p/host1/train_ascend_pt", "/p/host1/train_ascend_pt"),
        ("/p/train_ascend_pt/PROF_000001_1_A/host", "/p/train_ascend_pt"),
        (f"/p/{NAME}/device_0/info.json.0", f"/p/{NAME}"),
        ("/p/exp/mindstudio_profiler_output/op_summary_1.csv", "/p/exp"),
        ("/p/exp/device_0", "/p/exp"),
        ("/p/OPPROF_20260102213301_A/dump/x", "/p/OPPROF_20260102213301_A"),
        ("/elsewhere/PROF_000001_1_A", None),
    ],
)
def test_whose_a_path_is(path, run):
    assert owner("/p", path) == run


def test_whose_a_path_is_when_the_root_is_a_run():
    assert owner(f"/p/{NAME}", f"/p/{NAME}/mindstudio_profiler_output/x.csv") == f"/p/{NAME}"


def test_raw_files_are_noise_exports_are_not():
    run = f"/data/{NAME}"
    assert noise(run, f"{run}/device_0/data/stars_soc.data.0.slice_0")
    assert noise(run, f"{run}/host/sqlite/runtime.db")
    assert not noise(run, f"{run}/device_0/end_info.0")
    assert not noise(run, f"{run}/mindstudio_profiler_output/op_summary_1.csv")
    assert not noise(run, run)
