"""The Live screen through keys and mouse."""

from __future__ import annotations

from dataclasses import replace

from textual import events

from npuscope.parsers.readings import Chip, NpuProcess, Reading, SourceInfo

# ---- order, filter, pause


async def test_sort_keys_and_the_head(live):
    async with live.shown() as (app, pilot):
        await pilot.press("s", "s")
        await live.settled(pilot)
        assert app.screen.chips.order.column == "core"
        assert app.labels() == ["7", "1", "3", "0", "2", "5", "4", "6"]
        assert "AI Core %▼" in app.text()[6]
        await pilot.press("r")
        await live.settled(pilot)
        assert app.labels()[0] == "6" and "AI Core %▲" in app.text()[6]
        await pilot.press("S")
        await live.settled(pilot)
        assert (app.screen.chips.order.column, app.labels()[0]) == ("health", "5")
        await pilot.click(offset=(80, 6))
        await live.settled(pilot)
        assert (app.screen.chips.order.column, app.labels()[0]) == ("power", "3")


async def test_rows_stay_while_values_move_and_the_cursor_stays_on_its_chip(live):
    async with live.shown() as (app, pilot):
        await pilot.press("s", "s", "j")
        await live.settled(pilot)
        chosen = app.screen.chips.listing.row.label
        before = app.labels()
        app.source.say(live.eight(live.NOW + 1, c4=100, c7=1))
        await live.settled(pilot)
        assert app.labels() == before
        app.source.say(live.eight(live.NOW + 6, c4=100, c7=1))
        await live.settled(pilot)
        assert app.labels()[0] == "4" and app.labels()[-1] in ("6", "7")
        assert app.screen.chips.listing.row.label == chosen


async def test_the_filter_follows_while_it_is_typed_and_a_bad_one_says_what_is_wrong(live):
    async with live.shown() as (app, pilot):
        await pilot.press("slash", *"util<40 & hbm>50")
        await live.settled(pilot)
        assert app.labels() == ["4"]
        assert "Chips: filter" in app.text()[34]
        await pilot.press("enter")
        await live.settled(pilot)
        assert "1 of 8 by util<40 & hbm>50" in app.text()[5]
        await pilot.press("escape")
        await live.settled(pilot)
        assert len(app.labels()) == 8
        await pilot.press("slash", *"memory>3")
        await live.settled(pilot)
        assert "The filter knows no 'memory'." in app.text()[2] and "util" in app.text()[2]
        await pilot.press("escape")
        await live.settled(pilot)
        assert app.text()[2].startswith("▌ Chip 7 says")
        await pilot.press("slash", *"util<x")
        await live.settled(pilot)
        assert "needs a number" in app.text()[2]


async def test_a_filter_that_nothing_meets_says_so(live):
    async with live.shown() as (app, pilot):
        await pilot.press("slash", *"nothere", "enter")
        await live.settled(pilot)
        assert 'No chip matches "nothere"; esc clears it. (8 are there.)' in "\n".join(app.text())


async def test_the_filter_of_the_processes_is_their_own(live):
    async with live.shown() as (app, pilot):
        await pilot.press("tab", "slash", *"user=dev", "enter")
        await live.settled(pilot)
        assert [line.pid for line in app.screen.processes.listing.rows] == [52001, 52877]
        assert len(app.labels()) == 8


async def test_pause_freezes_the_numbers_and_not_the_reading(live):
    async with live.shown() as (app, pilot):
        await pilot.press("space")
        app.source.say(live.eight(live.NOW + 60, c0=11))
        await live.settled(pilot)
        lines = app.text()
        assert lines[2] == "▌ Paused at 22:10:04; reading goes on. space: go on"
        assert lines[3].startswith("▌ Chip 7 says")
        assert lines[7].split()[3] == "97" and lines[0].endswith("22:10:04")
        assert app.session.reading.taken_at == live.NOW + 60
        await pilot.resize_terminal(150, 40)
        await live.settled(pilot)
        assert app.text()[7].split()[3] == "97"
        await pilot.press("space")
        await live.settled(pilot)
        assert app.text()[7].split()[3] == "11" and app.text()[0].endswith("22:11:04")


async def test_a_pause_outlives_another_screen(live):
    async with live.shown() as (app, pilot):
        await pilot.press("space", "2")
        app.source.say(live.eight(live.NOW + 60, c0=11))
        await live.settled(pilot)
        await pilot.press("1")
        await live.settled(pilot)
        assert app.text()[7].split()[3] == "97"


# ---- panels


