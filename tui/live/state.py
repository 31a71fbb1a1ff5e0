"""Everything the Live screen shows of the chips at one moment. A pause keeps one of these while reading goes on."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from npuscope.analysis.live.hints import Hint, busy_stop, hints
from npuscope.analysis.live.history import INCOMPLETE
from npuscope.parsers.readings import Chip, ChipKey, Reading
from npuscope.parsers.say import Problem
from npuscope.tui.live.merge import gone
from npuscope.tui.session import Session

# a reading is overdue when the usual time between two has passed so many times; its age is counted in such steps
LATE_PERIODS, LATE_STEP_S = 2.0, 5.0


@dataclass(frozen=True)
class LiveState:
    """now = Unix seconds up to which histories run; `stale` has the chips whose values are older than the reading.

    `stopped` tells since when chips stand at 0 that stopped together, `gone` since when whole
    tables lack chips that were there: of these nothing but the name is known. `problem` is set while nothing can be
    read at all: then every value is as old as `reading`. `late_s` is that age while a reading is overdue, else 0.
    """

    now: float
    reading: Reading | None = None
    chips: tuple[Chip, ...] = ()
    stale: Mapping[ChipKey, float] = field(default_factory=dict)
    problem: Problem | None = None
    hints: tuple[Hint, ...] = ()
    stopped: Mapping[ChipKey, float] = field(default_factory=dict)
    gone: Mapping[ChipKey, float] = field(default_factory=dict)
    late_s: float = 0.0

    @property
    def present(self) -> tuple[Chip, ...]:
        """The chips that are there."""
        return tuple(chip for chip in self.chips if chip.key not in self.gone)

    @property
    def age_s(self) -> float:
        """How old the values are."""
        return max(0.0, self.now - self.reading.taken_at) if self.reading else 0.0


def state_of(session: Session, monotonic: float | None = None) -> LiveState:
    """The present state of the session."""
    reading, problem = session.reading, session.live_problem
    if reading is None:
        return LiveState(now=0.0, problem=problem)
    now = reading.taken_at
    if problem is not None:
        ended, at = session.arrived
        now = ended + (time.monotonic() if monotonic is None else monotonic) - at
    known, lost = session.chips, dict(session.history.gone)
    found = () if problem is not None else hints(session.history, session.profiling(now))
    return LiveState(
        now=now,
        reading=reading,
        chips=tuple(gone(chip) if chip.key in lost else chip for chip, _ in known.values()),
        stale={key: at for key, (_, at) in known.items() if at < reading.taken_at and key not in lost},
        problem=problem,
        hints=found,
        gone=lost,
        late_s=late_of(session, monotonic) if problem is None else 0.0,
        stopped=_stopped(session) if any(hint.code == "sudden-stop" for hint in found) else {},
    )


def is_cut(state: LiveState) -> bool:
    """Whether the last table ended early: what it does not list may be there."""
    return state.reading is not None and any(problem.code in INCOMPLETE for problem in state.reading.problems)


def late_of(session: Session, monotonic: float | None = None) -> float:
    """How old the values are, once the next reading is overdue: in steps of LATE_STEP_S, for a step costs bytes."""
    reading = session.reading
    if reading is None:
        return 0.0
    waited = (time.monotonic() if monotonic is None else monotonic) - session.arrived[1]
    limit = LATE_PERIODS * max(reading.period_s or session.history.period(), reading.elapsed_s, 1.0)
    age = waited + reading.elapsed_s
    return 0.0 if waited < limit else max(limit, age // LATE_STEP_S * LATE_STEP_S)


def _stopped(session: Session) -> dict[ChipKey, float]:
    stops = {key: busy_stop(session.history, key) for key in session.chips}
    return {key: stop.at for key, stop in stops.items() if stop is not None}
