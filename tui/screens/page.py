"""What all screens share: tabs, two answer lines, the keys; and how they learn that the session changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.css.query import NoMatches
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from npuscope.tui.messages import KeyChosen, TabChosen
from npuscope.tui.session import Part, Session
from npuscope.tui.theming import Look
from npuscope.tui.widgets.answer import Answer, AnswerLines
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.widgets.footer import KeyLine
from npuscope.tui.widgets.gap import Gap
from npuscope.tui.widgets.inputline import Changed, Done, InputLine
from npuscope.tui.widgets.still import Still, StillHorizontal, StillVertical
from npuscope.tui.widgets.tabs import Clock, TabBar
from npuscope.tui.widgets.toosmall import TooSmall

if TYPE_CHECKING:
    from npuscope.tui.app import NpuscopeApp

MIN_COLUMNS, MIN_ROWS = 80, 24
TALL_ROWS = 38  # from here on panels of sentences get more lines
ROOMY_ROWS = 30  # from here on blank lines stand between the panels


class Page(Screen[Any], Still):
    """Base of the screens. A subclass gives MODE, KEYS, `body` and `session_changed`."""

    DEFAULT_CSS = """
    Page { background: $background; layers: base over; }
    Page > #page { height: 1fr; }
    Page #top { height: 1; }
    Page .gap { height: 1; }
    Page.-low .gap { display: none; }
    Page > TooSmall { display: none; }
    Page.-small > TooSmall { display: block; }
    Page.-small > #page { display: none; }
    Page.-small > KeyLine { display: none; }
    Page.-small > InputLine { display: none; }
    """
    MODE: str = ""
    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = ()
    WATCHES: ClassVar[Part] = Part.ALL
    _look: Look | None = None

    @property
    def scope(self) -> NpuscopeApp:
        """The application, typed."""
        return cast("NpuscopeApp", self.app)

    @property
    def session(self) -> Session:
        """What is loaded."""
        return self.scope.session

    def compose(self) -> ComposeResult:
        self._fit(self.app.size)  # before there are children, whose styles would have to be worked out again
        with StillVertical(id="page"):
            with StillHorizontal(id="top"):
                yield TabBar(self.scope.TABS)
                yield Clock()
            yield Gap()
            yield AnswerLines()
            yield Gap()
            yield from self.body()
        yield InputLine()
        yield KeyLine()
        yield TooSmall()

    def body(self) -> Iterable[Widget]:
        """The panels between the answer and the keys."""
        raise NotImplementedError

    def session_changed(self, part: Part) -> None:
        """Show what changed; called for the visible screen only, and with Part.ALL when it becomes visible."""
        raise NotImplementedError

    def taken_at(self) -> float:
        """The time of what stands on the screen, Unix seconds: the tab bar shows it."""
        reading = self.session.reading
        return reading.taken_at if reading else self.scope.started_at

    def answer(self) -> Answer:
        """The two lines on top."""
        raise NotImplementedError

    def keys(self) -> Sequence[tuple[str, str, str]]:
        """The keys that apply now."""
        return self.KEYS

    def ask(
        self,
        prompt: str,
        value: str = "",
        on_change: Changed | None = None,
        on_done: Done | None = None,
        hint: str = "",
    ) -> None:
        """A line of text from the person: see InputLine.ask."""
        self.query_one(InputLine).ask(prompt, value, on_change, on_done, hint)

    def take_key(self, event: events.Key) -> bool:
        """A key the input line was too late for: see InputLine.take."""
        return any(line.take(event) for line in self.query(InputLine))

    def confirm(self, question: str, on_answer: Callable[[bool], object]) -> None:
        """Yes or no from the person: see InputLine.confirm."""
        self.query_one(InputLine).confirm(question, on_answer)

    def on_mount(self) -> None:
        self.query_one(KeyLine).keys = self.keys()

    def on_resize(self, event: events.Resize) -> None:
        self._fit(event.size)
        self.call_after_refresh(self.show, Part.ALL)

    def _fit(self, size: Size) -> None:
        self.set_class(size.height < ROOMY_ROWS, "-low")
        self.set_class(size.width < 100, "-narrow")
        self.set_class(size.height >= TALL_ROWS, "-tall")
        self.set_class(self.too_small, "-small")

    @property
    def too_small(self) -> bool:
        """No panel is laid out below 80 x 24."""
        return self.app.size.width < MIN_COLUMNS or self.app.size.height < MIN_ROWS

    def on_screen_resume(self) -> None:
        self.show(Part.ALL)

    def show(self, part: Part) -> None:
        """Bring the frame and the panels up to date."""
        try:
            tabs = self.query_one(TabBar)
        except NoMatches:  # switched to, but not composed yet: it resumes soon
            return
        if self.too_small:
            self.query_one(TooSmall).repaint()
            return
        tabs.active = self.MODE
        tabs.host = self.session.host
        tabs.repaint()
        self.query_one(Clock).show(time.strftime("%H:%M:%S", time.localtime(self.taken_at())))
        if self.scope.look is not self._look:  # a screen that comes back in the same look is not painted anew
            self._look = self.scope.look
            for canvas in self.query(Canvas):
                canvas.forget()
        self.session_changed(part)
        self.query_one(AnswerLines).show(self.answer())
        self.query_one(KeyLine).show(self.keys())

    def on_key_chosen(self, message: KeyChosen) -> None:
        """A click on the footer does what the key does."""
        message.stop()
        self.call_later(self.run_action, message.action)

    def on_tab_chosen(self, message: TabChosen) -> None:
        """A click on a tab."""
        message.stop()
        self.call_later(self.scope.action_go, message.mode)
