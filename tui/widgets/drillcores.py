"""The panel of the drill-down with a bar for each core of the call: who is slow, and by how much."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.strip import Strip

from npuscope.tui import numbers
from npuscope.tui.operators.cores import Cores, heights
from npuscope.tui.operators.histogram import stacked
from npuscope.tui.paint import Row, rule
from npuscope.tui.text import t
from npuscope.tui.widgets.canvas import Canvas

BARS_AT, BARS_END = 8, 18  # columns left of the bars, and right of them
FOLDED_CELLS = 36
TOKENS = {"even": "hist", "uneven": "warn", "bad": "bad"}


class CoresPanel(Canvas):
    """The slowest core on the left; folded it is one line of bars and what it says."""

    DEFAULT_CSS = "CoresPanel { display: none; }"

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.cores: Cores | None = None
        self.rows = 1

    def show(self, cores: Cores | None, rows: int) -> None:
        """The cores of a call; `rows` = lines of the chart, 1 = folded. Without cores there is no panel."""
        self.cores, self.rows = cores, rows
        self.display = cores is not None
        self.styles.height = 2 if rows == 1 else rows + 2
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        if self.cores is None:
            return []
        cores = self.cores
        unit, per, decimals = numbers.time_unit(float(cores.times_us[0]))
        title = t(f"opprof.cores.{cores.side}", n=len(cores.times_us), unit=unit)
        mean = numbers.fixed(cores.mean_us / per, decimals)
        meta = t("opprof.cores.meta", mean=mean, pct=100 * cores.spread)
        slowest = t("opprof.cores.slowest", name=cores.names[0], us=cores.times_us[0], x=cores.over_mean)
        head = rule(self.look, width, title, meta)
        return [head, *(self._folded(slowest, width) if self.rows == 1 else self._chart(slowest, mean, per, width))]

    def _folded(self, slowest: str, width: int) -> list[Strip]:
        cells = min(FOLDED_CELLS, width - 44)
        (line,) = self._bars(cells, 1)
        row = self._coloured(Row(self.look, width), 2, line, cells)
        return [row.put(4 + cell_len(line), slowest).strip()]

    def _chart(self, slowest: str, mean: str, per: float, width: int) -> list[Strip]:
        cores = self.cores
        assert cores is not None
        decimals = numbers.time_unit(float(cores.times_us[0]))[2]
        cells = width - BARS_AT - BARS_END
        bars = self._bars(cells, self.rows)
        at_mean = self.rows - 1 - min(self.rows - 1, int(cores.mean_us / float(cores.times_us[0]) * self.rows))
        strips = []
        for y, line in enumerate(bars):
            row = Row(self.look, width)
            if y == 0:
                row.number(0, numbers.fixed(float(cores.times_us[0]) / per, decimals), BARS_AT - 1, "dim")
            if y == at_mean:
                drawn = BARS_AT + cell_len(line) + 1
                row.put(drawn, self.look.glyphs.track * (width - BARS_END - drawn), "faint")
                row.put(width - BARS_END + 1, t("opprof.cores.mean", mean=mean), "dim")
            strips.append(self._coloured(row, BARS_AT, line, cells).strip())
        foot = Row(self.look, width).number(0, "0", BARS_AT - 1, "dim")
        foot.put(BARS_AT, f"{self.look.glyphs.pointer} {slowest}")
        least = t("opprof.cores.fastest", name=cores.names[-1], us=cores.times_us[-1])
        return [*strips, foot.put(width - 2 - cell_len(least), least, "dim").strip()]

    def _coloured(self, row: Row, x: int, line: str, cells: int) -> Row:
        """The bars of a line, the slowest core's in a colour that says how uneven they are."""
        cores = self.cores
        assert cores is not None
        _, bar, _ = heights(cores.times_us, cells)
        return row.put(x, line[:bar], f"{TOKENS[cores.evenness]}!").put(x + bar, line[bar:].rstrip(), "hist")

    def _bars(self, cells: int, rows: int) -> list[str]:
        assert self.cores is not None
        values, bar, gap = heights(self.cores.times_us, cells)
        lines = stacked(values, rows, self.look.glyphs.blocks)
        return ["".join(sign * bar + " " * gap for sign in line).rstrip() for line in lines]
