"""The application: modes, global keys, and the handlers that change the session."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import signal
import socket
import sys
import threading
import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual import events
from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from npuscope.tui import palettes, theming
from npuscope.tui.launch import Options
from npuscope.tui.messages import OpenRun, ReadingArrived, RunsFound, WantHeadlines, WorkerAnswered
from npuscope.tui.part import Part
from npuscope.tui.screens import SCREENS, commands
from npuscope.tui.screens.firstframe import FirstFrame
from npuscope.tui.text import t
from npuscope.tui.theming import Look
from npuscope.tui.thrift import ThriftyDriver

if TYPE_CHECKING:  # what is imported here in earnest, every start waits for
    from rich.console import RenderableType

    from npuscope.demo.play import DemoBox
    from npuscope.parsers.profile import Run
    from npuscope.tui.feeds import Feeds, RunFeed
    from npuscope.tui.profiles import ProfileDesk
    from npuscope.tui.screens.page import Page
    from npuscope.tui.session import Session

OPERATORS = "npuscope.tui.screens.operators"
GONE_AFTER_S = 5


class NpuscopeApp(App[int]):
    """Screens over one session. Feeds come through `options`, so that tests hand in their own."""

    CSS = """
    Screen { background: $background; color: $foreground; }
    Toast { width: auto; max-width: 100%; padding: 0 1; }
    Toast.-information, Toast.-warning, Toast.-error { border-left: none; }
    """
    FIRST: ClassVar[str] = "live"
    COMMANDS = {commands}  # noqa: RUF012
    TABS: ClassVar[tuple[tuple[str, str], ...]] = tuple((mode, str(n)) for n, (mode, _) in enumerate(SCREENS, 1))
    MODES = dict(SCREENS)  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"go('{mode}')", show=False) for mode, key in TABS),
        Binding("q", "quit", show=False),
        Binding("ctrl+c", "quit", show=False, priority=True),
        Binding("question_mark", "help", show=False),
        Binding("ctrl+l", "redraw", show=False),
        Binding("e", "export", show=False),
        Binding("ctrl+z", "suspend_process", show=False, priority=True),
    ]

    def __init__(self, options: Options, look: Look) -> None:
        super().__init__(driver_class=ThriftyDriver, ansi_color=look.palette.ansi)
        self.options = options
        self.look = look
        self.started_at = time.time()
        self._demo: DemoBox | None = None
        self.failed = self._ending = False
        self._styled: tuple[str, bool | None] | None = None
        self._prepared: threading.Thread | None = None
        self._open_at_once = options.roots[0] if len(options.roots) == 1 and not options.demo else None
        self.register_theme(palettes.textual_theme(look.palette))
        self.theme = look.palette.name

    @cached_property
    def session(self) -> Session:
        """What is loaded."""
        from npuscope.tui.session import Session

        return Session(host=socket.gethostname(), roots=tuple(str(root) for root in self.options.roots))

    @cached_property
    def desk(self) -> ProfileDesk:
        """Where profiles are opened."""
        from npuscope.tui.profiles import ProfileDesk

        return ProfileDesk(self.session, self.options, self.post_message)

    @cached_property
    def feeds(self) -> Feeds:
        """Readings and runs, as they come."""
        from npuscope.tui.feeds import Feeds

        return Feeds(self.options.source, [Path(root) for root in self.options.roots], self.post_message)

    @property
    def seen(self) -> Page | None:
        """The screen that is seen, if it is one of ours with panels."""
        from npuscope.tui.screens.page import Page

        return self.screen if isinstance(self.screen, Page) else None

    @property
    def runs(self) -> RunFeed:
        """The watched folders."""
        return self.feeds.runs

    def get_default_screen(self) -> FirstFrame:
        """What stands there until the first screen is imported."""
        return FirstFrame(self.TABS, self.FIRST)

    def on_mount(self) -> None:
        """Paint a frame where somebody sees it, then show the first screen and start what takes time."""
        if self.is_headless:
            self._begin()
        else:
            self.call_after_refresh(self._begin)
        for ending in (signal.SIGTERM, signal.SIGHUP):
            with contextlib.suppress(RuntimeError, ValueError):  # only the main thread may listen to signals
                asyncio.get_running_loop().add_signal_handler(ending, self._go_down)

    def _begin(self) -> None:
        if self.current_mode == "_default":
            self.switch_mode(self.FIRST)
        if self._open_at_once is not None and Path(self._open_at_once).is_file():
            self._prepare()
        self.call_after_refresh(self._start_feeds)
        for name in theming.names():
            if name != self.look.palette.name:
                self.register_theme(palettes.textual_theme(theming.read(name)))

    def _start_feeds(self) -> None:
        gc.freeze()  # what a start has made stays: to look through it for garbage again and again stalls the screen
        if self.options.source is not None:
            self.session.take_lead(self.options.source.lead())
        self.feeds.start()

    def _go_down(self) -> None:
        # the connection was dropped or the system stops us: the children first, the screen may be gone already
        signal.alarm(GONE_AFTER_S)  # a terminal that takes no more bytes must not keep us
        self._stop_feeds()
        self.exit(0)

    def _stop_feeds(self) -> None:
        self.feeds.stop()
        self.desk.stop()
        if self._demo is not None:
            self._demo.stop()

    async def on_unmount(self) -> None:
        """Nothing that was started is left behind."""
        gc.unfreeze()
        self._stop_feeds()

    # ---- what arrives

    def on_reading_arrived(self, message: ReadingArrived) -> None:
        """A reading of the chips."""
        self.session.take_reading(message.reading)
        if not self.session.paused:
            self.tell(Part.READINGS)

    def on_runs_found(self, message: RunsFound) -> None:
        """The runs on disk; one that is open and changed is read again."""
        self.session.watched, self.session.closed = message.watched, message.closed
        if message.runs:
            self._prepare()
        changed = self.session.take_runs(message.runs)
        for run in changed:
            self.desk.open(run, again=True)
        self._open_single(message.runs)
        self.tell(Part.RUNS)

    def _prepare(self) -> None:
        # the operator table's imports (numpy) come in, and the child starts, while the person looks at the list
        if self._prepared is None:
            self.desk.warm_up()
            self._prepared = threading.Thread(target=_import_operators, daemon=True)
            self._prepared.start()

    def _open_single(self, runs: tuple[Run, ...]) -> None:
        # a path that itself is one profile opens straight in its operators
        root, self._open_at_once = self._open_at_once, None
        if root is None:
            return
        for run in runs:
            if Path(run.path).resolve() == root.resolve():
                self.post_message(OpenRun(run))

    def on_worker_answered(self, message: WorkerAnswered) -> None:
        """The child process has something."""
        self.tell(self.desk.take(message.answer))

    def on_want_headlines(self, message: WantHeadlines) -> None:
        """A list shows runs nothing is known about."""
        self.desk.want_headlines(message.runs)

    def on_open_run(self, message: OpenRun) -> None:
        """A profile was chosen."""
        if self._prepared is not None:
            self._prepared.join()
        self.desk.open(message.run)
        self.switch_mode("operators")
        self.tell(Part.SUMMARY)

    def refresh_css(self, animate: bool = True) -> None:
        """Textual reads all styles anew, twice, whenever a screen is first shown; only another theme changes them.

        A screen that was not seen meanwhile gets the styles of the theme when it comes back.
        """
        styled = (self.theme, self.ansi_color)
        if styled != self._styled:
            self._styled = styled
            super().refresh_css(animate)

    def _fatal_error(self) -> None:
        # Textual would print a traceback with all local values over the person's screen
        error = sys.exc_info()[1] or self._exception
        from npuscope.tui import crash

        if error is not None and not self._ending:  # what fails while it goes down is a consequence
            self.failed = self._ending = True
            self.panic(Text(crash.keep(error)))

    def exit(self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """End; a screen that was just being made is not finished then, and may fail."""
        self._ending = True
        super().exit(result, return_code, message)

    def tell(self, part: Part) -> None:
        """Let the visible screen show what changed."""
        page = self.seen
        if part and page is not None:
            page.show(part)

    # ---- other folders, another box

    def open_path(self, path: str) -> str | None:
        """Watch another folder, or open another profile; a sentence when that cannot be."""
        from npuscope.parsers.archives import exists

        chosen = Path(path).expanduser()
        if not exists(chosen):
            return t("monitor.no_path", path=path)
        self.session.roots = tuple(dict.fromkeys((*self.session.roots, str(chosen))))
        self._open_at_once = chosen
        self.runs.watch(chosen)
        self.action_go("profiles")
        return None

    def action_demo(self) -> None:
        """The recorded box, in place of this one."""
        from npuscope.demo.play import DemoBox, recorded_source

        if self._demo is None:
            self._demo = DemoBox()
            self._demo.start()
            self.session.another_box((str(self._demo.folder),))
            source = recorded_source()
            self.session.take_lead(source.lead())
            self.feeds.exchange(source, self._demo.folder)
            self.tell(Part.ALL)

    def action_rescan(self) -> None:
        """Look at the folders again now."""
        self.runs.rescan()

    # ---- keys

    def on_key(self, event: events.Key) -> None:
        """Keys typed faster than the input line opened are its own; none of them may quit or open something."""
        page = self.seen
        if page is not None and page.take_key(event):
            event.stop()
            event.prevent_default()

    def action_go(self, mode: str) -> None:
        """To a screen."""
        if mode != self.current_mode:
            self.switch_mode(mode)

    def action_redraw(self) -> None:
        """Paint everything again: something else wrote to the terminal."""
        self.screen.refresh()
        self.tell(Part.LOOK)

    def action_help(self) -> None:
        """What every column, label and key means."""
        from npuscope.tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            mode = getattr(self.screen, "MODE", "")
            self.push_screen(HelpScreen(getattr(self.screen, "TOPIC", mode), mode))

    def action_command_palette(self) -> None:
        """Every screen, theme and key by name; not over a question that is still open, whose keys are its own."""
        from npuscope.tui.screens.palette import Palette

        if not isinstance(self.screen, ModalScreen):
            self.push_screen(Palette())

    def action_export(self) -> None:
        """The screen as text and SVG in the current folder."""
        from npuscope.tui.export import export_screen

        try:
            text_file, picture = export_screen(self)
        except OSError as error:
            folder, reason = str(Path.cwd()), error.strerror or str(error)
            self.notify(t("ui.export_failed", folder=folder, reason=reason), severity="error", markup=False)
            return
        self.notify(t("ui.exported", text=str(text_file), picture=str(picture)), markup=False)

    def action_use_theme(self, name: str) -> None:
        """Another theme, from now on."""
        self.look = theming.look(name, self.look.ascii)
        self.ansi_color = self.look.palette.ansi
        self.theme = name
        self.tell(Part.LOOK)


def _import_operators() -> None:
    importlib.import_module(OPERATORS)
    gc.freeze()
