"""Ranks of one job against each other: which one is late, by what, and who only waits for it.

A rank that communicates longest is no slow one: the time in a collective that is not sending is waiting for the
others. So only what a rank does by itself, computing and free time, can make it late.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from npuscope.analysis.ranks.lateness import (
    COMPUTE,
    FREE,
    OWN,
    WAIT,
    WAITS,
    Basis,
    RankLine,
    Uneven,
    basis_of,
    common_steps,
    consistency,
    groups_of,
    late_of,
    spread,
    uneven_of,
)
from npuscope.analysis.ranks.links import slow_ranks
from npuscope.analysis.ranks.times import OPERATORS, RankTimes
from npuscope.parsers.msprof.step_files import FRAMEWORKS
from npuscope.parsers.say import Problem, Say, say


@dataclass(frozen=True)
class RankVerdict:
    """What is so. kind = compute, free (then `late` are the late ranks, the latest first), stages, even, one or none.

    `text` speaks of `late[0]` where there is one: the sentence gets its name as {who}. steps = (how many steps it is
    the latest in, of how many that all ranks have); None with fewer than two.
    """

    kind: str
    text: Say
    late: tuple[RankLine, ...] = ()
    steps: tuple[int, int] | None = None


@dataclass(frozen=True)
class SlowLink:
    """A rank whose slowest link of a kind of wire is much slower than those of the others (mean), GB/s."""

    times: RankTimes
    transport: str
    gbps: float
    others_gbps: float


@dataclass(frozen=True)
class RankTable:
    """The ranks in their order, those of unknown rank last. `missing` = ranks of which no profile was found."""

    lines: tuple[RankLine, ...]
    verdict: RankVerdict
    missing: tuple[int, ...] = ()
    world_size: int | None = None
    mean_computing_us: float | None = None
    used: int = 0
    problems: tuple[Problem, ...] = ()
    slow_links: tuple[SlowLink, ...] = ()

    @property
    def waiting(self) -> tuple[RankLine, ...]:
        """Those that wait for a late rank."""
        return tuple(line for line in self.lines if line.code == WAIT)


def compare(found: Sequence[RankTimes]) -> RankTable:
    """Set the ranks of one job against each other."""
    ordered = sorted(found, key=_order)
    told = [times for times in ordered if times.known]
    known = _alike(told)
    common, problems = common_steps(known)
    bases = [basis_of(times, common) for times in known]
    groups = groups_of(bases)
    late = tuple(sorted((one for group in groups for one in late_of(group)), key=lambda one: -(one.late_by_us or 0.0)))
    uneven = uneven_of(groups)
    if uneven is not None and uneven.excess_us <= max((line.late_by_us or 0.0 for line in late), default=0.0):
        uneven = None
    verdict = RankVerdict("stages", uneven.text, late) if uneven is not None else _verdict(bases, groups, late, common)
    if len(known) < 2 <= len(told):
        verdict = RankVerdict("one", say("ranks.verdict.unlike"))
    world, missing = _missing(ordered)
    return RankTable(
        lines=tuple(_line(times, bases, late, uneven) for times in ordered),
        verdict=verdict,
        missing=missing,
        world_size=world,
        mean_computing_us=statistics.fmean(times.computing_us or 0.0 for times in known) if known else None,
        used=len(known),
        problems=(*problems, *_from_operators(ordered)),
        slow_links=tuple(
            SlowLink(ordered[at], transport, gbps, others)
            for at, transport, gbps, others in slow_ranks([times.links for times in ordered])
        ),
    )


def _alike(known: list[RankTimes]) -> list[RankTimes]:
    """Those whose times mean the same: of step tables, unless more ranks have only operators."""
    tables = [times for times in known if times.source != OPERATORS]
    operators = [times for times in known if times.source == OPERATORS]
    return tables if len(tables) > 1 or len(tables) >= len(operators) else operators


def _order(times: RankTimes) -> tuple[bool, int, int, str]:
    return (times.rank is None, times.rank or 0, times.device or 0, times.run.path)


def _verdict(
    bases: Sequence[Basis], groups: Sequence[Sequence[Basis]], late: tuple[RankLine, ...], common: Sequence[int]
) -> RankVerdict:
    if len(bases) < 2:
        return RankVerdict("one" if bases else "none", say(f"ranks.verdict.{'one' if bases else 'none'}"))
    if not late:
        return RankVerdict("even", _even(groups))
    first = late[0]
    text = say(
        f"ranks.verdict.{first.code}",
        us=(first.median_us or 0.0) + (first.late_by_us or 0.0),
        more=first.late_by_us,
        pct=first.late_by_pct,
        median=first.median_us,
    )
    return RankVerdict(first.code, text, late, consistency(first, groups, common))


def _even(groups: Sequence[Sequence[Basis]]) -> Say:
    spreads = {name: max(spread(group, name) for group in groups) for name in OWN}
    middle = statistics.median(basis.own[COMPUTE] or 0.0 for group in groups for basis in group)
    computing = 100 * spreads[COMPUTE] / middle if middle else None
    return say("ranks.verdict.even", computing=computing, free=spreads[FREE])


def _line(times: RankTimes, bases: Sequence[Basis], late: Sequence[RankLine], uneven: Uneven | None) -> RankLine:
    own = next((line for line in late if line.times is times), None)
    basis = next((basis for basis in bases if basis.times is times), None)
    if own is not None or basis is None:
        return own or RankLine(times)
    if uneven is not None and times.pipeline_stage != uneven.stage:
        waits = basis.communication_us - uneven.communication_us
        if waits >= WAITS * uneven.excess_us:
            return RankLine(times, WAIT, waits_stage=uneven.stage, waits_us=waits)
    for line in late:
        ahead = next(other for other in bases if other.times is line.times)
        waits = basis.communication_us - ahead.communication_us
        if line.times.pipeline_stage == times.pipeline_stage and waits >= WAITS * (line.late_by_us or 0.0):
            return RankLine(times, WAIT, waits_for=line.times, waits_us=waits)
    return RankLine(times)


def _missing(ordered: Sequence[RankTimes]) -> tuple[int | None, tuple[int, ...]]:
    """(number of ranks of the job, those without a profile); what no file tells follows from the largest rank."""
    present = {times.rank for times in ordered if times.rank is not None}
    if not present:
        return None, ()
    told = max((times.world_size for times in ordered if times.world_size is not None), default=0)
    world = max(told, max(present) + 1)
    return (told or None), tuple(rank for rank in range(world) if rank not in present)


def _from_operators(known: Sequence[RankTimes]) -> tuple[Problem, ...]:
    count = sum(times.source == OPERATORS for times in known)
    if not count:
        return ()
    text = say("ranks.problem.from-operators", n=count)
    analysed = any(times.source == OPERATORS and times.run.kind in FRAMEWORKS for times in known)
    return (Problem("no-step-table", text, say("ranks.problem.from-operators.hint") if analysed else None),)
