"""Two panels of the drill-down that are read: where the call stands, and why and what next."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from npuscope.analysis.verdict import Verdict
from npuscope.tui.paint import Row, rule
from npuscope.tui.text import t, told
from npuscope.tui.widgets.canvas import Canvas


class FactsPanel(Canvas):
    """Where the call stands: blocks, neighbours, bytes, first call."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.meta = ""
        self.facts: Sequence[tuple[str, str]] = ()

    def show(self, meta: str, facts: Sequence[tuple[str, str]]) -> None:
        """Name and sentence per line."""
        self.meta, self.facts = meta, facts
        self.styles.height = 1 + len(facts)
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        strips = [rule(self.look, width, t("drill.stands"), self.meta)]
        for name, text in self.facts:
            strips.append(Row(self.look, width).put(2, name, "dim").put(11, text, width=width - 12).strip())
        return strips


class AdvicePanel(Canvas):
    """Why, what to try, and which group would tell more, with its command."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.verdict: Verdict | None = None

    def show(self, verdict: Verdict) -> None:
        """The verdict of one call or group."""
        self.verdict = verdict
        self.styles.height = 1 + len(self._entries(verdict))
        self.repaint()

    def _entries(self, verdict: Verdict) -> list[tuple[str, str]]:
        why = [told(evidence.text) for evidence in verdict.evidence] + [told(reason) for reason in verdict.reasons]
        entries = [("why" if i == 0 else "", text) for i, text in enumerate(why)]
        entries += [("next" if i == 0 else "", f"{i + 1}  {told(advice)}") for i, advice in enumerate(verdict.advice)]
        for i, lack in enumerate(verdict.lacks):
            entries.append(("lacks" if i == 0 else "", f"{lack.group:<18} {told(lack.question)}"))
            entries.append(("", f"{'':<18} {lack.command}"))
        return entries

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        if self.verdict is None:
            return []
        strips = [rule(self.look, width, t("drill.advice"))]
        for name, text in self._entries(self.verdict):
            row = Row(self.look, width)
            if name:
                row.put(2, t(f"detail_pane.{name}"), "dim")
            strips.append(row.put(10, text, width=width - 12).strip())
        return strips
