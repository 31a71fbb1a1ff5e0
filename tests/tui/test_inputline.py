"""The line where filters and paths are typed, through keys and paste."""

from __future__ import annotations

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import Static

from npuscope.tui import theming
from npuscope.tui.widgets.inputline import InputLine, TypedLine


class Box(App[None]):
    BINDINGS = [Binding("d", "count", show=False), Binding("down", "count", show=False)]  # noqa: RUF012
    CSS = "Screen { layers: base over; }"

    def __init__(self) -> None:
        super().__init__()
        self.look = theming.look("dark")
        self.counted = 0
        self.told: list[str | bool | None] = []

    def compose(self) -> ComposeResult:
        yield InputLine()

    @property
    def line(self) -> InputLine:
        return self.query_one(InputLine)

    def ask(self, value: str = "") -> None:
        self.line.ask("/", value, self.told.append, lambda text: self.told.append(("done", text)), "name")

    def action_count(self) -> None:
        self.counted += 1


async def test_each_edit_is_told_and_enter_keeps_the_text():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask("ab")
        await pilot.press("c", "backspace", "d", "enter")
        assert app.told == ["abc", "ab", "abd", ("done", "abd")]
        assert not app.line.is_open
        assert app.counted == 0
        await pilot.press("d")
        assert app.counted == 1


async def test_esc_closes_without_a_text():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask()
        await pilot.press("x", "escape")
        assert app.told == ["x", ("done", None)]
        assert not app.line.is_open and app.focused is None


async def test_opening_with_a_value_is_no_edit():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask("first")
        await pilot.press("escape")
        app.told.clear()
        app.ask("second")
        await pilot.press("left", "enter")
        assert app.told == [("done", "second")]


async def test_editing_keys_work_and_keys_it_has_no_use_for_go_to_the_screen():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask("MatMul V2")
        await pilot.press("ctrl+w", "home", "delete", "end", "3", "down", "enter")
        assert app.told[-1] == ("done", "atMul 3")
        assert app.counted == 1


@pytest.mark.parametrize("pasted, kept", [("./prof\nrm -rf", "./prof"), ("a\x1b[31mb\x07", "a\ufffd[31mb\ufffd")])
async def test_what_is_pasted_is_one_line_of_text(pasted: str, kept: str):
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask()
        await pilot.pause()
        app.query_one(TypedLine).post_message(events.Paste(pasted))
        await pilot.pause()
        await pilot.press("enter")
        assert app.told[-1] == ("done", kept)


async def test_it_stands_above_the_last_line_and_nothing_moves():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        app.ask("[red]x")
        await pilot.pause()
        region = app.line.region
        assert (region.x, region.y, region.width, region.height) == (0, 22, 80, 1)
        strips = app.screen._compositor.render_strips()
        assert strips[22].text.rstrip() == "  /  [red]x"


@pytest.mark.parametrize("key, answer", [("y", True), ("n", False), ("escape", False)])
async def test_a_question_takes_y_n_or_esc_and_nothing_else(key: str, answer: bool):
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        app.line.confirm("run it here? y/n", app.told.append)
        await pilot.press("d", "enter", "down")
        assert app.told == [] and app.counted == 0
        await pilot.press(key)
        assert app.told == [answer]
        assert not app.line.is_open
        await pilot.press("d")
        assert app.counted == 1


class Table(Static, can_focus=True):
    pass


class BoxWithTable(Box):
    def compose(self) -> ComposeResult:
        yield Table()
        yield InputLine()


async def test_the_focus_goes_back_to_where_it_was():
    app = BoxWithTable()
    async with app.run_test(size=(80, 24)) as pilot:
        app.query_one(Table).focus()
        await pilot.pause()
        app.ask()
        await pilot.press("x", "enter")
        assert isinstance(app.focused, Table)
        app.line.confirm("sure? y/n", app.told.append)
        await pilot.press("n")
        assert isinstance(app.focused, Table)


async def test_hidden_it_takes_no_keys():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("d")
        assert app.counted == 1 and app.line.text == ""
