"""What tests of the Live screen share: a source, runs and the application, all of the test's own making."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from npuscope.parsers.profile import Run
from npuscope.parsers.readings import Chip, Host, LocalProcess, NpuProcess, Reading, SourceInfo
from npuscope.parsers.say import Problem, Say, say
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.launch import Options
from npuscope.tui.live import state as live_state
from npuscope.tui.messages import OpenRun, RunsFound
from npuscope.tui.session import Headline

NOW = time.mktime((2026, 1, 2, 22, 10, 4, 0, 0, -1))
SILENT = Problem("timeout", say("smi.timeout", us=1e7), Say("smi.hint-timeout"))
MISSING = Problem("not-found", say("smi.not-found", program="npu-smi"), Say("smi.hint-not-found"))
PATH = "/data/prof/PROF_{:06d}_20260102220000000_ABCDEFGHIJKLMNOP"


class Source:
    """A live source that says what the test says."""

    def __init__(self) -> None:
        self.say: Callable[[Reading], None] = lambda reading: None
        self.stopped = False
        self.before: list[Reading] = []

    def lead(self) -> list[Reading]:
        return self.before

    def start(self, callback: Callable[[Reading], None]) -> None:
        self.say = callback

    def stop(self) -> None:
        self.stopped = True


class Box(NpuscopeApp):
    """The application without folders and without a child process that answers."""

    def __init__(self, theme: str = "dark", ascii_only: bool = False) -> None:
        self.source = Source()
        super().__init__(Options(source=self.source, roots=()), theming.look(theme, ascii_only))
        self.session.host = "a2-07"
        self.session.roots = ("/data/prof",)
        self.wanted: list[tuple[Run, ...]] = []
        self.opened: list[Run] = []
        self.asked: list[str] = []
        self.desk.want_headlines = self.wanted.append  # type: ignore[method-assign]

    def on_open_run(self, message: OpenRun) -> None:
        message.prevent_default()
        self.opened.append(message.run)

    def action_demo(self) -> None:
        self.asked.append("demo")

    def action_rescan(self) -> None:
        self.asked.append("rescan")

    def text(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]

    def labels(self) -> list[str]:
        return [line.label for line in self.screen.chips.listing.rows]


def eight(at: float, **changed: int | None) -> Reading:
    """Eight 910B3: four of one job, one with room, one Warning, one that spins at idle power."""
    load = (97, 98, 96, 98, 36, 92, 0, 100)
    watts, held = (306, 311, 305, 312, 188, 296, 95, 101), (61.8, 61.8, 61.7, 61.8, 58.3, 34.4, 3.1, 9.6)
    chips = tuple(
        Chip(
            n, 0, "910B3", "Warning" if n == 5 else "OK", power_w=float(watts[n]), temp_c=50 + n,
            aicore_pct=changed.get(f"c{n}", load[n]), hbm_used_mb=round(held[n] * 1024), hbm_total_mb=65_536,
            aicore_mhz=1800,
        )
        for n in range(8)
    )  # fmt: skip
    held_by = [*((n, 52001, 59_802) for n in range(4)), (4, 48210, 56_218), (5, 52877, 31_744), (7, 51733, 6_349)]
    rows = [NpuProcess(n, 0, pid, "python3", mb, local=True) for n, pid, mb in held_by]
    local = (
        LocalProcess(52001, "dev", 96.0, 11_469.0, at - 8050, "python3 train.py --tp 4"),
        LocalProcess(48210, "li", 212.0, 8_602.0, at - 34_915, "python3 -m vllm.entrypoints.openai.api_server"),
        LocalProcess(52877, "dev", 88.0, 6_246.0, at - 1862, "python3 finetune.py"),
        LocalProcess(51733, "wang", 30.0, 410.0, at - 64, "./my_kernel_bench --loop"),
    )
    source = SourceInfo("npu-smi", "npu-smi info", "24.1.0", "24.1.0")
    host = Host(23.0, 12.1, 192, 61.0)
    return Reading(at, 0.31, source, 1.0, chips, tuple(rows), {known.pid: known for known in local}, host)


def sixteen_dies(at: float) -> Reading:
    """Eight 910C cards of two dies; the power of a card stands at its first die."""
    chips = tuple(
        Chip(
            n, d, "Ascend910", "OK", power_w=480.0 + n if d == 0 else None, temp_c=57 + d, aicore_pct=90 + d,
            hbm_used_mb=63_488, hbm_total_mb=65_536,
        )
        for n in range(8) for d in (0, 1)
    )  # fmt: skip
    rows = tuple(NpuProcess(n, d, 52001 if n < 5 else 48210, "python3", 60_416) for n in range(8) for d in (0, 1))
    return Reading(at, 0.5, SourceInfo("npu-smi", tool_version="25.2.0"), 1.2, chips, rows)


def run(number: int, state: str = "ready", ago: float = 0.0) -> Run:
    path = PATH.format(number)
    return Run(path, path.rsplit("/", 1)[1], "msprof", state, started_at=NOW - ago, signature=f"{number}{state}")


RUNS = (run(3, "exporting", 6), run(2, ago=172), run(1, ago=684))
HEADLINES = {2: Headline(18_210.0, 1204, "memory", 45.0, 71.2), 1: Headline(18_990.0, 1204, "memory", 47.0, 69.0)}


@asynccontextmanager
async def shown(
    size: tuple[int, int] = (120, 36),
    made: Callable[[float], Reading] | None = eight,
    runs: tuple[Run, ...] = RUNS,
    past: int = 130,
    **look: object,
):
    """The screen after `past` seconds of readings, the last of them arriving as readings do."""
    app = Box(**look)  # type: ignore[arg-type]
    for one in runs:
        known = HEADLINES.get(int(one.signature[0]))
        if known is not None:
            app.session.headlines[one.path] = (one.signature, known)
    if made is not None:
        app.source.before = [made(NOW - second) for second in range(past, 0, -1)]
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        app.post_message(RunsFound(runs, "events"))
        if made is not None:
            app.source.say(made(NOW))
        await settled(pilot)
        yield app, pilot


async def settled(pilot) -> None:
    for _ in range(3):
        await pilot.pause()


async def missing(app: Box, pilot) -> None:
    app.source.say(Reading(NOW, 0.0, SourceInfo("npu-smi", ok=False), problems=(MISSING,)))
    await settled(pilot)


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """The helpers of this file; the language is English before and after."""
    text.set_language("en")
    monkeypatch.setattr(live_state, "LATE_PERIODS", 1e9)  # a slow test is no late reading
    yield SimpleNamespace(
        shown=shown, settled=settled, eight=eight, sixteen_dies=sixteen_dies, run=run, missing=missing,
        NOW=NOW, SILENT=SILENT, RUNS=RUNS, HEADLINES=HEADLINES, Box=Box, Source=Source,
    )  # fmt: skip
    text.set_language("en")
