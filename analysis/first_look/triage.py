"""The three lines one reads first: where the time goes, the one thing to mend, and what the run itself hides.

Each line is a row of sentences, what matters most first: a narrow window shows fewer of them.
"""

from __future__ import annotations

import math

import numpy as np

from npuscope.analysis.arrays import Bools, number
from npuscope.analysis.first_look import hidden, on_ai_cpu
from npuscope.analysis.first_look.records import Lead, Triage
from npuscope.analysis.rules import kinds
from npuscope.analysis.summary import Summary
from npuscope.parsers.say import Say, say

NO_CLASS = frozenset({"unknown", "other", "communication", "ai_cpu"})
NO_OPERATOR = ("launch", "communication", "ai_cpu", "other")  # what is mended elsewhere than in a kernel


def triage(summary: Summary) -> Triage:
    """Of a run with operators, or with totals of types only."""
    found = lead(summary)
    idle = _mostly_idle(summary)
    named = None if idle or _no_label(summary) else _leading(summary)[0]
    return Triage(
        where=_where(summary, idle),
        start=_start(summary, found),
        hides=hidden.hides(summary),
        lead=found,
        label=named,
        warns=idle or _no_label(summary),
        undecided=hidden.undecided(summary),
    )


# ---- where the time goes


def _where(summary: Summary, idle: bool) -> tuple[Say, ...]:
    totals = summary.totals
    if _no_label(summary):
        first = say("triage.where.no-label", us=totals.once_us)
    else:
        label, us = _leading(summary)
        key = "triage.where" if totals.aicore_pct is not None else "triage.where.no-core"
        pct = 100 * us / totals.once_us if totals.once_us else math.nan
        first = say(key, us=totals.once_us, core=totals.aicore_pct, label=f"label.{label}.long", pct=pct)
    more = () if _no_label(summary) else _sorts_of_other(summary)
    if totals.busy_pct is None or totals.span_us is None:
        return (first, *more)
    idle_pct = 100 - totals.busy_pct
    if idle:
        blamed = "triage.idle.host" if summary.label == "launch" else "triage.idle"
        return (say(blamed, pct=idle_pct, us=totals.span_us), first, *more)
    if idle_pct >= 100 * summary.thresholds.idle_share:
        return (first, *more, say("triage.idle.also", pct=idle_pct, us=totals.span_us))
    return (first, *more)


def _sorts_of_other(summary: Summary) -> tuple[Say, ...]:
    """What the tasks without a class are, where they lead: the AI CPU half of collectives, and fused kernels."""
    if _leading(summary)[0] != "other":
        return ()
    types, found = summary.types, []
    us, names = types.numbers("total_us"), types.strings("type").tolist()
    others = types.strings("label").mask(("other",))
    for key, asked in (("helper", lambda name: kinds.is_helper(name, None)), ("fused", kinds.is_fused)):
        lines = [line for line, name in enumerate(names) if others[line] and asked(name)]
        if lines:
            name, together = names[lines[0]], float(us[lines].sum())
            found.append(say(f"triage.where.{key}", us=together, name=name))
    return tuple(found)


def _mostly_idle(summary: Summary) -> bool:
    busy = summary.totals.busy_pct
    return busy is not None and 100 - busy >= 100 * summary.thresholds.mostly_idle


def _no_label(summary: Summary) -> bool:
    return set(summary.label_us) <= NO_CLASS


def _leading(summary: Summary) -> tuple[str, float]:
    return max(summary.label_us.items(), key=lambda entry: entry[1], default=("unknown", 0.0))


# ---- the one thing to mend


def lead(summary: Summary) -> Lead:
    """Launches where they bind the run; else the operator that would give back most, if that is worth a word."""
    if summary.label == "launch":
        waited = launches(summary)[1]
        return Lead("launches", us=waited if waited else math.nan, of_us=run_us(summary))
    found, alone = operator(summary), summary.totals.communication_not_overlapped_us or 0.0
    share = summary.thresholds.exposed * (summary.totals.busy_us or math.inf)
    if alone >= share and (found is None or found.per_step or alone > found.us):
        return Lead("communication", us=alone, of_us=run_us(summary))
    waits = on_ai_cpu.lead(summary, run_us(summary))
    if waits is not None and (found is None or found.per_step or waits.us > found.us):
        return waits
    if found is None:
        return Lead("none")
    return found if found.us >= summary.thresholds.worth_share * found.of_us else _near_floor(summary)


def launches(summary: Summary) -> tuple[Bools, float]:
    """The launch-bound rows of ops, and how long the device idled before them in us."""
    rows = summary.ops.strings("label").mask(("launch",))
    return rows, float(np.maximum(np.nan_to_num(summary.ops.numbers("launch_gap_us")), 0)[rows].sum())


def operator(summary: Summary) -> Lead | None:
    """The type whose floor would give back most; None without a floor. What other streams hide gives nothing back."""
    types = summary.types
    in_step = not np.isnan(types.numbers("step_gain_us")).all()
    gain = np.array(types.numbers("step_gain_us" if in_step else "saving_us"), dtype=np.float64)
    gain[types.strings("label").mask(NO_OPERATOR)] = np.nan
    if not len(gain) or np.isnan(gain).all():
        return None
    line = int(np.nanargmax(gain))
    whole = run_us(summary) if in_step else summary.totals.once_us
    return (
        _of_a_step(summary, line) if in_step and _stepped(summary) else Lead("operator", line, float(gain[line]), whole)
    )


