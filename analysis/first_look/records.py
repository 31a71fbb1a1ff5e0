"""What one reads first of a run, as records: the three lines, and the one thing to mend."""

from __future__ import annotations

import math
from dataclasses import dataclass

from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.say import Say


@dataclass(frozen=True)
class Lead:
    """What to begin with. kind = launches, communication, ai_cpu, operator, near-floor, or none.

    line = its row of `types` (operator, ai_cpu); us = what the run (each step, if `per_step`) would gain, of of_us;
    unknown = NaN.
    """

    kind: str
    line: int = UNKNOWN
    us: float = math.nan
    of_us: float = math.nan
    per_step: bool = False

    @property
    def pct(self) -> float:
        """Of the run or of a step."""
        return 100 * self.us / self.of_us if self.of_us else math.nan


@dataclass(frozen=True)
class Triage:
    """Sentences of the three lines; `label` = the class that the first one names, `warns` = the run itself is ill.

    `undecided` ends the third line where there is room: what the labels leave open.
    """

    where: tuple[Say, ...]
    start: tuple[Say, ...]
    hides: tuple[Say, ...]
    lead: Lead
    label: str | None = None
    warns: bool = False
    undecided: tuple[Say, ...] = ()
