"""What a box has, from its file system."""

from __future__ import annotations

from pathlib import Path

from npuscope.sources.box import Box, look


def program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / name
    made.write_text("#!/bin/sh\n")
    made.chmod(0o755)
    return made


def test_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("npuscope.sources.npu_smi.FOLDERS", [])
    assert look("npu-smi", {"PATH": str(tmp_path)}, tmp_path / "dev") == Box(None, 0, None)


def test_everything(tmp_path, monkeypatch):
    smi, msprof = program(tmp_path / "bin", "npu-smi"), program(tmp_path / "bin", "msprof")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    dev = tmp_path / "dev"
    dev.mkdir()
    for name in ("davinci0", "davinci12", "davinci_manager", "null"):
        (dev / name).touch()
    assert look("npu-smi", {"PATH": str(tmp_path / "bin")}, dev) == Box(str(smi), 2, str(msprof))


def test_a_command_that_cannot_be_split_is_not_found(tmp_path):
    assert look("npu-smi 'x", {"PATH": str(tmp_path)}, tmp_path).smi is None