def _stepped(summary: Summary) -> bool:
    return summary.step_median_us is not None and sum(step.complete for step in summary.steps) > 1


def _of_a_step(summary: Summary, line: int) -> Lead:
    """The gain of an average complete step, of the median one."""
    whole = [step.step for step in summary.steps if step.complete]
    rows = (summary.ops.numbers("type_row") == line) & np.isin(summary.ops.numbers("step"), whole)
    us = number(np.nansum(summary.ops.numbers("step_gain_us")[rows])) or 0.0
    return Lead("operator", line, us / len(whole), summary.step_median_us or math.nan, per_step=True)


def run_us(summary: Summary) -> float:
    """How long the run took, on all its devices together; without start times the sum of durations."""
    totals = summary.totals
    spans = [of.span_us for of in totals.by_device.values() if of.span_us is not None]
    return sum(spans) if spans else totals.span_us or totals.once_us


def _near_floor(summary: Summary) -> Lead:
    limits = summary.thresholds
    over = summary.types.numbers("times_over_bound")[: int(limits.near_floor_types)]
    known = over[~np.isnan(over)]
    return Lead("near-floor" if len(known) and bool((known <= limits.near_floor).all()) else "none")


def _without_gain(summary: Summary) -> tuple[Say, ...]:
    """No operator is known to give back anything worth a word: because it would not, or because that is not known."""
    line = largest_untold(summary)
    if line is not None:
        pct = 100 * float(summary.types.numbers("total_us")[line]) / summary.totals.once_us
        return (say("triage.largest", name=summary.types.strings("type")[line], pct=pct),)
    if np.isnan(summary.types.numbers("saving_us")).all():
        return ()
    return (say("triage.small", pct=100 * summary.thresholds.worth_share),)


def largest_untold(summary: Summary) -> int | None:
    """The largest type on a core whose saving is not known, where such types take time that is worth a word."""
    types, total = summary.types, summary.totals.once_us
    untold = np.isnan(types.numbers("saving_us")) & ~types.strings("label").mask(NO_OPERATOR)
    us = np.where(untold, types.numbers("total_us"), 0.0)
    return int(us.argmax()) if total and us.sum() > summary.thresholds.worth_share * total else None


def _start(summary: Summary, found: Lead) -> tuple[Say, ...]:
    if found.kind == "launches":
        return (*_of_launches(summary, found), *_beside(summary))
    if found.kind == "communication":
        return (say("triage.communication", us=found.us, of=found.of_us, pct=found.pct), *_beside(summary))
    if found.kind == "ai_cpu":
        name = summary.types.strings("type")[found.line]
        return (say("triage.ai_cpu", name=name, us=found.us, pct=found.pct), *_beside(summary))
    if found.kind == "operator":
        return (_of_operator(summary, found), *_of_all(summary, found))
    if found.kind == "near-floor":
        return (say("triage.near-floor", times=summary.thresholds.near_floor),)
    return _without_gain(summary)


def _of_launches(summary: Summary, found: Lead) -> tuple[Say, ...]:
    rows, waited = launches(summary)
    count = int(rows.sum())
    us = float(np.nan_to_num(summary.ops.numbers("duration_us"))[rows].sum())
    if count < summary.thresholds.launches_least:
        name = summary.types.strings("type")[int(summary.ops.numbers("type_row")[rows][0])] if count else None
        return (say("triage.launches.few", name=name, us=us),)
    key = "triage.launches.wait" if waited > us else "triage.launches"
    first = say(key, n=count, us=waited if waited > us else us, pct=found.pct, mean=us / count if count else math.nan)
    lines = summary.ops.numbers("type_row")[rows]
    if not len(lines):
        return (first,)
    often = np.bincount(lines)
    most = int(often.argmax())
    return first, say("triage.launches.most", name=summary.types.strings("type")[most], n=int(often[most]))


def _beside(summary: Summary) -> tuple[Say, ...]:
    found = operator(summary)
    if found is None or found.us < summary.thresholds.worth_share * found.of_us:
        return ()
    return (say("triage.beside", name=summary.types.strings("type")[found.line], us=found.us),)


def _of_operator(summary: Summary, found: Lead) -> Say:
    label = summary.types.strings("label")[found.line] or "unknown"
    key = "triage.start.step" if found.per_step else "triage.start"
    if label in NO_CLASS or label == "mixed":
        key += ".unlabelled"
    name, word = summary.types.strings("type")[found.line], f"label.{label}.long"
    return say(key, name=name, label=word, us=found.us, of=found.of_us, pct=found.pct)


def _of_all(summary: Summary, found: Lead) -> tuple[Say, ...]:
    """What the run would gain if every operator reached its floor, where that is more than the one's."""
    every = summary.step_gain_us
    if every is None or found.per_step or not found.of_us or every < summary.thresholds.whole_gain * found.us:
        return ()
    return (say("triage.start.all", us=every, pct=100 * every / found.of_us),)
