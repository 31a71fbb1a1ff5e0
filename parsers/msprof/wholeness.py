"""Whether a run that was read is whole: no table is cut, and its kernels and blocks are as many as other files tell."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from npuscope.parsers.msprof.step_files import FRAMEWORKS, STEP_TRACE_TIME, step_times
from npuscope.parsers.profile import UNKNOWN, Profile
from npuscope.parsers.say import Problem, say
from npuscope.parsers.table import Table

CUT = "profiles.problem.incomplete"  # the last line of a table
KERNELS = "profiles.problem.kernels-lacking"
BLOCKS = "profiles.problem.blocks-lacking"
LEAST_SHARE = 0.9  # of the computing in the step table: the kernels of a whole table add up to all of it, or more
_COMMUNICATION = ("COMMUNICATION", "HCCL")


def settled(profile: Profile) -> Profile:
    """The profile; one that passed for ready is partial where something of it lacks, and that is the reason."""
    if profile.run.state != "ready" or not len(profile.ops):
        return profile
    problems = (*profile.problems, *_lacking_kernels(profile))
    reason = next((problem.message for problem in problems if problem.message.key in (CUT, KERNELS, BLOCKS)), None)
    if reason is None:
        return profile
    run = dataclasses.replace(profile.run, state="partial", reason=reason)
    return dataclasses.replace(profile, run=run, problems=problems)


def lacks_kernels(profile: Profile) -> bool:
    """Whether the step table tells of more computing than there are kernels."""
    return any(problem.message.key == KERNELS for problem in profile.problems)


def _lacking_kernels(profile: Profile) -> list[Problem]:
    """The kernels of a framework's run are at least the computing of its steps, which is the union of their times."""
    times = step_times(profile.run) if profile.run.kind in FRAMEWORKS else None
    if times is None:
        return []
    computing_us = sum(step.computing_us or 0.0 for step in times.steps)
    kernels = ~profile.ops.strings("core").mask(_COMMUNICATION)
    us = float(np.nansum(profile.ops.numbers("duration_us")[kernels]))
    if us >= LEAST_SHARE * computing_us:
        return []
    file = profile.sources.get("duration_us", "").partition(":")[0] or profile.run.name
    text = say(KERNELS, file=file, us=us, steps=STEP_TRACE_TIME, computing=computing_us)
    return [Problem("not-whole", text, say("profiles.hint.incomplete"), profile.run.path)]


def lacking_blocks(path: Path, metrics: Table, launched: Table) -> list[Problem]:
    """The pipes' file of msprof op has a row for each block of its launch, or more where a block has several cores."""
    if "block" not in metrics or len(launched) != 1 or "block_dim" not in launched:
        return []
    blocks, of = metrics.numbers("block"), int(launched.numbers("block_dim")[0])
    count = len(np.unique(blocks[blocks != UNKNOWN]))
    if count == 0 or count >= of:
        return []
    text = say(BLOCKS, file=path.name, n=count, blocks=of)
    return [Problem("not-whole", text, say("profiles.hint.blocks-lacking"), str(path))]
