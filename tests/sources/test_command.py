"""Commands in the background, with shell scripts in the place of msprof."""

from __future__ import annotations

import os
import queue
import time
from pathlib import Path

import pytest

from npuscope.sources.command import Command, find_program, last_line, words_of

WAIT_S = 20.0


class Told:
    """What a command called back with, in order."""

    def __init__(self) -> None:
        self.lines: queue.Queue[str] = queue.Queue()
        self.ends: queue.Queue[tuple[int | None, str]] = queue.Queue()

    def start(self, script: str) -> Command:
        command = Command(["/bin/sh", "-c", script], self.lines.put, lambda code, line: self.ends.put((code, line)))
        command.start()
        return command

    def end(self) -> tuple[int | None, str]:
        return self.ends.get(timeout=WAIT_S)


@pytest.mark.parametrize(
    "script, end",
    [
        ("echo one; echo two", (0, "two")),
        ("echo gone wrong >&2; exit 3", (3, "gone wrong")),
        ("printf 'first\\n\\n \\n'", (0, "first")),
        ("exit 0", (0, "")),
        ("kill -9 $$", (-9, "")),
        ("printf 'bad \\377 byte'", (0, "bad \ufffd byte")),
    ],
)
def test_the_end_comes_with_the_exit_code_and_the_last_line(script, end):
    told = Told()
    told.start(script)
    assert told.end() == end


def test_it_reads_nothing_from_the_terminal():
    told = Told()
    told.start("read answer || echo no input")
    assert told.end() == (0, "no input")


def test_a_program_that_cannot_be_started_ends_at_once_with_the_reason(tmp_path):
    told = Told()
    Command([str(tmp_path / "none")], told.lines.put, lambda code, line: told.ends.put((code, line))).start()
    assert told.end() == (None, "No such file or directory")


def test_the_last_line_is_told_while_it_runs(tmp_path):
    os.mkfifo(tmp_path / "go")
    told = Told()
    told.start(f"echo parsing; read line < {tmp_path}/go; echo done")
    assert told.lines.get(timeout=WAIT_S) == "parsing"
    assert told.ends.empty()
    (tmp_path / "go").write_text("\n")
    assert told.end() == (0, "done")


def test_stop_ends_it_with_everything_it_started_and_nothing_calls_back(tmp_path):
    os.mkfifo(tmp_path / "ready")
    told = Told()
    command = told.start(f"sh -c 'echo $$ > {tmp_path}/ready; exec tail -f /dev/null' & wait")
    child = int((tmp_path / "ready").read_text())
    command.stop()
    assert ends(child)
    command._thread.join(WAIT_S)
    assert told.ends.empty()


def test_stop_does_not_wait_for_one_that_refuses_to_end(tmp_path):
    os.mkfifo(tmp_path / "ready")
    told = Told()
    command = told.start(f"trap '' TERM; echo $$ > {tmp_path}/ready; while :; do read line < /dev/zero; done")
    child = int((tmp_path / "ready").read_text())
    command.stop()
    assert ends(child)


def ends(pid: int) -> bool:
    """Whether a process is gone soon: what a child has started ends beside it, not before it."""
    end = time.monotonic() + WAIT_S
    while alive(pid) and time.monotonic() < end:
        os.sched_yield()
    return not alive(pid)


def alive(pid: int) -> bool:
    """Whether a process still runs; one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize(
    "output, line",
    [
        (b"", ""),
        (b"10 %\r50 %\r100 %", "100 %"),
        (b"a\r\nb\r\n", "b"),
        (b"\x1b[32mINFO\x1b[0m done\x1b[K\n", "INFO done"),
        (b"\x1b]0;title\x07text", "text"),
        ("算子\n".encode(), "算子"),
    ],
)
def test_last_line(output, line):
    assert last_line(output) == line


def executable(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_msprof_is_found_on_path_then_in_the_toolkit(tmp_path):
    inside = executable(tmp_path / "toolkit" / "tools" / "profiler" / "bin" / "msprof")
    environ = {"PATH": str(tmp_path / "bin"), "ASCEND_HOME_PATH": str(tmp_path / "toolkit")}
    assert find_program("msprof", environ) == inside
    on_path = executable(tmp_path / "bin" / "msprof")
    assert find_program("msprof", environ) == on_path
    assert find_program("msprof", {"PATH": ""}, homes=()) is None
    assert find_program("python3", {**environ, "PATH": ""}) is None


def test_the_words_of_a_command_keep_their_blanks(tmp_path):
    program = executable(tmp_path / "msprof")
    words = words_of("msprof --export=on --output='/a b/PROF 1'", {"PATH": str(tmp_path)})
    assert words == [program, "--export=on", "--output=/a b/PROF 1"]
    assert words_of("python3 -c 'import torch_npu'", {"PATH": str(tmp_path / "empty")}) is None
    assert words_of("", {}) is None
