"""The Live screen through keys and mouse, fed by a source and runs of the test's own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from textual import events

from npuscope.parsers.profile import Run
from npuscope.parsers.readings import Chip, Host, LocalProcess, NpuProcess, Reading, SourceInfo
from npuscope.parsers.say import Problem, Say, say
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.launch import Options
from npuscope.tui.messages import OpenRun, RunsFound
from npuscope.tui.session import Headline, Part
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.widgets.inputline import InputLine

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


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    text.set_language("en")
    yield
    text.set_language("en")


# ---- what stands where


async def test_at_120_columns_everything_stands_where_it_was_drawn():
    async with shown() as (app, _):
        lines = app.text()
        assert lines[0].endswith("a2-07   22:10:04")
        assert lines[2].startswith("▌ Chip 7 says 100 % busy but draws 101 W; its neighbours draw 306 W.")
        assert lines[5].startswith("─ Chips ──") and "8 × 910B3   npu-smi 24.1.0   every 1.0 s, took 0.31" in lines[5]
        assert lines[6][:24] == "  NPU▲ health   AI Core "
        assert lines[6].index("-2 min") == 36 and lines[6].index("HBM GB of 64") == 62 and lines[6].index("note") == 95
        assert lines[7] == "▌   0  OK        97 ━━━━━━━━━━━━━╸  " + "▇" * 24 + "  61.8 ━━━━━━━╸   306   50  1800"
        assert lines[12][:36] == " !  5  Warning   92 ━━━━━━━━━━━━━─  "
        assert lines[11].endswith("< 40 % for 60 s: room") and lines[14].endswith("busy at idle power?")
        assert lines[16].startswith("─ AI Core, mean of the chips ─")
        assert lines[23].startswith("─ Processes ─")
        assert lines[25] == (
            "    52001  dev      0-3        233.6     96    11.2   2:14:10  python3 train.py --tp 4         "
            "one core full: host?"
        )
        assert lines[30].startswith("─ Profiles ─") and lines[30].endswith("/data/prof, 3 runs, watched by events ─")
        assert lines[32].split() == (
            "22:07:12 PROF_000002_20260102220… ready 1204 ops 18.21 ms AI Core 71 % memory 45 % -4.1 % to 000001".split()
        )
        assert lines[35].endswith("? help   q quit")


async def test_the_plot_marks_where_profiles_ran():
    async with shown() as (app, _):
        axis = app.text()[21]
        assert axis.startswith("        -10 min")
        assert "▲ PROF_000002" in axis
        plot = app.screen.plot.plot
        assert axis.index("▲ PROF_000002") == 8 + plot.cells_per_bin * plot.mean.position(NOW - 172)


async def test_eighty_by_twentyfour_keeps_chips_processes_and_runs():
    async with shown((80, 24)) as (app, _):
        lines = app.text()
        assert lines[0].endswith("22:10:04")
        assert lines[3] == "─ 8 × 910B3 ──────── a2-07  every 1.0 s (0.31)  host CPU 23 % load 12 mem 61 % ─"
        assert lines[5] == "▌   0  OK       97 ━━━━━━━━╸  " + "▇" * 20 + "  61.8   306  50"
        assert lines[12].endswith("idle power?")
        assert lines[13].startswith("─ Processes by HBM ─")
        assert [line.split()[0] for line in lines[15:19]] == ["52001", "48210", "52877", "51733"]
        assert lines[19].startswith("─ Profiles ─")
        assert lines[21].split() == "22:07:12 PROF_000002 ready 1204 ops 18.21 ms memory 45 % -4.1 %".split()
        assert lines[23].endswith("? help  q quit")
        assert all(len(line) <= 80 for line in lines)


async def test_sixteen_dies_at_eighty_columns_lose_nothing():
    async with shown((80, 24), sixteen_dies) as (app, _):
        lines = app.text()
        assert lines[3].startswith("─ 8 cards, 16 dies ─")
        assert lines[4] == "  NPU▲ health  die 0 % -1 min now GB  °C      die 1 % -1 min now GB  °C       W"
        assert lines[5] == "▌   0  OK       90 ▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 62  57       91 ▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 62  58     480"
        assert [line.split()[0] for line in lines[6:13]] == [str(n) for n in range(1, 8)]
        assert lines[13].startswith("─ Processes") and lines[15].split()[:2] == ["52001", "–"]
        assert lines[15].split()[2] == "0-4"
        assert [line.split()[1] for line in lines[19:22]] == ["PROF_000003", "PROF_000002", "PROF_000001"]


async def test_cards_have_a_note_from_120_columns_on():
    async with shown((120, 36), lambda at: replace(sixteen_dies(at), chips=(
        replace(sixteen_dies(at).chips[0], health="Alarm"), *sixteen_dies(at).chips[1:]))) as (app, _):  # fmt: skip
        assert app.text()[7].endswith("npu-smi info -t health")
        assert app.text()[6].rstrip().endswith("note")


async def test_chips_without_hbm_say_ddr_and_unknown_power_is_a_dash():
    def duo(at: float) -> Reading:
        chips = tuple(
            Chip(n, d, "310P3", "OK", temp_c=45, aicore_pct=20, memory_used_mb=1700, memory_total_mb=21_534)
            for n in (1, 2144) for d in (0, 1)
        )  # fmt: skip
        return Reading(at, 0.4, SourceInfo("npu-smi"), 1.0, chips, processes_known=False)

    async with shown((80, 24), duo) as (app, _):
        lines = app.text()
        assert "DDR GB" in lines[4] and "HBM" not in lines[4]
        assert [line.split()[0].lstrip("▌") or line.split()[1] for line in lines[5:9]] == [
            "1/0",
            "1/1",
            "2144/0",
            "2144/1",
        ]
        assert lines[6].split()[-4:] == ["1.7", "–", "45", "room"]
        assert "This npu-smi lists no processes." in "\n".join(lines)


async def test_mixed_models_are_named():
    async with shown(made=lambda at: replace(eight(at), chips=(
        *eight(at).chips[:7], replace(eight(at).chips[7], name="310P3", hbm_total_mb=21_534)))) as (app, _):  # fmt: skip
        lines = app.text()
        assert "7 × 910B3, 1 × 310P3" in lines[5]
        assert lines[7].split()[2] == "910B3" or lines[7].split()[3] == "910B3"
        assert "61.8/64" in lines[7] and "9.6/21" in lines[14]


async def test_wide_windows_show_five_minutes():
    async with shown((150, 40)) as (app, _):
        head = app.text()[6]
        assert "-5 min" in head and head.index("now") - head.index("-5 min") == 41


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (150, 40)])
async def test_ascii_is_ascii(size):
    text.set_language("en", ascii_only=True)
    async with shown(size, theme="mono", ascii_only=True) as (app, _):
        lines = app.text()
        assert all(ord(letter) < 128 for line in lines for letter in line)
        assert "[1 Live]" in lines[0]
        assert any(line.startswith(">   0  OK") for line in lines)
        assert any("NPU^" in line for line in lines)


async def test_without_colour_marks_and_words_carry_everything():
    async with shown(theme="mono") as (app, _):
        lines = app.text()
        assert "[1 Live]" in lines[0]
        assert lines[2].startswith("! Chip 7")
        assert lines[7].startswith("▌") and lines[12].startswith(" !")


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_chinese(size):
    text.set_language("zh")
    async with shown(size) as (app, _):
        whole = "\n".join(app.text())
        assert "芯片 7 显示 100 % 忙" in whole
        assert "健康" in whole and "进程" in whole and "性能数据" in whole and "导出中" in whole


async def test_the_light_theme_paints_the_same_words():
    async with shown() as (app, pilot):
        before = app.text()
        app.action_use_theme("light")
        await settled(pilot)
        assert app.text() == before


# ---- readings arrive


async def test_nothing_is_painted_when_nothing_changed(monkeypatch):
    async with shown() as (app, pilot):
        painted: list[Canvas] = []
        real = Canvas.refresh

        def counted(self, *regions, **options):
            painted.append(self)
            return real(self, *regions, **options)

        monkeypatch.setattr(Canvas, "refresh", counted)
        app.tell(Part.READINGS)
        await settled(pilot)
        assert painted == []
        app.source.say(eight(NOW, c0=92))
        await settled(pilot)
        names = {type(widget).__name__ for widget in painted}
        assert names <= {"GroupCanvas", "AnswerLines"}, names


async def test_a_new_number_costs_its_own_cells(monkeypatch):
    async with shown() as (app, pilot):
        regions = []
        real = Canvas.refresh
        monkeypatch.setattr(
            Canvas, "refresh", lambda self, *found, **options: regions.extend(found) or real(self, *found, **options)
        )
        chips = eight(NOW).chips
        app.source.say(replace(eight(NOW), chips=(*chips[:6], replace(chips[6], power_w=96.0), chips[7])))
        await settled(pilot)
        assert [(region.y, region.height) for region in regions] == [(6, 1)]
        assert regions[0].width <= 5


async def test_a_table_that_was_cut_keeps_the_other_chips_dim():
    cut = Problem("truncated", say("smi.cut-after-exit", npu=2, chip=0, returncode=137), Say("smi.hint-cut"))
    async with shown() as (app, pilot):
        whole = eight(NOW + 1)
        app.source.say(replace(whole, chips=whole.chips[:3], problems=(cut,)))
        await settled(pilot)
        lines = app.text()
        assert "137" in lines[2]
        assert lines[3].startswith("▌ Chips 3-7 are shown as of 22:10:04.")
        assert len(app.labels()) == 8
        assert lines[10].endswith("as of 22:10:04") and not lines[9].endswith("22:10:04")


async def test_a_source_that_hangs_leaves_the_values_and_says_how_old_they_are():
    async with shown() as (app, pilot):
        app.source.say(Reading(NOW + 1, 10.0, SourceInfo("npu-smi", ok=False), problems=(SILENT,)))
        await settled(pilot)
        lines = app.text()
        assert lines[2].startswith("▌ npu-smi has not answered for 11 s; the values are from 22:10:04.")
        assert "Is a card wedged" in lines[3]
        assert "values from 22:10:04" in lines[5]
        assert lines[7][:20] == "▌   0  OK        97 "
        assert lines[0].endswith("22:10:04"), "the clock is that of the values"
        assert lines[7][36:60].rstrip() != lines[7][36:60], "the history goes on, with a gap"
        await pilot.press("j", "tab")
        assert app.screen.active is app.screen.processes
        app.source.say(eight(NOW + 30))
        await settled(pilot)
        assert app.text()[2].startswith("▌ Chip 7 says")


async def test_the_age_is_counted_on_while_nothing_arrives(monkeypatch):
    async with shown() as (app, pilot):
        app.source.say(Reading(NOW + 1, 10.0, SourceInfo("npu-smi", ok=False), problems=(SILENT,)))
        await settled(pilot)
        ended, at = app.session.arrived
        app.session.arrived = (ended, at - 20)
        app.screen._grow_older()
        await settled(pilot)
        assert "has not answered for 31 s" in app.text()[2]


async def test_a_collected_profile_makes_zero_unknown():
    async with shown(made=None, runs=()) as (app, pilot):
        app.post_message(RunsFound((replace(run(4, "collecting"), changed_at=NOW),), "events"))
        await settled(pilot)
        app.source.say(eight(NOW))
        await settled(pilot)
        line = app.text()[13]
        assert line.split()[:3] == ["6", "OK", "–"] and line.endswith("profiling: no reading")


# ---- order, filter, pause


async def test_sort_keys_and_the_head():
    async with shown() as (app, pilot):
        await pilot.press("s", "s")
        await settled(pilot)
        assert app.screen.chips.order.column == "core"
        assert app.labels() == ["7", "1", "3", "0", "2", "5", "4", "6"]
        assert "AI Core %▼" in app.text()[6]
        await pilot.press("r")
        await settled(pilot)
        assert app.labels()[0] == "6" and "AI Core %▲" in app.text()[6]
        await pilot.press("S")
        await settled(pilot)
        assert (app.screen.chips.order.column, app.labels()[0]) == ("health", "5")
        await pilot.click(offset=(80, 6))
        await settled(pilot)
        assert (app.screen.chips.order.column, app.labels()[0]) == ("power", "3")


async def test_rows_stay_while_values_move_and_the_cursor_stays_on_its_chip():
    async with shown() as (app, pilot):
        await pilot.press("s", "s", "j")
        await settled(pilot)
        assert app.screen.chips.listing.row.label == "7" or app.labels()[app.screen.chips.listing.cursor]
        chosen = app.screen.chips.listing.row.label
        before = app.labels()
        app.source.say(eight(NOW + 1, c4=100, c7=1))
        await settled(pilot)
        assert app.labels() == before
        app.source.say(eight(NOW + 6, c4=100, c7=1))
        await settled(pilot)
        assert app.labels()[0] == "4" and app.labels()[-1] in ("6", "7")
        assert app.screen.chips.listing.row.label == chosen


async def test_the_filter_follows_while_it_is_typed_and_a_bad_one_says_what_is_wrong():
    async with shown() as (app, pilot):
        await pilot.press("slash", *"util<40 & hbm>50")
        await settled(pilot)
        assert app.labels() == ["4"]
        assert "Chips: filter" in app.text()[34]
        await pilot.press("enter")
        await settled(pilot)
        assert "1 of 8 by util<40 & hbm>50" in app.text()[5]
        await pilot.press("escape")
        await settled(pilot)
        assert len(app.labels()) == 8
        await pilot.press("slash", *"memory>3")
        await settled(pilot)
        assert "The filter knows no 'memory'." in app.text()[2] and "util" in app.text()[2]
        await pilot.press("escape")
        await settled(pilot)
        assert app.text()[2].startswith("▌ Chip 7 says")
        await pilot.press("slash", *"util<x")
        await settled(pilot)
        assert "needs a number" in app.text()[2]


async def test_a_filter_that_nothing_meets_says_so():
    async with shown() as (app, pilot):
        await pilot.press("slash", *"nothere", "enter")
        await settled(pilot)
        assert 'No chip matches "nothere"; esc clears it. (8 are there.)' in "\n".join(app.text())


async def test_the_filter_of_the_processes_is_their_own():
    async with shown() as (app, pilot):
        await pilot.press("tab", "slash", *"user=dev", "enter")
        await settled(pilot)
        assert [line.pid for line in app.screen.processes.listing.rows] == [52001, 52877]
        assert len(app.labels()) == 8


async def test_pause_freezes_the_numbers_and_not_the_reading():
    async with shown() as (app, pilot):
        await pilot.press("space")
        app.source.say(eight(NOW + 60, c0=11))
        await settled(pilot)
        lines = app.text()
        assert lines[2] == "▌ Paused at 22:10:04; reading goes on. space: go on"
        assert lines[3].startswith("▌ Chip 7 says")
        assert lines[7].split()[3] == "97" and lines[0].endswith("22:10:04")
        assert app.session.reading.taken_at == NOW + 60
        await pilot.resize_terminal(150, 40)
        await settled(pilot)
        assert app.text()[7].split()[3] == "97"
        await pilot.press("space")
        await settled(pilot)
        assert app.text()[7].split()[3] == "11" and app.text()[0].endswith("22:11:04")


async def test_a_pause_outlives_another_screen():
    async with shown() as (app, pilot):
        await pilot.press("space", "2")
        app.source.say(eight(NOW + 60, c0=11))
        await settled(pilot)
        await pilot.press("1")
        await settled(pilot)
        assert app.text()[7].split()[3] == "97"


# ---- panels


async def test_enter_lights_up_what_belongs_together():
    async with shown() as (app, pilot):
        await pilot.press("j", "j", "enter")
        await settled(pilot)
        assert app.text()[25].startswith("▌   52001")
        assert "of chip 2" in app.text()[23]
        await pilot.press("tab", "enter")
        await settled(pilot)
        assert [line[0] for line in app.text()[7:15]] == ["▌"] * 4 + [" "] * 4
        assert "of pid 52001" in app.text()[5]
        await pilot.press("enter")
        await settled(pilot)
        assert [line[0] for line in app.text()[7:15]] == [" "] * 8
        await pilot.press("shift+tab", "end", "k", "enter")
        await settled(pilot)
        assert "chip 6: no visible process" in app.text()[23]
        await pilot.press("escape")
        await settled(pilot)
        assert "chip 6" not in app.text()[23]


async def test_enter_on_a_profile_opens_it():
    async with shown() as (app, pilot):
        await pilot.press("tab", "tab", "j", "enter")
        await settled(pilot)
        assert [one.name for one in app.opened] == [RUNS[1].name]


async def test_tab_walks_the_panels_and_the_keys_follow():
    async with shown() as (app, pilot):
        assert "enter its processes" in app.text()[35]
        await pilot.press("tab")
        await settled(pilot)
        assert "enter its chips" in app.text()[35]
        assert app.text()[25].startswith("▌") and not app.text()[7].startswith("▌")
        await pilot.press("shift+tab", "shift+tab")
        await settled(pilot)
        assert app.screen.active is app.screen.profiles and "enter open" in app.text()[35]


async def test_maximise_and_back():
    async with shown() as (app, pilot):
        await pilot.press("tab", "M")
        await settled(pilot)
        whole = "\n".join(app.text())
        assert "─ Processes" in whole and "─ Chips" not in whole and "─ Profiles" not in whole
        await pilot.press("M")
        await settled(pilot)
        assert app.text()[5].startswith("─ Chips")


async def test_p_shows_all_processes():
    def many(at: float) -> Reading:
        rows = tuple(NpuProcess(n % 8, 0, 1000 + n, f"worker{n}", 100 + n) for n in range(25))
        return replace(eight(at), processes=rows, local={})

    async with shown(made=many) as (app, pilot):
        assert "4 of 25, p: all" in app.text()[23]
        await pilot.press("p")
        await settled(pilot)
        assert sum("worker" in line for line in app.text()) == 25
        await pilot.press("escape")
        await settled(pilot)
        assert sum("worker" in line for line in app.text()) == 4


async def test_more_chips_than_lines_scroll():
    def sixteen(at: float) -> Reading:
        chips = tuple(Chip(n, 0, "310", "OK", aicore_pct=n, memory_used_mb=1, memory_total_mb=8192) for n in range(16))
        return Reading(at, 0.4, SourceInfo("npu-smi"), 1.0, chips)

    async with shown((80, 24), sixteen) as (app, pilot):
        assert [line.split()[0] for line in app.text()[6:16]] == [str(n) for n in range(1, 11)]
        await pilot.press("end")
        await settled(pilot)
        assert app.text()[15].split()[:2] == ["▌", "15"]
        await pilot.press("pageup")
        await settled(pilot)
        assert app.screen.chips.listing.cursor == 5


async def test_the_mouse_selects_scrolls_and_chooses():
    async with shown() as (app, pilot):
        await pilot.click(offset=(40, 9))
        assert app.screen.chips.listing.row.label == "2"
        await pilot.click(offset=(40, 26))
        assert app.screen.active is app.screen.processes and app.screen.processes.listing.row.pid == 48210
        app.screen.processes.post_message(
            events.MouseScrollDown(app.screen.processes, 5, 2, 0, 1, 0, False, False, False, 5, 26)
        )
        await settled(pilot)
        assert app.screen.processes.listing.cursor == 3
        await pilot.click(offset=(20, 33), times=2)
        await settled(pilot)
        assert [one.name for one in app.opened] == [RUNS[2].name]


async def test_only_the_runs_on_screen_are_asked_for():
    many = tuple(run(n, ago=float(9 - n)) for n in range(9, 0, -1))
    async with shown(runs=many) as (app, _):
        asked = {one.signature[0] for wanted in app.wanted for one in wanted}
        assert len(asked) <= 7 and "9" in asked and "1" not in asked


async def test_growing_and_shrinking_keeps_cursor_and_values():
    async with shown() as (app, pilot):
        await pilot.press("j")
        for size in ((80, 24), (150, 40), (119, 29), (100, 30), (120, 36)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert app.screen.chips.listing.row.label == "1"
            assert all(len(line) <= size[0] for line in app.text())
            assert sum(line.split()[1:2] == ["OK"] or " OK " in line for line in app.text()) >= 7


async def test_the_source_is_stopped_at_the_end():
    async with shown() as (app, pilot):
        await pilot.press("q")
    assert app.source.stopped


# ---- a box without NPU


async def missing(app: Box, pilot) -> None:
    app.source.say(Reading(NOW, 0.0, SourceInfo("npu-smi", ok=False), problems=(MISSING,)))
    await settled(pilot)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_first_contact(size):
    async with shown(size, made=None, runs=()) as (app, pilot):
        await missing(app, pilot)
        whole = "\n".join(app.text())
        assert "▌ This box has no NPU, and this folder holds no profile." in whole
        assert "─ What was looked for ─" in whole and "─ Chips" not in whole
        assert "d demo" in app.text()[-1] and "o open" in app.text()[-1]
        await pilot.press("d", "r")
        assert app.asked == ["demo", "rescan"]


async def test_a_path_that_is_not_there_is_one_sentence():
    async with shown(made=None, runs=()) as (app, pilot):
        await missing(app, pilot)
        await pilot.press("o", *"/no/such", "enter")
        await settled(pilot)
        assert "/no/such" in "\n".join(app.text()[:5])
        assert not app.screen.query_one(InputLine).is_open


async def test_first_contact_ends_when_a_profile_appears():
    async with shown(made=None, runs=()) as (app, pilot):
        await missing(app, pilot)
        app.post_message(RunsFound((run(2),), "events"))
        await settled(pilot)
        whole = "\n".join(app.text())
        assert "What was looked for" not in whole
        assert "npu-smi is not on this box" in whole and "PROF_000002" in whole
        app.source.say(eight(NOW))
        await settled(pilot)
        assert len(app.labels()) == 8


async def test_waiting_for_the_first_reading():
    async with shown(made=None) as (app, _):
        whole = "\n".join(app.text())
        assert "Waiting for the first reading of npu-smi." in whole
        assert "PROF_000002" in whole


async def test_no_profile_yet_says_what_fills_the_panel():
    async with shown(runs=()) as (app, _):
        assert "No profile in /data/prof yet." in "\n".join(app.text())


async def test_no_process_says_why_it_may_look_empty():
    async with shown(made=lambda at: replace(eight(at), processes=(), local={})) as (app, _):
        assert "No process holds NPU memory." in "\n".join(app.text())


async def test_keys_do_no_harm_where_there_is_nothing():
    async with shown(made=None, runs=()) as (app, pilot):
        for key in ("s", "S", "r", "enter", "j", "k", "pagedown", "end", "space", "M", "M", "p", "p", "tab", "escape"):
            await pilot.press(key)
        await missing(app, pilot)
        for key in ("s", "space", "slash", "enter", "tab", "M", "p", "escape"):
            await pilot.press(key)
        await settled(pilot)
        assert app.return_code is None
