"""The desk where ranks are read: asks the child process, and keeps what it answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from npuscope.parsers.profile import Run
from npuscope.parsers.say import Problem
from npuscope.sources.worker import Answer
from npuscope.tui.session import Part

if TYPE_CHECKING:  # imported with the first answer, not before the first frame
    from npuscope.analysis.ranks.against import RankOperators
    from npuscope.analysis.ranks.times import RankTimes

AHEAD = 2  # ranks asked for at once: what the person asks for must not wait behind sixty-four of them
TIMES, OPERATORS = "rank", "rank-operators"


class RankDesk:
    """Times of ranks, read a few at a time, and the operators of one rank against the others."""

    def __init__(self, ask: Callable[..., None], cancel: Callable[[str], None]) -> None:
        self._ask, self._cancel = ask, cancel  # Worker's
        self._asked: dict[str, Run] = {}
        self._wanted: list[Run] = []
        self._times: dict[str, tuple[str, tuple[RankTimes, ...]]] = {}
        self._operators: dict[str, tuple[str, RankOperators | float]] = {}

    def times(self, run: Run) -> tuple[RankTimes, ...] | None:
        """What is known of a run as it lies on disk now; None until it was read."""
        known = self._times.get(run.path)
        return known[1] if known is not None and known[0] == run.signature else None

    def want(self, runs: Sequence[Run]) -> None:
        """Read these; what was wanted before and is not among them is not read."""
        self._wanted = [run for run in runs if self.times(run) is None]
        self._ask_next()

    def _ask_next(self) -> None:
        asked = {(run.path, run.signature) for ticket, run in self._asked.items() if ticket.startswith(f"{TIMES} ")}
        waiting = [run for run in self._wanted if (run.path, run.signature) not in asked]
        for run in waiting[: max(0, AHEAD - len(asked))]:
            self._send(TIMES, run, "npuscope.tui.ranks.jobs:rank_times")

    def _send(self, what: str, run: Run, job: str, *args: Any) -> None:
        ticket = f"{what} {run.path} {run.signature}"
        if ticket not in self._asked:
            self._asked[ticket] = run
            self._ask(ticket, job, run, *args)

    def operators(self, run: Run) -> RankOperators | float | None:
        """A rank's operators against the others', or how far (0..1) the reading is; None when nobody asked."""
        known = self._operators.get(run.path)
        return known[1] if known is not None and known[0] == run.signature else None

    def compare(self, own: Run, others: Sequence[Run], late_by_pct: float | None) -> None:
        """Read the operators of a rank and of the others, unless that was done."""
        if self.operators(own) is None:
            self._operators[own.path] = (own.signature, 0.0)
            self._send(OPERATORS, own, "npuscope.tui.ranks.jobs:rank_operators", tuple(others), late_by_pct)

    def drop(self, own: Run) -> None:
        """Stop reading a rank's operators; what was read stays."""
        ticket = f"{OPERATORS} {own.path} {own.signature}"
        if self._asked.pop(ticket, None) is not None:
            self._cancel(ticket)
            self._operators.pop(own.path, None)

    def take(self, answer: Answer) -> Part:
        """Keep an answer; returns what changed."""
        run = self._asked.get(str(answer.ticket))
        if run is None:
            return Part(0)
        if answer.progress is None or answer.problem is not None:
            del self._asked[str(answer.ticket)]
        if str(answer.ticket).startswith(f"{TIMES} "):
            return self._take_times(run, answer)
        if answer.problem is not None:
            self._operators[run.path] = (run.signature, _uncompared(run, answer.problem))
        else:
            done = answer.value if answer.progress is None else answer.progress
            self._operators[run.path] = (run.signature, done)
        return Part.RUNS

    def _take_times(self, run: Run, answer: Answer) -> Part:
        if answer.progress is not None and answer.problem is None:
            return Part(0)
        found = answer.value
        if answer.problem is not None:
            found = (_unread(run, answer.problem),)
        self._times[run.path] = (run.signature, found)
        self._wanted = [wanted for wanted in self._wanted if wanted.path != run.path]
        self._ask_next()
        return Part.RUNS


def _unread(run: Run, problem: Problem) -> RankTimes:
    from npuscope.analysis.ranks.times import RankTimes

    return RankTimes(run, run.rank, state="damaged", reason=problem.message, problems=(problem,))


def _uncompared(run: Run, problem: Problem) -> RankOperators:
    from npuscope.analysis.ranks.against import RankOperators

    return RankOperators(run.path, problems=(problem,))
