"""The poller against stand-ins for npu-smi that answer, hang, babble, fail, or leave children."""

from __future__ import annotations

import os
import queue
import select
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from npuscope.parsers.readings import Reading
from npuscope.sources import child, npu_smi
from npuscope.sources.npu_smi import NpuSmiSource, command_line, next_tick, read_once

FIXTURES = Path(__file__).parents[1] / "fixtures" / "npu_smi"
TABLE = FIXTURES / "910B4_info_two_processes_one_chip.txt"
PATIENCE_S = 20.0

Make = Callable[[str], Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write a stand-in and give its path."""

    def write(script: str) -> Path:
        path = tmp_path / "npu-smi"
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return write


@pytest.fixture
def nothing_left(tmp_path: Path) -> Iterator[None]:
    """No process that was started from the test's folder may survive the test."""
    yield
    left = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = " ".join(process.info["cmdline"] or ())
        if str(tmp_path) in words and process.info["status"] != psutil.STATUS_ZOMBIE:
            left.append(words)
    assert left == []


def codes(reading: Reading) -> list[str]:
    return [problem.code for problem in reading.problems]


def test_a_good_call(make: Make) -> None:
    tool = make(f'test "$*" = "-x info" && test "$LC_ALL" = C && exec cat {TABLE}')
    reading = read_once(f"'{tool}' -x")
    assert [chip.key for chip in reading.chips] == [(0, 0), (1, 0)]
    assert reading.source.ok and reading.source.command == f"'{tool}' -x info"
    assert reading.problems == () and reading.processes_known
    assert reading.period_s is None and reading.elapsed_s > 0
    assert reading.host is not None and reading.host.cpus == psutil.cpu_count()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo 'dcmi model initialized failed, because the device is used. ret is -8020'", ["dcmi-8020"]),
        ("echo 'dcmi module initialize failed. ret is -8005' >&2; exit 1", ["dcmi-8005"]),
        ("echo nonsense", ["unknown-layout"]),
        ("exit 0", ["no-chips"]),
        ("exit 127", ["not-found"]),
        ("kill -9 $$", ["no-chips"]),
        ("head -c 2000000 /dev/zero", ["unknown-layout"]),
    ],
)
def test_failures_are_named(make: Make, script: str, expected: list[str]) -> None:
    reading = read_once(str(make(script)))
    assert codes(reading)[:1] == expected
    assert reading.chips == () and not reading.source.ok
    assert all(problem.hint is not None for problem in reading.problems)


def test_a_table_cut_by_a_kill_keeps_its_whole_chips(make: Make) -> None:
    reading = read_once(str(make(f"head -n 8 {TABLE}; exit 137")))
    assert [chip.key for chip in reading.chips] == [(0, 0)]
    assert codes(reading) == ["truncated"]
    assert reading.problems[0].message.params["returncode"] == 137
    assert reading.source.ok and not reading.processes_known


def test_a_hanging_call_is_ended_with_all_its_children(make: Make, nothing_left: None, tmp_path: Path) -> None:
    tool = make(f"sh -c 'sleep 300; : {tmp_path}' & sleep 300")
    reading = read_once(str(tool), deadline_s=0.2)
    assert codes(reading) == ["timeout"]
    assert reading.chips == ()


def test_what_was_said_before_a_hang_is_shown(make: Make, nothing_left: None) -> None:
    reading = read_once(str(make(f"cat {TABLE}; sleep 300")), deadline_s=0.5)
    assert len(reading.chips) == 2
    assert codes(reading) == ["timeout"]


def test_a_child_that_keeps_the_pipe_open_does_not_hold_the_call(make: Make, nothing_left: None) -> None:
    reading = read_once(str(make(f"cat {TABLE}; sleep 300 & exit 0")), deadline_s=PATIENCE_S)
    assert len(reading.chips) == 2
    assert reading.problems == ()


