"""The desk where profiles are opened: asks the child process, and puts its answers into the session."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from npuscope.parsers.profile import Run
from npuscope.sources.worker import Answer, Worker
from npuscope.tui.files.desk import FileDesk
from npuscope.tui.launch import Options
from npuscope.tui.messages import WorkerAnswered
from npuscope.tui.ranks.desk import RankDesk
from npuscope.tui.runs import headlines
from npuscope.tui.session import BIG_BYTES, Headline, Opened, Part, Session

if TYPE_CHECKING:
    from textual.message import Message

READABLE = ("ready", "partial")
JOBS = "npuscope.tui.jobs"
AHEAD = 2  # headlines asked for at once: the person's own request must not wait behind a list


class ProfileDesk:
    """Two child processes: one for what is opened, one for the lists and for what is opened while the first reads."""

    def __init__(
        self,
        session: Session,
        options: Options,
        post: Callable[[Message], object],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._clock = clock
        self._options = options
        self._post = post
        self._worker, self._aside = Worker(self._answered), Worker(self._answered)
        self.ranks = RankDesk(self._aside.ask, self._aside.cancel)
        self.files = FileDesk(self._aside.ask, self._aside.cancel)
        self._asked: dict[str, tuple[str, Run, Worker]] = {}
        self._wanted: list[Run] = []

    def _answered(self, answer: Answer) -> None:
        # in the worker's thread
        self._post(WorkerAnswered(answer))

    def stop(self) -> None:
        """End the children."""
        self._worker.stop()
        self._aside.stop()

    def warm_up(self) -> None:
        """Start the child ahead of need."""
        self._worker.warm_up(JOBS)

    def open(self, run: Run, again: bool = False) -> None:
        """Make a run the one on the Operators screen and have it read, unless it already is."""
        current, before = self._session.current, self._session.opened.get(run.path)
        opened = self._session.open(run)
        if again:
            self._session.current = current
            if before is not None and before.stopped_at is not None:
                opened.stopped_at = before.stopped_at
                return
        if opened.summary is not None and opened.summary.profile.run.signature == run.signature:
            return
        if run.state not in READABLE:
            return
        opened.begin()
        if run.size_bytes >= BIG_BYTES and opened.summary is None:
            self._drop("headline", run)  # the totals tell it too
            self._ask("first", run, f"{JOBS}:first_types")
        self._ask("open", run, f"{JOBS}:open_run")

    def cancel(self, opened: Opened) -> None:
        """Stop reading a run; it is read from its start when it is opened again."""
        for what in ("open", "first"):  # the running one last: none may start in between
            self._drop(what, opened.run)
        opened.stop()

    def _drop(self, what: str, run: Run) -> None:
        ticket = ticket_of(what, run)
        if ticket in self._asked:
            self._asked.pop(ticket)[2].cancel(ticket)

    def want_headlines(self, runs: tuple[Run, ...]) -> None:
        """Read what a list shows, a few at a time; what is no longer shown is not read."""
        opened = {run.path for what, run, _ in self._asked.values() if what != "headline"}
        self._wanted = [
            run
            for run in runs
            if run.state in READABLE and run.path not in opened and self._session.headline(run) is None
        ]
        self._ask_next()

    def _ask_next(self) -> None:
        running = sum(1 for what, *_ in self._asked.values() if what == "headline")
        for run in self._wanted[: max(0, AHEAD - running)]:
            self._ask("headline", run, f"{JOBS}:headline")

    def _ask(self, what: str, run: Run, job: str) -> None:
        ticket = ticket_of(what, run)
        if ticket not in self._asked:
            worker = self._aside if what == "headline" else self._reader(run)
            self._asked[ticket] = (what, run, worker)
            options = self._options
            worker.ask(ticket, job, run, options.basis, options.cached)

    def _reader(self, run: Run) -> Worker:
        """Who reads a run that was opened: who has begun with it, else who reads no other."""
        reading = {other.path: worker for what, other, worker in self._asked.values() if what != "headline"}
        if run.path in reading:
            return reading[run.path]
        busy = list(reading.values())
        return self._aside if self._worker in busy and self._aside not in busy else self._worker

    def take(self, answer: Answer) -> Part:
        """Put an answer into the session; returns what changed."""
        ticket = str(answer.ticket)
        if ticket not in self._asked:
            return self.ranks.take(answer) | self.files.take(answer)
        what, run, _ = self._asked[ticket]
        if answer.progress is None or answer.problem is not None:
            del self._asked[ticket]
        if what == "headline":
            return self._take_headline(run, answer)
        return self._take_first(run, answer) if what == "first" else self._take_summary(run, answer)

    def _take_headline(self, run: Run, answer: Answer) -> Part:
        if answer.problem is not None:
            unreadable = Headline(float("nan"), 0, "unknown", problem=answer.problem)
            self._session.headlines[run.path] = (run.signature, unreadable)
        elif isinstance(answer.value, Headline):
            self._session.headlines[run.path] = (run.signature, answer.value)
        else:
            return Part(0)
        self._wanted = [wanted for wanted in self._wanted if wanted.path != run.path]
        self._ask_next()
        return Part.RUNS

    def _take_first(self, run: Run, answer: Answer) -> Part:
        # a problem is told by the reading of the whole file
        opened = self._session.opened.get(run.path)
        if opened is None or opened.run.signature != run.signature:
            return Part(0)
        if answer.progress is not None:
            opened.count(answer.progress, self._clock())
        else:
            opened.counted(answer.value)
        if answer.value is not None:
            self._session.headlines[run.path] = (run.signature, headlines.of_totals(answer.value))
        return Part.SUMMARY

    def _take_summary(self, run: Run, answer: Answer) -> Part:
        opened = self._session.opened.get(run.path)
        if opened is None or opened.run.signature != run.signature:
            return Part(0)
        if answer.progress is not None:
            opened.advance(answer.progress, self._clock())
        else:
            opened.progress, opened.problem = None, answer.problem
            if answer.value is not None:
                opened.summary = answer.value
                self._session.headlines[run.path] = (run.signature, headlines.of_summary(answer.value))
        return Part.SUMMARY


def ticket_of(what: str, run: Run) -> str:
    """The name of a request: one per run as it lies on disk."""
    return f"{what} {run.path} {run.signature}"
