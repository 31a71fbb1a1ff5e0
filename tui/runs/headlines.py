"""One line about a run, from what was read of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npuscope.parsers.say import Problem
from npuscope.tui.session import UNKNOWN_SHAPES, Headline

if TYPE_CHECKING:  # the application imports this before numpy may be there
    from npuscope.analysis.summary import Summary
    from npuscope.parsers.table import Table

LEADING = 12
UNREAD = "unread"  # shown as a dash: nothing was labelled yet


def of_summary(summary: Summary) -> Headline:
    """Everything the lists show."""
    totals = summary.totals
    share = summary.label_us.get(summary.label)
    return Headline(
        total_us=totals.once_us,
        ops=totals.rows,
        label=summary.label,
        label_pct=100 * share / totals.once_us if share is not None and totals.once_us else None,
        aicore_pct=totals.aicore_pct,
        chip=summary.chip.name,
        cann=summary.profile.metadata.cann,
        problem=_first_problem(summary),
        work=work_of(summary.shapes),
        state=summary.profile.run.state,
    )


def _first_problem(summary: Summary) -> Problem | None:
    """What lacks in a run that is not whole; else the first remark on its numbers."""
    run = summary.profile.run
    if run.state == "partial" and run.reason is not None:
        return Problem("not-whole", run.reason)
    return summary.problems[0] if summary.problems else None


def of_totals(types: Table) -> Headline:
    """Time and count of a big file whose rows were not looked at one by one."""
    return Headline(
        total_us=float(types.numbers("total_us").sum()), ops=int(types.numbers("count").sum()), label=UNREAD
    )


def work_of(shapes: Table, most: int = LEADING) -> tuple[str, ...]:
    """The operators that take most of the time, with their input shapes, largest first."""
    types, inputs = shapes.strings("type"), shapes.strings("input_shapes")
    rows = range(min(most, len(shapes)))
    return tuple(f"{types[row] or ''} {inputs[row] or UNKNOWN_SHAPES}" for row in rows)
