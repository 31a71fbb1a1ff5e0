"""What the child process does for the screens; runs there, never in the application's own process."""

from __future__ import annotations

from collections.abc import Callable

from npuscope.analysis.basis import Basis
from npuscope.analysis.summary import Summary
from npuscope.parsers.msprof.reader import quick_types
from npuscope.parsers.profile import Run
from npuscope.parsers.table import Table
from npuscope.sources.loading import load
from npuscope.tui.opening import is_known, judged, known_summary, open_summary, usual_cache
from npuscope.tui.runs import headlines
from npuscope.tui.session import BIG_BYTES, Headline


def open_run(run: Run, basis: Basis, cached: bool, progress: Callable[[float], None] | None = None) -> Summary:
    """Read and look at a profile, or bring it back."""
    return open_summary(run, basis, usual_cache(cached), progress)


def first_types(run: Run, basis: Basis, cached: bool, progress: Callable[[float], None] | None = None) -> Table | None:
    """The type table of a big file, before the rest of it is read; None when all of it is there at once."""
    return None if is_known(run, basis, usual_cache(cached)) else quick_types(run, progress)


def headline(run: Run, basis: Basis, cached: bool) -> Headline:
    """One line about a run; a big file is not read row by row for it."""
    known = known_summary(run, basis, usual_cache(cached))
    if known is None and run.size_bytes >= BIG_BYTES:
        return headlines.of_totals(quick_types(run))
    # a list keeps nothing: its many runs would take the place of those that were opened; nor does it tell of the host
    return headlines.of_summary(judged(load(run, most=0), basis) if known is None else known)
