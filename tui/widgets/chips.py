"""The chips panel: what each chip does now and has done."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import replace

from rich.cells import cell_len

from npuscope.tui.live import chips as live_chips
from npuscope.tui.live.chips import ChipLine
from npuscope.tui.live.columns import Column, Layout, Traits, chips, span_words
from npuscope.tui.live.history import Bins
from npuscope.tui.live.order import Order
from npuscope.tui.paint import Row
from npuscope.tui.text import plain, t
from npuscope.tui.widgets import chipcells
from npuscope.tui.widgets.chipcells import PAINTERS, ChipView
from npuscope.tui.widgets.livepanel import Group, LivePanel, tiled

# a line is sent up to its last change, so what changes more often stands left in its group
BEGINS = frozenset(("core", "history", "present", "power", "note"))


def painted(columns: Sequence[Column]) -> Iterator[Column]:
    """The columns with the last cell of each history apart: it alone changes between two bins."""
    for column in columns:
        if column.name == "history":
            yield replace(column, width=column.width - 1)
            yield Column("present", column.end - 1, 1, die=column.die)
        else:
            yield column


class ChipsPanel(LivePanel):
    """All chips of the box."""

    GROUPS = 2 * len(BEGINS) + 1  # a chip may have two dies

    def __init__(self) -> None:
        super().__init__("chips", lambda line: line.label)
        self.order = Order("npu", False, live=live_chips.LIVE, texts=("model",), rising=("npu",))
        self.view = ChipView()
        self.layout_now = Layout((), 120.0)
        self.traits = Traits()
        self._width = 0
        self._memory: tuple[str, float | None] = ("hbm", None)

    def fit_to(self, width: int, traits: Traits) -> None:
        """Columns for a window of `width` cells; nothing happens while they stay the same."""
        if (width, traits) == (self._width, self.traits):
            return
        self._width, self.traits = width, traits
        self.layout_now = chips(width, traits)
        self.view.totals_differ = traits.totals_differ
        history = self.layout_now.column("history")
        assert history is not None
        self.view.bins = Bins(self.layout_now.span_s / history.width, history.width)
        self.tile(tiled(painted(self.layout_now.columns), BEGINS, width))

    def show(self, lines: Sequence[ChipLine], memory: tuple[str, float | None], note: str = "") -> None:
        """The rows, in their order; `memory` = ("hbm" or "ddr", GB all chips have, or None)."""
        self._memory = memory
        self.view.sorted_by = self.order.column
        self.view.decimals = 0 if (memory[1] or 0) >= 100 else 1
        self.fill(lines, note)

    def cell(self, row: Row, x: int, column: Column, line: ChipLine) -> None:
        """One cell."""
        PAINTERS[column.name](row, x, column, line, self.view)

    def values(self, group: Group, line: ChipLine) -> Hashable:
        """What decides how the cells look."""
        view = self.view
        common = (view.dim, line.stale, line.attention, view.sorted_by, line.note)
        return common, tuple(chipcells.value(column, line, view) for column in group.columns)

    def link_keys(self, line: ChipLine) -> Collection[Hashable]:
        """The chips of the row."""
        return line.keys

    # ---- heads

    def head(self, row: Row) -> None:
        """The names of the columns; the one that sorts is marked."""
        for column in self.layout_now.columns:
            if column.name == "history":
                self._axis(row, column)
            elif column.name not in ("bar", "hbmbar"):
                self._head_of(row, column)

    def _head_of(self, row: Row, column: Column) -> None:
        text = self._head_text(column)
        sorts = column.name == self.order.column
        signs = row.look.glyphs
        if sorts:
            text += signs.down if self.order.descending else signs.up
        text = plain(text) if row.look.ascii else text
        x = column.x
        if column.right and column.name not in ("core", "hbm"):
            x = column.end + (1 if sorts else 0) - cell_len(text)
        elif column.name == "hbm" and column.width < 4:
            x = column.end - cell_len(text)
        row.put(max(0, x), text, "accent!" if sorts else "dim")

    def _axis(self, row: Row, column: Column) -> None:
        ago, now = t(span_words(self.layout_now.span_s)), t("live.now")
        if column.width >= 16:
            # without a bar the head of AI Core reaches into the history
            bar = self.layout_now.column("bar", column.die) is not None
            row.put(column.x + (0 if bar else 4), ago, "dim").number(column.x, now, column.width, "dim")
        else:
            row.number(column.x, f"{ago} {now}", column.width, "dim")

    def _head_text(self, column: Column) -> str:
        if column.name == "core" and self.traits.dies == 2:
            return t("live.head.die", n=column.die)
        if column.name == "hbm":
            kind, total = self._memory
            if column.width < 4:
                return t("live.head.gb")
            bar = self.layout_now.column("hbmbar") is not None
            return t(f"live.head.{kind}.of", gb=total) if total is not None and bar else t(f"live.head.{kind}")
        return t(f"live.head.{column.name}")

    # ---- order

    def sortable(self) -> list[str]:
        """The columns on screen that can sort."""
        names = dict.fromkeys(column.name for column in self.layout_now.columns)
        return [name for name in names if name in live_chips.SORTABLE]

    def sort_at(self, x: int) -> None:
        """The column under a click on the head."""
        names = self.sortable()
        found = [column for column in self.layout_now.columns if column.name in names and column.x - 1 <= x]
        if found:
            self.order.by(found[-1].name)
