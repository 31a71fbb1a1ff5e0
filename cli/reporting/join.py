"""`npuscope report --join`: runs of one program with different metric groups, reported as one."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.parsers.joined import joined_run
from npuscope.parsers.profile import Run
from npuscope.parsers.say import Problem, say

if TYPE_CHECKING:
    from npuscope.cli.report import Outcome


def one_run(paths: Sequence[Path], outcome: Outcome) -> list[Run]:
    """The run that those at all paths are together, oldest first where a path holds several; [] with a problem."""
    from npuscope.cli.report import found

    runs: dict[str, Run] = {}
    for path in split(paths):
        runs.update({run.path: run for run in sorted(found([path], outcome), key=_age)})
    if outcome.problems:
        return []
    if len(runs) < 2:
        outcome.problems.append(Problem("join", say("opprof.join.one"), say("opprof.join.one.hint")))
        return []
    return [joined_run(list(runs.values()))]


def _age(run: Run) -> tuple[float, str]:
    return (run.changed_at if run.started_at is None else run.started_at), run.path


def split(paths: Sequence[Path]) -> list[Path]:
    """RUN1,RUN2 as two paths, unless a file of that name is there."""
    found: list[Path] = []
    for path in paths:
        text = str(path)
        found += [path] if "," not in text or path.exists() else [Path(part) for part in text.split(",") if part]
    return found


def refused(run: Run, problem: Problem) -> Run:
    """A joined run whose parts are not of one program is not to be had; any other run stays what it is."""
    return dataclasses.replace(run, state="damaged", reason=problem.message) if run.parts else run
