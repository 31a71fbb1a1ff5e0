"""The one line above the keys where a person types: a filter, a path, or y for a command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input

from npuscope.tui.paint import Row
from npuscope.tui.text import clean
from npuscope.tui.widgets.canvas import Canvas

Changed = Callable[[str], object]
Done = Callable[["str | None"], object]


class Prompt(Canvas):
    """What is asked for, left of the text."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        return [Row(self.look, width, selected=True).put(2, self.text, "accent!").strip()]


class TypedLine(Input):
    """Textual's input without its frame; what is pasted into it is text, never a control code."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "give_up", show=False)]

    class GaveUp(Message):
        """Esc was pressed."""

    def validate_value(self, value: str) -> str:
        """Called by Textual before a value is taken; positions stay what they were."""
        return clean(value)

    def action_give_up(self) -> None:
        """Esc."""
        self.post_message(self.GaveUp())


class InputLine(Horizontal):
    """Every Page has one; hidden until `ask` or `confirm` (on a page: `self.ask(...)`, `self.confirm(...)`).

    ask(prompt, value, on_change, on_done, hint): `on_change(text)` at each edit, at once; `on_done(text)` at enter,
    `on_done(None)` at esc; then the line is gone and the keys go where they went before. Editing and paste are as in
    Textual's Input. Keys it has no use for (up, down, page keys) go to the screen: a list moves while it is filtered.
    confirm(question, on_answer): `on_answer(True)` at y, `on_answer(False)` at n or esc; no other key does anything.
    It covers the last line of the page instead of pushing the panels up: nothing moves when it opens.
    """

    DEFAULT_CSS = """
    InputLine { display: none; layer: over; dock: bottom; height: 1; margin: 0 0 1 0; background: $surface; }
    InputLine.-open { display: block; }
    InputLine.-question TypedLine { display: none; }
    InputLine Prompt { width: auto; height: 1; }
    InputLine TypedLine, InputLine TypedLine:focus, InputLine TypedLine:ansi {
        border: none; height: 1; padding: 0 1; width: 1fr;
        background: $surface; background-tint: transparent; color: $foreground;
    }
    InputLine TypedLine > .input--cursor, InputLine TypedLine:ansi > .input--cursor {
        background: $surface; color: $foreground; text-style: reverse;
    }
    """
    can_focus = False

    def __init__(self) -> None:
        super().__init__()
        self._on_change: Changed | None = None
        self._on_done: Done | None = None
        self._on_answer: Callable[[bool], object] | None = None
        self._seen = ""
        self._focused_before: Widget | None = None

    def compose(self) -> ComposeResult:
        yield Prompt()
        line = TypedLine(select_on_focus=False)
        line.cursor_blink = False
        line.can_focus = False  # hidden, it would be what Textual focuses first
        yield line

    @property
    def is_open(self) -> bool:
        """Whether something is being asked."""
        return self.has_class("-open")

    @property
    def text(self) -> str:
        """What has been typed so far."""
        return self.query_one(TypedLine).value

    def ask(
        self,
        prompt: str,
        value: str = "",
        on_change: Changed | None = None,
        on_done: Done | None = None,
        hint: str = "",
    ) -> None:
        """Open the line for a text that starts as `value`; `hint` stands there while it is empty."""
        self._on_change, self._on_done, self._on_answer = on_change, on_done, None
        self._seen = value
        line = self.query_one(TypedLine)
        line.placeholder = hint
        line.value = value
        line.cursor_position = len(value)
        self._open(prompt, question=False)
        line.can_focus = True
        self.screen.set_focus(line)  # now, not soon: the next key may be on its way

    def confirm(self, question: str, on_answer: Callable[[bool], object]) -> None:
        """Open the line for a yes or no; `question` names the keys."""
        self._on_change = self._on_done = None
        self._on_answer = on_answer
        self._open(question, question=True)
        self.can_focus = True
        self.screen.set_focus(self)

    def close(self) -> None:
        """Hide the line without telling anyone."""
        self._on_change = self._on_done = self._on_answer = None
        self.remove_class("-open")
        self.can_focus = self.query_one(TypedLine).can_focus = False
        self.screen.set_focus(self._focused_before)

    def _open(self, prompt: str, question: bool) -> None:
        if not self.is_open:
            self._focused_before = self.screen.focused
        self.set_class(question, "-question")
        self.add_class("-open")
        shown = self.query_one(Prompt)
        shown.text = prompt
        shown.styles.width = "1fr" if question else cell_len(clean(prompt)) + 3
        shown.forget()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Told at once, once per text; what was only set by `ask` is no change."""
        event.stop()
        if self._on_change is not None and event.value != self._seen:
            self._seen = event.value
            self._on_change(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter."""
        event.stop()
        self._finish(event.value)

    def on_typed_line_gave_up(self, event: TypedLine.GaveUp) -> None:
        """Esc."""
        event.stop()
        self._finish(None)

    def _finish(self, text: str | None) -> None:
        done = self._on_done
        self.close()
        if done is not None:
            done(text)

    def on_key(self, event: events.Key) -> None:
        """Yes or no; while a question stands there, no other key reaches the screen."""
        if self._on_answer is not None:
            event.stop()
            event.prevent_default()
            self._answer(event.key)

    def take(self, event: events.Key) -> bool:
        """A key that was sent to the screen before the line had opened; True when it was meant for the line."""
        if not self.is_open:
            return False
        if self._on_answer is not None:
            self._answer(event.key)
            return True
        if event.character is None or not event.is_printable:
            return False
        self.query_one(TypedLine).insert_text_at_cursor(event.character)
        return True

    def _answer(self, key: str) -> None:
        answer = self._on_answer
        if answer is not None and key in ("y", "Y", "n", "N", "escape"):
            self.close()
            answer(key in ("y", "Y"))
