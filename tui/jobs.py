"""What the child process does for the screens; runs there, never in the application's own process."""

from __future__ import annotations

from collections.abc import Callable

from npuscope.analysis.summarize import summarize
from npuscope.analysis.summary import Summary
from npuscope.parsers.msprof.reader import quick_types, read_profile
from npuscope.parsers.profile import Run
from npuscope.parsers.table import Table
from npuscope.tui.session import UNKNOWN_SHAPES, Headline


def open_run(
    run: Run, chip: str | None, hbm_gbps: float | None, progress: Callable[[float], None] | None = None
) -> Summary:
    """Read and look at a profile."""
    return summarize(read_profile(run, progress), chip, hbm_gbps)


def first_types(run: Run) -> Table:
    """The type table of a big file, before the rest of it is read."""
    return quick_types(run)


def headline(run: Run, chip: str | None, hbm_gbps: float | None) -> Headline:
    """One line about a run."""
    summary = summarize(read_profile(run), chip, hbm_gbps)
    totals = summary.totals
    share = summary.label_us.get(summary.label)
    return Headline(
        total_us=totals.total_us,
        ops=totals.rows,
        label=summary.label,
        label_pct=100 * share / totals.total_us if share is not None and totals.total_us else None,
        aicore_pct=totals.aicore_pct,
        chip=summary.chip.name,
        cann=summary.profile.metadata.cann,
        problem=summary.problems[0] if summary.problems else None,
        work=work_of(summary.shapes),
    )


def work_of(shapes: Table, most: int = 12) -> tuple[str, ...]:
    """The operators that take most of the time, with their input shapes, largest first."""
    types, inputs = shapes.strings("type"), shapes.strings("input_shapes")
    return tuple(f"{types[row] or ''} {inputs[row] or UNKNOWN_SHAPES}" for row in range(min(most, len(shapes))))
