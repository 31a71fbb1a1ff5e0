"""Why the largest types are what they are, and what to try: types that share label and advice stand together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from npuscope.cli.reporting.typenames import type_names
from npuscope.tui.operators import words as opwords
from npuscope.tui.text import has, t, told

if TYPE_CHECKING:
    from npuscope.analysis.labels.verdict import Lack, Verdict
    from npuscope.analysis.summary import Summary

GROUPS = 3
NAMED = 3
NOT_KERNELS = ("other",)  # of these only what there is advice for, beside the GROUPS of kernels
NAME = 40


@dataclass
class Group:
    """Lines of types of which the same is to be said; the first speaks for all."""

    verdict: Verdict
    lines: list[int] = field(default_factory=list)


def groups(summary: Summary, top: int) -> list[Group]:
    """Of the `top` largest types: at most GROUPS, and what is no kernel but has advice."""
    found: dict[tuple[object, ...], Group] = {}
    for line, verdict in enumerate(summary.type_verdicts[:top]):
        if verdict.label in NOT_KERNELS and not verdict.advice:
            continue
        advice = tuple(told(one) for one in verdict.advice)
        found.setdefault((verdict.label, verdict.detail, advice), Group(verdict)).lines.append(line)
    kernels = [group for group in found.values() if group.verdict.label not in NOT_KERNELS][:GROUPS]
    return [group for group in found.values() if group in kernels or group.verdict.label in NOT_KERNELS]


def head(summary: Summary, group: Group) -> str:
    """`MatMulV2, BatchMatMul and 2 more: memory-bound (tiling: ...), confidence high`."""
    verdict, types = group.verdict, type_names(summary.types, NAME)
    names = t("report.comma").join(types[line] for line in group.lines[:NAMED])
    if len(group.lines) > NAMED:
        names = t("report.and-more", names=names, n=len(group.lines) - NAMED)
    detail = f"detail.{verdict.detail}.long"
    inner = t("report.inner", text=t(detail)) if verdict.detail and has(detail) else ""
    sure = t(f"confidence.{verdict.confidence}")
    return t("report.verdict", type=names, label=t(f"label.{verdict.label}.long"), inner=inner, confidence=sure)


def points(summary: Summary, group: Group, said: set[str]) -> Iterator[tuple[str, str]]:
    """Name and text of what is to be said below the head; what is in `said` is not said again."""
    verdict, line = group.verdict, group.lines[0]
    join = t("report.semicolon")
    why = join.join(told(one.text) for one in verdict.evidence)
    if why:
        many = len(group.lines) > 1
        name = type_names(summary.types, NAME)[line]
        yield (t("report.why.of", type=name) if many else t("report.why"), why)
    advice = [text for text in map(told, verdict.advice) if text not in said]
    for number, text in enumerate(advice, 1):
        yield t("report.next.many", n=number) if len(advice) > 1 else t("report.next"), text
    if verdict.advice and not advice:
        yield t("report.next"), t("report.next.above")
    lacks = [_lack(one) for one in verdict.lacks[:1]]
    lacks = [text for text in lacks if text not in said]
    yield from ((t("report.lacks"), text) for text in lacks)
    vendor = join.join(opwords.vendor_of_line(summary, line))
    if vendor:
        yield t("report.vendor"), vendor
    said.update(advice, lacks)


def _lack(lack: Lack) -> str:
    question = told(lack.question)
    asks = question.endswith(("?", "？"))
    return question + t("report.blank" if asks else "report.colon") + lack.command
