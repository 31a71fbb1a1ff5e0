"""The findings of a profile: those that matter first, the rest on demand; enter shows their operators in the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widget import Widget

from npuscope.analysis.labels.verdict import FIRST_FINDINGS
from npuscope.analysis.summary import Finding, Summary
from npuscope.tui.filtering import any_of
from npuscope.tui.paint import Row
from npuscope.tui.screens.lists import EntryList, ListScreen
from npuscope.tui.session import Part
from npuscope.tui.text import t, told
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.panelrule import PanelRule
from npuscope.tui.wrapping import wrap

TOKENS = {"high": "bad", "medium": "warn", "low": "dim"}
INDENT = 10  # cells: the severity stands before it
SAVING = 20  # cells at the right


class FindingList(EntryList[Finding]):
    """What, by which numbers, and of the one under the cursor all of it and what to try."""

    hidden = 0

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        if not self.entries:
            return [Row(self.look, width).put(2, self.empty, "dim").strip()]
        blocks = [list(self._block(entry, width, index == self.cursor)) for index, entry in enumerate(self.entries)]
        more = [Row(self.look, width).put(INDENT, t("findings.more", n=self.hidden), "dim").strip()]
        blocks += [more] if self.hidden else []
        self._top = min(self._top, self.cursor)
        while sum(map(len, blocks[self._top : self.cursor + 1])) > height and self._top < self.cursor:
            self._top += 1
        return [strip for block in blocks[self._top :] for strip in block]

    def _block(self, entry: Finding, width: int, selected: bool) -> Iterator[Strip]:
        room = width - INDENT - 2
        titles = list(wrap(told(entry.title), room - SAVING)) if selected else [told(entry.title)]
        for number, title in enumerate(titles):
            row = self._row(width, selected)
            if not number:
                severity = t(f"report.severity.{entry.severity}")
                row.put(2, severity, TOKENS[entry.severity], INDENT - 3)
                saving = t("findings.saving", us=entry.saving_us) if entry.saving_us is not None else ""
                row.number(width - SAVING, saving, SAVING - 2, "bright")
            yield row.put(INDENT, title, "bright" if selected else "text", room - SAVING).strip()
        for line in wrap(told(entry.evidence), room) if selected else [told(entry.evidence)]:
            yield self._row(width, selected).put(INDENT, line, "text" if selected else "dim", room).strip()
        if selected:
            for number, line in enumerate(wrap(told(entry.advice), room)):
                row = self._row(width, selected).put(2, "" if number else t("detail_pane.next"), "dim", INDENT - 3)
                yield row.put(INDENT, line, "accent", room).strip()

    def _row(self, width: int, selected: bool) -> Row:
        row = Row(self.look, width, selected)
        return row.put(0, self.look.glyphs.mark, "accent") if selected else row

    def on_click(self, event: events.Click) -> None:
        """The entry under the mouse."""
        y = event.y
        for at in range(self._top, len(self.entries)):
            y -= len(list(self._block(self.entries[at], self.size.width, at == self.cursor)))
            if y < 0:
                self.move(at - self.cursor)
                return


class FindingsScreen(ListScreen):
    """`f`: patterns over several operators. Ends with the filter line of the chosen one's operators, and its place."""

    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        ("esc", "key.back", "back"),
        ("enter", "key.show_operators", "choose"),
        ("a", "key.all_findings", "all"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("a", "all", show=False)]

    def __init__(self, summary: Summary, at: int = 0) -> None:
        super().__init__(summary)
        self.at = at
        self.all = at >= FIRST_FINDINGS

    def body(self) -> Iterable[Widget]:
        yield PanelRule(t("findings.title"), t("findings.meta", n=len(self.summary.findings)))
        yield FindingList((), t("findings.none"))

    def session_changed(self, part: Part) -> None:
        shown, found = self.query_one(FindingList), self.summary.findings
        shown.entries = found if self.all else found[:FIRST_FINDINGS]
        shown.hidden = len(found) - len(shown.entries)
        shown.cursor = max(0, min(self.at, len(shown.entries) - 1))
        shown.repaint()

    def answer(self) -> Answer:
        if not self.summary.findings:
            return Answer("none", t("findings.none"))
        top = self.summary.findings[0]
        return Answer("info", told(top.title), told(top.advice))

    def action_move(self, steps: int) -> None:
        """The cursor."""
        super().action_move(steps)
        self.at = self.query_one(FindingList).cursor

    def action_all(self) -> None:
        """All of them, or those that matter first."""
        self.all = not self.all
        self.show(Part.SUMMARY)

    def action_choose(self) -> None:
        """To the table, with the operators of the finding alone."""
        if self.summary.findings:
            at = self.query_one(FindingList).cursor
            line = any_of("type", self.summary.findings[at].ops)
            if line:
                self.dismiss((line, at))
