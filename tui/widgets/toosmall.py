"""What stands there when the window is smaller than the screens need."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from npuscope.tui.paint import Row
from npuscope.tui.text import t
from npuscope.tui.widgets.canvas import Canvas


class TooSmall(Canvas):
    """One sentence that says which size is needed, and what works in any size."""

    DEFAULT_CSS = "TooSmall { height: 1fr; }"

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        size = self.app.size
        said = (t("ui.too_small", width=size.width, height=size.height), t("ui.too_small_report"))
        return [Row(self.look, width).put(0, sentence).strip() for sentence in said]
