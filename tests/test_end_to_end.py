"""The installed program in a terminal: it starts, shows a chip, opens a profile, sorts, drills down, quits cleanly."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from made_profile import write_profile
from terminal import Terminal

TABLE = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 24.1.0                   Version: 24.1.0                                               |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 3     910B3               | OK            | 98.4        51                0    / 0             |
| 0                         | 0000:C1:00.0  | 73          0    / 0          61825/ 65536         |
+===========================+===============+====================================================+
+---------------------------+---------------+----------------------------------------------------+
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
+===========================+===============+====================================================+
| No running processes found in NPU 3                                                            |
+===========================+===============+====================================================+
"""


@pytest.fixture
def start(tmp_path):
    table = tmp_path / "npu-smi.txt"
    table.write_text(TABLE)
    folder = tmp_path / "profiles"
    folder.mkdir()
    profile = write_profile(folder)
    command = f"sh -c {shlex.quote('cat ' + shlex.quote(str(table)))} npu-smi"
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "VIRTUAL_ENV") if name in os.environ}
    homes = {f"XDG_{kind}_HOME": str(tmp_path / kind) for kind in ("CONFIG", "DATA", "CACHE", "STATE")}

    def begin(path=None, columns=120, rows=40, **env):
        argv = [sys.executable, "-m", "npuscope", str(path or folder), "--npu-smi", command]
        environ = {**kept, **homes, "HOME": str(tmp_path), "TERM": "xterm-256color", "LANG": "C.UTF-8", **env}
        return Terminal(argv, environ, columns, rows)

    begin.profile = profile
    return begin


def quits(terminal):
    terminal.send("q")
    assert terminal.wait_for_end() == 0
    assert terminal.modes_restored()
    assert b"\x1b[?1049l" in terminal.raw, "the alternate screen was not left"
    assert b"Traceback" not in terminal.raw


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40)])
def test_from_the_chips_to_one_operator(start, columns, rows):
    with start(columns=columns, rows=rows) as terminal:
        shown = terminal.wait_for(r"3 +OK +73")
        assert "60.4" in shown
        terminal.wait_for(r"PROF_000001\S* +ready")
        terminal.send("2")
        terminal.wait_for(r"1 run\b.*1 ready")
        terminal.send("\r")
        terminal.wait_for(r"MatMulV2 +3 +297\.0")
        terminal.wait_for(r"TransData\[x\]")
        terminal.send("s")
        terminal.wait_for(r"%▼")
        terminal.send("\r")
        terminal.wait_for(r"Pipes of the median call")
        terminal.send("\x1b")
        terminal.wait_for(r"Operator types")
        quits(terminal)


def test_a_profile_opens_straight_in_its_operators(start):
    with start(path=start.profile) as terminal:
        terminal.wait_for(r"MatMulV2 +3 +297\.0")
        quits(terminal)


def test_only_ascii_under_lang_c(start):
    with start(path=start.profile, columns=80, rows=24, LANG="C", TERM="xterm") as terminal:
        terminal.wait_for(r"MatMulV2 +3 +297\.0")
        quits(terminal)
        assert not [byte for byte in terminal.raw if byte > 126]


def test_no_colour_when_asked(start):
    with start(path=start.profile, NO_COLOR="1") as terminal:
        terminal.wait_for(r"MatMulV2 +3 +297\.0 .*memory")
        quits(terminal)
        assert not re.search(
            rb"\x1b\[(?:[0-9;]*;)?(?:3[1-7]|4[1-7]|9[0-7]|38;[25];\d+|48;[25];\d+)[0-9;]*m", terminal.raw
        )


def test_no_terminal_is_one_line():
    done = subprocess.run(
        [sys.executable, "-m", "npuscope"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 2 and "report" in done.stderr and len(done.stderr.splitlines()) <= 2


def test_a_path_that_is_not_there_is_one_line(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "npuscope", str(tmp_path / "nothing")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "nothing" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_when_the_connection_drops(start, ending, tmp_path):
    with start(path=start.profile, NPUSCOPE_TEST_MARK=str(tmp_path)) as terminal:
        terminal.wait_for(r"MatMulV2 +3 +297\.0")
        terminal.process.send_signal(ending)
        terminal.wait_for_end()
    assert not marked(str(tmp_path))


def test_a_terminal_that_is_gone_keeps_nothing_running(start, tmp_path):
    with start(path=start.profile, NPUSCOPE_TEST_MARK=str(tmp_path)) as terminal:
        terminal.wait_for(r"MatMulV2 +3 +297\.0")
        terminal.drop()
        terminal.process.wait(timeout=20)
    assert not marked(str(tmp_path))


def marked(mark):
    """Processes that were started with that mark in their environment and still live."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and f"NPUSCOPE_TEST_MARK={mark}".encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes())
        except OSError:
            continue
    return found
