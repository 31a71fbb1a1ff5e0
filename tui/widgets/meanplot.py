"""AI Core, mean of the chips: several lines high, with marks where profiles ran."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.strip import Strip

from npuscope.tui.live.history import MeanBins, plot_rows
from npuscope.tui.paint import Row
from npuscope.tui.text import t
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.widgets.panelrule import PanelRule
from npuscope.tui.widgets.still import StillVertical

SPAN_S = 600.0
LEFT, RIGHT = 8, 5
MOST_BINS = 60  # of more than one cell where the window is wide: a plot of 10 s bins is sent every 10 s


class PlotLines(Canvas):
    """The plot and its axis."""

    DEFAULT_CSS = "PlotLines { height: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self.mean = MeanBins(SPAN_S, 1)
        self.cells_per_bin = 1
        self.marks: Sequence[tuple[float, str]] = ()

    def fit_to(self, width: int) -> None:
        """Bins for a window of `width` cells."""
        room = max(10, width - LEFT - RIGHT)
        cells = -(-room // MOST_BINS)
        count = room // cells
        if (count, cells) != (self.mean.bins.count - 1, self.cells_per_bin):
            self.cells_per_bin = cells
            self.mean = MeanBins(SPAN_S / count, count)

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        rows = max(1, height - 1)
        strips = []
        for number, parts in enumerate(plot_rows(self.mean.values, rows, self.cells_per_bin, self.look.glyphs.blocks)):
            row = Row(self.look, width)
            if number in (0, rows - 1):
                row.number(2, "100" if number == 0 else "0", 3, "dim")
            row.parts(LEFT, parts)
            strips.append(row.strip())
        return [*strips, self._axis(width)]

    def _axis(self, width: int) -> Strip:
        row = Row(self.look, width)
        end = LEFT + (self.mean.bins.count - 1) * self.cells_per_bin
        taken: list[tuple[int, int]] = []
        for at, name in self.marks:
            position = self.mean.position(at)
            if position is not None:
                self._put(
                    row, taken, LEFT + position * self.cells_per_bin, f"{row.look.glyphs.pointer} {name}", "text", end
                )
        minutes = round(SPAN_S / 60)
        now = t("live.now")
        self._put(row, taken, end - cell_len(now), now, "dim", end)
        self._put(row, taken, LEFT, t("live.mean.ago", minutes=minutes), "dim", end)
        self._put(row, taken, (LEFT + end) // 2, t("live.mean.ago.short", minutes=minutes // 2), "dim", end)
        return row.strip()

    @staticmethod
    def _put(row: Row, taken: list[tuple[int, int]], x: int, text: str, token: str, end: int) -> None:
        """Text where nothing stands yet; near the right end it stands to the left of its place."""
        width = cell_len(text)
        if x + width > end and token == "text":
            text, x = f"{text[2:]} {text[0]}", x - width + 1
        if all(x + width < start or x > stop for start, stop in taken):
            taken.append((x, x + width))
            row.put(x, text, token)


class MeanPlot(StillVertical):
    """The panel."""

    DEFAULT_CSS = "MeanPlot { height: 0; } MeanPlot.-hidden { display: none; }"

    def __init__(self) -> None:
        super().__init__(id="plot")
        self.rule = PanelRule()
        self.plot = PlotLines()

    def compose(self) -> ComposeResult:
        yield self.rule
        yield self.plot

    def show(self, marks: Sequence[tuple[float, str]]) -> None:
        """Paint what the bins hold now."""
        minutes = round(SPAN_S / 60)
        self.rule.show(t("live.title.mean"), t("live.mean.meta", minutes=minutes))
        self.plot.marks = marks
        self.plot.repaint()
