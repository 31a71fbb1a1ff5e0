"""The footer offers what can be done now, and the palette what is there by name."""

from __future__ import annotations

import pytest
from made_profile import made_summary

from npuscope.parsers.profile import Run
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.commands import Commands
from npuscope.tui.launch import Options
from npuscope.tui.messages import RunsFound
from npuscope.tui.screens.columns import ColumnsScreen
from npuscope.tui.session import Part
from npuscope.tui.widgets.footer import KeyLine
from npuscope.tui.widgets.optable import OperatorTable

PLAIN = Run("/data/prof/a", "a", "msprof", "ready", started_at=2.0, signature="a")
COLLECTED = Run(
    "/data/prof/b", "b", "msprof", "collected", started_at=1.0, signature="b", next_command="msprof --export=on"
)


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    return made_summary(tmp_path_factory.mktemp("profile"))


class Operators(NpuscopeApp):
    FIRST = "operators"


class Profiles(NpuscopeApp):
    FIRST = "profiles"


def made(kind):
    app = kind(Options(source=None, roots=()), theming.look("dark"))
    app.desk.want_headlines = lambda runs: None
    return app


async def settled(pilot):
    for _ in range(3):
        await pilot.pause()


def offered(app):
    return {action for _, _, action in app.screen.query_one(KeyLine).keys}


async def found(app, query):
    return [(hit.text, hit.command) async for hit in Commands(app.screen).search(query)]


async def test_without_a_profile_no_key_of_its_table_is_offered_and_no_empty_rule_drawn():
    app = made(Operators)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert offered(app) == set()
        lines = [strip.text.strip() for strip in app.screen._compositor.render_strips()]
        assert not any(line and set(line) == {"─"} for line in lines)


async def test_with_one_they_are(summary):
    app = made(Operators)
    async with app.run_test(size=(120, 36)) as pilot:
        app.session.open(summary.profile.run).summary = summary
        app.tell(Part.SUMMARY)
        await settled(pilot)
        assert offered(app) == {action for _, _, action in app.screen.KEYS}


async def test_what_runs_or_copies_a_command_is_offered_where_there_is_one():
    app = made(Profiles)
    async with app.run_test(size=(120, 36)) as pilot:
        await settled(pilot)
        assert not offered(app) & {"open", "files", "mark", "run_command", "copy"}
        app.post_message(RunsFound((PLAIN, COLLECTED), "events"))
        await settled(pilot)
        assert {"open", "files", "mark"} <= offered(app)
        assert not offered(app) & {"run_command", "copy"}
        await pilot.press("j")
        await settled(pilot)
        assert {"open", "run_command", "copy"} <= offered(app)


async def test_the_palette_finds_an_operator_and_goes_to_its_line(summary):
    app = made(Operators)
    async with app.run_test(size=(120, 36)) as pilot:
        app.session.open(summary.profile.run).summary = summary
        app.tell(Part.SUMMARY)
        await settled(pilot)
        await pilot.press("slash", *"matmul", "enter", "tab")
        await settled(pilot)
        (go,) = [command for name, command in await found(app, "TransData") if name == "TransData[x]"]
        go()
        await settled(pilot)
        table = app.screen.query_one(OperatorTable)
        assert table.level == "types"
        assert len(table.view) == len(summary.types)
        assert table.view.table.strings("type")[table.view.row] == "TransData[x]"


async def test_the_palette_does_not_open_over_the_choice_of_columns(summary):
    app = made(Operators)
    async with app.run_test(size=(120, 36)) as pilot:
        app.session.open(summary.profile.run).summary = summary
        app.tell(Part.SUMMARY)
        await settled(pilot)
        await pilot.press("c", "ctrl+p")
        await settled(pilot)
        assert isinstance(app.screen, ColumnsScreen)
        await pilot.press("escape", "ctrl+p")
        await settled(pilot)
        assert type(app.screen).__name__ == "Palette"
