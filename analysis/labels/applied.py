"""The rules as applied to one row: every condition with its value, its threshold and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from npuscope.analysis.arrays import Floats
from npuscope.analysis.labels import judge
from npuscope.analysis.labels.label import Looker
from npuscope.analysis.labels.verdict import LABELS
from npuscope.analysis.rules.conditions import Applied
from npuscope.analysis.summary import Summary


@dataclass(frozen=True)
class RuleApplied:
    """One class and one row: its score 0..1 (0 = does not hold), whether it gave the label or stands beside it
    (`place` = label, runner-up or None), and its conditions in the order in which they are read.
    """

    label: str
    score: float
    place: str | None
    conditions: tuple[Applied, ...]


def scores(summary: Summary) -> dict[str, Floats]:
    """The score of every class for every instance, 0..1; of rows that are no core kernel it means nothing."""
    looker = Looker.again(summary)
    by_rule = judge.scores(looker.judged(summary.ops)[0])
    return {rule.label: by_rule[at] for at, rule in enumerate(judge.RULES)}


def rules_applied(summary: Summary, row: int) -> tuple[RuleApplied, ...]:
    """All classes for one instance (row of `summary.ops`), the best score first; none where it is no core kernel."""
    looker = Looker.again(summary)
    d, judged, _ = looker.judged(summary.ops.take(np.array([row])))
    label, second = int(judged.label[0]), int(judged.second[0])
    if LABELS[label] in ("communication", "ai_cpu", "other"):
        return ()
    by_rule = judge.scores(d)[:, 0]
    places = {label: "label", second: "runner-up"}
    found = [
        RuleApplied(
            rule.label,
            float(score),
            places.get(LABELS.index(rule.label)),
            tuple(condition.applied(d, 0) for condition in rule.conditions),
        )
        for rule, score in zip(judge.RULES, by_rule.tolist())
    ]
    return tuple(sorted(found, key=lambda one: (one.place != "label", -one.score)))
