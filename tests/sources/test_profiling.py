"""Signs of a profile that is being collected."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from npuscope.sources import profiling
from npuscope.sources.profiling import FRESH_S, profiling_now

NOW = 2_000_000_000.0
SLICE = "PROF_000001_20260102030405006_ABC/device_0/data/aicore.data.0.slice_0"


@pytest.fixture(autouse=True)
def quiet_box(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "pids", lambda: [1])
    monkeypatch.setattr(profiling, "comm_of", {1: "init"}.get)


def written(path: Path, ago: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    os.utime(path, (NOW - ago, NOW - ago))


def test_a_profiler_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert not profiling_now(tmp_path, NOW)
    monkeypatch.setattr(profiling, "comm_of", {1: "msprof"}.get)
    assert profiling_now(tmp_path, NOW)


@pytest.mark.parametrize("folder", ["", "job_1_20260102030405_ascend_pt"])
def test_a_profile_grows(folder: str, tmp_path: Path) -> None:
    written(tmp_path / folder / SLICE, FRESH_S - 1)
    assert profiling_now(tmp_path, NOW)


@pytest.mark.parametrize("ago", [FRESH_S + 1, -FRESH_S - 1])
def test_a_profile_that_rests_is_not_growing(ago: float, tmp_path: Path) -> None:
    written(tmp_path / SLICE, ago)
    assert not profiling_now(tmp_path, NOW)


def test_a_profile_that_was_ended_is_not_growing(tmp_path: Path) -> None:
    written(tmp_path / SLICE, 1)
    written((tmp_path / SLICE).parents[1] / "end_info.0", 1)
    assert not profiling_now(tmp_path, NOW)


def test_other_folders_tell_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "logs" / "device_0" / "data" / "x", 1)
    assert not profiling_now(tmp_path, NOW)
    assert not profiling_now(tmp_path / "no such folder", NOW)

    def refuse() -> None:
        raise PermissionError

    monkeypatch.setattr(psutil, "pids", refuse)
    assert not profiling_now(tmp_path, NOW)
