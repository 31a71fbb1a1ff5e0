"""Ranks of one job against each other: which one is late, by what, and who only waits for it.

A rank that communicates longest is no slow one: the time in a collective that is not sending is waiting for the
others. So only what a rank does by itself, computing and free time, can make it late.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from npuscope.analysis.rank_times import OPERATORS, RankTimes, alone, total
from npuscope.parsers.msprof.step_trace_time import StepTimes
from npuscope.parsers.say import Problem, Say, say

# msprof-analyze's advisor calls ranks unequal when computing, communication or free differ by more than 5 %
# (RATIO_THRESHOLD of its slow rank checker); here of the median of the others instead of the mean of all
LATE_PCT = 5.0
# and less than this share of the step is not what a step waits for; free time scatters more than computing (own)
OF_STEP_PCT = {"compute": 1.0, "free": 2.0}
WAITS = 0.5  # a rank that communicates longer by half of the lateness or more waits for the late one (own)
COMPUTE, FREE, WAIT = "compute", "free", "wait"
Value = Callable[[StepTimes], "float | None"]
OWN: dict[str, Value] = {COMPUTE: lambda step: step.computing_us, FREE: lambda step: step.free_us}


@dataclass(frozen=True)
class RankLine:
    """One rank and what is to be said of it. `code` = compute, free, wait or "" (nothing to say).

    late_by_pct = excess over the median of the others in %, late_by_us in us; both None unless it is late. waits_for =
    the late rank (or waits_stage = the pipeline stage) this one waits for, waits_us longer in communication.
    """

    times: RankTimes
    code: str = ""
    late_by_pct: float | None = None
    late_by_us: float | None = None
    median_us: float | None = None
    waits_for: RankTimes | None = None
    waits_stage: int | None = None
    waits_us: float | None = None


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
class RankTable:
    """The ranks in their order, those of unknown rank last. `missing` = ranks of which no profile was found."""

    lines: tuple[RankLine, ...]
    verdict: RankVerdict
    missing: tuple[int, ...] = ()
    world_size: int | None = None
    mean_computing_us: float | None = None
    used: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def waiting(self) -> tuple[RankLine, ...]:
        """Those that wait for a late rank."""
        return tuple(line for line in self.lines if line.code == WAIT)


def compare(found: Sequence[RankTimes]) -> RankTable:
    """Set the ranks of one job against each other."""
    ordered = sorted(found, key=_order)
    known = _alike([times for times in ordered if times.known])
    common, problems = _common_steps(known)
    bases = [_basis(times, common) for times in known]
    groups = _groups(bases)
    late = tuple(sorted((one for group in groups for one in _late(group)), key=lambda one: -(one.late_by_us or 0.0)))
    uneven = _uneven(groups)
    if uneven is not None and uneven.excess_us <= max((line.late_by_us or 0.0 for line in late), default=0.0):
        uneven = None
    verdict = RankVerdict("stages", uneven.text, late) if uneven is not None else _verdict(bases, groups, late, common)
    world, missing = _missing(ordered)
    return RankTable(
        lines=tuple(_line(times, bases, late, uneven) for times in ordered),
        verdict=verdict,
        missing=missing,
        world_size=world,
        mean_computing_us=statistics.fmean(times.computing_us or 0.0 for times in known) if known else None,
        used=len(known),
        problems=(*problems, *_from_operators(ordered)),
    )


def _alike(known: list[RankTimes]) -> list[RankTimes]:
    """Those whose times mean the same: of step tables, unless too few ranks have one."""
    tables = [times for times in known if times.source != OPERATORS]
    return tables if len(tables) > 1 else known


@dataclass(frozen=True)
class _Basis:
    """What is compared of a rank: sums over the steps that all have."""

    times: RankTimes
    own: dict[str, float | None]
    communication_us: float
    stage_us: float


def _order(times: RankTimes) -> tuple[bool, int, int, str]:
    return (times.rank is None, times.rank or 0, times.device or 0, times.run.path)


def _common_steps(known: Sequence[RankTimes]) -> tuple[tuple[int, ...], tuple[Problem, ...]]:
    """The steps every rank has, where they are not the same steps everywhere; () = all steps of all."""
    told = [{step.step for step in times.steps if step.step is not None} for times in known]
    if len(known) < 2 or not all(told) or any(len(steps) != len(times.steps) for steps, times in zip(told, known)):
        return (), ()
    common = tuple(sorted(set.intersection(*told)))
    every = set.union(*told)
    if len(common) == len(every):
        return common, ()
    key = "ranks.problem.steps-differ" if common else "ranks.problem.no-common-step"
    text = say(key, common=len(common), steps=len(every))
    return common, (Problem("steps-differ", text),)


def _basis(times: RankTimes, common: Sequence[int]) -> _Basis:
    steps: Sequence[StepTimes] = [step for step in times.steps if step.step in common] if common else ()
    if steps and times.source != OPERATORS:
        own = {name: total(value(step) for step in steps) for name, value in OWN.items()}
        communication, stage = total(alone(step) for step in steps), total(step.stage_us for step in steps)
        return _Basis(times, own, communication or 0.0, stage or 0.0)
    own = {COMPUTE: times.computing_us, FREE: times.free_us}
    return _Basis(times, own, times.communication_us or 0.0, times.stage_us or 0.0)


def _groups(bases: Sequence[_Basis]) -> list[list[_Basis]]:
    """Ranks that do the same work: those of one pipeline stage where all tell theirs, else all together."""
    if any(basis.times.pipeline_stage is None for basis in bases):
        return [list(bases)]
    stages: dict[int, list[_Basis]] = {}
    for basis in bases:
        stages.setdefault(basis.times.pipeline_stage or 0, []).append(basis)
    return [stages[stage] for stage in sorted(stages)]


def _late(group: Sequence[_Basis]) -> list[RankLine]:
    """The late ranks of a group."""
    found = []
    for basis in group:
        others = [other for other in group if other is not basis]
        causes = [line for name in OWN if others and (line := _excess(name, basis, others)) is not None]
        if causes:
            found.append(max(causes, key=lambda line: line.late_by_us or 0.0))
    return found


def _excess(name: str, basis: _Basis, others: Sequence[_Basis]) -> RankLine | None:
    """How much more of its own time a rank needs than the median of the others; None when it is not late by it."""
    values = [value for other in others if (value := other.own[name]) is not None]
    own = basis.own[name]
    if own is None or not values:
        return None
    median, step = statistics.median(values), statistics.median(other.stage_us for other in others)
    excess = own - median
    if excess <= 0 or excess < LATE_PCT / 100 * median or excess < OF_STEP_PCT[name] / 100 * step:
        return None
    if name == FREE and basis.communication_us > statistics.median(other.communication_us for other in others):
        return None  # who comes late to a collective does not wait in it
    return RankLine(basis.times, name, 100 * excess / median if median > 0 else None, excess, median)


def _verdict(
    bases: Sequence[_Basis], groups: Sequence[Sequence[_Basis]], late: tuple[RankLine, ...], common: Sequence[int]
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
    return RankVerdict(first.code, text, late, _consistency(first, groups, common))


@dataclass(frozen=True)
class _Uneven:
    """The pipeline stage that computes longest."""

    stage: int
    excess_us: float
    communication_us: float
    text: Say


def _uneven(groups: Sequence[Sequence[_Basis]]) -> _Uneven | None:
    """Where the stages of a pipeline differ: the one the others wait for, by the medians of their ranks."""
    if len(groups) < 2:
        return None
    medians = [statistics.median(basis.own[COMPUTE] or 0.0 for basis in group) for group in groups]
    longest = max(range(len(groups)), key=lambda at: medians[at])
    others = statistics.median(median for at, median in enumerate(medians) if at != longest)
    excess = medians[longest] - others
    step = statistics.median(basis.stage_us for group in groups for basis in group)
    if not others or excess < LATE_PCT / 100 * others or excess < OF_STEP_PCT[COMPUTE] / 100 * step:
        return None
    slowest = groups[longest]
    stage = slowest[0].times.pipeline_stage or 0
    text = say(
        "ranks.verdict.stages",
        stage=stage,
        ranks=ranges(basis.times.rank for basis in slowest),
        us=medians[longest],
        more=excess,
        pct=100 * excess / others,
    )
    return _Uneven(stage, excess, statistics.median(basis.communication_us for basis in slowest), text)


def _even(groups: Sequence[Sequence[_Basis]]) -> Say:
    spreads = {name: max(_spread(group, name) for group in groups) for name in OWN}
    middle = statistics.median(basis.own[COMPUTE] or 0.0 for group in groups for basis in group)
    computing = 100 * spreads[COMPUTE] / middle if middle else None
    return say("ranks.verdict.even", computing=computing, free=spreads[FREE])


def _spread(group: Sequence[_Basis], name: str) -> float:
    values = [value for basis in group if (value := basis.own[name]) is not None]
    return max(values) - min(values) if values else 0.0


def _consistency(late: RankLine, groups: Sequence[Sequence[_Basis]], common: Sequence[int]) -> tuple[int, int] | None:
    """In how many of the common steps the rank is the latest of its group by the same cause."""
    group = next(group for group in groups if any(basis.times is late.times for basis in group))
    value = OWN[late.code]
    hits, seen = 0, 0
    for number in common if len(common) > 1 else ():
        values = {id(basis.times): value(step) for basis in group for step in basis.times.steps if step.step == number}
        own = values.pop(id(late.times), None)
        others = [other for other in values.values() if other is not None]
        if own is not None and others:
            seen += 1
            hits += own >= max(others) and own > (1 + LATE_PCT / 100) * statistics.median(others)
    return (hits, seen) if seen > 1 else None


def _line(times: RankTimes, bases: Sequence[_Basis], late: Sequence[RankLine], uneven: _Uneven | None) -> RankLine:
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
    return (Problem("no-step-table", text, say("ranks.problem.from-operators.hint")),)


def ranges(numbers: Iterable[int | None]) -> str:
    """Ranks as `0-2, 5`; the unknown ones are left out."""
    parts: list[list[int]] = []
    for number in sorted({number for number in numbers if number is not None}):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)
