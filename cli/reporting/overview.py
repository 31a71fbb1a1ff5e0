"""Many runs at a glance: one line for each, before their pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.cli.printing.textcolumns import columns, cut, cut_front
from npuscope.tui import numbers
from npuscope.tui.text import t

if TYPE_CHECKING:
    from npuscope.analysis.summary import Summary
    from npuscope.cli.report import Looked

HEADS = ("run", "state", "ops", "total", "idle", "label", "largest", "of-all")
NAME, TYPE = 50, 28
RIGHT = {2, 3, 4, 7}


def row(looked: Looked) -> list[str]:
    """The cells of one run; the first is its path, of which `lines` shows as much as tells runs apart."""
    run, summary = looked.run, looked.summary
    name = run.path
    state = t(f"profiles.state.{run.state}")
    if summary is None or not len(summary.types):
        return [name, state, *[numbers.DASH] * (len(HEADS) - 2)]
    return [name, state, *_cells(summary)]


def _cells(summary: Summary) -> list[str]:
    totals, types = summary.totals, summary.types
    idle = None if totals.busy_pct is None else 100 - totals.busy_pct
    share = 100 * float(types.numbers("total_us")[0]) / totals.once_us if totals.once_us else None
    return [
        numbers.count(int(types.numbers("count").sum())),
        numbers.time_in_words(totals.once_us),
        numbers.fixed(idle, 1),
        t(f"label.{summary.label}"),
        cut(types.strings("type")[0] or numbers.DASH, TYPE),
        numbers.fixed(share, 1),
    ]


def lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """The table, heads first."""
    return columns([[t(f"report.overview.{name}") for name in HEADS], *named(rows)], RIGHT)


def named(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """The rows with what tells each path from the others, its start cut where that is long."""
    return [[cut_front(name, NAME), *row[1:]] for name, row in zip(apart([row[0] for row in rows]), rows)]


def apart(names: Sequence[str]) -> list[str]:
    """The last part of each path, and as many before it as tell it from the others."""
    paths = [Path(name).parts for name in names]
    depth = [1] * len(paths)
    for _ in range(max(map(len, paths), default=0)):
        ends = Counter(parts[-long:] for parts, long in zip(paths, depth))
        again = [at for at, parts in enumerate(paths) if ends[parts[-depth[at] :]] > 1 and depth[at] < len(parts)]
        for at in again:
            depth[at] += 1
    return ["/".join(parts[-long:]) for parts, long in zip(paths, depth)]
