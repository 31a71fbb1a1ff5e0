"""What the child process does for the screens; runs there, never in the application's own process."""

from __future__ import annotations

from collections.abc import Callable

from npuscope.analysis.summarize import summarize
from npuscope.analysis.summary import Summary
from npuscope.parsers.msprof.reader import quick_types, read_profile
from npuscope.parsers.profile import Run
from npuscope.parsers.table import Table
from npuscope.tui import headlines
from npuscope.tui.session import BIG_BYTES, Headline


def open_run(
    run: Run, chip: str | None, hbm_gbps: float | None, progress: Callable[[float], None] | None = None
) -> Summary:
    """Read and look at a profile."""
    return summarize(read_profile(run, progress), chip, hbm_gbps)


def first_types(run: Run) -> Table:
    """The type table of a big file, before the rest of it is read."""
    return quick_types(run)


def headline(run: Run, chip: str | None, hbm_gbps: float | None) -> Headline:
    """One line about a run; a big file is not read row by row for it."""
    if run.size_bytes >= BIG_BYTES:
        return headlines.of_totals(quick_types(run))
    return headlines.of_summary(summarize(read_profile(run), chip, hbm_gbps))
