"""Help: what every key, column, label and pipe means, with units, sources and limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from npuscope.tui.messages import TabChosen
from npuscope.tui.screens import SCREENS
from npuscope.tui.screens.page import Page
from npuscope.tui.session import Part
from npuscope.tui.text import t
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.helppage import HelpPage
from npuscope.tui.widgets.panelrule import PanelRule
from npuscope.tui.widgets.tabs import TabBar


class HelpScreen(Page):
    """One long page over the screen it was called from; it begins with the section `topic`; `mode` = that screen's."""

    MODE = "help"
    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        ("esc", "key.back", "back"),
        ("/", "key.find", "find"),
        ("n", "key.next", "again(1)"),
        ("[ ]", "key.sections", "section(1)"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", show=False),
        Binding("question_mark,backspace", "close", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown,ctrl+f,space", "page(1)", show=False),
        Binding("pageup,ctrl+b", "page(-1)", show=False),
        Binding("home,g", "edge(-1)", show=False),
        Binding("end,G", "edge(1)", show=False),
        Binding("right_square_bracket,right,l", "section(1)", show=False),
        Binding("left_square_bracket,left,h", "section(-1)", show=False),
        Binding("slash", "find", show=False),
        Binding("n", "again(1)", show=False),
        Binding("N", "again(-1)", show=False),
        *(Binding(str(number), f"leave('{mode}')", show=False) for number, (mode, _) in enumerate(SCREENS, 1)),
    ]

    def __init__(self, topic: str = "", mode: str | None = None) -> None:
        super().__init__()
        self.topic = topic
        self.under = topic if mode is None else mode
        self.wanted = ""
        self.place = (0, 0)

    def body(self) -> Iterable[Widget]:
        yield PanelRule(t("help.title"), id="help-rule")
        yield HelpPage(self.topic)

    @property
    def title_said(self) -> str:
        """What stands over the lines."""
        return t("help.title")

    @property
    def text_page(self) -> HelpPage:
        """The lines."""
        return self.query_one(HelpPage)

    def session_changed(self, part: Part) -> None:
        if part & Part.LOOK:
            self.text_page.fit()

    def show(self, part: Part) -> None:
        super().show(part)
        if self.is_attached:
            tabs = self.query_one(TabBar)
            tabs.active = self.under
            tabs.repaint()

    def answer(self) -> Answer:
        if not self.wanted:
            return Answer("info", t("help.answer"), t("help.answer.keys"))
        at, count = self.place
        key, kind = ("help.found", "info") if count else ("help.not_found", "warn")
        return Answer(kind, t("help.answer"), t(key, at=at, n=count, wanted=self.wanted))

    def on_help_page_moved(self, message: HelpPage.Moved) -> None:
        """Tell which lines are in the window."""
        page = self.text_page
        last = min(len(page.page), page.top + page.size.height)
        where = t("help.where", first=page.top + 1, last=last, n=len(page.page))
        self.query_one("#help-rule", PanelRule).show(self.title_said, where)

    # ---- keys

    def action_move(self, steps: int) -> None:
        """A line up or down."""
        self.text_page.move(steps)

    def action_page(self, direction: int) -> None:
        """A window up or down."""
        self.action_move(direction * max(1, self.text_page.size.height - 2))

    def action_edge(self, direction: int) -> None:
        """The first or the last line."""
        self.action_move(direction * len(self.text_page.page))

    def action_section(self, direction: int) -> None:
        """The next or previous section."""
        self.text_page.section(direction)

    def action_find(self) -> None:
        """Ask for a word; the page goes there while it is typed."""
        self.ask(t("help.find"), self.wanted, self._typed, self._typed_all, t("help.find.hint"))

    def _typed(self, text: str) -> None:
        self.wanted = text.strip()
        self.place = self.text_page.find(self.wanted)
        self.show(Part(0))

    def _typed_all(self, text: str | None) -> None:
        if text is None:
            self._typed("")

    def action_again(self, direction: int) -> None:
        """The next or previous place of the word."""
        if self.wanted:
            self.place = self.text_page.find(self.wanted, direction)
            self.show(Part(0))

    def action_back(self) -> None:
        """Esc: first the word that was looked for, then the page."""
        if self.wanted:
            self._typed("")
        else:
            self.action_close()

    def action_close(self) -> None:
        """Back to the screen it was called from."""
        self.dismiss(None)

    def action_leave(self, mode: str) -> None:
        """To another screen; the page does not stay behind on this one."""
        self.dismiss(None)
        self.scope.action_go(mode)

    def on_tab_chosen(self, message: TabChosen) -> None:
        """A click on a tab."""
        message.stop()
        message.prevent_default()
        self.action_leave(message.mode)
