"""The process table: who holds the memory of the chips, and how its host side does."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence

from rich.cells import cell_len

from npuscope.tui import numbers
from npuscope.tui.live import processes as live_processes
from npuscope.tui.live.columns import Column, processes
from npuscope.tui.live.notes import told
from npuscope.tui.live.order import Order
from npuscope.tui.live.processes import ProcessLine
from npuscope.tui.paint import Row
from npuscope.tui.text import t
from npuscope.tui.widgets.livepanel import Group, LivePanel, tiled

BEGINS = frozenset(("cpu", "up", "command"))


class ProcessPanel(LivePanel):
    """One line per pid."""

    GROUPS = len(BEGINS) + 1

    def __init__(self) -> None:
        super().__init__("processes", lambda line: line.pid)
        self.order = Order("hbm", True, live=live_processes.LIVE, texts=("user", "command"), rising=("pid", "chips"))
        self.columns: tuple[Column, ...] = ()
        self.dim = False
        self.names = {"chips": "chips", "hbm": "hbm"}
        self._now = 0.0
        self._shape: tuple[int, Column | None] | None = None

    def fit_to(self, width: int, note: Column | None) -> None:
        """Columns for a window of `width` cells; notes stand under those of the chips."""
        if (width, note) == self._shape:
            return
        self._shape = (width, note)
        self.columns = processes(width, note)
        self.tile(tiled(self.columns, BEGINS, width))

    def show(self, lines: Sequence[ProcessLine], now: float, dim: bool, note: str) -> None:
        """The rows, in their order; `now` = the time of the reading, for how long they have run."""
        self._now, self.dim = now, dim
        self.fill(lines, note)

    def values(self, group: Group, line: ProcessLine) -> Hashable:
        """What decides how the cells look."""
        return self.dim, line.note, tuple(self._cell(column, line) for column in group.columns)

    def link_keys(self, line: ProcessLine) -> Collection[Hashable]:
        """The chips the process works on, and its pid."""
        return {*line.keys, line.pid}

    def head(self, row: Row) -> None:
        """The names of the columns."""
        signs = row.look.glyphs
        for column in self.columns:
            text = t(f"live.process.{self.names.get(column.name, column.name)}")
            sorts = column.name == self.order.column
            if sorts:
                text += signs.down if self.order.descending else signs.up
            x = column.end + (1 if sorts else 0) - cell_len(text) if column.right else column.x
            row.put(max(0, x), text, "accent!" if sorts else "dim")

    def cell(self, row: Row, x: int, column: Column, line: ProcessLine) -> None:
        """One cell."""
        text, token = self._cell(column, line)
        warn = column.name == "note" and line.note is not None and line.note.warn
        row.put(
            x, text, "dim" if self.dim else "warn" if warn else token, column.width, "right" if column.right else "left"
        )

    def _cell(self, column: Column, line: ProcessLine) -> tuple[str, str]:
        local, name = line.local, column.name
        if name == "pid":
            return str(line.pid), "text"
        if name == "user":
            return (local.user if local else None) or numbers.DASH, "text" if local and local.user else "dim"
        if name == "chips":
            return line.chips, "text"
        if name == "hbm":
            return numbers.gb(line.hbm_mb), "text"
        if name == "cpu":
            known = local.cpu_pct if local else None
            return numbers.fixed(known, 0), "text" if known is not None else "dim"
        if name == "rss":
            return numbers.gb(local.rss_mb if local else None), "dim"
        if name == "up":
            started = local.started_at if local else None
            return numbers.clock(None if started is None else max(0.0, self._now - started)), "dim"
        if name == "note":
            return told(line.note, column.width), "dim"
        return line.command or numbers.DASH, "text"

    def sortable(self) -> list[str]:
        """The columns on screen that can sort."""
        return [column.name for column in self.columns if column.name in live_processes.SORTABLE]

    def sort_at(self, x: int) -> None:
        """The column under a click on the head."""
        names = self.sortable()
        under = next((c for c in self.columns if c.name in names and x <= c.end), None)
        if under is not None:
            self.order.by(under.name)
