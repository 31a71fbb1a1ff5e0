"""Rules into labels: the best score wins, what is within 0.05 of it stands beside it, and nothing is guessed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, known_or
from npuscope.analysis.labels import confidence
from npuscope.analysis.labels.derived import Derived
from npuscope.analysis.labels.evidence import Explained, Names
from npuscope.analysis.labels.verdict import CONFIDENCES, LABELS
from npuscope.analysis.rules import kinds
from npuscope.analysis.rules.access import Access
from npuscope.analysis.rules.compute import Compute
from npuscope.analysis.rules.conditions import Condition
from npuscope.analysis.rules.launch import Launch, forced
from npuscope.analysis.rules.memory import Memory
from npuscope.analysis.rules.stall import Stall


class Rule(Protocol):
    """One bottleneck class."""

    @property
    def label(self) -> str:
        """One of LABELS."""

    @property
    def details(self) -> tuple[str, ...]:
        """Its sub-labels."""

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What it compares, for who asks how a label was made."""

    def score(self, d: Derived) -> Floats:
        """0..1 per row, 0 where the class does not hold."""

    def detail(self, d: Derived) -> Ints:
        """Index into `details` per row, -1 = none."""

    def explain(self, d: Derived, row: int, detail: str | None, names: Names) -> Explained:
        """Evidence of one row that has the label."""


# of equal scores the first wins: movement before computing, so that a tie does not turn with the bandwidth
RULES: tuple[Rule, ...] = (Memory(), Access(), Compute(), Launch(), Stall())
LAUNCH = next(at for at, rule in enumerate(RULES) if rule.label == "launch")
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


def scores(d: Derived) -> Floats:
    """A line per rule of RULES: the score of each row."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.stack([known_or(np.asarray(rule.score(d), dtype=np.float32), 0) for rule in RULES])


def judge(d: Derived, kind: Ints) -> Judged:
    """Labels of all rows; `kind` of rules/kinds.py."""
    by_rule, alone = scores(d), forced(d)
    best = np.where(alone, LAUNCH, np.argmax(by_rule, axis=0))
    top = np.take_along_axis(by_rule, best[None], axis=0)[0]
    np.put_along_axis(by_rule, best[None], -1.0, axis=0)
    next_best, rest = np.argmax(by_rule, axis=0), np.max(by_rule, axis=0)
    codes = np.array([LABELS.index(rule.label) for rule in RULES], dtype=np.int8)
    held = (top > 0) & (kind == kinds.KERNEL) & ~(d.broken & ~alone)
    label = np.where(held, codes[best], UNKNOWN).astype(np.int8)
    close = (rest > 0) & (top - rest <= np.float32(d.t.tie)) & ~alone
    second = np.where(held & close, codes[next_best], -1).astype(np.int8)
    for code, name in kinds.LABELS.items():
        label[kind == code] = LABELS.index(name)
    sure = np.where(held, confidence.confidence(d, label, second), 0)
    sure[kind != kinds.KERNEL] = len(CONFIDENCES) - 1
    return Judged(label, second, _details(d, label), sure.astype(np.int8))


def _details(d: Derived, label: Ints) -> Ints:
    found = np.full(len(label), -1, dtype=np.int8)
    with np.errstate(invalid="ignore", divide="ignore"):
        for rule in RULES:
            own: Bools = label == LABELS.index(rule.label)
            if own.any():
                places = np.array([*(DETAILS.index(detail) for detail in rule.details), -1], dtype=np.int8)
                found[own] = places[rule.detail(d)[own]]
    return found
