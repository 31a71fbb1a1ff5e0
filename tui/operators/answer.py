"""The three lines over an opened profile, and what is true of its whole table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from rich.cells import cell_len

from npuscope.analysis.summary import Summary
from npuscope.analysis.times.carried import told_once_us
from npuscope.tui.fitting import fitted
from npuscope.tui.operators import stepwords
from npuscope.tui.operators import words as opwords
from npuscope.tui.session import Opened
from npuscope.tui.tableview import TableView
from npuscope.tui.text import t, told
from npuscope.tui.theming import HUES
from npuscope.tui.widgets.answer import Answer

WIDE = 100  # cells from which on rules have room for more
JOINED_APART = "join-apart"  # the remark that joined runs are hardly runs of one situation: it comes first
MARGINS = 4  # cells left and right of the lines


def answer_of(opened: Opened | None, width: int, roomy: bool = True) -> Answer:
    """What the Operators screen says on top, at a width of so many cells; roomy = a line more costs nobody a row."""
    if opened is None:
        return Answer("none", t("operators.none"), t("operators.none.next"))
    if opened.summary is not None:
        said = answer(opened.summary, width, roomy)
        return replace(said, kind="warn", second=t("operators.gone"), third="") if opened.gone else said
    if opened.problem is not None:
        hint = told(opened.problem.hint) if opened.problem.hint else ""
        return Answer("bad", told(opened.problem.message), hint)
    if opened.progress is not None:
        return _reading(opened, opened.progress)
    if opened.stopped_at is not None:
        stopped = t("operators.stopped", name=opened.run.name, pct=100 * opened.stopped_at)
        return Answer("warn", stopped, t("operators.stopped.next"))
    reason = told(opened.run.reason) if opened.run.reason else ""
    return Answer(
        "warn", t("operators.not_ready", name=opened.run.name, state=t(f"profiles.state.{opened.run.state}")), reason
    )


def answer(summary: Summary, width: int, roomy: bool = True) -> Answer:
    """The three lines for a run that was read: where the time goes, the one thing to mend, what the run hides."""
    found = summary.triage
    if found is None:
        return Answer()
    room = width - MARGINS
    hues = ((t(f"label.{found.label}.long"), summary_hue(found.label)),) if found.label else ()
    apart = tuple(problem.message for problem in summary.profile.problems if problem.code == JOINED_APART)
    kind = "warn" if found.warns or apart else "info"
    hides = (*apart, *found.hides, *(found.undecided if roomy else ()))
    first, second, third = (fitted(line, room) for line in (found.where, found.start, hides))
    return Answer(kind, first, second, hues, third=third)


def _reading(opened: Opened, progress: float) -> Answer:
    name, rows = opened.run.name, opened.rows
    if opened.counting is not None:
        progress = opened.counting
        first = t("operators.counting", name=name, pct=100 * progress, pace=_pace(opened, None))
    elif progress >= 1.0:
        first = t("operators.judging", name=name, n=rows) if rows else t("operators.judging.some", name=name)
    else:
        first = t("operators.reading", name=name, pct=100 * progress, pace=_pace(opened, rows))
    return Answer("info", first, t("operators.reading.stop"), progress=progress)


def _pace(opened: Opened, rows: int | None) -> str:
    """`, 310 000 rows a second`, or bytes while nobody knows how many rows there are; nothing before it is known."""
    if opened.share_per_s is None:
        return ""
    if rows:
        return t("operators.pace.rows", n=round(opened.share_per_s * rows, -3))
    return t("operators.pace.bytes", n=opened.share_per_s * opened.run.size_bytes)


def summary_hue(label: str) -> str:
    """The token a label's word is painted with in a sentence."""
    return label if label in HUES else "bright"


def matching_meta(view: TableView, total_us: float) -> str:
    """What a filter leaves: `7 of 38 match: 5.10 ms, 12.2 %`."""
    single = "duration_us" in view.table
    taken = told_once_us(view.table, view.order) if single else view.table.numbers("total_us")[view.order]
    us = float(np.nansum(taken))
    pct = 100 * us / total_us if total_us else None
    return t("operators.meta.match", n=len(view), all=len(view.table), us=us, pct=pct)


def table_meta(summary: Summary, width: int, title: str = "") -> str:
    """What is true of the whole table, as far as a rule of `width` cells has room beside its title: run, chip,
    versions, span, busy, steps, counts. What is told elsewhere gives way first; the counts and the span stay.
    """
    totals, metadata = summary.totals, summary.profile.metadata
    run = summary.profile.run
    wide = width >= WIDE
    devices = len(totals.by_device)
    counts = t("operators.meta.counts" if wide else "operators.meta.ops", ops=totals.rows, types=len(summary.types))
    parts = (  # on the screen from left to right; the largest number gives way first
        (5, run.name[:11] if run.name.startswith("PROF_") and not run.parts else run.name),
        (3, chip_words(summary)),
        (7, f"CANN {metadata.cann}" if metadata.cann and wide else None),
        (6, opwords.groups_in_words(metadata.aic_metrics) if wide else None),
        (1, None if totals.span_us is None else t("operators.meta.span", us=totals.span_us)),
        (2, None if totals.busy_pct is None else t("operators.meta.busy", pct=totals.busy_pct)),
        (4, stepwords.short(summary.steps_summary)),
        (3, t("operators.meta.devices", n=devices) if devices > 1 else None),
        (8, t("operators.meta.skipped", n=summary.profile.rows_skipped) if summary.profile.rows_skipped else None),
        (0, counts),
    )
    kept = [part for part in parts if part[1]]
    between = "   " if wide else "  "
    while len(kept) > 1 and cell_len(between.join(text or "" for _, text in kept)) > width - cell_len(title) - 12:
        kept.remove(max(kept, key=lambda part: part[0]))
    return between.join(text or "" for _, text in kept)


def chip_words(summary: Summary) -> str | None:
    """`910B3`, and whether that is a guess."""
    name = summary.chip.name
    short = name[len("Ascend") :] if name and name.startswith("Ascend") and len(name) > len("Ascend") else name
    return t("operators.meta.inferred", name=short) if short and summary.chip.source == "inferred" else short
