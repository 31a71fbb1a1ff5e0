"""Styles are read once for each theme, and every screen has those of the theme when it is seen."""

from __future__ import annotations

import pytest
from textual.css.stylesheet import Stylesheet

from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.launch import Options

SCREENS = ("profiles", "operators", "live", "profiles")


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")


def application(theme):
    app = NpuscopeApp(Options(source=None, roots=()), theming.look(theme))
    app.session.host, app.started_at = "a2-07", 1_767_348_604.0
    return app


def painted(app):
    return [list(strip) for strip in app.screen._compositor.render_strips()]


async def seen(app, pilot, modes=SCREENS):
    pictures = []
    for mode in modes:
        app.action_go(mode)
        await pilot.pause()
        await pilot.pause()
        pictures.append(painted(app))
    return pictures


async def test_a_screen_that_is_first_shown_does_not_have_all_styles_read_again(monkeypatch):
    app, read = application("dark"), []
    reparse = Stylesheet.reparse
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        monkeypatch.setattr(Stylesheet, "reparse", lambda self: (read.append(1), reparse(self)))
        await seen(app, pilot)
        assert not read
        app.action_use_theme("light")
        await pilot.pause()
        assert len(read) == 1


async def test_screens_that_were_left_in_another_theme_come_back_in_this_one():
    app = application("dark")
    async with app.run_test(size=(120, 40)) as pilot:
        await seen(app, pilot)
        app.action_use_theme("light")
        await pilot.pause()
        changed = await seen(app, pilot)
    fresh = application("light")
    async with fresh.run_test(size=(120, 40)) as pilot:
        assert await seen(fresh, pilot) == changed
