"""Ranks: which rank of a job is late and why, one line a rank."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget

from npuscope.analysis.ranks.against import RankOperators, peers
from npuscope.analysis.ranks.jobs import Job, job_of
from npuscope.analysis.ranks.lateness import COMPUTE, RankLine
from npuscope.parsers.profile import Run
from npuscope.tui.messages import OpenRun
from npuscope.tui.ranks import live as ranklive
from npuscope.tui.ranks import pane as rankpane
from npuscope.tui.ranks import words as rankwords
from npuscope.tui.ranks.view import RankRows
from npuscope.tui.runs.view import READABLE
from npuscope.tui.screens.listkeys import ListKeys
from npuscope.tui.session import BIG_BYTES, Part
from npuscope.tui.text import t
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.gap import Gap
from npuscope.tui.widgets.panelrule import PanelRule
from npuscope.tui.widgets.ranklist import WIDE, RankList
from npuscope.tui.widgets.rundetail import RunDetail

PANE_LOW, PANE = 4, 6  # lines of the pane at less than 30 rows, and from there on


class RanksScreen(ListKeys):
    """The ranks of one job; enter sets the operators of one against those of the others."""

    MODE = "profiles"
    DEFAULT_CSS = f"""
    RanksScreen RunDetail {{ height: {PANE}; }}
    RanksScreen.-low RunDetail {{ height: {PANE_LOW}; }}
    """
    KEYS: ClassVar[Sequence[tuple[str, str, str]]] = (
        ("esc", "key.back", "back"),
        ("enter", "key.against", "open"),
        ("o", "key.operators", "operators"),
        ("l", "key.chip-now", "live"),
        ("s", "key.sort", "sort(1)"),
        ("r", "key.reverse", "reverse"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "reverse", show=False),
        Binding("enter,right,d", "open", show=False),
        Binding("o", "operators", show=False),
        Binding("l", "live", show=False),
        Binding("escape,backspace,left,h", "back", show=False),
    ]

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job
        self._led = False  # to the late rank, once all are read, unless the person has moved before
        self._live = False  # the pane tells what the rank's chip does now
        self.view = RankRows(job, lambda run: self.scope.desk.ranks.times(run))

    @property
    def listed(self) -> RankRows:
        return self.view

    def body(self) -> Iterable[Widget]:
        yield PanelRule(id="ranks-rule")
        yield RankList(self.view)
        yield Gap()
        yield PanelRule(id="rank-rule")
        yield RunDetail()

    # ---- what is shown

    def session_changed(self, part: Part) -> None:
        if part == Part.READINGS:
            if self._live:
                self._show_pane()
            return
        if not part & (Part.RUNS | Part.LOOK):
            return
        self._job = self._now()
        self.view.take(self._job)
        self.scope.desk.ranks.want(self._job.runs)
        self._explain()
        self._lead()
        ranks = self.query_one(RankList)
        height = list_height(self.size.height, self.has_class("-low"), len(self.view.rows))
        if ranks.styles.height is None or ranks.styles.height.value != height:
            ranks.styles.height = height
        ranks.repaint()
        heading = rankpane.title(self.view, self._folder(), wide=self.size.width >= WIDE)
        self.query_one("#ranks-rule", PanelRule).show(*heading)
        self._show_pane()

    def _show_pane(self) -> None:
        row = self.view.row
        heading, meta, lines = (
            rankpane.pane(row, self._folder(), self.view.table.verdict) if row is not None else ("", "", [])
        )
        if row is not None and self._live:
            reading = self.session.reading if self.session.live_problem is None else None
            lines = ranklive.lines(row.times, reading.chips if reading is not None else (), self.session.host)
        self.query_one("#rank-rule", PanelRule).show(heading, meta)
        self.query_one(RunDetail).show(lines)

    def _now(self) -> Job:
        """The job as it lies on disk now: ranks that came since, and files that changed."""
        for run in self._job.runs:
            found = job_of(run, self.session.runs)
            if found is not None:
                return found
        return self._job

    def _folder(self) -> str:
        return self._job.folder

    def answer(self) -> Answer:
        if self.complaint:
            return Answer("warn", self.complaint)
        table, read = self.view.table, len(self._job.runs) - len(self.view.unread)
        if self.view.unread:
            second = rankwords.verdict(table) if table.used > 1 else ""
            return Answer("none", t("ranks.read-so-far", done=read, of=len(self._job.runs)), second)
        operators = self._operators()
        second, *more = (*rankwords.second(table, operators), "")
        kind = "warn" if table.verdict.kind in ("compute", "free", "stages") else "info" if table.used else "none"
        return Answer(kind, rankwords.verdict(table), second, more=tuple(one for one in more if one))

    def _late(self) -> RankLine | None:
        """The rank whose operators would tell why it computes longer."""
        verdict = self.view.table.verdict
        return verdict.late[0] if verdict.kind == COMPUTE and not self.view.unread else None

    def _operators(self) -> RankOperators | None:
        late = self._late()
        found = self.scope.desk.ranks.operators(late.times.run) if late is not None else None
        return found if isinstance(found, RankOperators) else None

    def _explain(self) -> None:
        """Small files are read unasked: the answer says why the rank is late."""
        late = self._late()
        if late is not None and sum(run.size_bytes for run in self._job.runs) < BIG_BYTES:
            self._compare(late)

    def _lead(self) -> None:
        """The cursor to the late rank: of sixty-four it may stand out of sight."""
        late = self.view.table.verdict.late
        if not self._led and late and not self.view.unread:
            self._led = True
            self.view.go_to(late[0].times)

    def _compare(self, line: RankLine) -> None:
        others = [one.run for one in peers(line.times, [other.times for other in self.view.table.lines])]
        late_by = line.late_by_pct if line.code == COMPUTE else None
        self.scope.desk.ranks.compare(line.times.run, others, late_by)

    # ---- keys

    def action_back(self) -> None:
        """To the list of runs; what was not read yet is not read for this screen any more."""
        self.scope.desk.ranks.want(())
        self.dismiss(None)

    def moved(self) -> None:
        self._led = True
        super().moved()

    def action_live(self) -> None:
        """What the chip of the rank at the cursor does now, in place of what its time was made of; again: back."""
        self._live = not self._live
        self.moved()

    def action_operators(self) -> None:
        """The operators of the rank at the cursor by themselves."""
        run = self._chosen()
        if run is None:
            return
        if run.state not in READABLE:
            self.say(t("ranks.needs", rank=run.rank, state=t(f"profiles.state.{run.state}")))
            return
        late = self._late()
        if late is not None:  # what the person asks for does not wait behind what was read unasked
            self.scope.desk.ranks.drop(late.times.run)
        self.post_message(OpenRun(run))

    def action_open(self) -> None:
        """The operators of the rank at the cursor against the median of the others; by themselves without others."""
        from npuscope.tui.screens.rankoperators import RankOperatorsScreen

        run, row = self._chosen(), self.view.row
        if run is None or row is None:
            return
        if row.line is None or not row.line.times.known or self.view.table.used < 2:
            self.action_operators()
            return
        self._compare(row.line)
        self.app.push_screen(RankOperatorsScreen(row.line))

    def _chosen(self) -> Run | None:
        row = self.view.row
        if row is not None and row.run is None:
            self.say(t("ranks.missing.one", ranks=row.rank))
        return row.run if row is not None else None


def list_height(rows: int, low: bool, wanted: int) -> int:
    """Lines of the table: its ranks and the head, as far as a window of `rows` has room above the pane."""
    gaps, pane = (0, PANE_LOW) if low else (3, PANE)
    taken = 1 + 2 + gaps + 1 + 1 + pane + 1  # tabs, answer, blanks, two rules, pane, keys
    return max(4, min(rows - taken, wanted + 1))
