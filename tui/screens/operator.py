"""One operator: how long its calls took, how far from the floor, which pipe leads, what to try."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widget import Widget

from npuscope.analysis.labels.label import explain
from npuscope.analysis.labels.verdict import Verdict
from npuscope.analysis.summary import Summary
from npuscope.parsers.profile import UNKNOWN
from npuscope.tui import numbers
from npuscope.tui.operators import drillanswer
from npuscope.tui.operators.answer import MARGINS, WIDE, summary_hue
from npuscope.tui.operators.calls import Calls, calls_of
from npuscope.tui.operators.cores import cores_of
from npuscope.tui.operators.drillfacts import facts, floor_notes, limit_of
from npuscope.tui.operators.floor import ladder
from npuscope.tui.operators.pipes import pipes_of
from npuscope.tui.operators.words import label_words, vendor_words
from npuscope.tui.screens.page import ROOMY_ROWS, Page
from npuscope.tui.session import Part
from npuscope.tui.text import t
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.drilladvice import AdvicePanel, FactsPanel
from npuscope.tui.widgets.drillcores import CoresPanel
from npuscope.tui.widgets.drillpanels import DistributionPanel, LadderPanel, PipesPanel
from npuscope.tui.widgets.gap import Gap
from npuscope.tui.widgets.opdetail import row_and_verdict, title_and_meta, with_shapes

TALL_ROWS = 44  # from here on the cores are drawn below the distribution
CORE_LINES = 5
FRAME = 4  # tabs, the two lines of the answer, keys
GAPS = 4  # blank lines of the page, without that of the cores


class OperatorScreen(Page):
    """The drill-down of a type, a shape or an instance."""

    MODE = "operators"
    DEFAULT_CSS = """
    OperatorScreen VerticalScroll { height: 1fr; scrollbar-size: 0 0; }
    OperatorScreen .pair { height: auto; }
    OperatorScreen .pair > .second { margin-left: 2; }
    OperatorScreen .-alone > .second { margin-left: 0; }
    OperatorScreen.-narrow .pair { layout: vertical; }
    OperatorScreen.-narrow .pair > .second { margin-left: 0; }
    OperatorScreen .below { display: none; }
    OperatorScreen.-narrow FactsPanel { display: none; }
    OperatorScreen.-narrow .below { display: block; }
    """
    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        ("esc", "key.back", "back"),
        ("h l", "key.instance", "call(1)"),
        ("y", "key.copy_command", "copy_command"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,backspace", "back", show=False),
        Binding("h,left", "call(-1)", show=False),
        Binding("l,right", "call(1)", show=False),
        Binding("j,down", "scroll(1)", show=False),
        Binding("k,up", "scroll(-1)", show=False),
        Binding("y", "copy_command", show=False),
        Binding("question_mark", "explain", show=False),
    ]

    def __init__(self, summary: Summary, level: str, row: int) -> None:
        super().__init__()
        self.summary = summary
        self.level = level
        self.row = row
        self.calls: Calls | None = calls_of(summary, level, row)
        self.moved = level == "instances"
        self.verdict, self._of_all, self._values = self._looked_at()

    def body(self) -> Iterable[Widget]:
        with VerticalScroll(can_focus=False):
            with Horizontal(classes="pair calls"):
                yield DistributionPanel()
                yield LadderPanel(classes="second")
            yield Gap("cores-gap")
            yield CoresPanel()
            yield Gap()
            with Horizontal(classes="pair"):
                yield PipesPanel()
                yield FactsPanel(classes="second")
            yield Gap()
            yield AdvicePanel()
            yield FactsPanel(classes="below")

    # ---- what is looked at

    def _looked_at(self) -> tuple[Verdict, Verdict, Mapping[str, Any]]:
        """The verdict of the call whose numbers are shown, then verdict and values of all calls.

        Once the person moved among the calls these are of the one call too.
        """
        of_call = explain(self.summary, self.calls.row) if self.calls is not None else None
        if self.moved and self.calls is not None and of_call is not None:
            return of_call, of_call, self.summary.ops.row(self.calls.row)
        of_all, values = row_and_verdict(self.summary, self.level, self.row)
        return of_call or of_all, of_all, values

    def _call_values(self) -> Mapping[str, Any]:
        return self.summary.ops.row(self.calls.row) if self.calls is not None else self._values

    @property
    def duration_us(self) -> float:
        """Of the call looked at; of the median call for a group."""
        if self.calls is not None:
            return float(self.calls.durations_us[self.calls.at])
        return float(self._values.get("median_us", math.nan))

    def answer(self) -> Answer:
        values, label = self._call_values(), self.verdict.label
        name = (
            self._values.get("name" if self.moved else "type")
            or values.get("type")
            or values.get("name")
            or numbers.DASH
        )
        word, _ = label_words(self.verdict)
        room = self.size.width - MARGINS
        one = drillanswer.first(name, self.duration_us, values, self.verdict, room)
        two = drillanswer.second(
            self.summary, self.calls, self.moved, self._values, self._of_all, room, shown=self.verdict
        )
        return Answer("info", one, two, ((word, summary_hue(label)),))

    def session_changed(self, part: Part) -> None:
        if not part & (Part.SUMMARY | Part.LOOK):
            return
        self.verdict, self._of_all, self._values = self._looked_at()
        values = self._call_values()
        narrow = self.size.width < 100
        title = title_and_meta(with_shapes(self.summary, self.level, self.row, self._values), self.level, count=False)
        self._show_cores(narrow)
        self.query_one(DistributionPanel).show(self.calls, title[1], 3 if narrow or self.size.height < 30 else 5)
        rungs = ladder(values, self.duration_us, self.summary.chip)
        bound = values.get("bound_us", math.nan)
        notes = floor_notes(self.summary, values, self.verdict)
        self.query_one(LadderPanel).show(rungs, bound, self.verdict.label, notes)
        self.query_one(PipesPanel).show(
            self._pipes_title(), pipes_of(values), self.verdict.label, limit_of(self.verdict)
        )
        position = t("drill.position", at=self.calls.at + 1, n=len(self.calls.rows)) if self.calls is not None else ""
        stands = facts(self.summary, self.calls, values, self.verdict)
        for panel in self.query(FactsPanel):
            panel.show(position, stands)
        row = self.calls.row if self.calls is not None else UNKNOWN
        vendor = vendor_words(self.summary.profile, row, self.verdict)
        self.query_one(AdvicePanel).show(self.verdict, vendor, self._room_below())

    def _room_below(self) -> int:
        """Lines that the window has left under the panels, without a title: two stand side by side in a wide one."""
        panels = [self.query_one(kind) for kind in (DistributionPanel, LadderPanel, CoresPanel, PipesPanel)]
        calls, ladder, cores, pipes = (_height(one) for one in panels)
        used = calls + ladder + cores + pipes
        if self.size.width >= WIDE:
            used = max(calls, ladder) + cores + max(pipes, _height(self.query(FactsPanel).first()))
        gaps = GAPS + panels[2].display if self.size.height >= ROOMY_ROWS else 0
        return self.size.height - FRAME - gaps - used - 1

    def _show_cores(self, narrow: bool) -> None:
        """A bar for each core; in the place of the distribution where there is but one call."""
        cores = cores_of(self.summary, self.calls.row) if self.calls is not None else None
        alone = self.calls is not None and len(self.calls.rows) == 1
        instead = cores is not None and alone
        self.query_one(".calls").set_class(instead, "-alone")
        self.query_one(DistributionPanel).display = not instead
        worth = cores is not None and cores.evenness != "even"
        roomy = worth and not narrow and self.size.height >= (ROOMY_ROWS if alone else TALL_ROWS)
        self.query_one(".cores-gap").display = cores is not None and self.size.height >= ROOMY_ROWS
        self.query_one(CoresPanel).show(cores, CORE_LINES if roomy else 1)

    def _pipes_title(self) -> str:
        if self.calls is None or len(self.calls.rows) == 1:
            return t("drill.pipes")
        if self.moved:
            return t("drill.pipes.one", at=self.calls.at + 1, n=len(self.calls.rows))
        return t("drill.pipes.median")

    # ---- keys

    def action_back(self) -> None:
        """To the table."""
        self.app.pop_screen()

    def action_call(self, steps: int) -> None:
        """The call before or after, in time order."""
        if self.calls is not None and len(self.calls.rows) > 1:
            self.calls = self.calls.moved(steps)
            self.moved = True
            self.show(Part.SUMMARY)

    def action_scroll(self, lines: int) -> None:
        """For windows lower than the panels."""
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_explain(self) -> None:
        """Why it has its label: all calls, or the one that is looked at where it was chosen or has another label."""
        from npuscope.tui.screens.label import LabelScreen

        of_call = self.moved or drillanswer.differ(self.verdict, self._of_all)
        if of_call and self.calls is not None:
            page = LabelScreen(self.summary, "instances", self.calls.row, self._call_values(), self.verdict)
        else:
            page = LabelScreen(self.summary, self.level, self.row, self._values, self._of_all)
        self.app.push_screen(page)

    def action_copy_command(self) -> None:
        """The command that would collect what is missing."""
        if self.verdict.lacks:
            self.app.copy_to_clipboard(self.verdict.lacks[0].command)
            self.notify(t("ui.copied", text=self.verdict.lacks[0].command), markup=False)
        else:
            self.notify(t("drill.nothing_lacks"), markup=False)


def _height(panel: Widget) -> int:
    height = panel.styles.height
    return int(height.value) if height is not None and panel.display else 0
