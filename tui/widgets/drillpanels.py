"""Three panels of the drill-down that are drawn: the distribution of the calls, the floor, the pipes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.cells import cell_len
from textual.strip import Strip

from npuscope.tui import numbers
from npuscope.tui.fitting import at_word
from npuscope.tui.operators.calls import Calls
from npuscope.tui.operators.floor import Rung
from npuscope.tui.operators.histogram import histogram, percentile, spread_marks, stacked, trend
from npuscope.tui.operators.pipes import Pipe, leading
from npuscope.tui.paint import Row, rule
from npuscope.tui.text import t
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.widgets.opdetail import ratio

ROOMY_ROWS = 30  # under it the statistics move into the rule


class DistributionPanel(Canvas):
    """How long the calls took."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.calls: Calls | None = None
        self.meta = ""
        self.rows = 5
        self.low = False

    def show(self, calls: Calls | None, meta: str, rows: int) -> None:
        """The calls, the panel's meta and the height of the histogram."""
        self.calls, self.meta, self.rows = calls, meta, rows
        self.low = self.app.size.height < ROOMY_ROWS
        self.styles.height = rows + (2 if self.low else 4)
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        if self.calls is None:
            note = Row(self.look, width).put(2, t("drill.no_instances"), "dim")
            return [rule(self.look, width, t("drill.calls.none"), self.meta), note.strip()]
        durations = self.calls.durations_us
        top = float(np.nanmax(durations)) if len(durations) else None
        unit, per, decimals = numbers.time_unit(top)
        shown = durations / per
        meta = self.meta
        if self.low:
            ends = (numbers.fixed(float(value), decimals) for value in (np.nanmin(shown), np.nanmax(shown)))
            meta = f"{meta}   {' - '.join(ends)}"
        strips = [
            rule(self.look, width, t("drill.calls", n=len(durations), unit=unit), meta),
            *self._bars(shown, width),
            self._axis(shown, decimals, width),
        ]
        return strips if self.low else [*strips, self._statistics(shown, decimals, width), self._order(shown, width)]

    def _bars(self, shown: np.ndarray[Any, np.dtype[np.float64]], width: int) -> list[Strip]:
        cells = width - 8
        lines = stacked(histogram(shown, cells).counts, self.rows, self.look.glyphs.blocks)
        return [Row(self.look, width).put(5, line.rstrip(), "hist").strip() for line in lines]

    def _axis(self, shown: np.ndarray[Any, np.dtype[np.float64]], decimals: int, width: int) -> Strip:
        bars = histogram(shown, width - 8)
        sign = self.look.glyphs.pointer
        low, high = (
            f"{bars.low:.0f}" if bars.high > 10 else numbers.fixed(bars.low, decimals),
            numbers.fixed(bars.high, decimals),
        )
        row = Row(self.look, width)
        marks = [(bars.cell(float(np.nanmedian(shown))), t("drill.mark.median", sign=sign))]
        if len(shown) > 2:
            marks.append((bars.cell(percentile(shown, 99)), t("drill.mark.p99", sign=sign)))
            marks.append((bars.cell(float(shown[0])), t("drill.mark.first", sign=sign)))
        row.number(0, low, 5, "dim")
        for at, text in spread_marks(marks, width - 14):
            row.put(5 + at, text)
        return row.number(width - 9, high, 7, "dim").strip()

    def _statistics(self, shown: np.ndarray[Any, np.dtype[np.float64]], decimals: int, width: int) -> Strip:
        row = Row(self.look, width)
        x = 2
        values = (
            ("min", float(np.nanmin(shown)), "text"),
            ("median", float(np.nanmedian(shown)), "bright"),
            ("p99", percentile(shown, 99), "text"),
            ("max", float(np.nanmax(shown)), "text"),
        )
        for name, value, token in values:
            x = row.parts(x, [(t(f"drill.{name}"), "dim"), (numbers.fixed(value, decimals), token)], gap=1) + 2
        return row.strip()

    def _order(self, shown: np.ndarray[Any, np.dtype[np.float64]], width: int) -> Strip:
        row = Row(self.look, width)
        if len(shown) < 3:
            return row.strip()
        end = row.parts(2, [(t("drill.in_order"), "dim")]) + 1
        return row.put(end, trend(shown, width - end - 2, self.look.glyphs.levels), "hist").strip()


