"""What one rank's time was made of: from its step table, or where there is none from its operators."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from npuscope.analysis.ranks.links import slowest
from npuscope.parsers.archives import inside
from npuscope.parsers.discovery.files import Folder
from npuscope.parsers.discovery.torch import OUTPUT
from npuscope.parsers.msprof.collectives import communication
from npuscope.parsers.msprof.rank_info import RankInfo, read_rank_info
from npuscope.parsers.msprof.step_files import FRAMEWORKS, step_times
from npuscope.parsers.msprof.tables import step_trace_time
from npuscope.parsers.msprof.tables.step_trace_time import StepTimes
from npuscope.parsers.profile import Run
from npuscope.parsers.say import ParseError, Problem, Say, say

if TYPE_CHECKING:  # a rank's times are looked at where numpy is not
    from npuscope.parsers.table import Table

STEP_TABLE, OPERATORS = "step_trace_time", "operators"
COMMUNICATION = frozenset({"communication", "communication_matrix"})  # kinds of files, read beside the times
LARGEST = 16 << 20  # bytes of a communication file that is read beside the times: sixty-four ranks have one each
Told = TypeVar("Told")
READABLE = ("ready", "partial")
SETTLED = (*READABLE, "empty")  # an empty operator table may have a good step table beside it


@dataclass(frozen=True)
class RankTimes:
    """One rank on one device. Times in us over all its steps, None = not known.

    communication_us is the part that no computing hid (overlapped_us is the rest); stage_us = the steps' time, first
    work to last; wait_us = of the communication, waiting for the others, as the tool measured it; links = GB/s of the
    slowest link of each kind of wire. `steps` are the single steps, `source` is STEP_TABLE, OPERATORS or "" (no times,
    then `reason` says why).
    """

    run: Run
    rank: int | None = None
    device: int | None = None
    world_size: int | None = None
    pipeline_stage: int | None = None
    state: str = "ready"
    computing_us: float | None = None
    communication_us: float | None = None
    overlapped_us: float | None = None
    free_us: float | None = None
    stage_us: float | None = None
    bubble_us: float | None = None
    preparing_us: float | None = None
    wait_us: float | None = None
    links: Mapping[str, float] = field(default_factory=dict)
    steps: tuple[StepTimes, ...] = ()
    source: str = ""
    reason: Say | None = None
    problems: tuple[Problem, ...] = ()

    @property
    def known(self) -> bool:
        """Whether there are times to compare."""
        return self.computing_us is not None and self.stage_us is not None


def read_rank(run: Run, progress: Callable[[float], None] | None = None) -> tuple[RankTimes, ...]:
    """The times of a run: one entry, or one for each device where one process drove several. Raises nothing."""
    if inside(run.path) is not None and run.state in SETTLED:
        return _read_archived(run, progress)
    info = read_rank_info(run)
    if run.state not in SETTLED:
        return (_without(run, info, run.reason, run.problems),)
    found = step_times(run)
    problems = (*run.problems, *(found.problems if found is not None else ()))
    if found is not None and found.steps:
        return _of_steps(run, info, found.steps, problems)
    if run.state not in READABLE:
        return (_without(run, info, run.reason, problems),)
    return _of_operators(run, info, problems, progress)


def _read_archived(run: Run, progress: Callable[[float], None] | None) -> tuple[RankTimes, ...]:
    from npuscope.parsers.msprof.archive_reader import BESIDE, taken_out  # imports zipfile and tarfile

    try:
        with taken_out(run, BESIDE | COMMUNICATION) as out:
            found = read_rank(out.run, progress)
    except ParseError as error:
        reason, told = error.problem.message, (*run.problems, error.problem)
        return (dataclasses.replace(_without(run, RankInfo(run.rank), reason, told), state="damaged"),)
    told_of = (tuple(out.problem(problem) for problem in one.problems) for one in found)
    return tuple(
        dataclasses.replace(one, run=run, reason=out.said(one.reason), problems=problems)
        for one, problems in zip(found, told_of)
    )


def _without(run: Run, info: RankInfo, reason: Say | None, problems: tuple[Problem, ...]) -> RankTimes:
    return RankTimes(
        run=run,
        rank=info.rank,
        world_size=info.world_size,
        pipeline_stage=info.pipeline_stage,
        state=run.state,
        reason=reason or say("ranks.reason.no-times"),
        problems=problems,
    )


def _of_steps(
    run: Run, info: RankInfo, steps: Sequence[StepTimes], problems: tuple[Problem, ...]
) -> tuple[RankTimes, ...]:
    devices = sorted({step.device for step in steps if step.device is not None})
    if len(devices) < 2:
        device = devices[0] if devices else None
        base = _without(run, info, None, problems)
        return (_with_communication(dataclasses.replace(of_steps(base, steps), device=device)),)
    several = dataclasses.replace(_without(run, info, None, problems), rank=None)
    return tuple(
        dataclasses.replace(of_steps(several, [step for step in steps if step.device == device]), device=device)
        for device in devices
    )


def of_steps(base: RankTimes, steps: Sequence[StepTimes]) -> RankTimes:
    """The same rank with the sums of its steps."""
    return dataclasses.replace(
        base,
        computing_us=total(step.computing_us for step in steps),
        communication_us=total(alone(step) for step in steps),
        overlapped_us=total(step.overlapped_us for step in steps),
        free_us=total(step.free_us for step in steps),
        stage_us=total(step.stage_us for step in steps),
        bubble_us=total(step.bubble_us for step in steps),
        preparing_us=total(step.preparing_us for step in steps),
        steps=tuple(steps),
        source=STEP_TABLE,
        reason=None,
    )


def read_cluster(path: str) -> tuple[RankTimes, ...]:
    """The ranks of a cluster_step_trace_time.csv. Raises ParseError."""
    found = step_trace_time.read(path)
    ranks = sorted({step.rank for step in found.steps if step.rank is not None})
    stages = {rank: at for at, ranks in enumerate(found.stages) for rank in ranks} if len(found.stages) > 1 else {}
    run = Run(path, Path(path).name, "csv", "ready")
    return tuple(
        of_steps(
            RankTimes(run, rank, pipeline_stage=stages.get(rank), problems=found.problems),
            [step for step in found.steps if step.rank == rank],
        )
        for rank in ranks
    )


def alone(step: StepTimes) -> float | None:
    """The communication of a step that nothing hid; where only the whole is told, less what was overlapped."""
    if step.not_overlapped_us is not None or step.communication_us is None:
        return step.not_overlapped_us
    return max(0.0, step.communication_us - (step.overlapped_us or 0.0))


def total(values: Iterable[float | None]) -> float | None:
    """The sum; None when one of them is not known, or there is none."""
    known, count = 0.0, 0
    for value in values:
        if value is None:
            return None
        known, count = known + value, count + 1
    return known if count else None


def _with_communication(times: RankTimes) -> RankTimes:
    """What the collectives waited for the others, and how fast the wires were, where files of a fair size tell."""
    if times.run.kind not in FRAMEWORKS:
        return times
    output = Folder.of(Path(times.run.path)).sub(OUTPUT)
    collectives = _read(output, communication.PATTERN, communication.read)
    waits = [one.wait_us for one in collectives if one.wait_us is not None]
    links = slowest(_read(output, communication.MATRIX_PATTERN, communication.read_matrix))
    return dataclasses.replace(times, wait_us=sum(waits) if waits else None, links=links)


def _read(output: Folder, pattern: re.Pattern[str], read: Callable[[str], Sequence[Told]]) -> Sequence[Told]:
    files = [one for one in output.facts(pattern) if 0 < one.size <= LARGEST]
    try:
        return read(str(output.path / files[0].file)) if files else ()
    except ParseError:
        return ()


def _of_operators(
    run: Run, info: RankInfo, problems: tuple[Problem, ...], progress: Callable[[float], None] | None
) -> tuple[RankTimes, ...]:
    from npuscope.parsers.msprof.checks import devices_of
    from npuscope.parsers.msprof.reader import read_profile

    try:
        profile = read_profile(run, progress)
    except ParseError as error:
        reason, found = error.problem.message, (*problems, error.problem)
        return (dataclasses.replace(_without(run, info, reason, found), state="unreadable"),)
    rank = info.rank if info.rank is not None else profile.metadata.rank
    told = dataclasses.replace(info, rank=rank)
    if not len(profile.ops):
        nothing = profile.run.reason or say("ranks.reason.no-operators")
        return (dataclasses.replace(_without(run, told, nothing, profile.problems), state=profile.run.state),)
    devices = devices_of(profile.ops)
    base = _without(run, told, None, problems)
    if len(devices) < 2:
        device = devices[0] if devices else None
        return (_with_communication(dataclasses.replace(of_operators(base, profile.ops), device=device)),)
    column = profile.ops.numbers("device")
    several = dataclasses.replace(base, rank=None)
    return tuple(
        dataclasses.replace(of_operators(several, profile.ops.take(column == device)), device=device)
        for device in devices
    )


def of_operators(base: RankTimes, ops: Table) -> RankTimes:
    """The same rank with the times of its operators: computing = the union of its compute rows, communication = what
    only collectives filled, free = what nothing filled of first start to last end. `ops` are of one device."""
    from npuscope.analysis.ranks.unions import split, split_by_step

    whole = split(ops)
    if whole is None:
        return dataclasses.replace(base, source="", reason=say("ranks.reason.no-start-times"))
    found = of_steps(base, (whole,))
    return dataclasses.replace(found, steps=split_by_step(ops), source=OPERATORS)