def test_missing_tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(npu_smi, "FOLDERS", [])
    reading = read_once("npu-smi")
    assert codes(reading) == ["not-found"]
    assert reading.problems[0].message.params["program"] == "npu-smi"


def test_the_driver_s_folder_is_searched_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, make: Make) -> None:
    tool = make("true")
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(npu_smi, "FOLDERS", [str(tmp_path)])
    assert command_line("npu-smi -a 'b c'") == [str(tool), "-a", "b c", "info"]


def test_a_tool_that_may_not_be_run(make: Make) -> None:
    tool = make("true")
    tool.chmod(0o644)
    assert codes(read_once(str(tool))) == ["permission"]


@pytest.mark.parametrize("command", ["", "  ", "sh -c 'unfinished", "/no/such/tool", "/tmp"])
def test_commands_that_are_none(command: str) -> None:
    assert codes(read_once(command)) == ["not-found"]


def test_a_tool_without_its_interpreter(make: Make, tmp_path: Path) -> None:
    tool = make("true")
    tool.write_text("#!/no/such/shell\n", encoding="utf-8")
    assert codes(read_once(str(tool))) == ["not-found"]


def test_late_ticks_are_skipped() -> None:
    assert next_tick(0.0, 1.0, 0.3) == 1.0
    assert next_tick(0.0, 1.0, 5.4) == 6.0
    assert next_tick(10.0, 1.0, 10.0) == 11.0
    assert next_tick(0.0, 30.0, 10.0) == 30.0


def test_readings_come_one_after_another(make: Make, tmp_path: Path) -> None:
    """The stand-in notices when two of it run at once."""
    lock = tmp_path / "lock"
    tool = make(f"mkdir {lock} || exit 9; cat {TABLE}; rmdir {lock}")
    got: queue.Queue[Reading] = queue.Queue()
    source = NpuSmiSource(str(tool), 0.1)
    source.start(got.put)
    try:
        readings = [got.get(timeout=PATIENCE_S) for _ in range(3)]
    finally:
        source.stop()
    assert [len(reading.chips) for reading in readings] == [2, 2, 2]
    assert readings[0].period_s is None
    assert all(after.period_s is not None and after.period_s > 0 for after in readings[1:])


def test_it_recovers_by_itself(make: Make, tmp_path: Path) -> None:
    flag = tmp_path / "well"
    tool = make(f"test -e {flag} && exec cat {TABLE}; echo 'ret is -8012'")
    got: queue.Queue[Reading] = queue.Queue()
    source = NpuSmiSource(str(tool), 0.1)
    source.start(got.put)
    try:
        assert codes(got.get(timeout=PATIENCE_S)) == ["dcmi-8012"]
        flag.touch()
        while not (reading := got.get(timeout=PATIENCE_S)).chips:
            assert codes(reading) == ["dcmi-8012"]
    finally:
        source.stop()
    assert reading.problems == ()


def test_stop_ends_a_hanging_call(make: Make, nothing_left: None, tmp_path: Path) -> None:
    started = tmp_path / "started"
    os.mkfifo(started)
    tool = make(f"echo > {started}; sleep 300")
    called: list[Reading] = []
    source = NpuSmiSource(str(tool), 1.0)
    source.start(called.append)
    reader = os.open(started, os.O_RDONLY | os.O_NONBLOCK)
    select.select([reader], [], [], PATIENCE_S)
    os.close(reader)
    (thread,) = (thread for thread in threading.enumerate() if thread.name == "npu-smi")
    source.stop()
    source.stop()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert called == []


def test_no_second_call_while_one_cannot_be_ended(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = make(f"cat {TABLE}")
    poller = npu_smi.Poller(str(tool), 1.0)
    assert poller.read(lambda: False).chips
    monkeypatch.setattr(child.Child, "stuck", property(lambda self: True))
    assert poller.read(lambda: False).chips
    reading = poller.read(lambda: False)
    assert codes(reading) == ["timeout"]
    assert reading.problems[0].message.key == "smi.stuck"
