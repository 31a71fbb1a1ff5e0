"""`d` on a rank: its operators against the median of the others, by type."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget

from npuscope.analysis.ranks.against import RankOperators
from npuscope.analysis.ranks.lateness import RankLine
from npuscope.analysis.ranks.operators import LEAST_PCT, OperatorDifference
from npuscope.tui import numbers
from npuscope.tui.messages import OpenRun
from npuscope.tui.paint import Row
from npuscope.tui.ranks import words as rankwords
from npuscope.tui.screens.lists import EntryList
from npuscope.tui.screens.page import Page
from npuscope.tui.session import Part
from npuscope.tui.text import t, told
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.panelrule import PanelRule

WIDE = 100
# name, x of its first cell, width: at 100 columns and more, and below
_WIDE = (("own", 42, 12), ("median", 55, 12), ("difference", 68, 12), ("pct", 81, 9), ("calls", 92, 8),
         ("others-calls", 101, 9))  # fmt: skip
_SMALL = (("own", 29, 12), ("median", 42, 10), ("difference", 53, 10), ("pct", 64, 8), ("calls", 73, 6))


class DifferenceList(EntryList[OperatorDifference]):
    """Types, the largest difference first."""

    def __init__(self, rank: int | None) -> None:
        super().__init__((), "")
        self.rank = rank

    @property
    def _unit(self) -> tuple[str, float, int]:
        return numbers.time_unit(max((max(one.us, one.median_us) for one in self.entries), default=math.nan))

    @property
    def _difference_unit(self) -> tuple[str, float, int]:
        return numbers.change_unit((one.difference_us for one in self.entries), self._unit)

    def head(self, width: int) -> list[Strip]:
        row = Row(self.look, width).put(2, t("ranks.head.type"), "dim")
        own = "ranks.head.own" if self.rank is not None else "ranks.head.own.device"
        for name, x, cells in _WIDE if width >= WIDE else _SMALL:
            unit = self._difference_unit if name == "difference" else self._unit
            text = t(own if name == "own" else f"ranks.head.{name}", rank=self.rank, unit=unit[0])
            if name == "difference":
                row.number(x + 1, text + self.look.glyphs.down, cells, "accent!")
            else:
                row.number(x, text, cells, "dim")
        return [row.strip()]

    def entry(self, entry: OperatorDifference, width: int, selected: bool) -> list[Strip]:
        unit, columns = self._unit, _WIDE if width >= WIDE else _SMALL
        row = Row(self.look, width, selected)
        if selected:
            row.put(0, ">" if self.look.mono else self.look.glyphs.mark, "accent")
        row.put(2, entry.type, "dim" if entry.communication else "text", columns[0][1] - 3)
        longer = (entry.difference_pct or 0.0) >= LEAST_PCT and not entry.communication
        cells = {
            "own": numbers.column_time(entry.us, unit),
            "median": numbers.column_time(entry.median_us, unit),
            "difference": numbers.column_change(entry.difference_us, self._difference_unit),
            "pct": numbers.signed(entry.difference_pct, 1),
            "calls": numbers.count(entry.count),
            "others-calls": numbers.count(entry.median_count),
        }
        for name, x, cell in columns:
            token = "warn!" if longer and name in ("difference", "pct") else "text"
            row.number(x, cells[name], cell, "dim" if entry.communication else token)
        return [row.strip()]


class RankOperatorsScreen(Page):
    """One rank; filled when the child process has read its operators and the others'."""

    MODE = "profiles"
    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        ("esc", "key.back", "back"),
        ("enter", "key.operators", "open"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("pagedown", "move(10)", show=False),
        Binding("pageup", "move(-10)", show=False),
        Binding("home,g", "move(-100000)", show=False),
        Binding("end,G", "move(100000)", show=False),
        Binding("enter", "open", show=False),
        Binding("escape,backspace,left,h,d", "back", show=False),
    ]

    def __init__(self, line: RankLine) -> None:
        super().__init__()
        self.line = line

    def body(self) -> Iterable[Widget]:
        yield PanelRule(id="difference-rule")
        yield DifferenceList(self.line.times.rank)

    @property
    def _found(self) -> RankOperators | None:
        found = self.scope.desk.ranks.operators(self.line.times.run)
        return found if isinstance(found, RankOperators) else None

    def session_changed(self, part: Part) -> None:
        if not part & (Part.RUNS | Part.LOOK):
            return
        shown, found = self.query_one(DifferenceList), self._found
        shown.entries = found.types if found is not None else ()
        shown.empty = t("ranks.no-types") if found is not None else ""
        shown.repaint()
        meta = t("ranks.against.meta", n=len(found.others)) if found is not None and found.others else ""
        self.query_one("#difference-rule", PanelRule).show(t("ranks.against.title", who=self._who()), meta)

    def _who(self) -> str:
        return rankwords.who(self.line.times)

    def answer(self) -> Answer:
        found = self._found
        if found is None:
            if self.scope.desk.ranks.operators(self.line.times.run) is None:
                return Answer("none", t("ranks.against.stopped"))
            done = self.scope.desk.ranks.operators(self.line.times.run)
            return Answer("none", t("ranks.against.reading", pct=100 * (done if isinstance(done, float) else 0.0)))
        if not found.types:
            return Answer("none", told(found.problems[0].message) if found.problems else t("ranks.no-types"))
        return Answer("info", self._first(found), told(found.cause.text) if found.cause is not None else "")

    def _first(self, found: RankOperators) -> str:
        computing = [one for one in found.types if not one.communication]
        us, median = sum(one.us for one in computing), sum(one.median_us for one in computing)
        pct = 100 * (us / median - 1) if median else None
        key = "ranks.against.same" if pct is not None and abs(pct) < LEAST_PCT else "ranks.against.differ"
        return t(key, who=rankwords.who(self.line.times, first=True), us=us, median=median, pct=pct)

    def action_move(self, steps: int) -> None:
        """The cursor."""
        self.query_one(DifferenceList).move(steps)

    def action_open(self) -> None:
        """The operators of this rank alone."""
        self.scope.desk.ranks.drop(self.line.times.run)
        self.post_message(OpenRun(self.line.times.run))

    def action_back(self) -> None:
        """To the ranks; what is being read is not read to its end."""
        self.scope.desk.ranks.drop(self.line.times.run)
        self.dismiss(None)
