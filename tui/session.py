"""What is loaded: readings, runs, opened profiles. Changed only in the UI thread, by the application's handlers."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from npuscope.analysis.live.history import History
from npuscope.parsers.profile import Run
from npuscope.parsers.readings import Chip, ChipKey, Reading
from npuscope.parsers.say import Problem
from npuscope.tui.live.merge import merged, without_profiled
from npuscope.tui.part import Part as Part

if TYPE_CHECKING:  # numpy is not imported before the first frame
    from npuscope.analysis.summary import Summary
    from npuscope.parsers.table import Table

UNKNOWN_SHAPES = "?"
KEPT_SUMMARIES = 6
BIG_BYTES = 24_000_000  # from here on totals are shown before the rest is read
STILL_COLLECTING_S = 60.0  # raw data that has not grown for so long belongs to a job that was killed


@dataclass(frozen=True)
class Headline:
    """One line about a run that was read: what the lists show."""

    total_us: float
    ops: int
    label: str
    label_pct: float | None = None
    aicore_pct: float | None = None
    chip: str | None = None
    cann: str | None = None
    problem: Problem | None = None
    work: tuple[str, ...] = ()  # the leading operators with their shapes: what makes two runs comparable
    state: str = ""  # what reading has shown; "" = nothing else than its files tell


class Pace:
    """How fast something goes on that is told from 0 to 1, since it was first told."""

    def __init__(self) -> None:
        self._began: tuple[float, float] | None = None

    def per_s(self, share: float, at: float) -> float | None:
        """The share done in a second; `at` in seconds of any clock. None until it is told a second time."""
        if self._began is None:
            self._began = (at, share)
        seconds, done = at - self._began[0], share - self._began[1]
        return done / seconds if seconds > 0 and done > 0 else None


@dataclass
class Opened:
    """A profile that was asked for: its summary once it is read, until then how far (0..1) the reading is, or was.

    Of a big file the totals come first: `counting` tells how far they are.
    """

    run: Run
    summary: Summary | None = None
    first: Table | None = None  # of a big file: type, core, count and total_us, before the rest is read
    problem: Problem | None = None
    progress: float | None = None
    gone: bool = False  # it is no longer on disk: what is shown is what was read
    stopped_at: float | None = None
    counting: float | None = None
    share_per_s: float | None = None
    _pace: Pace = field(default_factory=Pace)

    @property
    def rows(self) -> int | None:
        """How many operators the file has, as far as its totals are known."""
        return None if self.first is None else int(self.first.numbers("count").sum())

    def begin(self) -> None:
        """It is being read, from its start."""
        self.progress, self.stopped_at, self.problem = 0.0, None, None
        self._next_pass()

    def count(self, progress: float, at: float) -> None:
        """The totals are that far at that time, in seconds of any clock."""
        self.share_per_s = self._pace.per_s(progress, at) or self.share_per_s
        self.counting = progress

    def counted(self, first: Table | None) -> None:
        """The totals are there; None when they are not told before the rest."""
        self.first = self.first if first is None else first
        self._next_pass()

    def advance(self, progress: float, at: float) -> None:
        """The reading is that far at that time, in seconds of any clock."""
        self.share_per_s = self._pace.per_s(progress, at) or self.share_per_s
        self.progress = progress

    def stop(self) -> None:
        """The person has ended the reading."""
        self.stopped_at, self.progress = self.progress, None
        self._next_pass()

    def _next_pass(self) -> None:
        self.counting, self.share_per_s, self._pace = None, None, Pace()


@dataclass
class Session:
    """All state that outlives a screen."""

    host: str = ""
    history: History = field(default_factory=History)
    reading: Reading | None = None
    live_problem: Problem | None = None
    chips: dict[ChipKey, tuple[Chip, float]] = field(default_factory=dict)  # as last read, and when (Unix seconds)
    arrived: tuple[float, float] = (0.0, 0.0)  # the end of the last call, read or not: Unix seconds, monotonic seconds
    paused: bool = False
    roots: tuple[str, ...] = ()
    watched: str = ""
    closed: tuple[str, ...] = ()  # folders below the roots that could not be listed
    runs: tuple[Run, ...] = ()
    runs_known: bool = False
    headlines: dict[str, tuple[str, Headline]] = field(default_factory=dict)
    opened: OrderedDict[str, Opened] = field(default_factory=OrderedDict)
    current: str | None = None

    def take_reading(self, reading: Reading) -> None:
        """A new reading; one that failed keeps the values before it on the screen, with their age."""
        reading = without_profiled(reading, self.profiling(reading.taken_at))
        self.arrived = (reading.taken_at + reading.elapsed_s, time.monotonic())
        self.live_problem = reading.problems[0] if reading.problems and not reading.chips else None
        if reading.chips or self.reading is None:
            self.reading = reading
        if reading.chips:
            self.history.append(reading)
            self.chips = merged(self.chips, reading)

    def take_lead(self, readings: Iterable[Reading]) -> None:
        """Readings from before the start: history only."""
        for reading in readings:
            self.take_reading(reading)

    def profiling(self, at: float) -> bool:
        """Whether a profile is being collected: then AI Core reads 0 and means nothing."""
        return any(run.state == "collecting" and at - run.changed_at < STILL_COLLECTING_S for run in self.runs)

    def take_runs(self, runs: Iterable[Run]) -> list[Run]:
        """The runs found now, newest first; returns those that were open and changed on disk."""
        before, self.runs = self.runs, tuple(runs)
        self.runs_known = True
        listed = {run.path for run in before}
        by_path = {run.path: run for run in self.runs}
        changed = []
        for path, opened in self.opened.items():
            run = by_path.get(path)
            if run is None:
                opened.gone = opened.gone or path in listed
            elif opened.gone or (run.signature, run.state) != (opened.run.signature, opened.run.state):
                opened.gone = False
                changed.append(run)
        return changed

    def another_box(self, roots: tuple[str, ...]) -> None:
        """Nothing is known yet of its chips and folders; what is open stays open."""
        self.roots, self.runs, self.runs_known, self.watched, self.closed = roots, (), False, "", ()
        self.history, self.reading, self.live_problem, self.chips = History(), None, None, {}

    def headline(self, run: Run) -> Headline | None:
        """What is known about the run as it lies on disk now."""
        known = self.headlines.get(run.path)
        return known[1] if known and known[0] == run.signature else None

    def open(self, run: Run) -> Opened:
        """Make a run the current one; the least recently used summaries are let go."""
        opened = self.opened.pop(run.path, None)
        if opened is None or (opened.run.signature, opened.run.state) != (run.signature, run.state):
            kept = opened.summary if opened else None
            opened = Opened(run, summary=kept)
        self.opened[run.path] = opened
        self.current = run.path
        while len(self.opened) > KEPT_SUMMARIES:
            self.opened.popitem(last=False)
        return opened

    @property
    def now_open(self) -> Opened | None:
        """The profile the Operators screen shows."""
        return self.opened.get(self.current) if self.current else None
