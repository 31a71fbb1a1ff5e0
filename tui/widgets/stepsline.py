"""One line about the steps of a run: how many, how long, how often, and whether they drift."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from npuscope.analysis.summary import StepsSummary
from npuscope.tui.operators import stepwords
from npuscope.tui.paint import Row
from npuscope.tui.widgets.canvas import Canvas


class StepsLine(Canvas):
    """As much of it as the window has room for."""

    DEFAULT_CSS = "StepsLine { height: 1; }"

    def __init__(self, steps: StepsSummary) -> None:
        super().__init__()
        self.steps = steps

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        return [Row(self.look, width).put(2, stepwords.within(self.steps, width - 4)).strip()]
