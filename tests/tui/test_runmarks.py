"""Runs marked in the list, and joined: by keys, and as the record that is opened."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from npuscope.parsers.profile import Run
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.launch import Options
from npuscope.tui.messages import OpenRun, RunsFound
from npuscope.tui.runs.marks import Marks

NOON = time.mktime((*time.localtime()[:3], 12, 0, 0, 0, 0, -1))


def made(number: int, state: str = "ready") -> Run:
    path = f"/data/prof/PROF_{number:06d}_20260102000000000_ABCDEFGHIJKLMNOP"
    return Run(path, Path(path).name, "msprof", state, started_at=NOON + number, signature=str(number))


RUNS = (made(4), made(3, "collecting"), made(2), made(1))


class Box(NpuscopeApp):
    """The Profiles screen without source, folders and child process."""

    FIRST = "profiles"

    def __init__(self) -> None:
        super().__init__(Options(source=None, roots=()), theming.look("dark"))
        self.opened: list[Run] = []
        self.desk.want_headlines = lambda runs: None  # type: ignore[method-assign]

    def on_open_run(self, message: OpenRun) -> None:
        message.prevent_default()
        self.opened.append(message.run)

    def text(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


async def pressed(*keys: str, size: tuple[int, int] = (120, 36)) -> Box:
    app = Box()
    async with app.run_test(size=size) as pilot:
        app.post_message(RunsFound(RUNS, "events"))
        for key in ("", *keys):
            if key:
                await pilot.press(key)
            for _ in range(3):
                await pilot.pause()
        app.lines = app.text()  # type: ignore[attr-defined]
        app.marks = app.screen.view.marks  # type: ignore[attr-defined]
    return app


async def test_marked_runs_bear_the_number_of_their_turn():
    app = await pressed("j", "j", "m", "home", "m")
    assert [line[:2] for line in app.lines if ":00:0" in line][-4:] == ["2 ", "▌ ", "1 ", "  "]
    assert any("2 runs marked: J joins them into one" in line for line in app.lines)


async def test_the_marked_runs_are_opened_as_one():
    app = await pressed("j", "j", "m", "home", "m", "J")
    (run,) = app.opened
    assert run.parts == (RUNS[2], RUNS[0])
    assert run.name == "PROF_000002 + PROF_000004"


async def test_a_run_marked_twice_is_not_marked():
    app = await pressed("m", "k", "m")
    assert len(app.marks) == 0


async def test_one_run_is_not_joined():
    app = await pressed("m", "J")
    assert app.opened == []
    assert any("Mark two or more runs" in line for line in app.lines)


async def test_a_run_that_cannot_be_read_is_not_marked():
    app = await pressed("j", "m")
    assert len(app.marks) == 0
    assert any("only runs that can be read are marked" in line for line in app.lines)


async def test_esc_takes_all_marks_away():
    app = await pressed("m", "j", "m", "escape")
    assert len(app.marks) == 0


async def test_esc_takes_the_filter_away_first():
    app = await pressed("m", "slash", "P", "R", "O", "enter", "escape")
    assert len(app.marks) == 1


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_the_keys_stand_at_the_foot_once_two_are_marked(size):
    assert "J join" not in (await pressed("m", size=size)).lines[-1]
    assert "J join" in (await pressed("m", "j", "m", size=size)).lines[-1]


def test_marks_of_runs_that_are_gone_are_forgotten():
    marks = Marks()
    assert [marks.toggle(run) for run in (RUNS[3], RUNS[0], RUNS[2])] == [True, True, True]
    assert marks.runs(RUNS[:2] + RUNS[3:]) == (RUNS[3], RUNS[0])
    assert (len(marks), marks.place(RUNS[0]), marks.place(RUNS[2])) == (2, 2, 0)
    assert (marks.clear(), marks.clear()) == (True, False)
