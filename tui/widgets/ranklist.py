"""The table of ranks: one line each, with a bar of what its time was made of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.strip import Strip

from npuscope.tui import numbers
from npuscope.tui.paint import Row
from npuscope.tui.ranks import words as rankwords
from npuscope.tui.ranks.view import TIMES, RankRow, RankRows
from npuscope.tui.text import has, t
from npuscope.tui.widgets.listcanvas import ListCanvas

WIDE = 100
LETTERS = {"compute": "C", "communication": "X"}  # where colours cannot tell the parts of a bar apart
Unit = tuple[str, float, int]


@dataclass(frozen=True)
class Placed:
    """A column on the screen: x of its first cell, and its width."""

    name: str
    x: int
    width: int


_NUMBERS = (("rank", 2, 4), ("device", 8, 6), ("computing", 16, 12), ("communication", 29, 9), ("free", 39, 9),
            ("stage", 49, 10), ("late", 60, 9))  # fmt: skip
_SMALL = (("rank", 2, 4), ("device", 7, 4), ("computing", 12, 9), ("communication", 22, 8), ("free", 31, 8),
          ("stage", 40, 9), ("late", 50, 7), ("reason", 59, 20))  # fmt: skip
_BAR_X, _BAR = 71, 17


def layout(width: int) -> list[Placed]:
    """The columns at a width; the reason takes what is left, the bar grows with the window."""
    if width < WIDE:
        return [Placed(*column) for column in _SMALL]
    bar = _BAR if width < 150 else _BAR + 12
    reason = _BAR_X + bar + 2
    placed = [Placed(*column) for column in _NUMBERS]
    return [*placed, Placed("bar", _BAR_X, bar), Placed("reason", reason, width - reason - 1)]


def bar_cells(parts: Sequence[float], whole: float, width: int) -> list[int]:
    """Cells of each part of a bar of which `whole` would fill `width`: ends are rounded, so that they add up."""
    if whole <= 0:
        return [0] * len(parts)
    ends, total = [0], 0.0
    for part in parts:
        total += max(0.0, part)
        ends.append(min(width, round(total / whole * width)))
    return [end - begin for begin, end in zip(ends, ends[1:])]


class RankList(ListCanvas):
    """Head and rows of a RankRows."""

    DEFAULT_CSS = "RankList { height: 1fr; }"

    def __init__(self, view: RankRows) -> None:
        super().__init__(view)
        self.view = view
        self._longest_us = 0.0

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(placed.name for placed in layout(self.size.width) if placed.name != "bar")

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        rows = self.view.window(max(1, height - 1))
        seen = (row.times.stage_us for row in self.view.rows if row.times is not None)
        # the unit only ever grows, so that numbers do not jump while ranks are read
        self._longest_us = max((us for us in (*seen, self._longest_us) if us is not None), default=0.0)
        unit = numbers.time_unit(self._longest_us or math.nan)
        placed = layout(width)
        strips = [self._head(width, placed, unit)]
        for position, row in enumerate(rows, self.view.top):
            strips.append(self._line(width, placed, row, unit, position == self.view.cursor))
        return strips

    def _head(self, width: int, placed: Sequence[Placed], unit: Unit) -> Strip:
        row = Row(self.look, width)
        for column in placed:
            if column.name == "bar":
                self._legend(row, column)
                continue
            key = f"ranks.head.{column.name}"
            short = f"{key}.short"
            text = t(short if width < WIDE and has(short) else key, unit=unit[0])
            token = "dim"
            if column.name == self.view.sort_column:
                text += self.look.glyphs.down if self.view.descending else self.look.glyphs.up
                token = "accent!"
            if column.name == "reason":
                row.put(column.x, text, token)
            else:  # the sort's sign stands behind the last cell
                cells = max(column.width, cell_len(text))
                row.number(column.x + column.width - cells + (token != "dim"), text, cells, token)
        return row.strip()

    def _legend(self, row: Row, column: Placed) -> None:
        """The parts of the bar in its own colours; without colours the letters that draw it."""
        words = [(t(f"ranks.bar.{label}"), self.look.hue(label)) for label in LETTERS]
        if self.look.ascii or self.look.mono:
            words = [(f"{LETTERS[label]}={word}", hue) for label, (word, hue) in zip(LETTERS, words)]
        else:
            words.append((t("ranks.bar.free"), "dim"))
        row.parts(column.x, words, gap=1)

    def _line(self, width: int, placed: Sequence[Placed], rank: RankRow, unit: Unit, selected: bool) -> Strip:
        row = Row(self.look, width, selected=selected)
        if selected:
            row.put(0, ">" if self.look.mono else self.look.glyphs.mark, "accent")
        if rank.line is not None and rank.line.late_by_us is not None:
            row.put(1, "!", "warn!")
        for column in placed:
            if column.name == "bar":
                self._bar(row, column, rank)
                continue
            text, token = self._cell(rank, column, unit, width < WIDE)
            row.put(column.x, text, token, column.width, "left" if column.name == "reason" else "right")
        return row.strip()

    def _cell(self, rank: RankRow, column: Placed, unit: Unit, narrow: bool) -> tuple[str, str]:
        times, name = rank.times, column.name
        if name == "rank":
            return (numbers.DASH if rank.rank is None else str(rank.rank)), "text" if rank.run else "dim"
        if name == "reason":
            return self._reason(rank, narrow or column.width < 40)
        if times is None:
            return "", "dim"
        if name == "device":
            return (numbers.DASH if times.device is None else str(times.device)), "dim"
        late = rank.line is not None and rank.line.late_by_us is not None
        if name == "late":
            return (numbers.signed(rank.line.late_by_pct, 1), "warn!") if late and rank.line else ("", "dim")
        us = getattr(times, TIMES[name])
        leading = late and rank.line is not None and {"compute": "computing", "free": "free"}[rank.line.code] == name
        return numbers.fixed(None if us is None else us / unit[1], unit[2]), "bright!" if leading else "text"

    @staticmethod
    def _reason(rank: RankRow, narrow: bool) -> tuple[str, str]:
        if rank.run is None:
            return t("ranks.absent.long"), "dim"
        if rank.line is None:
            return t("ranks.reading"), "dim"
        state = "" if rank.line.times.known else t(f"profiles.state.{rank.line.times.state}")
        text = (rankwords.short_reason(rank.line) if narrow else rankwords.reason(rank.line)) or state
        return text, "text" if rank.line.late_by_us is not None or state else "dim"

    def _bar(self, row: Row, column: Placed, rank: RankRow) -> None:
        times = rank.times
        if times is None or times.computing_us is None or times.communication_us is None:
            return
        parts = (times.computing_us, times.communication_us, times.free_us or 0.0)
        cells = bar_cells(parts, self._longest_us, column.width)
        plain, x = self.look.ascii or self.look.mono, column.x
        for label, count in zip(LETTERS, cells):
            row.put(x, (LETTERS[label] if plain else self.look.glyphs.full) * count, self.look.hue(label))
            x += count
        row.put(x, ("." if plain else self.look.glyphs.track) * cells[2], "faint")

    def head_at(self, x: int) -> str:
        placed = [column for column in layout(self.size.width) if column.name != "bar"]
        return next((column.name for column in reversed(placed) if column.x - 1 <= x), "rank")
