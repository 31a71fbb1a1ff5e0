"""What a run itself hides, each in a sentence, what matters most first: read before its numbers are believed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from npuscope.analysis import choice
from npuscope.analysis.labels import collect
from npuscope.analysis.summary import Summary
from npuscope.analysis.times import totals
from npuscope.analysis.times.first_calls import late_first_calls
from npuscope.parsers.say import Say, say
from npuscope.parsers.table import Strings

PIPES = "PipeUtilization"
ASKED = ("memory", "access", "stall")  # labels that leave questions open, which other metric groups answer
ANSWERS = ("L2Cache", "ResourceConflictRatio")


def hides(summary: Summary) -> tuple[Say, ...]:
    """All that applies."""
    return tuple(one for look in LOOKS for one in look(summary))


def undecided(summary: Summary) -> tuple[Say, ...]:
    """What labels that took time leave open, as metric groups that were not collected would tell."""
    ops, total = summary.ops, sum(summary.label_us.values())
    asked = sum(summary.label_us.get(label, 0.0) for label in ASKED)
    if not len(ops) or not choice.has_counters(ops) or asked < summary.thresholds.open_share * total:
        return ()
    has = collect.groups_of(
        name
        for name, values in ops.columns.items()
        if not isinstance(values, Strings) and bool(np.isfinite(ops.numbers(name)).any())
    )
    missing = [group for group in ANSWERS if group not in has]
    return (say("triage.undecided", groups=", ".join(missing)),) if missing else ()


def _state(summary: Summary) -> Iterator[Say]:
    run = summary.profile.run
    if run.state == "partial" and run.reason is not None:
        yield say("triage.hides.partial")
        yield run.reason


def _counters(summary: Summary) -> Iterator[Say]:
    ops = summary.ops
    command = collect.command(choice.tool(summary.profile), PIPES)
    if not len(ops):
        yield say("triage.hides.totals")
    elif not choice.has_counters(ops):
        yield say("triage.hides.counters", command=command)
    elif PIPES not in (groups := collect.groups_of(ops.columns)):
        known = summary.profile.metadata.aic_metrics or ", ".join(sorted(groups))
        key = "triage.hides.group" if known and PIPES not in known else "triage.hides.group.none"
        yield say(key, groups=known, command=command)
    else:
        unknown, computing = summary.label_us.get("unknown", 0.0), summary.totals.computing_us or 0.0
        if computing and unknown >= summary.thresholds.hidden_share * computing:
            yield say("triage.hides.some", pct=100 * unknown / computing)


def _chip(summary: Summary) -> Iterator[Say]:
    if summary.chip.hbm_gbps is None:
        key = "triage.hides.chip" if summary.chip.name is None else "triage.hides.chip.peaks"
        yield say(key, chip=summary.chip.name)


def _clock(summary: Summary) -> Iterator[Say]:
    for problem in summary.profile.problems:
        if problem.code == "low-frequency":
            params = problem.message.params
            yield say("triage.hides.clock", freq=params["freq"], rated=params["rated"])


def _first_calls(summary: Summary) -> Iterator[Say]:
    if not len(summary.ops):
        return
    late = late_first_calls(summary)
    if late.any():
        name = summary.shapes.strings("type")[int(np.argmax(late))]
        yield say("triage.hides.first", n=int((late > 0).sum()), us=float(late.sum()), name=name)


def _short(summary: Summary) -> Iterator[Say]:
    limits, us = summary.thresholds, np.nan_to_num(summary.ops.numbers("duration_us"))
    short = (us < limits.tiny_op_us) & ~summary.ops.strings("label").mask(("communication", "other"))
    taken, every = float(us[short].sum()), summary.totals.once_us
    if every and int(short.sum()) >= limits.tiny_least and taken >= limits.hidden_share * every:
        yield say("triage.hides.short", n=int(short.sum()), limit=limits.tiny_op_us, pct=100 * taken / every)


def _host(summary: Summary) -> Iterator[Say]:
    found = summary.stages
    if found is not None and found.attention is not None:
        key = (
            "triage.hides.preparation.first"
            if len(summary.ops) <= summary.thresholds.first_run
            else "triage.hides.preparation"
        )
        limit = 100 * summary.thresholds.preparation
        yield say(key, pct=100 * found.preparation_share, limit=limit)
    elif summary.label == "launch":
        yield say("triage.hides.host")


def _once(summary: Summary) -> Iterator[Say]:
    if len(summary.ops) == 1:
        yield say("triage.hides.once")


def _overlap(summary: Summary) -> Iterator[Say]:
    us = totals.overlap_us(summary.totals)
    if us and us >= summary.thresholds.hidden_share * (summary.totals.busy_us or us):
        yield say("triage.hides.overlap", us=us)


def _left_out(summary: Summary) -> Iterator[Say]:
    if summary.profile.rows_skipped:
        yield say("triage.hides.skipped", n=summary.profile.rows_skipped)
    cut = sum(not step.complete for step in summary.steps)
    if cut:
        yield say("triage.hides.steps", n=cut, all=len(summary.steps))
    if summary.totals.span_us is None and len(summary.ops) and summary.profile.run.kind != "msprof_op":
        yield say("triage.hides.starts")


LOOKS: tuple[Callable[[Summary], Iterator[Say]], ...] = (
    _state,
    _counters,
    _chip,
    _clock,
    _first_calls,
    _short,
    _host,
    _once,
    _overlap,
    _left_out,
)
