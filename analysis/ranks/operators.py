"""The operators of a late rank against those of the others, by type, and what the differences say."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from npuscope.parsers.say import Say, say

if TYPE_CHECKING:  # the records are handed to a process without numpy
    from npuscope.parsers.table import Table

ALIKE = 0.8  # of the time: so much in types that are slower by about the same share is one cause, not an operator
ABOUT = 0.5  # "about the same share": from half to one and a half of the whole's excess
LEADING = 0.6  # of the excess in one type: that operator is the cause
EXPLAINED = 0.5  # of the rank's excess in %: below it the operators do not show what made the rank late
MORE_WORK = 1.02  # times as many operators as the others is other work
LEAST_PCT = 1.0  # operators that differ by less did not make a rank late


@dataclass(frozen=True)
class TypeTime:
    """All operators of one type in one rank."""

    count: int
    us: float
    communication: bool = False


@dataclass(frozen=True)
class OperatorDifference:
    """One type: this rank and the median of the others; difference_pct is None where the others have no such type."""

    type: str
    communication: bool
    count: int
    median_count: float
    us: float
    median_us: float

    @property
    def difference_us(self) -> float:
        """How much longer it takes here."""
        return self.us - self.median_us

    @property
    def difference_pct(self) -> float | None:
        """The same in % of the median of the others."""
        return 100 * self.difference_us / self.median_us if self.median_us > 0 else None


@dataclass(frozen=True)
class OperatorCause:
    """What the operators say about a late rank. kind = clock, operator, work, several or unexplained."""

    kind: str
    text: Say


def times_by_type(types: Table) -> dict[str, TypeTime]:
    """Of a table with type, core, count and total_us."""
    from npuscope.analysis.rules import kinds

    found: dict[str, TypeTime] = {}
    communicating = ~kinds.computes(types, kinds.kind_codes(types))
    names, counts, totals = types.strings("type"), types.numbers("count"), types.numbers("total_us")
    for row in range(len(types)):
        name = names[row] or "?"
        before = found.get(name, TypeTime(0, 0.0, bool(communicating[row])))
        us = float(totals[row])
        found[name] = TypeTime(before.count + int(counts[row]), before.us + us, before.communication)
    return found


def differences(
    own: Mapping[str, TypeTime], others: Sequence[Mapping[str, TypeTime]]
) -> tuple[OperatorDifference, ...]:
    """Every type of this rank and of the others, the largest difference first, communication behind computing."""
    nothing = TypeTime(0, 0.0)
    names = dict.fromkeys([*own, *(name for other in others for name in other)])
    found = []
    for name in names:
        here, there = own.get(name, nothing), [other.get(name, nothing) for other in others]
        found.append(
            OperatorDifference(
                type=name,
                communication=here.communication or any(one.communication for one in there),
                count=here.count,
                median_count=statistics.median(one.count for one in there) if there else 0,
                us=here.us,
                median_us=statistics.median(one.us for one in there) if there else 0.0,
            )
        )
    return tuple(sorted(found, key=lambda one: (one.communication, -abs(one.difference_us), one.type)))


def cause(found: Sequence[OperatorDifference], late_by_pct: float) -> OperatorCause:
    """Why a rank computes late_by_pct longer than the others. Shares are compared, not times: the table of operators
    may hold other steps than the table of steps."""
    computing = [one for one in found if not one.communication]
    us, median = sum(one.us for one in computing), sum(one.median_us for one in computing)
    excess = us - median
    if excess < EXPLAINED * late_by_pct / 100 * median or excess < LEAST_PCT / 100 * median:
        return OperatorCause("unexplained", say("ranks.cause.unexplained"))
    count, others = sum(one.count for one in computing), sum(one.median_count for one in computing)
    if count > MORE_WORK * others:
        return OperatorCause("work", say("ranks.cause.work", own=count, others=others))
    if _all_slower(computing, excess / median if median else 0.0):
        return OperatorCause("clock", say("ranks.cause.clock", pct=100 * excess / median))
    longer = sorted((one for one in computing if one.difference_us > 0), key=lambda one: -one.difference_us)
    top, rise = longer[0], sum(one.difference_us for one in longer)
    share = 100 * top.difference_us / rise
    if top.difference_us >= LEADING * rise:
        text = say("ranks.cause.operator", type=top.type, us=top.difference_us, pct=top.difference_pct, share=share)
        return OperatorCause("operator", text)
    return OperatorCause("several", say("ranks.cause.several", type=top.type, us=top.difference_us, n=len(longer) - 1))


def _all_slower(computing: Sequence[OperatorDifference], share: float) -> bool:
    """Whether the types are slower by about this share, the one with most of the time and the rest of them alike."""
    rest = sorted(computing, key=lambda one: -one.median_us)[1:]
    parts = [[*computing], rest]
    return bool(rest) and all(_same_share(part, share) >= ALIKE * sum(one.median_us for one in part) for part in parts)


def _same_share(computing: Sequence[OperatorDifference], share: float) -> float:
    """The time (of the others) in types that are slower by about this share, calls being equal."""
    low, high = ABOUT * share, (1 + ABOUT) * share
    return sum(
        one.median_us
        for one in computing
        if one.count == one.median_count and one.median_us > 0 and low <= one.difference_us / one.median_us <= high
    )
