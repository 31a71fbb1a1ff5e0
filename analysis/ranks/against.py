"""Reads the operators of one rank and of the others of its job, and sets them against each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from npuscope.analysis.ranks.operators import (
    OperatorCause,
    OperatorDifference,
    TypeTime,
    cause,
    differences,
    times_by_type,
)
from npuscope.analysis.ranks.times import RankTimes
from npuscope.parsers.profile import Run
from npuscope.parsers.say import ParseError, Problem, say

MOST_OTHERS = 8  # reading operators costs by their number; so many others have a median that says enough


@dataclass(frozen=True)
class RankOperators:
    """`types` of the run at `path` against the median of `others` (paths); `cause` only for a rank late by computing.

    Nothing could be set against each other when `problems` says why and `types` is empty.
    """

    path: str
    types: tuple[OperatorDifference, ...] = ()
    others: tuple[str, ...] = ()
    cause: OperatorCause | None = None
    problems: tuple[Problem, ...] = ()


def peers(own: RankTimes, ranks: Sequence[RankTimes]) -> tuple[RankTimes, ...]:
    """The ranks that do the same work as this one: of its pipeline stage, with times, at most MOST_OTHERS."""
    others = [one for one in ranks if one.run.path != own.run.path and one.known]
    alike = [one for one in others if one.pipeline_stage == own.pipeline_stage] or others
    if len(alike) <= MOST_OTHERS:
        return tuple(alike)
    step = len(alike) / MOST_OTHERS
    return tuple(alike[int(at * step)] for at in range(MOST_OTHERS))


def against(
    own: Run, others: Sequence[Run], late_by_pct: float | None, progress: Callable[[float], None] | None = None
) -> RankOperators:
    """Read and compare; late_by_pct = how much longer the rank computes than the others, None when it does not."""
    problems: list[Problem] = []
    tables: list[tuple[str, Mapping[str, TypeTime]]] = []
    for at, run in enumerate((own, *others)):
        try:
            tables.append((run.path, _types(run)))
        except ParseError as error:
            problems.append(error.problem)
        if progress is not None:
            progress((at + 1) / (1 + len(others)))
    if not tables or tables[0][0] != own.path or len(tables) < 2:
        problems = problems or [Problem("no-operators", say("ranks.problem.no-operators"), None, own.path)]
        return RankOperators(own.path, problems=tuple(problems))
    found = differences(tables[0][1], [table for _, table in tables[1:]])
    why = None if late_by_pct is None else cause(found, late_by_pct)
    return RankOperators(own.path, found, tuple(path for path, _ in tables[1:]), why, tuple(problems))


def _types(run: Run) -> Mapping[str, TypeTime]:
    from npuscope.parsers.msprof.reader import quick_types

    found = times_by_type(quick_types(run))
    if not found:
        raise ParseError(Problem("no-operators", say("ranks.problem.no-operators"), None, run.path))
    return found