class LadderPanel(Canvas):
    """The floor by every road, and the time above it, on one scale."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.rungs: Sequence[Rung] = ()
        self.bound_us = float("nan")
        self.label = "unknown"
        self.notes: Sequence[str] = ()

    def show(self, rungs: Sequence[Rung], bound_us: float, label: str, notes: Sequence[str]) -> None:
        """The ladder of one call."""
        self.rungs, self.bound_us, self.label, self.notes = rungs, bound_us, label, notes
        self.styles.height = 1 + len(rungs) + (1 + len(notes) if self.app.size.width >= 100 else 0)
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        top = max((rung.us for rung in self.rungs), default=1.0)
        unit, per, decimals = numbers.time_unit(top)
        wide = self.app.size.width >= 100
        strips = [
            rule(
                self.look,
                width,
                t("drill.floor", unit=unit),
                "" if wide else at_word(" ".join(self.notes[1:]), width - 40),
            )
        ]
        bar = width - 42
        for rung in self.rungs:
            floor = rung.us == self.bound_us
            token = (
                "accent"
                if floor
                else "neutral"
                if rung.kind in ("hbm", "l2", "cube", "vector", "start")
                else self.look.hue(self.label)
            )
            row = Row(self.look, width).put(2, t(f"drill.rung.{rung.kind}"), width=10)
            row.number(
                12, numbers.fixed(rung.us / per, decimals), 7, "bright" if floor or rung.kind == "total" else "text"
            )
            row.bar(21, bar, rung.us / top, token).put(21 + bar + 2, rung.remark, "dim")
            strips.append(row.strip())
        if wide:
            strips.append(Row(self.look, width).strip())
            strips += [Row(self.look, width).put(2, at_word(note, width - 3), "dim").strip() for note in self.notes]
        return strips


class PipesPanel(Canvas):
    """The pipes of one call with the limit they are held against."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.title = ""
        self.pipes: Sequence[Pipe] = ()
        self.label = "unknown"
        self.limit: float | None = None

    def show(self, title: str, pipes: Sequence[Pipe], label: str, limit: float | None) -> None:
        """Another call."""
        self.title, self.pipes, self.label, self.limit = title, pipes, label, limit
        small = self.app.size.width < 100
        self.styles.height = 1 + (max(1, -(-len(pipes) // 3)) if small else max(1, len(pipes)) + (1 if limit else 0))
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        strips = [rule(self.look, width, self.title, t("drill.pipes.meta"))]
        if not self.pipes:
            return [*strips, Row(self.look, width).put(2, t("operators.no_pipes"), "dim").strip()]
        return strips + (self._small(width) if self.app.size.width < 100 else self._wide(width))

    def _wide(self, width: int) -> list[Strip]:
        top = leading(list(self.pipes))
        strips = []
        for pipe in self.pipes:
            row = Row(self.look, width).put(2, pipe.name, width=10)
            row.number(12, ratio(pipe.ratio), 5, "bright" if pipe is top else "text")
            self._bar(row, 18, width - 30, pipe, self.look.hue(self.label) if pipe is top else "neutral")
            strips.append(row.number(width - 9, numbers.fixed(pipe.time_us, 1), 7).strip())
        if self.limit is not None:
            text = t("detail_pane.limit", limit=self.limit)
            at = 18 + round(self.limit * (width - 30)) - cell_len(text) // 2
            strips.append(Row(self.look, width).put(18, "0", "dim").put(at, text, "dim").strip())
        return strips

    def _bar(self, row: Row, x: int, width: int, pipe: Pipe, token: str) -> None:
        share = min(1.0, max(0.0, pipe.ratio)) if pipe.ratio == pipe.ratio else 0.0
        if self.limit is not None:
            at = x + min(width - 1, round(self.limit * width))
            inside = share >= self.limit
            row.put(
                at,
                self.look.glyphs.tick_on_bar if inside else self.look.glyphs.tick_on_track,
                token if inside else "dim",
            )
            row.bar(x, at - x, min(1.0, share * width / (at - x)), token)
            rest = width - (at - x) - 1
            row.bar(at + 1, rest, max(0.0, (share * width - (at - x) - 1) / rest) if rest else 0.0, token)
            return
        row.bar(x, width, share, token)

    def _small(self, width: int) -> list[Strip]:
        rows = [Row(self.look, width) for _ in range(-(-len(self.pipes) // 3))]
        top = leading(list(self.pipes))
        for index, pipe in enumerate(self.pipes):
            row, x = rows[index // 3], 2 + 26 * (index % 3)
            row.put(x, pipe.name, width=10).number(x + 10, ratio(pipe.ratio), 5, "bright" if pipe is top else "text")
            row.bar(x + 16, 8, pipe.ratio, self.look.hue(self.label) if pipe is top else "neutral")
        return [row.strip() for row in rows]
