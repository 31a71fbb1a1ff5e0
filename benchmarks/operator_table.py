"""A million operators on the screen: show, sort, filter, page, cursor, and how long the loop stood still meanwhile.

usage: python benchmarks/operator_table.py [ROWS]

Beside it in the same run: numpy's argsort of one column (floor of a sort), counting the file's newlines (floor of the
type table), and Textual's own DataTable with a hundredth of the rows.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import DataTable

from npuscope.parsers.discovery.runs import find_runs
from npuscope.parsers.profile import Run
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.launch import Options
from npuscope.tui.messages import OpenRun, RunsFound
from npuscope.tui.widgets.optable import OperatorTable

HERE = Path(__file__).resolve().parent
BEAT_S = 0.002


Stall = tuple[float, float]


class Heartbeat:
    """The longest time the event loop did not come round, and the most that it worked meanwhile.

    On a busy machine the first is mostly waiting for a processor; the second is what the application is to blame for.
    """

    def __init__(self) -> None:
        self._worst: Stall = (0.0, 0.0)
        self._task = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        last, worked = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(BEAT_S)
            now, works = time.perf_counter(), time.thread_time()
            self._worst = (max(self._worst[0], now - last - BEAT_S), max(self._worst[1], works - worked))
            last, worked = now, works

    def take_ms(self) -> Stall:
        """The worst so far in ms, and start again."""
        worst, self._worst = self._worst, (0.0, 0.0)
        return 1000 * worst[0], 1000 * worst[1]


async def until(what: Callable[[], bool], limit_s: float = 120.0) -> float:
    """Seconds until something holds."""
    started = time.perf_counter()
    while not what():
        if time.perf_counter() - started > limit_s:
            raise SystemExit("it did not come to pass")
        await asyncio.sleep(BEAT_S)
    return time.perf_counter() - started


async def timed(do: Callable[[], object], pilot: Pilot[int], beat: Heartbeat, runs: int = 5) -> tuple[float, Stall]:
    """Median ms from the call to the painted screen, and the longest stall."""
    taken = []
    await asyncio.sleep(10 * BEAT_S)  # what was measured before must not count as a stall
    beat.take_ms()
    for _ in range(runs):
        started = time.perf_counter()
        do()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        taken.append(1000 * (time.perf_counter() - started))
    return sorted(taken)[runs // 2], beat.take_ms()


def row(name: str, ms: float, floor: float | None = None, of: str = "", stall: Stall | None = None) -> None:
    ratio = f"{ms / floor:6.2f} x {of}" if floor else ""
    stalled = "" if stall is None else f"longest stall {stall[0]:5.1f} ms, CPU {stall[1]:4.1f} ms"
    print(f"{name:37} {ms:9.1f} ms   {ratio:28} {stalled}", flush=True)


async def measure_table(path: Path, newline_ms: float) -> None:
    app = NpuscopeApp(Options(source=None, roots=()), theming.look("dark"))
    async with app.run_test(size=(120, 40)) as pilot:
        beat, run = await listed(app, path, pilot)
        await opened_first(app, run, pilot, beat, newline_ms)
        await measure_levels(app, pilot, beat)
    app = NpuscopeApp(Options(source=None, roots=()), theming.look("dark"))
    async with app.run_test(size=(120, 40)) as pilot:
        beat, run = await listed(app, path, pilot)
        await opened_again(app, run, pilot, beat, "out of the cache, child is there", 100.0)
        app.session.opened.clear()
        await opened_again(app, run, pilot, beat, "out of the cache, once more", 100.0)
        app.session.opened.clear()
        app.desk._worker._end_child()
        await opened_again(app, run, pilot, beat, "out of the cache, child has to start", 300.0)
        show, stall = await timed(lambda: app.screen.action_next_level(), pilot, beat, 1)
        row("show all instances of it", show, None, "", stall)


async def listed(app: NpuscopeApp, path: Path, pilot: Pilot[int]) -> tuple[Heartbeat, Run]:
    """The list shows the run, and what is imported while the person looks at it is there."""
    await pilot.pause()
    beat = Heartbeat()
    (run,) = find_runs(path, time.time() + 3600)
    app.post_message(RunsFound((run,), ""))
    await asyncio.sleep(2.5)
    row("the run is listed", 0.0, None, "", beat.take_ms())
    return beat, run


async def opened_first(app: NpuscopeApp, run: Run, pilot: Pilot[int], beat: Heartbeat, newline_ms: float) -> None:
    app.post_message(OpenRun(run))
    started = time.perf_counter()
    await until(lambda: app.session.now_open is not None and app.session.now_open.first is not None)
    row("type table of the file", 1000 * (time.perf_counter() - started), newline_ms, "newline count", beat.take_ms())
    await until(lambda: app.session.now_open is not None and app.session.now_open.summary is not None)
    await pilot.pause()
    row("all of it, labelled", 1000 * (time.perf_counter() - started), None, "", beat.take_ms())


async def opened_again(
    app: NpuscopeApp, run: Run, pilot: Pilot[int], beat: Heartbeat, name: str, budget_ms: float
) -> None:
    await asyncio.sleep(10 * BEAT_S)
    beat.take_ms()
    started = time.perf_counter()
    app.post_message(OpenRun(run))
    await until(lambda: app.session.now_open is not None and app.session.now_open.summary is not None)
    there = 1000 * (time.perf_counter() - started)
    await until(lambda: any(table.view is not None for table in app.screen.query(OperatorTable)))
    await pilot.pause()
    row(name, 1000 * (time.perf_counter() - started), budget_ms, f"{budget_ms:.0f} ms", beat.take_ms())
    row("  of that until the summary is there", there)


async def measure_levels(app: NpuscopeApp, pilot: Pilot[int], beat: Heartbeat) -> None:
    table = app.screen.query_one(OperatorTable)
    show, stall = await timed(lambda: app.screen.action_next_level(), pilot, beat, 1)
    row("show all instances", show, None, "", stall)
    durations = np.array(table.view.table.numbers("duration_us"))
    floor = min(argsort_ms(durations) for _ in range(3))
    row("numpy argsort of one column", floor)
    for column in ("duration_us", "wait_us", "label", "name"):
        ms, stall = await timed(lambda column=column: table.sort_by(column, fresh=True), pilot, beat, 3)
        row(f"sort by {column}", ms, floor, "argsort", stall)
    ms, stall = await timed(lambda: app.screen._filter_typed("MatMul & us>100"), pilot, beat, 3)
    row("filter", ms, None, "", stall)
    for name, do in (("page", lambda: table.action_page(1)), ("cursor", lambda: table.action_move(1))):
        ms, stall = await timed(do, pilot, beat, 15)
        row(f"{name} in what is filtered", ms, None, "", stall)
    app.screen._filter_typed("")
    for name, do in (("page", lambda: table.action_page(1)), ("cursor", lambda: table.action_move(1))):
        ms, stall = await timed(do, pilot, beat, 15)
        row(name, ms, None, "", stall)


def argsort_ms(values: np.ndarray) -> float:
    started = time.perf_counter()
    np.argsort(values, kind="stable")
    return 1000 * (time.perf_counter() - started)


class Peer(App[None]):
    """Textual's own table."""

    def compose(self) -> ComposeResult:
        yield DataTable()