async def test_enter_lights_up_what_belongs_together(live):
    async with live.shown() as (app, pilot):
        await pilot.press("j", "j", "enter")
        await live.settled(pilot)
        assert app.text()[25].startswith("▌   52001")
        assert "marked: of chip 2" in app.text()[23]
        await pilot.press("tab", "enter")
        await live.settled(pilot)
        assert [line[0] for line in app.text()[7:15]] == ["▌"] * 4 + [" "] * 4
        assert "8 × 910B3   marked: of pid 52001" in app.text()[5]
        await pilot.press("enter")
        await live.settled(pilot)
        assert [line[0] for line in app.text()[7:15]] == [" "] * 8
        await pilot.press("shift+tab", "end", "k", "enter")
        await live.settled(pilot)
        assert "chip 6: no visible process" in app.text()[23]
        await pilot.press("escape")
        await live.settled(pilot)
        assert "chip 6" not in app.text()[23]


async def test_enter_on_a_profile_opens_it(live):
    async with live.shown() as (app, pilot):
        await pilot.press("tab", "tab", "j", "enter")
        await live.settled(pilot)
        assert [one.name for one in app.opened] == [live.RUNS[1].name]


async def test_tab_walks_the_panels_and_the_keys_follow(live):
    async with live.shown() as (app, pilot):
        assert "enter its processes" in app.text()[35]
        await pilot.press("tab")
        await live.settled(pilot)
        assert "enter its chips" in app.text()[35]
        assert app.text()[25].startswith("▌") and not app.text()[7].startswith("▌")
        await pilot.press("shift+tab", "shift+tab")
        await live.settled(pilot)
        assert app.screen.active is app.screen.profiles and "enter open" in app.text()[35]


async def test_maximise_and_back(live):
    async with live.shown() as (app, pilot):
        await pilot.press("tab", "M")
        await live.settled(pilot)
        whole = "\n".join(app.text())
        assert "─ Processes" in whole and "─ Chips" not in whole and "─ Profiles" not in whole
        await pilot.press("M")
        await live.settled(pilot)
        assert app.text()[5].startswith("─ Chips")


async def test_p_shows_all_processes(live):
    def many(at: float) -> Reading:
        rows = tuple(NpuProcess(n % 8, 0, 1000 + n, f"worker{n}", 100 + n) for n in range(25))
        return replace(live.eight(at), processes=rows, local={})

    async with live.shown(made=many) as (app, pilot):
        assert "4 of 25, p: all" in app.text()[23]
        await pilot.press("p")
        await live.settled(pilot)
        assert sum("worker" in line for line in app.text()) == 25
        await pilot.press("escape")
        await live.settled(pilot)
        assert sum("worker" in line for line in app.text()) == 4


async def test_more_chips_than_lines_scroll(live):
    def sixteen(at: float) -> Reading:
        chips = tuple(Chip(n, 0, "310", "OK", aicore_pct=n, memory_used_mb=1, memory_total_mb=8192) for n in range(16))
        return Reading(at, 0.4, SourceInfo("npu-smi"), 1.0, chips)

    async with live.shown((80, 24), sixteen) as (app, pilot):
        assert [line.split()[0] for line in app.text()[6:16]] == [str(n) for n in range(1, 11)]
        assert "11 of 16" in app.text()[3]
        await pilot.press("end")
        await live.settled(pilot)
        assert app.text()[15].split()[:2] == ["▌", "15"]
        await pilot.press("pageup")
        await live.settled(pilot)
        assert app.screen.chips.listing.cursor == 5


async def test_the_mouse_selects_scrolls_and_chooses(live):
    async with live.shown() as (app, pilot):
        await pilot.click(offset=(40, 9))
        assert app.screen.chips.listing.row.label == "2"
        await pilot.click(offset=(40, 26))
        assert app.screen.active is app.screen.processes and app.screen.processes.listing.row.pid == 48210
        app.screen.processes.post_message(
            events.MouseScrollDown(app.screen.processes, 5, 2, 0, 1, 0, False, False, False, 5, 26)
        )
        await live.settled(pilot)
        assert app.screen.processes.listing.cursor == 3
        await pilot.click(offset=(20, 33), times=2)
        await live.settled(pilot)
        assert [one.name for one in app.opened] == [live.RUNS[2].name]


async def test_only_the_runs_on_screen_are_asked_for(live):
    many = tuple(live.run(n, ago=float(9 - n)) for n in range(9, 0, -1))
    async with live.shown(runs=many) as (app, _):
        asked = {one.signature[0] for wanted in app.wanted for one in wanted}
        assert len(asked) <= 7 and "9" in asked and "1" not in asked


