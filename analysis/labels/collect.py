"""The command that collects a metric group a profile lacks, for the tool the profile came from."""

from __future__ import annotations

from collections.abc import Iterable

from npuscope.analysis.labels.verdict import Lack
from npuscope.parsers.say import say

# what each label would want to know next, by metric group; one profile holds one group
_NEXT = {
    "memory": (("L2Cache", "rereads"), ("Memory", "bytes")),
    "access": (("ResourceConflictRatio", "conflicts"), ("L2Cache", "rereads")),
    "compute": (("ArithmeticUtilization", "types"),),
    "stall": (("ResourceConflictRatio", "conflicts"),),
}


_MARKS = (
    ("PipeUtilization", "mte2_ratio"),
    ("ResourceConflictRatio", "cflt_ratio"),
    ("L2Cache", "_hit"),
    ("Memory", "main_mem"),
    ("ArithmeticUtilization", "_fp16_ratio"),
)


def command(kind: str, group: str) -> str:
    """How to profile again with a metric group; `kind` = the run's kind."""
    if kind == "torch_npu":
        return (
            "torch_npu.profiler._ExperimentalConfig(profiler_level=torch_npu.profiler.ProfilerLevel.Level1, "
            f"aic_metrics=torch_npu.profiler.AiCMetrics.{group})"
        )
    if kind == "mindspore":
        return (
            "mindspore.profiler._ExperimentalConfig(profiler_level=ProfilerLevel.Level1, "
            f"aic_metrics=AicoreMetrics.{group})"
        )
    if kind == "msprof_op":
        return f"msprof op --aic-metrics={group} PROGRAM"
    return f"msprof --aic-metrics={group} --task-time=l1 PROGRAM"


def groups_of(columns: Iterable[str]) -> frozenset[str]:
    """The metric groups that a table's columns show."""
    names = tuple(columns)
    return frozenset(group for group, mark in _MARKS if any(mark in name for name in names))


def lacks(label: str, kind: str, has: frozenset[str], sampled: bool, complete: bool) -> tuple[Lack, ...]:
    """The groups that would answer what this label leaves open; `has` = the groups that are there."""
    if label in ("communication", "ai_cpu", "other", "launch"):
        return ()
    groups = tuple(entry for entry in _NEXT.get(label, ()) if entry[0] not in has)
    if not sampled or not complete:
        groups = (("PipeUtilization", "pipes"),)
    found = [Lack(group, say(f"lack.{question}"), command(kind, group)) for group, question in groups]
    if kind != "msprof_op" and sampled and label in ("memory", "access", "stall"):
        found.append(Lack("Roofline", say("lack.vendor"), command("msprof_op", "Roofline")))
    return tuple(found)
