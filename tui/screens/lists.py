"""Lists over a profile, of which the gaps are one; enter goes to the operator in question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Generic, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget

from npuscope.analysis.summary import Gap, Summary
from npuscope.analysis.times.gaps import KEPT
from npuscope.tui import numbers
from npuscope.tui.paint import Row
from npuscope.tui.screens.page import Page
from npuscope.tui.session import Part
from npuscope.tui.text import t
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.widgets.panelrule import PanelRule
from npuscope.tui.widgets.stepsline import StepsLine

Entry = TypeVar("Entry")


class EntryList(Canvas, Generic[Entry]):
    """Entries of a fixed number of lines, with a cursor."""

    DEFAULT_CSS = "EntryList { height: 1fr; }"
    LINES = 1

    def __init__(self, entries: Sequence[Entry], empty: str) -> None:
        super().__init__()
        self.entries = entries
        self.empty = empty
        self.cursor = 0
        self._top = 0

    def head(self, width: int) -> list[Strip]:
        """Lines over the entries."""
        return []

    def entry(self, entry: Entry, width: int, selected: bool) -> list[Strip]:
        """LINES lines."""
        raise NotImplementedError

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        strips = self.head(width)
        if not self.entries:
            return [*strips, Row(self.look, width).put(2, self.empty, "dim").strip()]
        room = max(1, (height - len(strips)) // self.LINES)
        self._top = max(min(self._top, self.cursor), self.cursor - room + 1)
        for index in range(self._top, min(len(self.entries), self._top + room)):
            strips += self.entry(self.entries[index], width, index == self.cursor)
        return strips

    def move(self, steps: int) -> None:
        """The cursor, bounded."""
        self.cursor = max(0, min(len(self.entries) - 1, self.cursor + steps))
        self.repaint()

    def on_click(self, event: events.Click) -> None:
        """The entry under the mouse."""
        at = self._top + (event.y - len(self.head(self.size.width))) // self.LINES
        if 0 <= at < len(self.entries):
            self.move(at - self.cursor)


class GapList(EntryList[Gap]):
    """Idle stretches, the largest first."""

    def __init__(self, entries: Sequence[Gap], empty: str, begin_ns: int) -> None:
        super().__init__(entries, empty)
        self.begin_ns = begin_ns

    def head(self, width: int) -> list[Strip]:
        row = Row(self.look, width)
        row.number(2, t("gaps.at"), 9, "dim").number(12, t("gaps.us") + self.look.glyphs.down, 10, "accent!")
        row.number(23, t("gaps.stream"), 10, "dim")
        row.put(35, t("gaps.after"), "dim").put(35 + (width - 37) // 2, t("gaps.before"), "dim")
        return [row.strip()]

    def entry(self, entry: Gap, width: int, selected: bool) -> list[Strip]:
        half = (width - 37) // 2
        row = Row(self.look, width, selected)
        if selected:
            row.put(0, self.look.glyphs.mark, "accent")
        place = ":".join(numbers.DASH if part is None else str(part) for part in (entry.device, entry.stream))
        row.number(2, numbers.fixed((entry.start_ns - self.begin_ns) / 1e6, 2), 9)
        row.number(12, numbers.fixed(entry.us, 1), 9, "bright").number(23, place, 10, "dim")
        row.put(35, entry.after or numbers.DASH, width=half - 1)
        return [row.put(35 + half, entry.before or numbers.DASH, width=half - 1).strip()]


class ListScreen(Page):
    """Base of them: a rule, the list, enter and esc."""

    MODE = "operators"
    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        ("esc", "key.back", "back"),
        ("enter", "key.show_operator", "choose"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown", "move(10)", show=False),
        Binding("pageup", "move(-10)", show=False),
        Binding("enter", "choose", show=False),
        Binding("escape,backspace", "back", show=False),
    ]

    def __init__(self, summary: Summary) -> None:
        super().__init__()
        self.summary = summary

    def session_changed(self, part: Part) -> None:
        if part & Part.LOOK:
            self.query_one(EntryList).repaint()

    def action_move(self, steps: int) -> None:
        """The cursor."""
        self.query_one(EntryList).move(steps)

    def action_back(self) -> None:
        """To the table."""
        self.dismiss(None)

    def action_choose(self) -> None:
        """The operator of the entry."""
        raise NotImplementedError


class GapsScreen(ListScreen):
    """`g`: where the device stood idle; tab: where each stream did, the others at work or not."""

    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        *ListScreen.KEYS,
        ("tab", "key.streams", "other"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "other", show=False, priority=True)]

    def __init__(self, summary: Summary) -> None:
        super().__init__(summary)
        self.of_device = True

    @property
    def gaps(self) -> Sequence[Gap]:
        """What is listed now."""
        return self.summary.device_gaps if self.of_device else self.summary.gaps

    def body(self) -> Iterable[Widget]:
        starts = self.summary.ops.numbers("start_ns")
        known = starts[starts >= 0]
        steps = self.summary.steps_summary
        if steps is not None and steps.median_us is not None:
            yield StepsLine(steps)
        yield PanelRule()
        yield GapList(self.gaps, t("gaps.none"), int(known.min()) if len(known) else 0)

    def session_changed(self, part: Part) -> None:
        shown = self.query_one(GapList)
        if shown.entries is not self.gaps:
            shown.entries, shown.cursor = self.gaps, 0
        shown.repaint()
        key = "gaps.title" if self.of_device else "gaps.title.streams"
        self.query_one(PanelRule).show(
            t(key), t("gaps.meta.cut" if len(self.gaps) >= KEPT else "gaps.meta", n=len(self.gaps))
        )

    def answer(self) -> Answer:
        totals = self.summary.totals
        if not self.gaps:
            return Answer("none", t("gaps.none"))
        top = self.gaps[0]
        key = "gaps.answer" if self.of_device else "gaps.answer.stream"
        first = t(key, us=top.us, before=top.before or numbers.DASH, after=top.after or numbers.DASH)
        second = ""
        if totals.idle_us is not None and totals.span_us:
            second = t("gaps.idle", us=totals.idle_us, span=totals.span_us, pct=100 - (totals.busy_pct or 0))
        return Answer("info", first, second)

    def action_other(self) -> None:
        """The device, or each stream."""
        self.of_device = not self.of_device
        self.show(Part.SUMMARY)

    def action_choose(self) -> None:
        if self.gaps:
            self.dismiss(self.gaps[self.query_one(GapList).cursor].row_before)
