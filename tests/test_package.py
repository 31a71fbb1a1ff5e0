"""The wheel holds every module, theme and the demo; the names of the commands are the modules of cli."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from npuscope.cli import COMMANDS, MONITOR

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("parsers", "sources", "analysis", "tui", "cli", "themes", "demo")
DATA = (".py", ".toml", ".gz", ".csv", ".json", ".txt", ".md", ".tcss", ".jsonl", ".typed")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        yield {name: archive.getinfo(name).file_size for name in archive.namelist()}


def tracked():
    done = subprocess.run(["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0 and done.stdout.strip():
        return [name for name in done.stdout.split("\n") if name]
    return [
        str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in DATA
    ]


def test_every_file_is_in_the_wheel(wheel):
    missing = [name for name in tracked() if f"npuscope/{name}" not in wheel]
    assert not missing


def test_the_type_marker_is_in_the_wheel(wheel):
    assert "npuscope/py.typed" in wheel


def test_no_test_and_no_generic_name_lands_beside_it(wheel):
    tops = {name.split("/")[0] for name in wheel}
    assert all(top == "npuscope" or top.startswith("npuscope-") for top in tops)


def test_the_wheel_is_light(wheel):
    assert sum(wheel.values()) < 3_000_000


@pytest.mark.parametrize("name", [*COMMANDS, MONITOR])
def test_every_command_is_a_module(name):
    assert (ROOT / "cli" / f"{name}.py").exists()
