"""The two sentences over an opened profile: where the time goes, and the one operator to start with."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from npuscope.analysis.summary import Summary
from npuscope.tui import numbers, stepwords
from npuscope.tui.opwords import groups_in_words
from npuscope.tui.session import Opened
from npuscope.tui.tableview import TableView
from npuscope.tui.text import t, told
from npuscope.tui.theming import HUES
from npuscope.tui.widgets.answer import Answer

SHORT_US = 5.0  # a kernel under this mostly pays for its launch (BOTTLENECKS 9.4)
LOST_PCT = 50.0  # idle share from which the run's own time is the first thing to say
NEAR_FLOOR = 1.3
MANY = 10  # short kernels from here on are worth a sentence
WORTH_PCT = 2.0  # a saving under this is not worth a sentence


def answer_of(opened: Opened | None) -> Answer:
    """What the Operators screen says on top."""
    if opened is None:
        return Answer("none", t("operators.none"), t("operators.none.next"))
    if opened.summary is not None:
        said = answer(opened.summary)
        return replace(said, kind="warn", second=t("operators.gone"), more=()) if opened.gone else said
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


def answer(summary: Summary) -> Answer:
    """Both sentences for a run that was read."""
    totals = summary.totals
    idle_pct = None if totals.busy_pct is None else 100 - totals.busy_pct
    if summary.label == "launch" and idle_pct is not None and idle_pct >= LOST_PCT:
        return Answer(
            "warn", t("operators.idle", pct=idle_pct, us=totals.span_us), _start_with(summary), (), _short(summary)
        )
    if summary.label_us and set(summary.label_us) <= {"unknown", "other", "communication", "ai_cpu"}:
        return Answer("warn", t("operators.no_counters", us=totals.total_us), _recollect(summary))
    label, share = max(summary.label_us.items(), key=lambda entry: entry[1], default=("unknown", 0.0))
    word = t(f"label.{label}.long")
    pct = 100 * share / totals.total_us if totals.total_us else math.nan
    key = "operators.first" if totals.aicore_pct is not None else "operators.first.no_core"
    first = t(key, us=totals.total_us, core=totals.aicore_pct, label=word, pct=pct)
    return Answer("info", first, _start_with(summary), ((word, summary_hue(label)),), _short(summary))


def _reading(opened: Opened, progress: float) -> Answer:
    name, rows = opened.run.name, opened.rows
    if progress >= 1.0:
        first = t("operators.judging", name=name, n=rows) if rows else t("operators.judging.some", name=name)
    elif opened.rows_per_s is not None:
        first = t("operators.reading.rate", name=name, pct=100 * progress, n=round(opened.rows_per_s, -3))
    else:
        first = t("operators.reading", name=name, pct=100 * progress)
    return Answer("info", first, t("operators.reading.stop"), progress=progress)


def summary_hue(label: str) -> str:
    """The token a label's word is painted with in a sentence."""
    return label if label in HUES else "bright"


def _start_with(summary: Summary) -> str:
    types = summary.types
    savings = types.numbers("saving_us")
    if not len(types) or np.all(np.isnan(savings)):
        return t("operators.no_chip") if summary.chip.hbm_gbps is None else ""
    row = int(np.nanargmax(savings))
    saved, total = float(savings[row]), summary.totals.total_us
    if total and 100 * saved / total >= WORTH_PCT:
        name = types.strings("type")[row] or numbers.DASH
        return t("operators.start_with", name=name, us=saved, pct=100 * saved / total)
    return t("operators.near_floor") if _near_floor(summary) else ""


def _short(summary: Summary) -> tuple[str, ...]:
    durations = summary.ops.numbers("duration_us")
    short = durations < SHORT_US
    if int(short.sum()) < MANY:
        return ()
    return (t("operators.short_kernels", n=int(short.sum()), us=float(durations[short].sum())),)


def _near_floor(summary: Summary) -> bool:
    over = summary.types.numbers("times_over_bound")[:10]
    known = over[~np.isnan(over)]
    return len(known) > 0 and bool((known <= NEAR_FLOOR).all())


def _recollect(summary: Summary) -> str:
    for verdict in summary.type_verdicts:
        for lack in verdict.lacks:
            return t("operators.recollect", command=lack.command)
    return t("operators.recollect", command="msprof --aic-metrics=PipeUtilization --task-time=l1 ...")


def matching_meta(view: TableView, total_us: float) -> str:
    """What a filter leaves: `7 of 38 match: 5.10 ms, 12.2 %`."""
    taken = view.table.numbers("duration_us" if "duration_us" in view.table else "total_us")[view.order]
    us = float(np.nansum(taken))
    pct = 100 * us / total_us if total_us else None
    return t("operators.meta.match", n=len(view), all=len(view.table), us=us, pct=pct)


def table_meta(summary: Summary, width: int) -> str:
    """What is true of the whole table: run, chip, versions, span, busy, counts."""
    totals, metadata = summary.totals, summary.profile.metadata
    run = summary.profile.run
    chip = summary.chip.name
    if chip and summary.chip.source == "inferred":
        chip = t("operators.meta.inferred", name=chip)
    parts = [run.name[:11] if run.name.startswith("PROF_") and not run.parts else run.name, chip]
    if width >= 100:
        parts += [f"CANN {metadata.cann}" if metadata.cann else None, groups_in_words(metadata.aic_metrics)]
    if totals.span_us is not None:
        parts.append(t("operators.meta.span", us=totals.span_us))
    if totals.busy_pct is not None:
        parts.append(t("operators.meta.busy", pct=totals.busy_pct))
    parts.append(stepwords.short(summary.steps_summary))
    devices = len(totals.by_device)
    if devices > 1:
        parts.append(t("operators.meta.devices", n=devices))
    if summary.profile.rows_skipped:
        parts.append(t("operators.meta.skipped", n=summary.profile.rows_skipped))
    key = "operators.meta.counts" if width >= 100 else "operators.meta.ops"
    parts.append(t(key, ops=totals.rows, types=len(summary.types)))
    return ("   " if width >= 100 else "  ").join(part for part in parts if part)
