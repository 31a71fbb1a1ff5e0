"""Many runs at a glance: one line for each, before their pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from npuscope.cli.textcolumns import columns, cut
from npuscope.tui import numbers
from npuscope.tui.text import t

if TYPE_CHECKING:
    from npuscope.analysis.summary import Summary
    from npuscope.cli.report import Looked

HEADS = ("run", "state", "ops", "total", "idle", "label", "largest", "of-all")
NAME, TYPE = 44, 28
RIGHT = {2, 3, 4, 7}


def row(looked: Looked) -> list[str]:
    """The cells of one run."""
    run, summary = looked.run, looked.summary
    rank = run.rank if run.rank is not None or summary is None else summary.profile.metadata.rank
    name = cut(run.name, NAME) + (t("report.inner", text=t("report.rank", rank=rank)) if rank is not None else "")
    state = t(f"profiles.state.{run.state}")
    if summary is None or not len(summary.types):
        return [name, state, *[numbers.DASH] * (len(HEADS) - 2)]
    return [name, state, *_cells(summary)]


def _cells(summary: Summary) -> list[str]:
    totals, types = summary.totals, summary.types
    idle = None if totals.busy_pct is None else 100 - totals.busy_pct
    share = 100 * float(types.numbers("total_us")[0]) / totals.total_us if totals.total_us else None
    return [
        numbers.count(int(types.numbers("count").sum())),
        numbers.time_in_words(totals.total_us),
        numbers.fixed(idle, 1),
        t(f"label.{summary.label}"),
        cut(types.strings("type")[0] or numbers.DASH, TYPE),
        numbers.fixed(share, 1),
    ]


def lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """The table, heads first."""
    return columns([[t(f"report.overview.{name}") for name in HEADS], *rows], RIGHT)
