"""Live: what every chip does now and has done, who holds its memory, and the newest profiles."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from textual.widget import Widget

from npuscope.parsers.readings import ChipKey
from npuscope.sources.box import look
from npuscope.tui import firstcontact
from npuscope.tui.filtering import Condition
from npuscope.tui.live import chips as live_chips
from npuscope.tui.live import heights as live_heights
from npuscope.tui.live import meta as live_meta
from npuscope.tui.live import notes as live_notes
from npuscope.tui.live import processes as live_processes
from npuscope.tui.live import runs as live_runs
from npuscope.tui.live.answer import answer_of
from npuscope.tui.live.chips import ChipLine, Note
from npuscope.tui.live.order import Order
from npuscope.tui.live.processes import ProcessLine
from npuscope.tui.live.state import LiveState, is_cut, late_of, state_of
from npuscope.tui.messages import WantHeadlines
from npuscope.tui.runs.words import watched_in_words, where
from npuscope.tui.screens.livekeys import LiveKeys
from npuscope.tui.session import Part
from npuscope.tui.text import t, told
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.widgets.firstcontact import FirstContact
from npuscope.tui.widgets.gap import Gap
from npuscope.tui.widgets.meanplot import MeanPlot

WIDE_NOTE = 24  # cells: a filter looks at the long wording of notes whatever the window shows


class LiveScreen(LiveKeys):
    """The first screen."""

    MODE = "live"
    DEFAULT_CSS = """
    LiveScreen .-unused { display: none; }
    LiveScreen #last-gap { height: 1fr; }
    LiveScreen.-first LivePanel, LiveScreen.-first MeanPlot, LiveScreen.-first .between,
    LiveScreen.-first #last-gap { display: none; }
    LiveScreen.-first FirstContact { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.plot = MeanPlot()
        self._steady = live_meta.Steady()
        self._heights: live_heights.Heights | None = None

    def body(self) -> Iterable[Widget]:
        yield self.chips
        yield Gap("between")
        yield self.plot
        yield Gap("between plot-gap")
        yield self.processes
        yield Gap("between processes-gap")
        yield self.profiles
        yield LastGap()
        yield FirstContact()

    def on_mount(self) -> None:
        super().on_mount()
        self.show(Part.ALL)  # before the first layout: a second one would send the whole screen once more
        self.set_interval(1.0, self._grow_older)

    def _grow_older(self) -> None:
        # ages are counted while nothing arrives that could bring them up to date
        if not self.is_current or self.session.paused:
            return
        if self.session.live_problem is not None or late_of(self.session) != self.state.late_s:
            self.show(Part.READINGS)

    # ---- what is shown

    def taken_at(self) -> float:
        reading = self.state.reading
        return reading.taken_at if reading else self.scope.started_at

    def answer(self) -> Answer:
        if self.first:
            usual = Answer("none", t("first.title"), t("first.title.more"))
        else:
            usual = answer_of(self.state, self.size.width, self.session.paused)
        return Answer("warn", self.complaint, usual.first) if self.complaint else usual

    def show(self, part: Part) -> None:
        if self.is_attached:
            self.state = self.frozen or state_of(self.session)
            self._decide_first()
        super().show(part)

    def session_changed(self, part: Part) -> None:
        if self.first:
            self._show_first()
            return
        self._arrange()
        if part & (Part.READINGS | Part.LOOK):
            self._show_readings()
        if part & (Part.RUNS | Part.LOOK):
            self._show_runs()

    def _decide_first(self) -> None:
        problem = self.session.live_problem
        nothing = problem is not None and problem.code == "not-found" and not self.state.chips
        self.first = nothing and self.session.runs_known and not self.session.runs
        self.set_class(self.first, "-first")

    def _show_first(self) -> None:
        box = look(self.scope.options.npu_smi, os.environ)
        lines = firstcontact.lines_of(box, self._place(), watched_in_words(self.session.watched))
        self.query_one(FirstContact).show([firstcontact.Line(), *lines] if self.has_class("-low") else lines)

    def _place(self) -> str:
        return where(self.session.roots, os.getcwd())  # noqa: PTH109

    def _arrange(self) -> None:
        """Columns by the width, lines by the height; nothing happens while both stay the same."""
        width, height = self.size
        chips = self.state.chips
        traits = live_chips.traits(chips)
        self.chips.fit_to(width, traits)
        note = self.chips.layout_now.note
        self.processes.fit_to(width, note)
        self.profiles.fit_to(width, note)
        self.plot.plot.fit_to(width)
        rows = len({chip.npu_id for chip in chips}) if traits.dies == 2 else len(chips)
        if self.maximised:
            heights = live_heights.maximised(height, self.maximised)
        elif not chips and self.session.live_problem is not None:
            heights = live_heights.without_chips(height)
        else:
            heights = live_heights.share(height, rows or live_heights.FEWEST_CHIPS, traits.dies == 2)
        if heights != self._heights:
            self._heights = heights
            self._set_heights(heights)

    def _set_heights(self, heights: live_heights.Heights) -> None:
        sizes: tuple[tuple[Widget, int, str], ...] = (
            (self.chips, heights.chips, ""),
            (self.plot, heights.plot, ".plot-gap"),
            (self.processes, heights.processes, ".processes-gap"),
            (self.profiles, heights.profiles, ""),
        )
        for widget, lines, gap in sizes:
            widget.styles.height = lines
            widget.set_class(not lines, "-unused")
            if gap:
                self.query_one(gap).set_class(not lines, "-unused")

    # ---- panels

    def _show_readings(self) -> None:
        state = self.state
        notes = live_notes.notes_of(state)
        self._show_chips(state, notes)
        self._show_processes(state, notes)
        if self._heights is not None and self._heights.plot:
            self.plot.plot.mean.update(self.session.history, [chip.key for chip in state.chips], state.now)
            self.plot.show(live_runs.marks(self.session.runs))

    def _show_chips(self, state: LiveState, notes: Mapping[ChipKey, Note]) -> None:
        panel = self.chips
        lines = live_chips.lines_of(
            state.chips, notes, state.stale, live_processes.words_on(state.reading), lambda note: told_note(note)
        )
        keys = [chip.key for chip in state.chips]
        if keys:
            panel.view.bins.update(self.session.history, keys, state.now)
        panel.view.dim = state.problem is not None
        shown = ordered_chips(panel.order, self.conditions["chips"], lines, state.now)
        linked = self.link()
        # filled first: what is out of sight depends on it
        panel.show(shown, live_meta.memory_head(state.chips), self._why_no_chips(state, len(lines)))
        more = live_meta.out_of_sight(shown, panel.in_window()) if panel.room else ""
        title, fixed, moving = live_meta.chips_rule(
            state, self.size.width, self.session.host, self._steady, self._interval_s(), more
        )
        if self.conditions["chips"]:
            fixed = t("live.meta.filter", n=len(shown), all=len(lines), filter=self.filters["chips"])
        elif linked and self.linked is not None and self.linked[0] is self.processes:
            fixed = "   ".join(part for part in (fixed.partition("   ")[0], linked) if part)
        panel.rule.show(title, fixed, moving)

    def _interval_s(self) -> float:
        return float(getattr(self.scope.options.source, "interval_s", 0.0))

    def _why_no_chips(self, state: LiveState, n: int) -> str:
        if n:
            return t("live.filter.none", filter=self.filters["chips"], n=n)
        if state.problem is not None:
            return "\n".join(told(said) for said in (state.problem.message, state.problem.hint) if said is not None)
        return t("live.waiting") if state.reading is None else t("live.no_chips")

    def _show_processes(self, state: LiveState, notes: Mapping[ChipKey, Note]) -> None:
        panel = self.processes
        lines = live_processes.lines_of(state.reading, state.chips, notes) if state.reading else ()
        kind, _ = live_meta.memory_head(state.chips)
        panel.names = {"hbm": kind, "chips": "cards" if live_chips.has_two_dies(state.chips) else "chips"}
        shown = ordered_processes(panel.order, self.conditions["processes"], lines, state.now)
        if panel.linked and self.active is not panel:
            panel.listing.reveal(lambda line: not panel.linked.isdisjoint(panel.link_keys(line)), panel.room)
        linked = self.link()
        of = linked if self.linked is not None and self.linked[0] is self.chips else ""
        found = any(not panel.linked.isdisjoint(panel.link_keys(line)) for line in lines)
        sorted_by = kind if panel.order.column == "hbm" else panel.order.column
        rule = live_meta.processes_rule(
            self.size.width, panel.room, len(shown), len(lines), sorted_by, of, found, is_cut(state)
        )
        panel.rule.show(*rule)
        panel.show(
            shown,
            state.reading.taken_at if state.reading else 0.0,
            state.problem is not None,
            self._why_none(state, lines),
        )

    def _why_none(self, state: LiveState, lines: tuple[ProcessLine, ...]) -> str:
        if lines:
            return t("live.filter.none.processes", filter=self.filters["processes"], n=len(lines))
        if state.reading is None or not state.chips:
            return ""
        if not state.reading.processes_known:
            return t("live.processes.cut" if is_cut(state) else "live.processes.unknown")
        return f"{t('live.processes.none')} {t('live.processes.container')}"

    def _show_runs(self) -> None:
        panel, session = self.profiles, self.session
        lines = live_runs.lines_of(session, max(3, panel.room) if not self.maximised else max(3, self.size.height))
        wanted = live_runs.wanted(session, lines)
        if wanted:
            self.post_message(WantHeadlines(wanted))
        place = self._place()
        panel.rule.show(
            *live_meta.runs_rule(self.size.width, place, len(session.runs), watched_in_words(session.watched))
        )
        panel.show(lines, t("live.profiles.none" if session.runs_known else "live.profiles.looking", root=place))


class LastGap(Gap):
    """What is left of the window, over the keys."""

    def __init__(self) -> None:
        super().__init__()
        self.id = "last-gap"
        self.remove_class("gap")


def told_note(note: Note | None) -> str:
    """The long wording of a note."""
    return live_notes.told(note, WIDE_NOTE)


def ordered_chips(
    order: Order, conditions: Sequence[Condition], lines: Sequence[ChipLine], now: float
) -> list[ChipLine]:
    """The rows that meet the filter, in their order."""
    by_label = {line.label: line for line in lines if live_chips.matches(line, conditions, told_note(line.note))}
    rows = [(label, live_chips.sort_value(line, order.column)) for label, line in by_label.items()]
    return [by_label[str(key)] for key in order.arrange(rows, now)]


def ordered_processes(
    order: Order, conditions: Sequence[Condition], lines: Sequence[ProcessLine], now: float
) -> list[ProcessLine]:
    """The rows that meet the filter, in their order."""
    by_pid = {line.pid: line for line in lines if live_processes.matches(line, conditions, told_note(line.note))}
    rows = [(pid, live_processes.sort_value(line, order.column, now)) for pid, line in by_pid.items()]
    return [by_pid[int(str(key))] for key in order.arrange(rows, now)]
