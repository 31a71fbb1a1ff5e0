"""The host beside the chips, and what this box's kernel knows of a pid that npu-smi named.

A pid of npu-smi may belong to another pid namespace, where the same number is some other process. So a pid counts as
local only when the process with that number here also bears the name that npu-smi printed. Where npu-smi prints the
pid inside the container too, that one is looked up only inside a container: on a host it is some other process.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import psutil

from npuscope.parsers.readings import Host, LocalProcess, NpuProcess

# the kernel counts CPU time in ticks of 10 ms: over less than this a percentage is noise
SHORTEST_SPAN_S = 0.1

Answer = TypeVar("Answer")

_PROC = Path("/proc")
_FIRST_PID_NAMESPACE = 0xEFFFFFFC  # PROC_PID_INIT_INO of the kernel
# npu-smi leaves out signs such as the colons of "VLLM::EngineCor"
_LEFT_OUT = re.compile(r"[^\w.+-]")


@dataclass
class _Known:
    process: psutil.Process
    user: str | None
    command: str | None
    started_at: float
    cpu_s: float
    at: float
    cpu_pct: float | None = None


class HostWatch:
    """Looks at the host; percentages compare with the look before, so the first one has none."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[int, _Known] = {}
        self._cpu: tuple[float, float] | None = None
        self._cpu_at = clock()
        self._cpu_pct: float | None = None

    def host(self) -> Host:
        """CPU in percent of all cores since the look before, load, cores, memory in percent."""
        try:
            self._measure_cpu()
            memory: float | None = psutil.virtual_memory().percent
        except (OSError, psutil.Error):
            memory = None
        try:
            load: float | None = round(os.getloadavg()[0], 2)
        except OSError:
            load = None
        return Host(cpu_pct=self._cpu_pct, load_1m=load, cpus=psutil.cpu_count(), mem_pct=memory)

    def _measure_cpu(self) -> None:
        times, now = psutil.cpu_times(), self._clock()
        counted = [value for name, value in times._asdict().items() if not name.startswith("guest")]
        idle = times.idle + getattr(times, "iowait", 0.0)
        if self._cpu is not None and now - self._cpu_at < SHORTEST_SPAN_S:
            return
        if self._cpu is not None:
            spent, idled = sum(counted) - self._cpu[0], idle - self._cpu[1]
            self._cpu_pct = round(min(100.0, max(0.0, 100 * (1 - idled / spent))), 1) if spent > 0 else None
        self._cpu, self._cpu_at = (sum(counted), idle), now

    def look(self, rows: Iterable[NpuProcess]) -> tuple[tuple[NpuProcess, ...], Mapping[int, LocalProcess]]:
        """The rows with `local` set, and what is known of the local ones by npu-smi's pid. CPU is of one core."""
        found: dict[int, LocalProcess] = {}
        marked: list[NpuProcess] = []
        seen: set[int] = set()
        for row in rows:
            pid = pid_here(row)
            if pid is not None:
                seen.add(pid)
            if row.pid not in found and pid is not None:
                local = self._local(pid)
                if local is not None:
                    found[row.pid] = replace(local, pid=row.pid)
            marked.append(replace(row, local=row.pid in found))
        self._known = {pid: known for pid, known in self._known.items() if pid in seen}
        return tuple(marked), found

    def needs_second_look(self) -> bool:
        """Whether some process was seen only once, so that its CPU use is still unknown."""
        return any(known.cpu_pct is None for known in self._known.values())

    def _local(self, pid: int) -> LocalProcess | None:
        try:
            known = self._known.get(pid)
            if known is None or not known.process.is_running():
                known = self._meet(pid)
            self._measure(known)
            rss: float | None = round(known.process.memory_info().rss / 1024 / 1024, 1)
        except psutil.AccessDenied:
            rss = None
        except (psutil.Error, OSError):
            self._known.pop(pid, None)
            return None
        known = self._known.get(pid)
        if known is None:
            return None
        return LocalProcess(pid, known.user, known.cpu_pct, rss, known.started_at, known.command)

    def _meet(self, pid: int) -> _Known:
        process = psutil.Process(pid)
        with process.oneshot():
            known = _Known(
                process=process,
                user=_allowed(process.username),
                command=" ".join(_allowed(process.cmdline) or ()) or None,
                started_at=process.create_time(),
                cpu_s=_cpu_seconds(process),
                at=self._clock(),
            )
        self._known[pid] = known
        return known

    def _measure(self, known: _Known) -> None:
        now = self._clock()
        if now - known.at >= SHORTEST_SPAN_S:
            spent = _cpu_seconds(known.process)
            known.cpu_pct = round(max(0.0, 100 * (spent - known.cpu_s) / (now - known.at)), 1)
            known.cpu_s, known.at = spent, now


def comm_of(pid: int) -> str | None:
    """The kernel's name of a process of this pid namespace (15 characters); None when there is none."""
    try:
        return (_PROC / str(pid) / "comm").read_text(encoding="utf-8", errors="replace").rstrip("\n")
    except OSError:
        return None


def pid_here(row: NpuProcess) -> int | None:
    """The number that a row's process has in our own pid namespace; None when it has none or when that is doubtful."""
    host = is_same(comm_of(row.pid), row.name)
    inner = row.container_pid
    if inner is None or inner == row.pid or not in_container():
        return row.pid if host else None
    # a process of the same name under the host's number: nothing tells which is meant
    return inner if is_same(comm_of(inner), row.name) and not host else None


def in_container() -> bool:
    """Whether our pid namespace is another than the kernel's first, which has a fixed number."""
    try:
        return (_PROC / "self/ns/pid").stat().st_ino != _FIRST_PID_NAMESPACE
    except OSError:
        return False


def is_same(comm: str | None, name: str) -> bool:
    """Whether npu-smi's name is the kernel's; an empty name tells nothing."""
    return bool(comm and name) and name in (comm, _LEFT_OUT.sub("", comm or ""))


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _allowed(ask: Callable[[], Answer]) -> Answer | None:
    try:
        return ask()
    except psutil.AccessDenied:
        return None
