"""Bytes per refresh, CPU and memory of the Live screen, beside a curses programme that draws the same numbers.

    python benchmarks/live_bytes.py [seconds]

Each runs alone in a pty of 150 x 40 with 24-bit colour and gets one reading a second of the same walk: AI Core moves by
up to 3 points, HBM by up to 0.1 GB, power by up to 4 W, temperature by 1 degree in one of four readings. Five minutes
of history are there from the start. Counted is what is written from 3 s after the start on.
"""

from __future__ import annotations

import curses
import fcntl
import os
import pty
import random
import select
import signal
import struct
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from npuscope.parsers.readings import Chip, Host, LocalProcess, NpuProcess, Reading, SourceInfo

COLUMNS, ROWS = 150, 40
BEFORE_S = 310
SETTLE_S = 3.0
CELLS, SPAN_S = 44, 300.0
BLOCKS = "▁▂▃▄▅▆▇"


def walk(count: int, still: bool = False) -> Iterator[tuple[Chip, ...]]:
    """Chips, reading after reading; the same for every programme."""
    dice = random.Random(7)
    chips = [
        Chip(n, 0, "910B3", "OK", None, n, n, 250.0, 52, None if n < 0 else 70, hbm_used_mb=50_000, hbm_total_mb=65_536)
        for n in range(count)
    ]
    while True:
        yield tuple(chips)
        if not still:
            chips = [
                replace(
                    chip,
                    aicore_pct=max(1, min(100, (chip.aicore_pct or 0) + dice.randint(-3, 3))),
                    hbm_used_mb=max(3000, min(65_000, (chip.hbm_used_mb or 0) + dice.randint(-102, 102))),
                    power_w=max(90.0, min(330.0, (chip.power_w or 0.0) + dice.randint(-4, 4))),
                    temp_c=max(40, min(70, (chip.temp_c or 0) + dice.choice((0, 0, 0, 0, 0, 0, 1, -1)))),
                )
                for chip in chips
            ]


def readings(count: int, still: bool) -> Iterator[Reading]:
    """The walk as readings, one a second, the first BEFORE_S ago."""
    dice = random.Random(8)
    at = float(int(time.time()) - BEFORE_S)
    began = at - 8000
    for chips in walk(count, still):
        processes = tuple(NpuProcess(n, 0, 52000 + n % 4, "python3", 48_000, local=True) for n in range(count))
        local = {
            52000 + n: LocalProcess(
                52000 + n,
                "dev",
                96.0 + (0 if still else dice.randint(-2, 2)),
                11_000.0,
                began - n,
                f"python3 train_{n}.py",
            )
            for n in range(4)
        }
        host = Host(23.0 if still else 20.0 + dice.randint(0, 6), 12.1, 192, 61.0)
        yield Reading(
            at, 0.31, SourceInfo("npu-smi", "npu-smi info", "24.1.0", "24.1.0"), 1.0, chips, processes, local, host
        )
        at += 1.0


class Walk:
    """A live source that says one reading a second."""

    def __init__(self, feed: Iterator[Reading], silent: bool) -> None:
        self._feed = feed
        self._silent = silent
        self._stop = threading.Event()
        self._before = [next(feed) for _ in range(BEFORE_S)]

    def lead(self) -> list[Reading]:
        before, self._before = self._before, []  # a history has no readings: they must not count as its memory
        return before

    def start(self, callback: Callable[[Reading], None]) -> None:
        def run() -> None:
            while not self._stop.wait(1.0):
                if not self._silent:
                    callback(next(self._feed))

        threading.Thread(target=run, daemon=True).start()

    def stop(self) -> None:
        self._stop.set()


def show_npuscope(count: int, how: str) -> None:
    """The application itself."""
    from npuscope.tui import text, theming
    from npuscope.tui.app import NpuscopeApp
    from npuscope.tui.launch import Options

    text.set_language("en")
    feed = readings(count, still=how != "walk")
    NpuscopeApp(Options(source=Walk(feed, silent=how == "none"), roots=()), theming.look("dark")).run()


def show_curses(count: int, how: str) -> None:
    """The floor: the same numbers, bars and histories, redrawn by curses, which sends only what differs."""
    feed = readings(count, still=how != "walk")
    past = [next(feed) for _ in range(BEFORE_S)]
    curses.wrapper(lambda screen: _curses_loop(screen, feed, past, how))


