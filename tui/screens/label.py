"""`?` on a row: why it has its label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from npuscope.analysis.labels.verdict import Verdict
from npuscope.analysis.summary import Summary
from npuscope.tui import numbers
from npuscope.tui.helptext import HelpLine
from npuscope.tui.operators.answer import summary_hue
from npuscope.tui.operators.labeltext import lay_out
from npuscope.tui.operators.words import label_words
from npuscope.tui.screens.help import HelpScreen
from npuscope.tui.text import t
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.helppage import HelpPage
from npuscope.tui.widgets.panelrule import PanelRule


class LabelScreen(HelpScreen):
    """The page of one row of types, shapes or instances; `?` once more is the help."""

    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        *HelpScreen.KEYS[:-1],
        ("y", "key.copy_command", "copy_command"),
        HelpScreen.KEYS[-1],
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "all_help", show=False),
        Binding("y", "copy_command", show=False),
    ]

    def __init__(self, summary: Summary, level: str, row: int, values: Mapping[str, Any], verdict: Verdict) -> None:
        super().__init__("operators")
        self._of = (summary, level, row, values, verdict)

    @property
    def verdict(self) -> Verdict:
        """What the page is about."""
        return self._of[-1]

    def body(self) -> Iterable[Widget]:
        yield PanelRule(self.title_said, id="help-rule")
        yield HelpPage("", self._lay)

    def _lay(self, width: int, ascii_only: bool) -> list[HelpLine]:
        return lay_out(*self._of, width, ascii_only)

    @property
    def title_said(self) -> str:
        values = self._of[3]
        return values.get("name" if self._of[1] == "instances" else "type") or values.get("name") or numbers.DASH

    def answer(self) -> Answer:
        if self.wanted:
            return super().answer()
        word, rest = label_words(self.verdict)
        first = t("labelpage.answer", name=self.title_said, label=word, rest=rest)
        return Answer("info", first, t("labelpage.answer.keys"), ((word, summary_hue(self.verdict.label)),))

    def action_all_help(self) -> None:
        """The help on everything, in the place of this page."""
        self.dismiss(None)
        self.app.call_later(self.scope.action_help)

    def action_copy_command(self) -> None:
        """The command that collects what would decide."""
        if self.verdict.lacks:
            self.app.copy_to_clipboard(self.verdict.lacks[0].command)
            self.notify(t("ui.copied", text=self.verdict.lacks[0].command), markup=False)
        else:
            self.notify(t("drill.nothing_lacks"), markup=False)
