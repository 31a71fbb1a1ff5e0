"""The keys of the Live screen: where the cursor is, what is filtered, paused, maximised and lit up."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from npuscope.tui.filtering import Condition, FilterError, parse
from npuscope.tui.live import chips as live_chips
from npuscope.tui.live import processes as live_processes
from npuscope.tui.live.answer import called
from npuscope.tui.live.chips import ChipLine
from npuscope.tui.live.processes import ProcessLine
from npuscope.tui.live.state import LiveState
from npuscope.tui.messages import OpenRun
from npuscope.tui.screens.livesaid import Complaining
from npuscope.tui.session import Part
from npuscope.tui.text import t
from npuscope.tui.widgets.chips import ChipsPanel
from npuscope.tui.widgets.livepanel import LivePanel
from npuscope.tui.widgets.processes import ProcessPanel
from npuscope.tui.widgets.runlines import RunPanel

FIELDS = {
    "chips": (live_chips.TEXT_FIELDS, live_chips.NUMBER_FIELDS),
    "processes": (live_processes.TEXT_FIELDS, live_processes.NUMBER_FIELDS),
}
ENTER = {"chips": "key.live.chip", "processes": "key.live.process", "profiles": "key.live.run"}
FIRST_KEYS = (("d", "key.first.demo", "demo"), ("o", "key.first.open", "open"), ("r", "key.rescan", "reverse"))


class LiveKeys(Complaining):
    """Keys belong to the page, not to a panel, so that a list moves while a filter is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "panel(1)", show=False),
        Binding("shift+tab", "panel(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown,ctrl+f", "page(1)", show=False),
        Binding("pageup,ctrl+b", "page(-1)", show=False),
        Binding("home,g", "edge(-1)", show=False),
        Binding("end,G", "edge(1)", show=False),
        Binding("enter", "choose", show=False),
        Binding("s", "sort(1)", show=False),
        Binding("S", "sort(-1)", show=False),
        Binding("r", "reverse", show=False),
        Binding("slash", "filter", show=False),
        Binding("space", "pause", show=False),
        Binding("M", "maximise", show=False),
        Binding("p", "processes", show=False),
        Binding("o", "open", show=False),
        Binding("d", "demo", show=False),
        Binding("escape", "clear", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.chips = ChipsPanel()
        self.processes = ProcessPanel()
        self.profiles = RunPanel()
        self.panels: tuple[LivePanel, ...] = (self.chips, self.processes, self.profiles)
        self.active: LivePanel = self.chips
        self.chips.active = True
        self.frozen: LiveState | None = None
        self.state = LiveState(now=0.0)
        self.maximised = ""
        self.filters: dict[str, str] = {"chips": "", "processes": ""}
        self.conditions: dict[str, tuple[Condition, ...]] = {"chips": (), "processes": ()}
        self.linked: tuple[LivePanel, Hashable] | None = None
        self.first = False

    def keys(self) -> Sequence[tuple[str, str, str]]:
        if self.first:
            return FIRST_KEYS
        pause = "key.live.resume" if self.session.paused else "key.pause"
        whole = "key.back" if self.maximised == "processes" else "key.live.processes"
        return (
            ("enter", ENTER[self.active.id or "chips"], "choose"),
            ("p", whole, "processes"),
            ("/", "key.filter", "filter"),
            ("s", "key.sort", "sort(1)"),
            ("space", pause, "pause"),
            ("tab", "key.live.panel", "panel(1)"),
            ("M", "key.maximise", "maximise"),
        )

    # ---- cursor

    def activate(self, panel: LivePanel) -> None:
        """The panel that the keys go to."""
        self.active = panel
        for other in self.panels:
            other.active = other is panel
            other.repaint()
        self.show(Part(0))

    def action_panel(self, direction: int) -> None:
        """The next or previous panel on screen."""
        shown = [panel for panel in self.panels if panel.display]
        if shown:
            now = shown.index(self.active) if self.active in shown else 0
            self.activate(shown[(now + direction) % len(shown)])

    def action_move(self, steps: int) -> None:
        """Cursor up or down."""
        self.active.move(steps)
        self._moved()

    def action_page(self, direction: int) -> None:
        """A window's height."""
        self.active.page(direction)
        self._moved()

    def action_edge(self, direction: int) -> None:
        """First or last row."""
        self.active.edge(direction)
        self._moved()

    def _moved(self) -> None:
        if self.active is self.chips and 0 < self.chips.room < len(self.chips.listing):
            self.show(Part.READINGS)  # the title tells what is out of sight

    def on_live_panel_clicked(self, message: LivePanel.Clicked) -> None:
        """The mouse."""
        self.activate(message.panel)
        self.show(Part.READINGS)
        if message.chosen:
            self.action_choose()

    def on_live_panel_sized(self) -> None:
        """A window of another size has been laid out."""
        if self.is_current:
            self.show(Part.READINGS | Part.RUNS)

    # ---- enter

    def action_choose(self) -> None:
        """A run opens; a chip lights up its processes and a process its chips."""
        row = self.active.listing.row
        if row is None:
            return
        if self.active is self.profiles:
            self.post_message(OpenRun(row.run))
            return
        key = self.active.key_of(row)
        self.linked = None if self.linked == (self.active, key) else (self.active, key)
        self.show(Part.READINGS)

    def link(self) -> str:
        """Light up what belongs together; returns how the chosen row is called ("" without one)."""
        self.chips.linked = self.processes.linked = frozenset()
        row = chosen_row(*self.linked) if self.linked is not None else None
        if isinstance(row, ChipLine):
            self.chips.linked = self.processes.linked = frozenset(row.keys)
            return called(row.dies, self.state.chips)
        if isinstance(row, ProcessLine):
            self.chips.linked, self.processes.linked = frozenset(row.keys), frozenset((row.pid,))
            return t("live.meta.linked", pid=row.pid)
        return ""

    # ---- order and filter

    def action_sort(self, direction: int) -> None:
        """The next or previous column."""
        panel = self.active
        if isinstance(panel, (ChipsPanel, ProcessPanel)):
            panel.order.step(panel.sortable(), direction)
            self._to_top(panel)

    def _to_top(self, panel: LivePanel) -> None:
        # who sorts wants to see what comes first, not where the row under the cursor went
        self.show(Part.READINGS)
        panel.edge(-1)
        self._moved()

    def action_reverse(self) -> None:
        """The other way round; on the first screen r looks again."""
        if self.first:
            self.scope.action_rescan()
            self.show(Part.ALL)
        elif isinstance(self.active, (ChipsPanel, ProcessPanel)):
            self.active.order.by(self.active.order.column)
            self._to_top(self.active)

    def action_filter(self) -> None:
        """Ask for a filter of the chips, or of the processes where the cursor is there."""
        if self.first:
            return
        name = "processes" if self.active is self.processes else "chips"
        ending = ".processes" if name == "processes" else ""
        self.ask(
            t(f"live.filter.prompt{ending}"),
            self.filters[name],
            lambda text: self._filter(name, text),
            lambda text: self._filter(name, text or ""),
            hint=t(f"live.filter.hint{ending}"),
        )

    def _filter(self, name: str, text: str) -> None:
        # a filter that means nothing filters nothing: rows of the one before it would pass for its own
        self.filters[name], self.conditions[name] = text, ()
        self.complain("")
        try:
            self.conditions[name] = parse(text, *FIELDS[name])
        except FilterError as error:
            self.complain(filter_complaint(error))
        self.show(Part.READINGS)

    # ---- pause, size, other places

    def action_pause(self) -> None:
        """Numbers stand still while reading goes on."""
        if self.first or self.state.reading is None:
            return
        self.session.paused = not self.session.paused
        self.frozen = self.state if self.session.paused else None
        self.show(Part.ALL)

    def action_maximise(self) -> None:
        """All lines for this panel, and back."""
        self.maximised = "" if self.maximised else self.active.id or ""
        self.show(Part.ALL)

    def action_processes(self) -> None:
        """All processes, and back."""
        whole = self.maximised == "processes"
        self.maximised = "" if whole else "processes"
        self.activate(self.chips if whole else self.processes)
        self.show(Part.ALL)

    def action_clear(self) -> None:
        """esc: what is lit up, then filters, then the whole-window panel."""
        if self.linked is not None:
            self.linked = None
        elif any(self.filters.values()):
            for name in self.filters:
                self._filter(name, "")
        elif self.maximised:
            self.maximised = ""
        self.show(Part.ALL)

    def action_open(self) -> None:
        """Ask for a folder or file."""
        self.ask(t("first.open.prompt"), "", None, self._open, hint=t("first.open.hint"))

    def _open(self, text: str | None) -> None:
        self.complain((self.scope.open_path(text.strip()) or "") if text and text.strip() else "")
        if self.is_current:
            self.show(Part(0))

    def action_demo(self) -> None:
        """The simulated box."""
        if self.first:
            self.scope.action_demo()


def chosen_row(panel: LivePanel, key: Hashable) -> object:
    """The row of a panel that was chosen, as it is now; None when it is gone."""
    return next((row for row in panel.listing.rows if panel.key_of(row) == key), None)


def filter_complaint(error: FilterError) -> str:
    """What is wrong with a filter."""
    if error.known and error.known[0] == "1":
        return t("live.filter.bad.number", word=error.word)
    return t("live.filter.bad", word=error.word, known=", ".join(error.known))
