"""The Profiles screen, through keys and mouse; runs are made, nothing is read from disk."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events

from npuscope.parsers.profile import IgnoredFile, Run
from npuscope.parsers.say import Problem, say
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.launch import Options
from npuscope.tui.messages import OpenRun, RunsFound
from npuscope.tui.runs.desk import CommandEnded, CommandSaid
from npuscope.tui.screens.profiles import list_height
from npuscope.tui.session import Headline
from npuscope.tui.widgets.inputline import InputLine
from npuscope.tui.widgets.runlist import RunList

NOON = time.mktime((*time.localtime()[:3], 12, 0, 0, 0, 0, -1))
PROF = "/data/prof/PROF_{:06d}_20260102{:02d}0000000_ABCDEFGHIJKLMNOP"


def made(number: int, state: str = "ready", kind: str = "msprof", hour: int = 0, **more: object) -> Run:
    path = PROF.format(number, hour)
    values = {"name": Path(path).name, "started_at": NOON + number, "signature": f"{number}{state}", **more}
    return Run(path=str(values.pop("path", path)), kind=kind, state=state, **values)  # type: ignore[arg-type]


def mixed_runs() -> tuple[Run, ...]:
    """One of each state, newest first."""
    return (
        made(
            9, "exporting", reason=say("profiles.reason.being-written", file="op_summary_1.csv"), size_bytes=41_000_000
        ),
        made(8, files=("mindstudio_profiler_output/op_summary_1.csv",), size_bytes=9_000_000),
        made(7, files=("mindstudio_profiler_output/op_summary_1.csv",)),
        made(
            6,
            "collected",
            reason=say("profiles.reason.not-exported"),
            next_command="msprof --export=on --output=/data/prof/PROF_000006",
        ),
        made(5, "partial", reason=say("profiles.reason.statistic-alone"), files=("op_statistic_1.csv",)),
        made(4, "empty", reason=say("profiles.reason.no-device-data")),
        made(
            3,
            "unreadable",
            reason=say("profiles.reason.permission", path="/data/prof/lost"),
            problems=(
                Problem(
                    "permission",
                    say("profiles.problem.permission", path="/data/prof/lost"),
                    say("profiles.hint.permission"),
                ),
            ),
        ),
        made(2, "damaged", reason=say("profiles.reason.os", path="/data/prof/x", reason="Stale file handle")),
        made(1, "collecting", reason=say("profiles.reason.collecting")),
    )


HEADLINES = {
    8: Headline(18_210.0, 1204, "memory", 45.0, 71.2, "Ascend910B3", "8.0"),
    7: Headline(18_990.0, 1204, "memory", 44.0, 69.0, "Ascend910B3", "8.0"),
    5: Headline(42.0, 1, "stall", 80.0, 22.0, "Ascend910B3"),
}


class Box(NpuscopeApp):
    """The application with no source, no folder and no child process; it starts on the Profiles screen."""

    FIRST = "profiles"

    def __init__(self, theme: str = "dark", ascii_only: bool = False) -> None:
        super().__init__(Options(source=None, roots=()), theming.look(theme, ascii_only))
        self.session.roots = ("/data/prof",)
        self.wanted: list[tuple[Run, ...]] = []
        self.opened: list[Run] = []
        self.rescans = 0
        self.watching: list[Path] = []
        self.copied: list[str] = []
        self.desk.want_headlines = self.wanted.append  # type: ignore[method-assign]
        self.runs.rescan = self._count_rescan  # type: ignore[method-assign]
        self.runs.watch = self.watching.append  # type: ignore[method-assign]

    def _count_rescan(self) -> None:
        self.rescans += 1

    def on_open_run(self, message: OpenRun) -> None:
        message.prevent_default()
        self.opened.append(message.run)

    def copy_to_clipboard(self, text: str) -> None:
        self.copied.append(text)

    def text(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]

    @property
    def view(self):
        return self.screen.view


@asynccontextmanager
async def shown(runs: tuple[Run, ...], size: tuple[int, int] = (120, 36), watched: str = "events", **look: object):
    app = Box(**look)  # type: ignore[arg-type]
    numbers = {run.path: number for run in runs for number in HEADLINES if run.name.startswith(f"PROF_{number:06d}_")}
    app.session.headlines = {
        run.path: (run.signature, HEADLINES[numbers[run.path]]) for run in runs if run.path in numbers
    }
    async with app.run_test(size=size) as pilot:
        app.post_message(RunsFound(runs, watched))
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


async def test_the_list_at_120_columns_stands_where_it_was_drawn():
    async with shown(tuple(replace(run, rank=0) for run in mixed_runs())) as (app, _):
        lines = app.text()
        assert lines[2] == "▌ 9 runs in /data/prof: 2 ready, 1 being exported, 1 being collected, 5 need something."
        assert lines[3] == "▌ Newest ready: PROF_000008, 18.21 ms at 71 % AI Core, 4.1 % faster than the run before it."
        head, first, second = lines[6], lines[7], lines[8]
        assert head.startswith("  time▼") and head[74:80].strip() == "ops" and head[81:89].strip() == "total ms"
        assert first[12:40] == "PROF_000009_2026010200000000"[:27] + "…"
        assert (first[41:47], first[49:58], first[74:]) == ("msprof", "exporting", "being written, 41.0 MB")
        assert second[49:54] == "ready" and second[61:66] == "910B3"
        assert second[74:] == "  1204    18.21         71  memory   ▼-4.1 %"
        assert lines[11].endswith("     1     0.04         22  stall")


async def test_at_80_columns_name_state_total_core_and_label_stay():
    async with shown(mixed_runs(), (80, 24)) as (app, _):
        lines = app.text()
        assert lines[1] == "▌ 9 runs: 2 ready, 1 being exported, 1 being collected, 5 need something."
        assert lines[4].split() == ["time▼", "run", "state", "ops", "total", "ms", "core%", "label", "%"]
        assert lines[6][36:] == "ready      1204    18.21    71 memory  -4.1"
        assert all(len(line) <= 80 for line in lines)
        assert lines[23].startswith("  enter operators") and lines[23].endswith("? help  q quit")


async def test_a_run_that_is_not_ready_says_what_is_there_what_it_lacks_and_what_to_do():
    async with shown(mixed_runs(), (80, 24)) as (app, pilot):
        await pilot.press("j", "j", "j")
        await settled(pilot)
        lines = app.text()
        at = next(number for number, line in enumerate(lines) if line.startswith("─ PROF_000006"))
        assert lines[at].endswith("collected, msprof ─")
        assert lines[at + 1].startswith("  there   ")
        assert lines[at + 2] == "  lacks   the raw data was collected, but not exported yet"
        assert lines[at + 3] == "  do      msprof --export=on --output=/data/prof/PROF_000006"
        assert lines[at + 4] == "          msprof is not on this box; y copies the command"
        await pilot.press("y")
        assert app.copied == ["msprof --export=on --output=/data/prof/PROF_000006"]


async def test_a_run_without_permission_says_whom_to_ask():
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press(*"jjjjjj")
        lines = "\n".join(app.text())
        assert "no permission to read /data/prof/lost" in lines
        assert "ask its owner for read permission" in lines
        assert next(line for line in app.text() if "unreadable" in line)[:2] == "▌!"


async def test_enter_opens_what_can_be_read_and_else_says_what_it_needs():
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("enter")
        assert app.opened == []
        assert "exporting: op_summary_1.csv is still being written" in app.text()[3]
        await pilot.press("j", "enter")
        await settled(pilot)
        assert [run.name[:11] for run in app.opened] == ["PROF_000008"]
        assert "Newest ready" in app.text()[3]


async def test_3000_runs_are_counted_listed_newest_first_and_only_those_in_sight_are_read():
    runs = tuple(made(number, hour=number % 24) for number in range(1, 3001))
    async with shown(runs, (120, 40)) as (app, pilot):
        lines = app.text()
        assert lines[2] == "▌ 3000 runs in /data/prof: 3000 ready."
        assert "PROF_003000" in lines[7] and "PROF_002999" in lines[8]
        asked = {run.name for batch in app.wanted for run in batch}
        assert 0 < len(asked) <= 40
        await pilot.press("end")
        assert app.view.run.name.startswith("PROF_000001_")
        assert "PROF_000001_" in app.text()[app.screen.query_one(RunList).region.bottom - 1]
        await pilot.press("pageup", "pageup", "home")
        assert app.view.cursor == 0 and app.view.top == 0
        assert {run.name for run in app.wanted[-1]} <= {run.name for run in app.view.runs[:60]}


async def test_a_filter_shows_at_once_enter_keeps_it_and_esc_clears_it():
    runs = tuple(made(number) for number in range(1, 301))
    async with shown(runs) as (app, pilot):
        await pilot.press("slash", *"PROF_00012")
        await settled(pilot)
        assert len(app.view.shown) == 10
        await pilot.press("3", "enter")
        await settled(pilot)
        assert [run.name[:11] for run in app.view.shown] == ["PROF_000123"]
        assert not app.screen.query_one(InputLine).is_open
        assert '1 of 300 match "PROF_000123"; esc: all' in app.text()[5]
        await pilot.press("escape")
        assert len(app.view.shown) == 300
        assert app.view.run.name.startswith("PROF_000123")


async def burst(app, pilot, *keys: str) -> None:
    """Keys as a paste or a slow line brings them: all before the first was handled."""
    for key in keys:
        character = {"slash": "/", "enter": "\r"}.get(key, key if len(key) == 1 else None)
        app.post_message(events.Key(key, character))
    await settled(pilot)
    await settled(pilot)


async def test_keys_that_come_all_at_once_are_the_filter_and_none_of_them_does_anything():
    async with shown(mixed_runs()) as (app, pilot):
        await burst(app, pilot, "slash", *"qe_y2r8", "enter")
        assert app.is_running and app.rescans == 0 and app.copied == []
        assert app.screen.filter_text == "qe_y2r8"
        assert not app.screen.query_one(InputLine).is_open


async def test_a_question_is_answered_by_the_key_that_followed_at_once(tmp_path, monkeypatch):
    fake_msprof(tmp_path, "exit 0")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("j", "j", "j")
        await burst(app, pilot, "x", "q", "n")
        assert app.is_running and not app.screen.query_one(InputLine).is_open
        await burst(app, pilot, "x", "y")
        await until(pilot, lambda: app.rescans == 1)
        assert app.copied == []


async def test_esc_while_typing_gives_the_whole_list_back():
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("slash", *"nothing")
        await settled(pilot)
        assert 'No run matches "nothing"; esc clears it. (9 runs are there.)' in "\n".join(app.text())
        await pilot.press("escape")
        assert len(app.view.shown) == 9


async def test_the_list_may_fill_while_a_filter_is_typed():
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("slash", *"000010")
        await settled(pilot)
        assert app.view.shown == ()
        app.post_message(RunsFound((made(10), *mixed_runs()), "events"))
        await settled(pilot)
        assert [run.name[:11] for run in app.view.shown] == ["PROF_000010"]
        assert app.screen.query_one(InputLine).is_open


async def test_a_filter_on_a_column_that_is_not_there_is_told_and_the_list_stays():
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("slash", *"state=ready", "enter")
        await settled(pilot)
        assert len(app.view.shown) == 2
        await pilot.press("escape", "slash", *"power>3")
        await settled(pilot)
        assert '"power" is no column' in app.text()[3]
        assert len(app.view.shown) == 9


async def test_the_cursor_follows_its_run_when_a_newer_one_appears():
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("j", "j")
        before = app.view.run
        app.post_message(RunsFound((made(11), made(10), *mixed_runs()), "events"))
        await settled(pilot)
        assert app.view.run == before and app.view.cursor == 4


async def test_sort_keys_and_a_click_on_a_head():
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("R")
        assert app.view.run.name[:11] == "PROF_000009" and app.view.shown[0].name[:11] == "PROF_000001"
        await pilot.press("s")
        assert (app.view.sort_column, app.view.descending) == ("run", False)
        await pilot.press("S")
        assert (app.view.sort_column, app.view.descending) == ("time", True)
        await pilot.click(RunList, offset=(85, 0))
        assert (app.view.sort_column, app.view.descending) == ("total", True)
        assert [run.name[:11] for run in app.view.shown[:3]] == ["PROF_000007", "PROF_000008", "PROF_000005"]
        assert "by total; runs not read yet stand last" in app.text()[5]
        await pilot.click(RunList, offset=(85, 0))
        assert [run.name[:11] for run in app.view.shown[:2]] == ["PROF_000005", "PROF_000008"]
        assert "total ms▲" in app.text()[6]


async def test_clicks_and_the_wheel_move_and_a_second_click_opens():
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.click(RunList, offset=(20, 3))
        assert app.view.cursor == 2
        await pilot.click(RunList, offset=(20, 3))
        await settled(pilot)
        assert [run.name[:11] for run in app.opened] == ["PROF_000007"]
        await pilot._post_mouse_events([events.MouseScrollDown], RunList, (20, 3))
        assert app.view.cursor == 5


async def test_e_says_in_one_sentence_that_the_folder_cannot_be_written_to(monkeypatch):
    said: list[str] = []
    monkeypatch.setattr(
        "npuscope.tui.export.free_names", lambda *_: (_ for _ in ()).throw(PermissionError(13, "denied"))
    )
    async with shown(mixed_runs()) as (app, pilot):
        monkeypatch.setattr(app, "notify", lambda message, **_: said.append(message))
        await pilot.press("e")
    assert said == [
        f"Not exported: {Path.cwd()} cannot be written to (denied). Start npuscope in a folder of your own."
    ]


async def test_r_looks_again_at_once():
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("r")
        assert app.rescans == 1


async def test_folders_that_could_not_be_read_are_told_on_the_rule_and_over_an_empty_list():
    for runs in (mixed_runs(), ()):
        app = Box()
        async with app.run_test(size=(120, 36)) as pilot:
            app.post_message(RunsFound(runs, "events", ("/data/prof/ann", "/data/prof/bo")))
            await settled(pilot)
            shown_text = "\n".join(app.text())
            assert "/data/prof; 2 folders could not be read (no permission): ann, bo ─" in shown_text
            assert ("/data/prof/ann, /data/prof/bo" in shown_text) == (not runs)
            app.post_message(RunsFound(runs, "events"))
            await settled(pilot)
            assert "could not be read" not in "\n".join(app.text())


@pytest.mark.parametrize("known", [False, True])
async def test_no_runs_is_said_with_what_fills_the_list(known: bool):
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        if known:
            app.post_message(RunsFound((), "polling (nfs)"))
        await settled(pilot)
        lines = app.text()
        if known:
            assert lines[1] == "▌ No profile in /data/prof yet."
            assert "o opens another folder" in lines[2]
            assert "msprof --output=./prof" in "\n".join(lines)
            assert lines[3].endswith("/data/prof, polled (nfs sends no events) ─")
        else:
            assert lines[1] == "▌ Looking for profiles in /data/prof"
        await pilot.press("enter", "j", "x", "y", "end", "s")
        assert app.opened == []


async def test_x_without_the_program_says_so_and_runs_nothing(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("x")
        assert "needs no command" in app.text()[3]
        await pilot.press("j", "j", "j", "x")
        await settled(pilot)
        assert "msprof is not on this box" in app.text()[3]
        assert not app.screen.query_one(InputLine).is_open


def fake_msprof(folder: Path, body: str) -> None:
    program = folder / "msprof"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)


async def until(pilot, condition) -> None:
    for _ in range(500):
        if condition():
            return
        await pilot.pause(0.01)
    raise AssertionError("it never came true")


async def test_x_asks_then_runs_the_command_in_the_background_and_looks_again(tmp_path, monkeypatch):
    fake_msprof(tmp_path, f'echo "$@" > {tmp_path}/words; echo exporting; echo "all done"')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("j", "j", "j")
        await settled(pilot)
        assert "x runs it here, after asking (msprof is on this box)" in "\n".join(app.text())
        await pilot.press("x")
        await settled(pilot)
        assert "run it here? y/n   msprof --export=on" in app.text()[34]
        await pilot.press("n")
        assert not (tmp_path / "words").exists()
        await pilot.press("x", "y")
        await until(pilot, lambda: app.rescans == 1)
        await settled(pilot)
        assert (tmp_path / "words").read_text().split() == ["--export=on", "--output=/data/prof/PROF_000006"]
        assert "the command has ended" in app.text()[3]


async def test_the_last_line_of_the_command_is_shown_and_a_bad_end_is_told(tmp_path, monkeypatch):
    fake_msprof(tmp_path, "read never < /dev/zero")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("j", "j", "j")
        screen = app.screen
        screen.desk._command_of, screen.desk._since = app.view.run, NOON
        screen.post_message(CommandSaid("Start parsing \x1b[31m[42%]"))
        await settled(pilot)
        assert "  runs    since 12:00:00: Start parsing" in "\n".join(app.text())
        await pilot.press("x")
        await settled(pilot)
        assert "one at a time" in app.text()[3]
        screen.post_message(CommandEnded(3, "[ERROR] no space left"))
        await settled(pilot)
        assert "ended with code 3: [ERROR] no space left" in app.text()[3]


async def test_o_opens_a_run_by_its_path_and_watches_a_folder(tmp_path):
    run = tmp_path / "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP" / "mindstudio_profiler_output"
    run.mkdir(parents=True)
    table = run / "op_summary_20260102030500.csv"
    table.write_text("Op Name,OP Type,Task Duration(us)\nAdd_0,Add,3.0\n")
    os.utime(table, (1_700_000_000, 1_700_000_000))
    async with shown(mixed_runs()) as (app, pilot):
        await pilot.press("o", *str(run.parent), "enter")
        await until(pilot, lambda: bool(app.opened))
        assert app.opened[0].name == run.parent.name
        await pilot.press("o", *str(tmp_path), "enter")
        await until(pilot, lambda: bool(app.watching))
        assert app.watching == [tmp_path]
        assert app.session.roots == ("/data/prof", str(tmp_path))
        await pilot.press("o", *"/no/such/place", "enter")
        await until(pilot, lambda: "does not exist" in app.text()[3])
        await pilot.press("o", "escape")
        assert not app.screen.query_one(InputLine).is_open


NASTY = ("[red]x[/]_ascend_pt", "PROF_1_\x1b[31mred\x07", "数据_" + "算子" * 30 + "_ascend_pt", "x" * 4096, "a\u202eb")


@pytest.mark.parametrize(
    "size, look",
    [
        ((80, 24), ("dark", False)),
        ((120, 36), ("dark", False)),
        ((120, 36), ("mono", False)),
        ((80, 24), ("mono", True)),
        ((200, 50), ("ansi", False)),
    ],
)
async def test_names_from_disk_are_text_in_every_look(size, look):
    runs = tuple(
        made(number, name=name, path=f"/data/prof/{name}", kind="torch_npu", files=(name,))
        for number, name in enumerate(NASTY)
    )
    text.set_language("en", look[1])
    async with shown(runs, size, theme=look[0], ascii_only=look[1]) as (app, pilot):
        for _ in runs:
            lines = app.text()
            assert all(line.isprintable() for line in lines)
            assert not any("\x1b" in line or "\u202e" in line for line in lines)
            assert any("[red]x[/]_ascend_pt" in line for line in lines)
            if look[1]:
                assert all(line.isascii() for line in lines)
            await pilot.press("j")


async def test_mono_and_ascii_mark_the_cursor_and_the_answer_with_signs():
    text.set_language("en", True)
    async with shown(mixed_runs(), theme="mono", ascii_only=True) as (app, _):
        lines = app.text()
        assert lines[2].startswith("> 9 runs") and lines[7].startswith("> 12:00:09")
        assert "v-4.1 %" in lines[8] and "timev" in lines[6]


async def test_chinese():
    text.set_language("zh")
    async with shown(mixed_runs(), (80, 24)) as (app, pilot):
        lines = app.text()
        assert lines[1].replace(" ", "").startswith("▌/data/prof中9份数据：2份可用")
        assert "导出中" in lines[5] and "访存" in lines[6]
        await pilot.press("j", "j", "j")
        await settled(pilot)
        assert any(line.startswith("  缺少") for line in app.text())


async def test_what_was_left_out_and_what_was_wrong_stands_in_the_pane():
    run = made(
        8,
        files=("op_summary_2.csv",),
        ignored=(IgnoredFile("op_summary_1.csv", say("profiles.ignored.older-export")),),
        problems=(Problem("older-export", say("profiles.problem.older-export", files=1, file="op_summary_1.csv")),),
    )
    async with shown((run,)) as (app, _):
        pane = "\n".join(app.text()[9:])
        assert "not read: 1 (older export)" in pane
        assert "1204 operators, 18.21 ms, AI Core 71 %, memory-bound for 45 % of the time" in pane
        assert "1 files of an older export were left out" in pane


async def test_a_run_that_could_not_be_read_says_why_in_its_row():
    app_runs = (made(8),)
    async with shown(app_runs) as (app, pilot):
        problem = Problem("no-operator-table", say("profiles.problem.empty-file", file="op_summary_1.csv"))
        headline = Headline(float("nan"), 0, "unknown", problem=problem)
        app.session.headlines[app_runs[0].path] = (app_runs[0].signature, headline)
        await pilot.press("k")
        assert app.text()[7][74:] == "op_summary_1.csv is empty (0 bytes)"
        assert "but: op_summary_1.csv is empty" in app.text()[3]


@pytest.mark.parametrize(
    "rows, low, runs, height", [(36, False, 14, 15), (36, False, 3000, 19), (24, True, 3000, 13), (24, True, 1, 2)]
)
def test_the_list_is_as_high_as_its_runs_and_leaves_room_for_the_pane(rows, low, runs, height):
    assert list_height(rows, low, runs) == max(4, height)