async def test_growing_and_shrinking_keeps_cursor_and_values(live):
    async with live.shown() as (app, pilot):
        await pilot.press("j")
        for size in ((80, 24), (150, 40), (119, 29), (100, 30), (120, 36)):
            await pilot.resize_terminal(*size)
            await live.settled(pilot)
            assert app.screen.chips.listing.row.label == "1"
            assert all(len(line) <= size[0] for line in app.text())
            assert sum(line.split()[1:2] == ["OK"] or " OK " in line for line in app.text()) >= 7


async def test_the_source_is_stopped_at_the_end(live):
    async with live.shown() as (app, pilot):
        await pilot.press("q")
    assert app.source.stopped


# ---- what is said of words that were typed


async def test_a_mistyped_path_is_said_beside_the_alarm_and_ends_at_the_next_key(live, monkeypatch):
    async with live.shown() as (app, pilot):
        usual = app.text()[2]
        await pilot.press("o", *"/no/such", "enter")
        await live.settled(pilot)
        assert "/no/such" in app.text()[2] and app.text()[3].startswith("▌ Chip 7 says")
        app.source.say(replace(live.eight(live.NOW + 1), chips=(), problems=(live.SILENT,)))
        await live.settled(pilot)
        assert "npu-smi has not answered" in app.text()[3]
        app.source.say(live.eight(live.NOW + 2))
        await pilot.press("j")
        await live.settled(pilot)
        assert app.text()[2] == usual
        await pilot.press("o", *"/no/such", "enter", "escape")
        await live.settled(pilot)
        assert app.text()[2] == usual


async def test_a_complaint_ends_by_itself(live):
    async with live.shown() as (app, pilot):
        usual = app.text()[2]
        await pilot.press("o", *"/no/such", "enter")
        await live.settled(pilot)
        assert app.screen._timer is not None and app.screen._timer._interval == 10.0
        app.screen._timer._callback()
        await live.settled(pilot)
        assert app.text()[2] == usual and app.screen._timer is None


async def test_a_bad_filter_filters_nothing_and_is_not_claimed(live):
    async with live.shown() as (app, pilot):
        await pilot.press("slash", *"util<40", "enter")
        await live.settled(pilot)
        assert app.labels() == ["4", "6"]
        await pilot.press("slash", *" | hbm>50", "enter")
        await live.settled(pilot)
        assert len(app.labels()) == 8 and "8 of 8" not in app.text()[5]
        assert "The filter knows no '|'. It knows: &" in app.text()[2]


async def test_a_limit_in_percent_and_a_chip_by_its_number(live):
    async with live.shown() as (app, pilot):
        await pilot.press("slash", *"hbm>90%")
        await live.settled(pilot)
        assert app.labels() == ["0", "1", "2", "3", "4"]
        await pilot.press("escape", "slash", *"chip=3")
        await live.settled(pilot)
        assert app.labels() == ["3"]


async def test_a_chip_of_two_dies_is_still_a_die(live):
    async with live.shown((120, 36), live.sixteen_dies) as (app, pilot):
        await pilot.press("slash", *"chip=3")
        await live.settled(pilot)
        assert app.labels() == []


async def test_an_alarm_out_of_sight_stands_in_the_title_and_sorting_brings_it_up(live):
    def many(at: float) -> Reading:
        chips = tuple(
            Chip(n, 0, "910B3", "Alarm" if n == 14 else "OK", aicore_pct=n, hbm_used_mb=3000, hbm_total_mb=65_536)
            for n in range(16)
        )
        return Reading(at, 0.4, SourceInfo("npu-smi"), 1.0, chips)

    async with live.shown((80, 24), many) as (app, pilot):
        title = next(line for line in app.text() if line.startswith("─ 16 × 910B3"))
        assert " of 16, Alarm below" in title
        await pilot.press("end")
        await live.settled(pilot)
        assert "Alarm" not in next(line for line in app.text() if line.startswith("─ 16 × 910B3"))
        await pilot.press("s")
        await live.settled(pilot)
        assert app.screen.chips.order.column == "health" and app.labels()[0] == "14"
        assert app.screen.chips.listing.cursor == 0
        assert {"14", "Alarm"} <= set(app.text()[5].split())
        await pilot.resize_terminal(200, 60)
        await live.settled(pilot)
        assert "of 16" not in app.text()[5] and len(app.text()[6]) > 100


async def test_memory_is_called_as_the_chips_call_it(live):
    def duo(at: float) -> Reading:
        chips = (Chip(0, 0, "310P3", "OK", aicore_pct=1, memory_used_mb=1, memory_total_mb=8192),)
        return Reading(at, 0.4, SourceInfo("npu-smi"), 1.0, chips, (NpuProcess(0, 0, 7, "python3", 900),))

    async with live.shown(made=duo) as (app, _):
        rules = "\n".join(line for line in app.text() if line.startswith("─"))
        assert "by DDR" in rules and "by HBM" not in rules
