"""A label with everything that makes it believable."""

from __future__ import annotations

from dataclasses import dataclass

from npuscope.parsers.say import Say

FIRST_FINDINGS = 5  # of a run as many are shown before one asks for more
LABELS = ("memory", "compute", "launch", "access", "stall", "communication", "ai_cpu", "other", "unknown", "mixed")
CONFIDENCES = ("low", "medium", "high")


@dataclass(frozen=True)
class Evidence:
    """One number beside its threshold. `metric` is the column as the file spells it, or a derived quantity's name."""

    metric: str
    value: float | None
    threshold: float | None
    text: Say


@dataclass(frozen=True)
class Lack:
    """A metric group that was not collected, the question it would answer and the command that collects it."""

    group: str
    question: Say
    command: str


@dataclass(frozen=True)
class Verdict:
    """Label, sub-label (a catalogue key's last part, or None), how sure and why, what to try, what is missing.

    `vendor` = what the vendor's own tool says of the row, where the data carry it; `no_floor` = why there is no floor.
    """

    label: str
    detail: str | None = None
    confidence: str = "low"
    runner_up: str | None = None
    evidence: tuple[Evidence, ...] = ()
    reasons: tuple[Say, ...] = ()
    advice: tuple[Say, ...] = ()
    lacks: tuple[Lack, ...] = ()
    vendor: tuple[Say, ...] = ()
    no_floor: Say | None = None
