"""The rule of rows that are no core kernel (communication, AI CPU, other) and of mixed types, as applied to one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from npuscope.analysis.findings.common import run_us
from npuscope.analysis.rules import kinds
from npuscope.analysis.rules.conditions import Applied
from npuscope.analysis.summary import Summary
from npuscope.analysis.thresholds import SOURCES
from npuscope.parsers.say import Say, say


@dataclass(frozen=True)
class Matched:
    """A condition on words instead of numbers."""

    text: Say
    holds: bool


@dataclass(frozen=True)
class Share:
    """A label that takes part of a mixed type's time, against the share that would name the type."""

    label: str
    applied: Applied


def kind_applied(summary: Summary, row: int) -> tuple[Matched | Applied, ...]:
    """What tells communication, AI CPU and other rows (of `summary.ops`) from kernels; none for a kernel.

    First what is compared with its words, then from when on the class is worth attention.
    """
    ops = summary.ops
    label = ops.strings("label")[row]
    core, kind, name = (ops.strings(column)[row] for column in ("core", "type", "name"))
    if label == "communication":
        return (
            Matched(say("kind.core", core=core, wanted="COMMUNICATION, HCCL"), kinds.is_communication_core(core)),
            Matched(say("kind.name", name=kind or name, wanted="hcom, lccl, lcoc"), kinds.sends(kind, name)),
            *_exposed(summary),
        )
    if label == "ai_cpu":
        us = float(ops.numbers("duration_us")[row])
        every = ops.strings("label").mask(("ai_cpu",))
        share = float(np.nansum(ops.numbers("duration_us")[every])) / (summary.totals.once_us or np.nan)
        return (
            Matched(say("kind.core", core=core, wanted="AI_CPU"), True),
            *(_limit(summary, "duration", "time", us, ">", limit) for limit in ("ai_cpu_us", "ai_cpu_high_us")),
            *(_limit(summary, "run-share", "ratio", share, ">=", limit) for limit in ("ai_cpu_share", "ai_cpu_high")),
        )
    if label == "other":
        return (
            Matched(say("kind.fused", name=kind or name), kinds.is_fused(kind)),
            Matched(say("kind.no-core", core=core), kinds.is_other_core(core)),
            Matched(say("kind.helper", name=kind or name), kinds.is_helper(kind, name)),
        )
    return ()


def _exposed(summary: Summary) -> tuple[Applied, ...]:
    alone, whole = summary.totals.communication_not_overlapped_us, run_us(summary)
    return () if alone is None or not whole else (_limit(summary, "alone", "ratio", alone / whole, ">=", "exposed"),)


def mixed_applied(summary: Summary, level: str, line: int) -> tuple[Share, ...]:
    """The two labels that take most of a mixed line of types or shapes; none where a label has the line."""
    table = {"types": summary.types, "shapes": summary.shapes}.get(level)
    if table is None or "second_label" not in table or table.strings("label")[line] != "mixed":
        return ()
    found = []
    for place in ("first", "second"):
        share = float(table.numbers(f"{place}_label_pct")[line]) / 100
        label = table.strings(f"{place}_label")[line] or "unknown"
        found.append(Share(label, _limit(summary, "type-share", "ratio", share, ">=", "named")))
    return tuple(found)


def _limit(summary: Summary, key: str, unit: str, value: float, sign: str, name: str) -> Applied:
    limit = float(getattr(summary.thresholds, name))
    holds = None if np.isnan(value) else value > limit if sign == ">" else value >= limit
    return Applied(key, unit, value, sign, limit, name, SOURCES[name], holds)
