"""What the Live screen shows, in every size and spelling, and what readings do to it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from npuscope.parsers.readings import Chip, Reading, SourceInfo
from npuscope.parsers.say import Problem, Say, say
from npuscope.tui import text
from npuscope.tui.live import state as live_state
from npuscope.tui.messages import RunsFound
from npuscope.tui.session import Part
from npuscope.tui.widgets.canvas import Canvas

# ---- what stands where


async def test_at_120_columns_everything_stands_where_it_was_drawn(live):
    async with live.shown() as (app, _):
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
        assert " ".join(lines[32].split()) == (
            "22:07:12 PROF_000002_20260102220… ready 1204 ops 18.21 ms AI Core 71 % memory 45 % -4.1 % to 000001"
        )
        assert lines[35].endswith("? help   q quit")


async def test_the_plot_marks_where_profiles_ran(live):
    async with live.shown() as (app, _):
        axis = app.text()[21]
        assert axis.startswith("        -10 min")
        assert "▲ PROF_000002" in axis
        plot = app.screen.plot.plot
        assert axis.index("▲ PROF_000002") == 8 + plot.cells_per_bin * plot.mean.position(live.NOW - 172)


async def test_eighty_by_twentyfour_keeps_chips_processes_and_runs(live):
    async with live.shown((80, 24)) as (app, _):
        lines = app.text()
        assert lines[0].endswith("22:10:04")
        assert lines[3] == "─ 8 × 910B3 ──────── a2-07  every 1.0 s (0.31)  host CPU 23 % load 12 mem 61 % ─"
        assert lines[5] == "▌   0  OK       97 ━━━━━━━━╸  " + "▇" * 20 + "  61.8   306  50"
        assert lines[12].endswith("idle power?")
        assert lines[13].startswith("─ Processes by HBM ─")
        assert [line.split()[0] for line in lines[15:19]] == ["52001", "48210", "52877", "51733"]
        assert lines[19].startswith("─ Profiles ─")
        assert " ".join(lines[21].split()) == "22:07:12 PROF_000002 ready 1204 ops 18.21 ms memory 45 % -4.1 %"
        assert lines[23].endswith("? help  q quit")
        assert all(len(line) <= 80 for line in lines)


async def test_sixteen_dies_at_eighty_columns_lose_nothing(live):
    async with live.shown((80, 24), live.sixteen_dies) as (app, _):
        lines = app.text()
        assert lines[3].startswith("─ 8 cards, 16 dies ─")
        assert lines[4] == "  NPU▲ health  die 0 % -1 min now GB  °C      die 1 % -1 min now GB  °C       W"
        assert lines[5] == "▌   0  OK       90 ▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 62  57       91 ▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 62  58     480"
        assert [line.split()[0] for line in lines[6:13]] == [str(n) for n in range(1, 8)]
        assert lines[13].startswith("─ Processes") and lines[15].split()[:2] == ["52001", "–"]
        assert lines[15].split()[2] == "0-4"
        assert [line.split()[1] for line in lines[19:22]] == ["PROF_000003", "PROF_000002", "PROF_000001"]


async def test_cards_have_a_note_from_120_columns_on(live):
    def one_alarm(at: float) -> Reading:
        chips = live.sixteen_dies(at).chips
        return replace(live.sixteen_dies(at), chips=(replace(chips[0], health="Alarm"), *chips[1:]))

    async with live.shown(made=one_alarm) as (app, _):
        assert app.text()[7].endswith("npu-smi info -t health")
        assert app.text()[6].rstrip().endswith("note")


async def test_chips_without_hbm_say_ddr_and_unknown_power_is_a_dash(live):
    def duo(at: float) -> Reading:
        chips = tuple(
            Chip(n, d, "310P3", "OK", temp_c=45, aicore_pct=20, memory_used_mb=1700, memory_total_mb=21_534)
            for n in (1, 2144) for d in (0, 1)
        )  # fmt: skip
        return Reading(at, 0.4, SourceInfo("npu-smi"), 1.0, chips, processes_known=False)

    async with live.shown((80, 24), duo) as (app, _):
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


async def test_mixed_models_are_named(live):
    def mixed(at: float) -> Reading:
        chips = live.eight(at).chips
        return replace(live.eight(at), chips=(*chips[:7], replace(chips[7], name="310P3", hbm_total_mb=21_534)))

    async with live.shown(made=mixed) as (app, _):
        lines = app.text()
        assert "7 × 910B3, 1 × 310P3" in lines[5]
        assert lines[7].split()[3] == "910B3" and lines[14].split()[2] == "310P3"
        assert "61.8/64" in lines[7] and "9.6/21" in lines[14]


async def test_wide_windows_show_five_minutes(live):
    async with live.shown((150, 40)) as (app, _):
        head = app.text()[6]
        assert "-5 min" in head and head.index("now") - head.index("-5 min") == 41


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (150, 40)])
async def test_ascii_is_ascii(live, size):
    text.set_language("en", ascii_only=True)
    async with live.shown(size, theme="mono", ascii_only=True) as (app, _):
        lines = app.text()
        assert all(ord(letter) < 128 for line in lines for letter in line)
        assert "[1 Live]" in lines[0]
        assert any(line.startswith(">   0  OK") for line in lines)
        assert any("NPU^" in line for line in lines)


async def test_without_colour_marks_and_words_carry_everything(live):
    async with live.shown(theme="mono") as (app, _):
        lines = app.text()
        assert "[1 Live]" in lines[0]
        assert lines[2].startswith("! Chip 7")
        assert lines[7].startswith("▌") and lines[12].startswith(" !")


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_chinese(live, size):
    text.set_language("zh")
    async with live.shown(size) as (app, _):
        whole = "\n".join(app.text())
        assert "芯片 7 显示 100 % 忙" in whole
        assert "健康" in whole and "进程" in whole and "性能数据" in whole and "导出中" in whole


async def test_the_light_theme_paints_the_same_words(live):
    async with live.shown() as (app, pilot):
        before = app.text()
        app.action_use_theme("light")
        await live.settled(pilot)
        assert app.text() == before


# ---- readings arrive


async def test_nothing_is_painted_when_nothing_changed(live, monkeypatch):
    async with live.shown() as (app, pilot):
        painted: list[Canvas] = []
        real = Canvas.refresh

        def counted(self, *regions, **options):
            painted.append(self)
            return real(self, *regions, **options)

        monkeypatch.setattr(Canvas, "refresh", counted)
        app.tell(Part.READINGS)
        await live.settled(pilot)
        assert painted == []
        app.source.say(live.eight(live.NOW, c0=92))
        await live.settled(pilot)
        names = {type(widget).__name__ for widget in painted}
        assert names <= {"GroupCanvas", "AnswerLines"}, names


async def test_a_new_number_costs_its_own_cells(live, monkeypatch):
    async with live.shown() as (app, pilot):
        regions = []
        real = Canvas.refresh
        monkeypatch.setattr(
            Canvas, "refresh", lambda self, *found, **options: regions.extend(found) or real(self, *found, **options)
        )
        chips = live.eight(live.NOW).chips
        app.source.say(replace(live.eight(live.NOW), chips=(*chips[:6], replace(chips[6], power_w=96.0), chips[7])))
        await live.settled(pilot)
        assert [(region.y, region.height) for region in regions] == [(6, 1)]
        assert regions[0].width <= 5


async def test_a_table_that_was_cut_keeps_the_other_chips_dim(live):
    cut = Problem("truncated", say("smi.cut-after-exit", npu=2, chip=0, returncode=137), Say("smi.hint-cut"))
    async with live.shown() as (app, pilot):
        whole = live.eight(live.NOW + 1)
        app.source.say(replace(whole, chips=whole.chips[:3], problems=(cut,)))
        await live.settled(pilot)
        lines = app.text()
        assert "137" in lines[2]
        assert lines[3].startswith("▌ Chips 3-7 are shown as of 22:10:04.")
        assert len(app.labels()) == 8
        assert lines[10].endswith("as of 22:10:04") and not lines[9].endswith("22:10:04")


async def test_a_source_that_hangs_leaves_the_values_and_says_how_old_they_are(live):
    async with live.shown() as (app, pilot):
        app.source.say(Reading(live.NOW + 1, 10.0, SourceInfo("npu-smi", ok=False), problems=(live.SILENT,)))
        await live.settled(pilot)
        lines = app.text()
        assert lines[2].startswith("▌ npu-smi has not answered for 11 s; the values are from 22:10:04.")
        assert "Is a card wedged" in lines[3]
        assert "values from 22:10:04" in lines[5]
        assert lines[7][:20] == "▌   0  OK        97 "
        assert lines[0].endswith("22:10:04"), "the clock is that of the values"
        assert lines[7][36:60].rstrip() != lines[7][36:60], "the history goes on, with a gap"
        await pilot.press("j", "tab")
        assert app.screen.active is app.screen.processes
        app.source.say(live.eight(live.NOW + 30))
        await live.settled(pilot)
        assert app.text()[2].startswith("▌ Chip 7 says")


async def test_the_age_is_counted_on_while_nothing_arrives(live, monkeypatch):
    async with live.shown() as (app, pilot):
        app.source.say(Reading(live.NOW + 1, 10.0, SourceInfo("npu-smi", ok=False), problems=(live.SILENT,)))
        await live.settled(pilot)
        ended, at = app.session.arrived
        app.session.arrived = (ended, at - 20)
        app.screen._grow_older()
        await live.settled(pilot)
        said = re.search(r"has not answered for (\d+) s", app.text()[2])
        assert said and int(said[1]) >= 31  # the test itself takes its time


async def test_a_collected_profile_makes_zero_unknown(live):
    async with live.shown(made=None, runs=()) as (app, pilot):
        app.post_message(RunsFound((replace(live.run(4, "collecting"), changed_at=live.NOW),), "events"))
        await live.settled(pilot)
        app.source.say(live.eight(live.NOW))
        await live.settled(pilot)
        line = app.text()[13]
        assert line.split()[:3] == ["6", "OK", "–"] and line.endswith("profiling: no reading")


async def test_a_reading_that_does_not_come_shows_its_age_before_the_deadline(live, monkeypatch):
    async with live.shown() as (app, pilot):
        monkeypatch.setattr(live_state, "LATE_PERIODS", 2.0)
        ended, at = app.session.arrived
        app.session.arrived = (ended, at - 5.0)
        app.screen._grow_older()
        await live.settled(pilot)
        assert "s old" in app.text()[5] and "every 1.0 s" not in app.text()[5]
        app.source.say(live.eight(live.NOW + 12))
        monkeypatch.setattr(live_state, "LATE_PERIODS", 1e9)
        await live.settled(pilot)
        assert "every 1.0 s" in app.text()[5]


async def test_a_cut_table_says_that_processes_are_missing(live):
    cut = Problem("truncated", say("smi.cut-after", npu=7, chip=0), Say("smi.hint-cut"))
    async with live.shown() as (app, pilot):
        whole = live.eight(live.NOW + 1)
        app.source.say(replace(whole, processes=whole.processes[:2], problems=(cut,), processes_known=False))
        await live.settled(pilot)
        assert "the table was cut: some may be missing" in app.text()[23]
        app.source.say(replace(whole, taken_at=live.NOW + 2, processes=(), problems=(cut,), processes_known=False))
        await live.settled(pilot)
        shown = "\n".join(app.text())
        assert "Processes are unknown: the table was cut before them." in shown and "lists no processes" not in shown
