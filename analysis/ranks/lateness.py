"""What makes a rank late: how much more of its own time it needs than the others that do the same work."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from npuscope.analysis.ranks.jobs import ranges
from npuscope.analysis.ranks.times import OPERATORS, RankTimes, alone, total
from npuscope.parsers.msprof.tables.step_trace_time import StepTimes
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
class Basis:
    """What is compared of a rank: sums over the steps that all have."""

    times: RankTimes
    own: dict[str, float | None]
    communication_us: float
    stage_us: float


def common_steps(known: Sequence[RankTimes]) -> tuple[tuple[int, ...], tuple[Problem, ...]]:
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


def basis_of(times: RankTimes, common: Sequence[int]) -> Basis:
    steps: Sequence[StepTimes] = [step for step in times.steps if step.step in common] if common else ()
    if steps and times.source != OPERATORS:
        own = {name: total(value(step) for step in steps) for name, value in OWN.items()}
        communication, stage = total(alone(step) for step in steps), total(step.stage_us for step in steps)
        return Basis(times, own, communication or 0.0, stage or 0.0)
    own = {COMPUTE: times.computing_us, FREE: times.free_us}
    return Basis(times, own, times.communication_us or 0.0, times.stage_us or 0.0)


def groups_of(bases: Sequence[Basis]) -> list[list[Basis]]:
    """Ranks that do the same work: those of one pipeline stage where all tell theirs, else all together."""
    if any(basis.times.pipeline_stage is None for basis in bases):
        return [list(bases)]
    stages: dict[int, list[Basis]] = {}
    for basis in bases:
        stages.setdefault(basis.times.pipeline_stage or 0, []).append(basis)
    return [stages[stage] for stage in sorted(stages)]


def late_of(group: Sequence[Basis]) -> list[RankLine]:
    """The late ranks of a group."""
    found = []
    for basis in group:
        others = [other for other in group if other is not basis]
        causes = [line for name in OWN if others and (line := _excess(name, basis, others)) is not None]
        if causes:
            found.append(max(causes, key=lambda line: line.late_by_us or 0.0))
    return found


def _excess(name: str, basis: Basis, others: Sequence[Basis]) -> RankLine | None:
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


@dataclass(frozen=True)
class Uneven:
    """The pipeline stage that computes longest."""

    stage: int
    excess_us: float
    communication_us: float
    text: Say


def uneven_of(groups: Sequence[Sequence[Basis]]) -> Uneven | None:
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
    return Uneven(stage, excess, statistics.median(basis.communication_us for basis in slowest), text)


def consistency(late: RankLine, groups: Sequence[Sequence[Basis]], common: Sequence[int]) -> tuple[int, int] | None:
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


def spread(group: Sequence[Basis], name: str) -> float:
    values = [value for basis in group if (value := basis.own[name]) is not None]
    return max(values) - min(values) if values else 0.0
