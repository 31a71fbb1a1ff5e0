"""What was sent piece by piece is what the screen shows as a whole: no widget forgets to send a change."""

from __future__ import annotations

import pyte
import pytest
from made_profile import made_summary

from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.launch import Options
from npuscope.tui.messages import RunsFound
from npuscope.tui.session import Part


class Wired(NpuscopeApp):
    """The application with a terminal of the test's own, which shows nothing but what was sent to it."""

    def __init__(self, source=None) -> None:
        super().__init__(Options(source=source, roots=()), theming.look("dark"))
        self.source = source
        self.desk.want_headlines = lambda runs: None
        self.terminal: pyte.Screen | None = None

    def _display(self, screen, renderable) -> None:
        super()._display(screen, renderable)
        if renderable is not None and screen is self.screen and not self._batch_count:
            width, height = self.size
            if self.terminal is None or (self.terminal.columns, self.terminal.lines) != (width, height):
                self.terminal = pyte.Screen(width, height)
                self.terminal.set_mode(pyte.modes.LNM)
            pyte.Stream(self.terminal).feed(renderable.render_segments(self.console))

    @property
    def sent(self) -> list[str]:
        return [line.rstrip() for line in self.terminal.display]

    @property
    def whole(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


async def settled(app, pilot):
    await app.workers.wait_for_complete()
    for _ in range(4):
        await pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 50)])
async def test_live(live, size):
    source = live.Source()
    source.before = [live.eight(live.NOW - second) for second in range(130, 0, -1)]
    app = Wired(source)
    async with app.run_test(size=size) as pilot:
        await settled(app, pilot)
        assert app.sent == app.whole
        app.post_message(RunsFound(live.RUNS, "events"))
        for second in range(3):
            source.say(live.eight(live.NOW + second, c1=10 * second))
            await settled(app, pilot)
            assert app.sent == app.whole, second
        for key in ("M", "M", "tab", "j", "tab", "p", "p", "s", "r", "space", "space", "slash", "9", "escape",
                    "question_mark", "escape"):  # fmt: skip
            await pilot.press(key)
            await settled(app, pilot)
            assert app.sent == app.whole, key
        source.say(live.sixteen_dies(live.NOW + 9))
        await settled(app, pilot)
        assert app.sent == app.whole
        await live.missing(app, pilot)
        await settled(app, pilot)
        assert app.sent == app.whole


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    return made_summary(tmp_path_factory.mktemp("profile"))


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (160, 50)])
async def test_profiles_and_operators(live, summary, size):
    app = Wired()
    async with app.run_test(size=size) as pilot:
        app.post_message(RunsFound(live.RUNS, "events"))
        app.session.open(summary.profile.run).summary = summary
        for key in ("2", "j", "slash", "9", "escape", "3", "j", "s", "tab", "j", "tab", "enter", "escape", "g",
                    "escape", "c", "escape", "f", "escape", "question_mark", "pagedown", "escape", "slash", "A",
                    "escape", "1", "2", "3"):  # fmt: skip
            await pilot.press(key)
            await settled(app, pilot)
            assert app.sent == app.whole, key


async def test_another_size_and_another_theme(live, summary):
    app = Wired()
    async with app.run_test(size=(120, 36)) as pilot:
        app.post_message(RunsFound(live.RUNS, "events"))
        app.session.open(summary.profile.run).summary = summary
        for mode in ("live", "profiles", "operators"):
            app.action_go(mode)
            for width, height in ((90, 28), (80, 24), (60, 20), (150, 45), (120, 36)):
                await pilot.resize_terminal(width, height)
                await settled(app, pilot)
                assert app.sent == app.whole, (mode, width)
            app.action_use_theme("light" if mode == "profiles" else "dark")
            await settled(app, pilot)
            assert app.sent == app.whole, mode
        app.tell(Part.ALL)
        app.terminal.reset()
        app.terminal.set_mode(pyte.modes.LNM)
        app.action_redraw()
        await settled(app, pilot)
        assert app.sent == app.whole, "ctrl+l draws everything, whatever stood there"
