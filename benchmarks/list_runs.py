"""A folder of 3,000 profiles: listing it, watching it, and what it costs while nothing and while something happens.

usage: list_runs.py [RUNS]

Each run has 17 files in 7 folders, as msprof leaves them. The floors see every name of the same tree: `find`, and
os.walk in Python. Then the application shows the folder in a terminal of its own: how long until a new run is on its
screen, how much of a core it takes while nothing happens, and while one of the runs is written to five times a second.
Budgets: 1 s for the list, 1 % of a core while nothing happens, a new run on the screen in 1.1 s at the latest.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from make_op_summary import make
from ptyrun import PtyProgram, median, three

from npuscope.parsers.discovery.runs import find_runs

LISTINGS = 5
NEW_RUNS = 5
YOUNG_S = 62.0  # so long a run that has just changed is looked at more often
QUIET_S, BUSY_S, WRITES_PER_S = 20.0, 10.0, 5
DATA = ("ai_core_op_summary", "hwts.data.0.slice_0", "ts_track.data.0.slice_0", "ffts_profile.data.0.slice_0")
HOST = ("aging.additional.type_info_dic.slice_0", "unaging.api_event.data.slice_0", "unaging.compact.slice_0")
TABLES = ("op_statistic", "api_statistic", "task_time")
STAMP = "20260102030500"


def make_run(folder: Path, table: bytes) -> None:
    """One exported run."""
    for name, files in (("device_0/data", DATA), ("host/data", HOST), ("device_0/sqlite", ()), ("host/sqlite", ())):
        (folder / name).mkdir(parents=True)
        for file in files:
            (folder / name / file).write_bytes(b"\0" * 64)
    for file in ("device_0/info.json.0", "device_0/start_info.0", "device_0/end_info.0", "host/info.json"):
        (folder / file).write_text("{}")
    output = folder / "mindstudio_profiler_output"
    output.mkdir()
    (output / f"op_summary_{STAMP}.csv").write_bytes(table)
    for file in TABLES:
        (output / f"{file}_{STAMP}.csv").write_text("Device_id\n0\n")
    (output / f"msprof_{STAMP}.json").write_text("[]")
    (output / "README.txt").write_text("1. op_summary\n")


def name_of(number: int) -> str:
    day, second = divmod(number, 86_400)
    stamp = f"202601{2 + day:02}{second // 3600:02}{second // 60 % 60:02}{second % 60:02}"
    return f"PROF_{number:06}_{stamp}000_ABCDEFGHIJKLMNOP"


def walked(folder: Path) -> int:
    return sum(len(folders) + len(files) for _, folders, files in os.walk(folder))


def found(folder: Path) -> int:
    out = subprocess.run(["find", str(folder), "-newermt", "2000-01-01"], stdout=subprocess.PIPE, check=True)
    return out.stdout.count(b"\n") - 1


def listed(folder: Path) -> int:
    return len(find_runs(folder, time.time()))


def listing(name: str, work: Callable[[Path], int], folder: Path) -> None:
    """One way to list the folder: seconds, and CPU seconds of this process and its children."""
    seconds, cpus = [], []
    for _ in range(LISTINGS):
        began, before = time.perf_counter(), os.times()
        count = work(folder)
        after = os.times()
        seconds.append(time.perf_counter() - began)
        cpus.append(sum(after[:4]) - sum(before[:4]))
    print(f"{name:44} {three(seconds):28} CPU {1000 * median(cpus):5.0f} ms   {count} entries", flush=True)


def watching(folder: Path, table: bytes) -> None:
    """The application over the folder."""
    program = PtyProgram([sys.executable, "-m", "npuscope", str(folder), "--npu-smi", "false"])
    try:
        newest = name_of(len(list(folder.iterdir())) - 1)[:11].encode()
        program.pump(20, b"Profiles")
        program.send(b"2")
        print(f"{'start to the list on the screen':44} {1000 * (program.pump(60, newest) or float('nan')):.0f} ms")
        program.pump(YOUNG_S)
        print(f"{'memory':44} {program.rss_mb():.0f} MB", flush=True)
        share("nothing happens", program, lambda: program.pump(QUIET_S))
        appearing(program, folder, table)
        program.pump(YOUNG_S)
        share("one run is written to", program, lambda: written(program, folder))
    finally:
        program.close()


def share(name: str, program: PtyProgram, during: Callable[[], object]) -> None:
    cpu, began = program.cpu_s(), time.perf_counter()
    during()
    used = 100 * (program.cpu_s() - cpu) / (time.perf_counter() - began)
    print(f"{name:44} {used:.1f} % of a core", flush=True)


def appearing(program: PtyProgram, folder: Path, table: bytes) -> None:
    seconds = []
    for number in range(NEW_RUNS):
        name = name_of(900_000 + number)
        shutil.move(staged(folder, name, table), folder / name)
        began = time.perf_counter()
        at = program.pump(20, name[:11].encode())
        seconds.append(float("nan") if at is None else at + program.started - began)
        program.pump(2)
    print(f"{'a new run is there until it is on the screen':44} {three(seconds)}", flush=True)


def staged(folder: Path, name: str, table: bytes) -> Path:
    made = folder.parent / name
    make_run(made, table)
    return made


def written(program: PtyProgram, folder: Path) -> None:
    run = folder / name_of(900_000)
    for _ in range(int(BUSY_S * WRITES_PER_S)):
        with (run / "mindstudio_profiler_output" / f"op_summary_{STAMP}.csv").open("ab") as out:
            out.write(b"\n")
        program.pump(1 / WRITES_PER_S)


def main() -> None:
    """Make the folder, list it, watch it."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = str(Path(name) / "cache")
        table = Path(name) / "op_summary.csv"
        make(table, 200)
        folder = Path(name) / "profiles"
        for number in range(runs):
            make_run(folder / name_of(number), table.read_bytes())
        listing("find, with the time of every file", found, folder)
        listing("os.walk, names only", walked, folder)
        listing("npuscope: the runs, each with its state", listed, folder)
        watching(folder, table.read_bytes())


if __name__ == "__main__":
    main()
