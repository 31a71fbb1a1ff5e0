"""The profiles list of the Live screen as texts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from npuscope.parsers.profile import Run
from npuscope.tui import numbers
from npuscope.tui.paint import fit, fit_middle
from npuscope.tui.runs.view import against, change_pct, runs_before, state_of, told_apart
from npuscope.tui.runs.view import started as run_started
from npuscope.tui.session import Headline, Session
from npuscope.tui.text import t

IN_PROGRESS = frozenset(("collecting", "exporting"))
READABLE = frozenset(("ready", "partial"))
NEEDS = frozenset(("collected", "partial"))
WRONG = frozenset(("unreadable", "damaged"))
STAMP = 11  # PROF_000003: what tells one run from the other stands in front


@dataclass(frozen=True)
class RunLine:
    """One run: what is known of it and the change of its total against the run before, in percent."""

    run: Run
    headline: Headline | None = None
    change_pct: float | None = None
    before: str = ""

    @property
    def state(self) -> str:
        """What its files tell, or what reading has shown."""
        return state_of(self.run, self.headline)

    @property
    def state_token(self) -> str:
        """Colour of the state word."""
        state = self.state
        return "accent" if state in IN_PROGRESS else "bad" if state in WRONG else "warn" if state in NEEDS else "text"


def lines_of(session: Session, most: int) -> tuple[RunLine, ...]:
    """The newest runs."""
    earlier = _before(session)
    return tuple(_line(session, run, earlier(run)) for run in session.runs[:most])


def _before(session: Session) -> Callable[[Run], Run | None]:
    before = runs_before(sorted(session.runs, key=run_started, reverse=True))
    return lambda run: against(run, before.get(run.path, ()), session.headline)


def _line(session: Session, run: Run, before: Run | None) -> RunLine:
    headline = session.headline(run)
    change = None if before is None else change_pct(headline, session.headline(before))
    name = told_apart((run, before)).get(before.path, serial(before.name)) if before is not None else ""
    return RunLine(run, headline, change, name)


def wanted(session: Session, lines: Sequence[RunLine]) -> tuple[Run, ...]:
    """The runs whose contents should be read: those shown, and those their changes are against."""
    runs = [line.run for line in lines]
    earlier = _before(session)
    others = [before for run in runs if (before := earlier(run)) is not None]
    unique = {run.path: run for run in (*runs, *others)}
    return tuple(run for run in unique.values() if run.state in READABLE and session.headline(run) is None)


def short_name(name: str, width: int) -> str:
    """A run's name in `width` cells: of a PROF folder number and date, the rest is a hash."""
    if name.startswith("PROF_"):
        return name[:width] if width <= STAMP else fit(name, width)
    return fit_middle(name, width)


def serial(name: str) -> str:
    """`000001` of PROF_000001_2026...; else the name."""
    parts = name.split("_")
    return parts[1] if name.startswith("PROF_") and len(parts) > 1 else name


def started(run: Run) -> str:
    """When it was begun, or else last written."""
    at = run.started_at or run.changed_at
    return time.strftime("%H:%M:%S", time.localtime(at)) if at else numbers.DASH


def total(headline: Headline) -> str:
    """18.21 ms: four digits, as totals are quoted."""
    return numbers.time_in_words(headline.total_us, 4)


def marks(runs: Sequence[Run], most: int = 8) -> list[tuple[float, str]]:
    """(start, name) of the newest runs, for the plot."""
    found = ((run.started_at, short_name(run.name, STAMP)) for run in runs if run.started_at)
    return list(islice(found, most))


def label(headline: Headline) -> tuple[str, str]:
    """`memory 45 %` and the label's key."""
    word = t(f"label.{headline.label}")
    if headline.label_pct is None:
        return word, headline.label
    return t("live.run.label", label=word, pct=headline.label_pct), headline.label
