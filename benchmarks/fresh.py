"""One reading in a process of its own, measured after its imports: seconds, CPU seconds, peak memory."""

from __future__ import annotations

import importlib
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ONE = "--one"
BLOCK_BYTES = 1 << 24


@dataclass(frozen=True)
class Reading:
    """A row of the table: what is done to the path (how many things it found), and what has to be imported for it."""

    name: str
    work: Callable[[str], int]
    imports: str = ""


@dataclass(frozen=True, order=True)
class Cost:
    """What a reading took. CPU seconds hardly change with what else the machine does."""

    seconds: float
    cpu_s: float
    peak_mb: int
    found: int


def count_newlines(path: str) -> int:
    """The floor: every byte is seen once."""
    count = 0
    with open(path, "rb", buffering=0) as handle:  # noqa: PTH123 the imports are part of the memory
        while block := handle.read(BLOCK_BYTES):
            count += block.count(b"\n")
    return count + 1


def measured(script: str, number: int, path: str, runs: int, before: Callable[[], object] = int) -> Cost | None:
    """The best of some runs of the script's reading of that number; None where a run failed."""
    costs = []
    for _ in range(runs):
        before()
        out = subprocess.run([sys.executable, script, ONE, str(number), path], stdout=subprocess.PIPE, text=True)
        if out.returncode:
            return None
        seconds, cpu_s, megabytes, found = out.stdout.split()
        costs.append(Cost(float(seconds), float(cpu_s), int(megabytes), int(found)))
    return min(costs)


def one(readings: Sequence[Reading], number: str, path: str) -> None:
    """In the fresh process: import, then measure and print."""
    reading = readings[int(number)]
    for module in reading.imports.split():
        importlib.import_module(module)
    cpu, began = time.process_time(), time.perf_counter()
    found = reading.work(path)
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    assert found > 0
    print(seconds, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, found)


def head(what: str) -> None:
    """The line above the table."""
    print(f"{'':34} {'s':>7} {'CPU s':>7} {'CPU, against the floor':>23} {'peak MB':>8}   {what}")


def line(name: str, cost: Cost, floor: Cost) -> None:
    """One reading."""
    ratio = cost.cpu_s / floor.cpu_s
    print(
        f"{name:34} {cost.seconds:7.3f} {cost.cpu_s:7.3f} {ratio:21.2f} x {cost.peak_mb:8}   {cost.found}", flush=True
    )
