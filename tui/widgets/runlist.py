"""The list of runs: virtual, so 3,000 runs cost what the window shows. It asks its view for the runs in the window."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.strip import Strip

from npuscope.analysis.ranks.jobs import ranges
from npuscope.parsers.profile import Run
from npuscope.tui import numbers
from npuscope.tui.paint import Row
from npuscope.tui.runs import folds as runfolds
from npuscope.tui.runs.columns import (
    WIDE,
    Placed,
    change_cell,
    count_cell,
    head,
    is_dated,
    layout,
    name_cell,
    reason_short,
    time_cell,
    total_cell,
)
from npuscope.tui.runs.view import READABLE, RunView, state_of, told
from npuscope.tui.text import t
from npuscope.tui.widgets.listcanvas import ListCanvas

if TYPE_CHECKING:
    from npuscope.tui.session import Headline

STATE_TOKENS = {
    "collecting": "accent", "exporting": "accent", "collected": "warn", "partial": "warn", "unreadable": "bad",
    "damaged": "bad", "empty": "dim",
}  # fmt: skip
# the columns that say why there are no numbers instead, from the first of them on
UNREAD = ("ops", "total", "core", "label", "change")
UNREAD_JOB = ("chip", "rank", *UNREAD)


class RunList(ListCanvas):
    """Head and rows of a RunView; what stands there when it has none is `note`."""

    DEFAULT_CSS = "RunList { height: 1fr; }"

    def __init__(self, view: RunView) -> None:
        super().__init__(view)
        self.view = view
        self.note: Sequence[str] = ()
        self.now = time.time()
        self.dated = self.ranked = False
        self._largest_us = math.nan
        self._placed: list[Placed] = []

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(placed.column for placed in layout(self.size.width, self.dated, self.ranked))

    def take_runs(self, now: float) -> None:
        """The view has other runs."""
        self.now = now
        self.dated = is_dated(self.view.runs, now)
        self.ranked = any(run.rank is not None for run in self.view.runs)

    def in_window(self) -> tuple[Run, ...]:
        """The runs that can be seen."""
        return self.view.window(self.room)

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        if not self.view.shown:
            return [Row(self.look, width).put(2, sentence, "text").strip() for sentence in self.note]
        self._placed = layout(width, self.dated, self.ranked)
        runs = self.view.window(max(1, height - 1))
        known = [self.view.headline(run) for run in runs]
        # the unit only ever grows, so that numbers do not jump between us and ms while runs are read
        seen = [one.total_us for one in known if one is not None and told(one)]
        self._largest_us = max((us for us in (*seen, self._largest_us) if us == us), default=math.nan)
        unit = numbers.time_unit(self._largest_us)
        strips = [self._head(width, unit[0])]
        for position, (run, headline) in enumerate(zip(runs, known), self.view.top):
            strips.append(self._line(width, run, headline, unit, position == self.view.cursor))
        return strips

    def _head(self, width: int, unit: str) -> Strip:
        row = Row(self.look, width)
        for placed in self._placed:
            text = head(placed.column, unit, width >= WIDE)
            x, cells, token = placed.x, placed.width, "dim"
            if placed.column == self.view.sort_column:
                text += self.look.glyphs.down if self.view.descending else self.look.glyphs.up
                token = "accent!"
            if placed.right:  # a head wider than its column, or with the sort's sign, grows to the left
                cells = max(cells, cell_len(text))
                row.number(placed.x + placed.width - cells + (token != "dim"), text, cells, token)
            else:
                row.put(x, text, token)
        return row.strip()

    def _line(
        self, width: int, run: Run, headline: Headline | None, unit: tuple[str, float, int], selected: bool
    ) -> Strip:
        row = Row(self.look, width, selected=selected)
        marked = self.view.marks.place(run)
        if marked:  # in the place of the cursor's sign, except where nothing else shows the cursor
            row.put(int(selected and self.look.mono), str(marked) if marked < 10 else "+", "accent!")
        if selected and (self.look.mono or not marked):
            row.put(0, ">" if self.look.mono else self.look.glyphs.mark, "accent")
        if run.state in ("unreadable", "damaged"):
            row.put(1, "!", "bad!")
        read = headline is not None and told(headline)
        job = self.view.folds.job(run)
        reason = "" if read else reason_short(run, headline)
        if job is not None:
            reason = t("ranks.fold.ranks", ranks=ranges(job.ranks))
        for placed in self._placed:
            if reason and placed.column in (UNREAD if job is None else UNREAD_JOB):
                row.put(placed.x, reason, "dim", width - 2 - placed.x)
                break
            text, token = self._cell(run, headline if read else None, placed, unit)
            row.put(placed.x, text, token, placed.width, "right" if placed.right else "left")
        return row.strip()

    def _cell(
        self, run: Run, headline: Headline | None, placed: Placed, unit: tuple[str, float, int]
    ) -> tuple[str, str]:
        column, width = placed.column, placed.width
        if column == "time":
            return time_cell(run, self.dated, self.now), "dim"
        if column == "run":
            job = self.view.folds.job(run)
            if job is not None:
                return runfolds.name(job), "text"
            return name_cell(run, self.view.doubles.get(run.path, ""), width, self.look.glyphs.cut), "text"
        if column == "kind":
            return t("profiles_screen.kind." + run.kind), "dim"
        if column == "state":
            state = state_of(run, headline)
            return t("profiles.state." + state), STATE_TOKENS.get(state, "text")
        if column == "rank":
            return (numbers.DASH if run.rank is None else str(run.rank)), "dim"
        if headline is None:
            return (numbers.DASH, "dim") if column == "chip" and run.state not in READABLE else ("", "dim")
        if column == "chip":
            return (headline.chip or numbers.DASH).removeprefix("Ascend"), "dim"
        if column == "ops":
            return count_cell(headline.ops, width), "text"
        if column == "total":
            return total_cell(headline.total_us, unit), "text!"
        if column == "core":
            return numbers.fixed(headline.aicore_pct, 0), "text"
        if column == "label":
            return t("label." + headline.label), self.look.hue(headline.label)
        marks = self.look.glyphs
        return change_cell(self.view.change_pct(run), width, marks.up, marks.down)

    def head_at(self, x: int) -> str:
        return next((placed.column for placed in reversed(self._placed) if placed.x - 1 <= x), "time")
