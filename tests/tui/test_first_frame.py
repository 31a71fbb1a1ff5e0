"""The first frame: little is imported for it, it stands where the pages stand, and the first screen follows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import npuscope
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.launch import Options
from npuscope.tui.screens.firstframe import FirstFrame
from npuscope.tui.screens.live import LiveScreen


class Halted(NpuscopeApp):
    """Stays at its first frame."""

    def _begin(self) -> None:
        pass


def lines(app):
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips()]


async def test_tabs_and_keys_stand_where_the_page_has_them():
    text.set_language("en")
    seen = []
    for made in (Halted, NpuscopeApp):
        app = made(Options(source=None, roots=()), theming.look("dark"))
        async with app.run_test(size=(120, 36)) as pilot:
            for _ in range(3):
                await pilot.pause()
            assert isinstance(app.screen, FirstFrame if made is Halted else LiveScreen)
            seen.append(lines(app))
    first, full = seen
    assert "1 Live" in first[0] and full[0].startswith(first[0])
    assert first[-1].strip() == "e export   ? help   q quit" and full[-1].endswith(first[-1].strip())
    assert not any(first[1:-1])


async def test_every_theme_is_there_once_the_first_screen_is():
    app = NpuscopeApp(Options(source=None, roots=()), theming.look("light"))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert set(theming.names()) <= set(app.available_themes)


def test_the_first_frame_waits_for_nothing_of_the_screens():
    """What a page shows, reads or judges comes after the first frame."""
    code = "import sys, npuscope.tui.app, npuscope.cli.monitor as m; m.parser(); print(*sys.modules)"
    environ = {**os.environ, "PYTHONPATH": str(Path(npuscope.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    loaded = done.stdout.split()
    ours = {name for name in loaded if name.startswith("npuscope.")}
    records = {"analysis", "analysis.basis", "parsers", "parsers.say", "parsers.archives"}  # small, and import nothing
    below = {name for name in ours if name.split(".")[1] in ("analysis", "sources", "parsers")}
    assert not below - {f"npuscope.{name}" for name in records}
    assert {"psutil", "watchdog", "numpy", "pandas"}.isdisjoint(loaded)
