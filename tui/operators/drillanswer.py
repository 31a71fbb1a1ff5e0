"""The two lines over the drill-down: how long it takes against its floor and why, and what mending it would give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from npuscope.analysis.first_look.triage import run_us
from npuscope.analysis.labels.verdict import Verdict
from npuscope.analysis.summary import Summary
from npuscope.tui.fitting import fitted_texts
from npuscope.tui.operators.calls import Calls
from npuscope.tui.operators.floor import known
from npuscope.tui.operators.words import inner_words, label_words
from npuscope.tui.text import has, t, told

L2 = 0.95  # times over the floor of HBM: below it the data cannot have come from there


def first(name: str, us: float, values: Mapping[str, Any], verdict: Verdict, width: int) -> str:
    """`MatMulV2 takes 81.2 us, 1.8 times its floor of 45.5 us: memory-bound (tiling), confidence high.`"""
    word, rest = label_words(verdict)
    bound, over = values.get("bound_us", math.nan), values.get("times_over_bound", math.nan)
    key = "drill.answer.no_floor"
    if known(bound) and known(over):
        key = "drill.answer" if over >= L2 else "drill.answer.l2"
    more = {"name": name, "us": us, "x": over, "bound": bound, "label": word}
    inner = inner_words(verdict)
    short = f"{key}.short"
    forms = [t(key, **more, rest=rest), t(key, **more, rest=inner)]
    forms += [t(short, **more, rest=text) for text in (rest, inner, "")] if has(short) else [t(key, **more, rest="")]
    return fitted_texts([forms], width)


def second(summary: Summary, calls: Calls | None, of_call: bool, values: Mapping[str, Any], verdict: Verdict,
           width: int, shown: Verdict | None = None) -> str:  # fmt: skip
    """What all calls would give back, then what to try first; of launch-bound calls what they wait for.

    Where the call shown has another label than all calls, theirs stands here, not what to try: that is the call's.
    """
    said = [waits(summary, calls, of_call) if verdict.label == "launch" else _saves(summary, calls, of_call, values)]
    if shown is not None and differ(shown, verdict):
        word, _ = label_words(verdict)
        n = len(calls.rows) if calls is not None else values.get("count")
        said.insert(0, [t("drill.all_calls", n=n, label=word, rest=inner_words(verdict))])
    elif verdict.advice:
        said.append([t("drill.first_try", advice=told(verdict.advice[0]))])
    told_so = [forms for forms in said if forms]
    total, taken = summary.totals.once_us, values.get("total_us", values.get("duration_us", math.nan))
    if not told_so and total and known(taken):
        told_so = [[t("drill.share", pct=100 * taken / total)]]
    return fitted_texts(told_so, width)


def differ(one: Verdict, other: Verdict) -> bool:
    """Whether two verdicts read differently: another label, or the same for another cause."""
    return (one.label, one.detail) != (other.label, other.detail)


def waits(summary: Summary, calls: Calls | None, of_call: bool) -> list[str]:
    """How long the device idled before launch-bound calls."""
    if calls is None:
        return []
    rows = np.array([calls.row]) if of_call else calls.rows
    us = float(np.maximum(np.nan_to_num(summary.ops.numbers("launch_gap_us")[rows]), 0).sum())
    return [t("drill.waits", n=len(rows), us=us)] if us > 0 else []


def _saves(summary: Summary, calls: Calls | None, of_call: bool, values: Mapping[str, Any]) -> list[str]:
    saved, gain = values.get("saving_us", math.nan), values.get("step_gain_us", math.nan)
    total = summary.totals.once_us
    if not (known(saved) and total and saved > 0):
        return []
    count, floored = 1, 1
    if calls is not None and not of_call:
        savings = summary.ops.numbers("saving_us")[calls.rows]
        count, floored = len(savings), int(np.count_nonzero(~np.isnan(savings)))
    key = "drill.saves.some" if floored < count else "drill.saves.one" if count == 1 else "drill.saves"
    if not known(gain):
        return [t(key, n=floored, all=count, us=saved, total=total, pct=100 * saved / total)]
    whole = run_us(summary)
    more = {"n": floored, "all": count, "us": saved, "gain": gain, "of": whole, "pct": 100 * gain / whole}
    return [t(f"{key}.gain", **more), t("drill.saves.gain.short", **more)]
