"""One line about host and device: preparation, kernels, copies, and how full the AI Cores are; each with its mark."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.strip import Strip

from npuscope.analysis.summary import Summary
from npuscope.analysis.times.host_calls import missing
from npuscope.tui.paint import Row
from npuscope.tui.text import t, told
from npuscope.tui.widgets.canvas import Canvas

BAR = 20
CORE = 40  # cells that the AI Core part takes on the right


class StageLine(Canvas):
    """Preparation over its limit is marked; where no host call was recorded the line says what records them."""

    DEFAULT_CSS = "StageLine { height: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.summary: Summary | None = None

    def show(self, summary: Summary | None) -> None:
        """Another run; silent = it has nothing that is worth a row of a low window."""
        self.summary = summary
        core = summary.totals.aicore_pct if summary else None
        low = summary is not None and core is not None and core < 100 * summary.thresholds.room
        self.set_class(summary is None or (summary.stages is None and not low), "-silent")
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        row = Row(self.look, width)
        if self.summary is None or not len(self.summary.ops):
            return [row.strip()]
        core = self.summary.totals.aicore_pct
        room = width - 2 - (CORE if core is not None else 0)
        self._stages(row, self.summary, room)
        if core is not None:
            limit = self.summary.thresholds.room
            self._barred(row, width - 2 - CORE + 3, t("stages.core"), core / 100, limit, low=True)
        return [row.strip()]

    def _stages(self, row: Row, summary: Summary, room: int) -> None:
        found = summary.stages
        if found is None:
            text = told(missing(summary.profile))
            if cell_len(text) > room - 4:
                text = t("stages.none.short")
            row.put(2, text, "dim", room - 2)
            return
        share, limit = found.preparation_share, summary.thresholds.preparation
        end = self._barred(row, 2, t("stages.preparation"), share, limit)
        whole = found.preparation_us + found.kernel_us + found.copy_us
        parts = [(t("stages.kernel"), found.kernel_us), (t("stages.copy"), found.copy_us)]
        for name, us in parts:
            shown = t("ui.pct", pct=100 * us / whole if whole else None)
            if end + 2 + cell_len(f"{name} {shown}") <= room:
                end = row.parts(end + 2, [(name, "dim"), (shown, "text")], gap=1) - 1

    def _barred(self, row: Row, x: int, name: str, share: float, limit: float, low: bool = False) -> int:
        """Name, number, and a bar with a tick at the limit; `low` = it is too low that deserves attention."""
        odd = share < limit if low else share > limit
        token = ("text!" if low else "warn!") if odd else "text"
        end = row.parts(x, [(name, "dim"), (t("ui.pct", pct=100 * share), token)], gap=1)
        at = round(limit * BAR)
        signs, filled = self.look.glyphs, share >= limit
        hue = "neutral" if not odd or low else "warn"
        row.put(end + at, signs.tick_on_bar if filled else signs.tick_on_track, "dim")
        row.bar(end, at, min(1.0, share / limit), hue)
        rest = BAR - at - 1
        row.bar(end + at + 1, rest, max(0.0, (share * BAR - at - 1) / rest), hue)
        return end + BAR
