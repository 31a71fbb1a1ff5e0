"""The host, and which of npu-smi's pids are processes of this box."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from npuscope.parsers.readings import NpuProcess
from npuscope.sources import host
from npuscope.sources.host import HostWatch, comm_of, is_same


@pytest.fixture
def busy() -> Iterator[psutil.Process]:
    """A process of ours that keeps a core full until the test ends."""
    script = "print(flush=True)\nwhile True: pass"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield psutil.Process(process.pid)
        process.kill()


def test_a_pid_is_local_when_the_process_here_bears_the_name(busy: psutil.Process) -> None:
    name = comm_of(busy.pid)
    assert name
    rows = [NpuProcess(0, 0, busy.pid, name, 10), NpuProcess(1, 0, busy.pid, name, 20)]
    marked, local = HostWatch().look(rows)
    assert [row.local for row in marked] == [True, True]
    assert list(local) == [busy.pid]
    known = local[busy.pid]
    assert known.user == busy.username()
    assert known.command is not None and known.command.endswith("while True: pass")
    assert known.started_at == busy.create_time()
    assert known.rss_mb is not None and known.rss_mb > 1
    assert known.cpu_pct is None


@pytest.mark.parametrize("name", ["", "VLLMEngineCor", "pytho"])
def test_another_name_or_none_is_not_local(busy: psutil.Process, name: str) -> None:
    marked, local = HostWatch().look([NpuProcess(0, 0, busy.pid, name, 10)])
    assert not marked[0].local
    assert local == {}


def test_no_such_process_is_not_local() -> None:
    marked, local = HostWatch().look([NpuProcess(0, 0, 2**22 + 12345, "python", 10)])
    assert (marked[0].local, local) == (False, {})


@pytest.mark.parametrize("inside", [False, True])
def test_the_pid_of_the_container_is_looked_up_only_inside_one(
    busy: psutil.Process, monkeypatch: pytest.MonkeyPatch, inside: bool
) -> None:
    monkeypatch.setattr(host, "in_container", lambda: inside)
    name = comm_of(busy.pid) or ""
    row = NpuProcess(0, 0, 2**22 + 12345, name, 10, container_pid=busy.pid)
    assert HostWatch().look([row])[0][0].local is inside


def test_on_a_host_the_pid_of_the_host_counts(busy: psutil.Process, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "in_container", lambda: False)
    row = NpuProcess(0, 0, busy.pid, comm_of(busy.pid) or "", 10, container_pid=psutil.Process().pid)
    _, local = HostWatch().look([row])
    command = local[busy.pid].command
    assert command is not None and command.endswith("while True: pass")


def test_two_processes_of_one_name_are_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "in_container", lambda: True)
    monkeypatch.setattr(host, "comm_of", lambda pid: {7: "python3", 1234: "python3", 9: "bash"}.get(pid))
    assert host.pid_here(NpuProcess(0, 0, 1234, "python3", 10, container_pid=7)) is None
    assert host.pid_here(NpuProcess(0, 0, 1234, "python3", 10, container_pid=9)) is None
    assert host.pid_here(NpuProcess(0, 0, 4321, "python3", 10, container_pid=7)) == 7
    assert host.pid_here(NpuProcess(0, 0, 7, "python3", 10, container_pid=7)) == 7


def test_which_pid_namespace_is_the_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(host, "_PROC", tmp_path)
    assert not host.in_container()
    place = tmp_path / "self" / "ns"
    place.mkdir(parents=True)
    (place / "pid").touch()
    assert host.in_container()
    monkeypatch.setattr(host, "_FIRST_PID_NAMESPACE", (place / "pid").stat().st_ino)
    assert not host.in_container()


def test_inside_a_container_the_pid_of_the_container_counts(
    busy: psutil.Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "in_container", lambda: True)
    name = comm_of(busy.pid) or ""
    row = NpuProcess(0, 0, 2**22 + 12345, name, 10, container_pid=busy.pid)
    marked, local = HostWatch().look([row])
    assert marked[0].local
    assert local[row.pid].pid == row.pid and local[row.pid].command


def test_cpu_use_is_of_one_core_and_needs_two_looks(busy: psutil.Process, monkeypatch: pytest.MonkeyPatch) -> None:
    now, spent = [100.0], [5.0]
    monkeypatch.setattr(host, "_cpu_seconds", lambda process: spent[0])
    watch = HostWatch(clock=lambda: now[0])
    rows = [NpuProcess(0, 0, busy.pid, comm_of(busy.pid) or "", 10)]
    watch.look(rows)
    assert watch.needs_second_look()
    now[0], spent[0] = 102.0, 6.9
    assert watch.look(rows)[1][busy.pid].cpu_pct == 95.0
    assert not watch.needs_second_look()
    now[0], spent[0] = 102.05, 7.0
    assert watch.look(rows)[1][busy.pid].cpu_pct == 95.0


def test_host_cpu_compares_with_the_look_before(monkeypatch: pytest.MonkeyPatch) -> None:
    times = psutil.cpu_times()
    now, read = [0.0], [times._replace(user=100.0, idle=900.0)]
    monkeypatch.setattr(psutil, "cpu_times", lambda: read[0])
    watch = HostWatch(clock=lambda: now[0])
    first = watch.host()
    assert first.cpu_pct is None
    assert first.cpus == psutil.cpu_count() and first.mem_pct is not None and first.load_1m is not None
    now[0], read[0] = 1.0, read[0]._replace(user=125.0, idle=975.0)
    assert watch.host().cpu_pct == 25.0


def test_a_host_that_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise PermissionError

    for name in ("cpu_times", "virtual_memory"):
        monkeypatch.setattr(psutil, name, refuse)
    monkeypatch.setattr("os.getloadavg", refuse)
    found = HostWatch().host()
    assert (found.cpu_pct, found.load_1m, found.mem_pct) == (None, None, None)


@pytest.mark.parametrize(
    ("comm", "name", "same"),
    [
        ("VLLM::EngineCor", "VLLMEngineCor", True),
        ("python3.10", "python3.10", True),
        ("python3.10", "python3.1", False),
        ("python", "", False),
        ("", "", False),
        (None, "python", False),
    ],
)
def test_names(comm: str | None, name: str, same: bool) -> None:
    assert is_same(comm, name) is same