def _curses_loop(screen: curses.window, feed: Iterator[Reading], past: list[Reading], how: str) -> None:
    curses.curs_set(0)
    curses.start_color()
    curses.use_default_colors()
    for pair, color in ((1, 80), (2, 66), (3, 244)):
        curses.init_pair(pair, color, -1)
    while True:
        _curses_draw(screen, past)
        screen.refresh()
        time.sleep(1.0)
        if how != "none":
            past.append(next(feed))


def _curses_draw(screen: curses.window, past: list[Reading]) -> None:
    last = past[-1]
    width = SPAN_S / CELLS
    now = int(last.taken_at // width)
    bins: dict[tuple[int, int], list[int]] = {}
    for reading in past[-BEFORE_S:]:
        for chip in reading.chips:
            bins.setdefault((chip.npu_id, int(reading.taken_at // width)), []).append(chip.aicore_pct or 0)
    screen.addstr(0, COLUMNS - 10, time.strftime("%H:%M:%S", time.localtime(last.taken_at)))
    for chip in last.chips:
        y, pct = 7 + chip.npu_id, chip.aicore_pct or 0
        screen.addstr(y, 4, f"{chip.npu_id}  {chip.health:8} {pct:3d}")
        screen.addstr(y, 20, ("━" * round(pct * 14 / 100)).ljust(14, "─"), curses.color_pair(1))
        for cell in range(CELLS):
            known = bins.get((chip.npu_id, now - CELLS + 1 + cell))
            level = min(6, int(sum(known) / len(known) * 7 / 100)) if known else 0
            screen.addstr(y, 36 + cell, BLOCKS[level] if known else " ", curses.color_pair(2))
        used = (chip.hbm_used_mb or 0) / 1024
        screen.addstr(y, 82, f"{used:4.1f}")
        screen.addstr(y, 87, ("━" * round(used / 8)).ljust(8, "─"), curses.color_pair(3))
        screen.addstr(y, 97, f"{chip.power_w or 0:4.0f}  {chip.temp_c or 0:3d}")
    for row, (pid, local) in enumerate(sorted(last.local.items())):
        y = 9 + len(last.chips) + row
        up = int(last.taken_at - (local.started_at or 0))
        screen.addstr(
            y,
            2,
            f"{pid:7d}  {local.user:8} {local.cpu_pct or 0:5.0f}  {up // 60:4}:{up % 60:02d}  {local.command}",
        )


def measure(show: Callable[[int, str], None], count: int, how: str, seconds: float) -> tuple[list[int], float, float]:
    """(bytes of each second, CPU % of a core, RSS in MB) of one programme in a pty of its own."""
    child, descriptor = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", LANG="C.UTF-8", LC_ALL="C.UTF-8")
        os.environ.pop("NO_COLOR", None)
        show(count, how)
        os._exit(0)
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    try:
        _read(descriptor, SETTLE_S)
        cpu, began = _cpu_s(child), time.monotonic()
        counts = [_read(descriptor, 1.0) for _ in range(round(seconds))]
        share = 100 * (_cpu_s(child) - cpu) / (time.monotonic() - began)
        return counts, share, _rss_mb(child)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(descriptor)


def _read(descriptor: int, seconds: float) -> int:
    end, total = time.monotonic() + seconds, 0
    while (left := end - time.monotonic()) > 0:
        if select.select([descriptor], [], [], left)[0]:
            total += len(os.read(descriptor, 65536))
    return total


def _cpu_s(pid: int) -> float:
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:  # noqa: PTH123
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _rss_mb(pid: int) -> float:
    with open(f"/proc/{pid}/status", encoding="ascii") as status:  # noqa: PTH123
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


CASES = (
    ("curses, the same numbers", show_curses, 8, "walk"),
    ("npuscope Live", show_npuscope, 8, "walk"),
    ("curses, the same numbers", show_curses, 16, "walk"),
    ("npuscope Live", show_npuscope, 16, "walk"),
    ("npuscope Live, values stand still", show_npuscope, 8, "still"),
    ("npuscope Live, no reading arrives", show_npuscope, 8, "none"),
)


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 28.0
    print(f"{'programme':36} chips   mean B   median   most   CPU %   RSS MB   ({seconds:.0f} s, one reading a second)")
    for name, show, count, how in CASES:
        counts, share, rss = measure(show, count, how, seconds)
        ordered = sorted(counts)
        middle = ordered[len(ordered) // 2]
        mean = sum(counts) / len(counts)
        print(f"{name:36} {count:5} {mean:8.0f} {middle:8} {ordered[-1]:6} {share:7.1f} {rss:8.0f}", flush=True)


if __name__ == "__main__":
    main()
