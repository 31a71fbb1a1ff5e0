"""Rules into labels: the best score wins, what is within 0.05 of it stands beside it, and nothing is guessed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from npuscope.analysis import collect, confidence
from npuscope.analysis.arrays import Floats, Ints, known_or
from npuscope.analysis.derived import Derived
from npuscope.analysis.evidence import Explained, Names
from npuscope.analysis.rules import kinds
from npuscope.analysis.rules.access import Access
from npuscope.analysis.rules.compute import VECTOR, Compute
from npuscope.analysis.rules.launch import Launch
from npuscope.analysis.rules.memory import Memory
from npuscope.analysis.rules.movement import without_mte
from npuscope.analysis.rules.stall import Stall
from npuscope.analysis.verdict import CONFIDENCES, LABELS, Evidence, Verdict
from npuscope.parsers.say import Say, say

TIE = 0.05  # [TOP SIB_THRESH]


class Rule(Protocol):
    """One bottleneck class."""

    @property
    def label(self) -> str:
        """One of LABELS."""

    @property
    def details(self) -> tuple[str, ...]:
        """Its sub-labels."""

    def score(self, d: Derived) -> Floats:
        """0..1 per row, 0 where the class does not hold."""

    def detail(self, d: Derived) -> Ints:
        """Index into `details` per row, -1 = none."""

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence and advice of one row that has the label."""


LAUNCH = Launch()
RULES: tuple[Rule, ...] = (Memory(), Compute(), LAUNCH, Access(), Stall())
DETAILS = tuple(dict.fromkeys(detail for rule in RULES for detail in rule.details))
UNKNOWN = LABELS.index("unknown")


@dataclass(frozen=True)
class Judged:
    """Per row: indexes into LABELS (label, second; -1 = none), DETAILS (-1 = none) and CONFIDENCES."""

    label: Ints
    second: Ints
    detail: Ints
    confidence: Ints

    def take(self, rows: Ints) -> Judged:
        """The same of other rows."""
        return Judged(self.label[rows], self.second[rows], self.detail[rows], self.confidence[rows])


def judge(d: Derived, kind: Ints) -> Judged:
    """Labels of all rows; `kind` of rules/kinds.py."""
    scores = np.stack([known_or(np.asarray(rule.score(d), dtype=np.float32), 0) for rule in RULES])
    forced = LAUNCH.forced(d)
    best = np.where(forced, RULES.index(LAUNCH), np.argmax(scores, axis=0))
    top = np.take_along_axis(scores, best[None], axis=0)[0]
    np.put_along_axis(scores, best[None], -1.0, axis=0)
    next_best, rest = np.argmax(scores, axis=0), np.max(scores, axis=0)
    codes = np.array([LABELS.index(rule.label) for rule in RULES], dtype=np.int8)
    held = (top > 0) & (kind == kinds.KERNEL)
    label = np.where(held, codes[best], UNKNOWN).astype(np.int8)
    second = np.where(held & (rest > 0) & (top - rest <= TIE) & ~forced, codes[next_best], -1).astype(np.int8)
    for code, name in kinds.LABELS.items():
        label[kind == code] = LABELS.index(name)
    sure = np.where(held, confidence.confidence(d, label, second), 0)
    sure[kind != kinds.KERNEL] = len(CONFIDENCES) - 1
    return Judged(label, second, _details(d, label), sure.astype(np.int8))


def _details(d: Derived, label: Ints) -> Ints:
    found = np.full(len(label), -1, dtype=np.int8)
    for rule in RULES:
        own = label == LABELS.index(rule.label)
        if own.any():
            places = np.array([*(DETAILS.index(detail) for detail in rule.details), -1], dtype=np.int8)
            found[own] = places[rule.detail(d)[own]]
    return found


class Explainer:
    """Verdicts of single rows. kind = the run's; groups = its metric groups, None without counters."""

    def __init__(self, d: Derived, judged: Judged, names: Names, kind: str, groups: frozenset[str] | None) -> None:
        self._d, self._judged, self._names, self._kind, self._groups = d, judged, names, kind, groups
        self._doubts = confidence.doubts(d, judged.label, judged.second)
        self._simt = without_mte(d) & np.isnan(d.bytes) & (known_or(d.vec, 0) >= VECTOR)

    def of(self, d: Derived, judged: Judged) -> Explainer:
        """The same for other rows of the profile."""
        return Explainer(d, judged, self._names, self._kind, self._groups)

    def verdict(self, row: int, type_name: str | None) -> Verdict:
        """Everything that makes the label of one row believable."""
        d, judged = self._d, self._judged
        label, second = LABELS[judged.label[row]], int(judged.second[row])
        detail = DETAILS[judged.detail[row]] if judged.detail[row] >= 0 else None
        rule = next((rule for rule in RULES if rule.label == label), None)
        if rule is not None:
            told = rule.explain(d, row, detail, self._names)
        elif label == "unknown":
            told = self._unknown(row)
        else:
            told = _no_kernel(label, kinds.is_fused(type_name))
        return Verdict(
            label=label,
            detail=told.detail,
            confidence=CONFIDENCES[judged.confidence[row]],
            runner_up=LABELS[second] if second >= 0 else None,
            evidence=told.evidence,
            reasons=confidence.reasons(self._doubts, row) if rule is not None else (),
            advice=told.advice,
            lacks=collect.lacks(
                label, self._kind, self._groups or frozenset(), bool(d.sampled[row]), bool(d.complete[row])
            ),
        )

    def _unknown(self, row: int) -> Explained:
        d, command = self._d, collect.command(self._kind, "PipeUtilization")
        again: tuple[Say, ...] = (say("advice.collect", command=command),)
        if d.flagged[row]:
            why = say("evidence.flagged")
        elif not d.sampled[row]:
            why = (
                say("evidence.not-valid")
                if self._groups is not None
                else say("evidence.not-collected", command=command)
            )
        elif self._simt[row]:
            why, again = say("evidence.simt"), (say("advice.simt"),)
        else:
            why = say("evidence.incomplete", command=command)
        return Explained(None, (Evidence("core counters", None, None, why),), again)


def _no_kernel(label: str, fused: bool) -> Explained:
    key = "fused" if label == "other" and fused else label
    advice = (say(f"advice.{label}"),) if label in ("communication", "ai_cpu") else ()
    return Explained(None, (Evidence("task type", None, None, say(f"evidence.kind.{key}")),), advice)
