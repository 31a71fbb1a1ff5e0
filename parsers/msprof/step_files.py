"""The step tables that lie beside a run's operators: which file it is, and what it says."""

from __future__ import annotations

import re
from pathlib import Path

from npuscope.parsers.discovery import msprof as discovery_msprof
from npuscope.parsers.discovery import torch as discovery_torch
from npuscope.parsers.discovery.files import Folder
from npuscope.parsers.discovery.msprof import DEVICE, newest_export
from npuscope.parsers.msprof.tables import step_trace, step_trace_time
from npuscope.parsers.msprof.tables.step_trace_time import StepFile
from npuscope.parsers.profile import FileStep, Run
from npuscope.parsers.say import ParseError

FRAMEWORKS = ("torch_npu", "mindspore")
STEP_TRACE_TIME, STEP_TRACE = "step_trace_time", "step_trace"


def step_times(run: Run) -> StepFile | None:
    """What each step of a framework's run was made of; None when no file tells. What is damaged is a problem of it."""
    if run.kind not in FRAMEWORKS:
        return None
    output = Folder.of(Path(run.path)).sub(discovery_torch.OUTPUT)
    for pattern in (step_trace_time.PATTERN, step_trace_time.DB_PATTERN):
        files = [one for one in output.facts(pattern) if one.size]
        if files:
            found = step_trace_time.try_read(str(output.path / files[0].file))
            if found.steps or found.problems:
                return found
    return None


def iterations(run: Run) -> step_trace.IterationFile | None:
    """The iterations of a graph that msprof told apart; None when no file does."""
    if run.kind != "msprof":
        return None
    folder = Folder.of(Path(run.path))
    places = [folder.sub(discovery_msprof.OUTPUT)]
    places += [folder.sub(name).sub("summary") for name in folder.folders() if DEVICE.fullmatch(name)]
    for place in places:
        files = [one for one in place.facts(step_trace.PATTERN) if one.size]
        if not files:
            continue
        try:
            return step_trace.read(str(place.path / newest_export(files, _DATED)[0].file))
        except ParseError as error:
            return step_trace.IterationFile((), (error.problem,))
    return None


_DATED = re.compile(r"step_trace.*\.csv")


def file_steps(run: Run) -> tuple[tuple[FileStep, ...], str | None]:
    """(steps, the kind of file they are from) for a run whose operators do not say which step they are of."""
    times = step_times(run)
    if times is not None and times.steps:
        return tuple(FileStep(one.step, one.stage_us, one.device) for one in times.steps), STEP_TRACE_TIME
    found = iterations(run)
    if found is not None and found.iterations:
        return tuple(FileStep(one.iteration, one.time_us, None, one.end_ns) for one in found.iterations), STEP_TRACE
    return (), None