async def measure_peer(rows: int) -> None:
    app = Peer()
    async with app.run_test(size=(120, 40)) as pilot:
        table = app.query_one(DataTable)
        table.add_columns(*"abcdefghijkl")
        started = time.perf_counter()
        table.add_rows([[str(n), *"bcdefghijkl"] for n in range(rows)])
        await pilot.pause()
        row(f"Textual DataTable, {rows} rows: show", 1000 * (time.perf_counter() - started))


def newline_count_ms(path: Path) -> float:
    def once() -> float:
        started = time.perf_counter()
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                block.count(b"\n")
        return 1000 * (time.perf_counter() - started)

    return min(once() for _ in range(3))


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    text.set_language("en")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = str(Path(folder) / "cache")
        path = Path(folder) / "data" / "op_summary_20260102030500.csv"
        path.parent.mkdir()
        subprocess.run([sys.executable, str(HERE / "make_op_summary.py"), str(path), str(rows)], check=True)
        newline_ms = newline_count_ms(path)
        row(f"count newlines of {path.stat().st_size / 1e6:.0f} MB", newline_ms)
        job: Awaitable[None] = measure_table(path, newline_ms)
        asyncio.run(job)  # type: ignore[arg-type]
        asyncio.run(measure_peer(rows // 100))


if __name__ == "__main__":
    main()
