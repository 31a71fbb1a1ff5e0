"""The share line: how much of the time each label takes, as one line of colour with its legend under it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.strip import Strip

from npuscope.tui.paint import Row
from npuscope.tui.text import t
from npuscope.tui.widgets.canvas import Canvas

LETTERS = {"memory": "M", "compute": "C", "launch": "L", "access": "A", "stall": "S", "communication": "X"}


class ShareLine(Canvas):
    """Label -> time; the largest stands left."""

    DEFAULT_CSS = "ShareLine { height: 2; }"

    def __init__(self) -> None:
        super().__init__()
        self.shares: Sequence[tuple[str, float]] = ()

    def show(self, label_us: Mapping[str, float]) -> None:
        """Other shares."""
        self.shares = shares_pct(label_us)
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        bar, legend = Row(self.look, width), Row(self.look, width)
        plain = self.look.ascii or self.look.mono
        x, at = 2, 2
        for label, cells in share_cells(self.shares, width - 4):
            hue = self.look.hue(label)
            unclassed = hue in ("dim", "text")
            sign = LETTERS.get(label, "?") if plain else self.look.glyphs.track if unclassed else self.look.glyphs.full
            bar.put(x, sign * cells, hue)
            x += cells + 1
        for label, pct in self.shares:
            at = (
                legend.parts(at, [(t(f"label.{label}"), self.look.hue(label)), (t("ui.pct", pct=pct), "text")], gap=1)
                + 2
            )
        return [bar.strip(), legend.strip()]


def shares_pct(label_us: Mapping[str, float]) -> list[tuple[str, float]]:
    """Percent of the labelled time, largest first; what would round to nothing is left out."""
    total = sum(label_us.values())
    if total <= 0:
        return []
    ordered = sorted(label_us.items(), key=lambda entry: -entry[1])
    return [(label, 100 * us / total) for label, us in ordered if 100 * us / total >= 0.5]


def share_cells(shares: Sequence[tuple[str, float]], width: int) -> list[tuple[str, int]]:
    """Cells per label, one blank between two; every label that is named gets at least one."""
    room = width - max(0, len(shares) - 1)
    total = sum(pct for _, pct in shares)
    if not shares or room < len(shares) or total <= 0:
        return []
    cells = [max(1, round(room * pct / total)) for _, pct in shares]
    cells[0] = max(1, cells[0] + room - sum(cells))
    return [(label, count) for (label, _), count in zip(shares, cells)]
