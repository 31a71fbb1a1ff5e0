"""All launches of one msprof op run in one operator table, with the cores of each and the vendor's words."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

from npuscope.parsers.msprof.opprof import folder as opprof
from npuscope.parsers.msprof.opprof import simulator, vendor_log
from npuscope.parsers.msprof.opprof.folder import LaunchTable
from npuscope.parsers.opprof_launches import launches_of
from npuscope.parsers.profile import Run, VendorText
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem
from npuscope.parsers.table import Table, concatenate


@dataclasses.dataclass(frozen=True)
class OpprofRun:
    """What the launches hold together. chip: None where they do not agree on it; damage: why none can be read."""

    table: Table
    sources: dict[str, str]
    skipped: int
    problems: tuple[Problem, ...]
    cores: Table | None
    said: tuple[VendorText, ...]
    chip: str | None
    damage: Problem | None = None


def read(run: Run, progress: Progress | None = None) -> OpprofRun:
    """Read every launch; one that cannot be read leaves its problem. Raises ParseError when there is but that one."""
    folder, launches = Path(run.path), launches_of(run.files)
    found: list[LaunchTable] = []
    problems: list[Problem] = []
    first = 0
    reported = tuple(vendor_log.beside(folder))
    for number, launch in enumerate(launches, 1):
        try:
            if launch.simulated:
                one = simulator.read_launch(folder, launch, first)
            else:
                one = opprof.read_launch(folder, launch, first, reported)
        except ParseError as error:
            if len(launches) == 1:
                raise
            problems.append(error.problem)
            continue
        found.append(one)
        first += len(one.table)
        if progress is not None:
            progress(number / len(launches))
    together = _together(folder, found, problems)
    return together if found or not problems else dataclasses.replace(together, damage=problems[-1])


def _together(folder: Path, found: list[LaunchTable], problems: list[Problem]) -> OpprofRun:
    tables = [one.table for one in found if len(one.table)]
    cores = [one.cores for one in found if one.cores is not None]
    chips = {one.chip for one in found if one.chip is not None}
    sources = {name: source for one in reversed(found) for name, source in one.sources.items()}
    problems = [*problems, *(problem for one in found for problem in one.problems), *_missing(folder, found)]
    return OpprofRun(
        table=concatenate(tables) if tables else Table({}),
        sources=sources,
        skipped=sum(one.skipped for one in found),
        problems=_once(problems),
        cores=concatenate(cores) if cores else None,
        said=tuple(text for one in found for text in one.said),
        chip=chips.pop() if len(chips) == 1 else None,
    )


def _missing(folder: Path, found: list[LaunchTable]) -> list[Problem]:
    """Metric files that are not there, said once for all launches that lack the same."""
    return [opprof.missing_problem(files, folder) for files in dict.fromkeys(one.missing for one in found) if files]


def _once(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Of many launches with the same fault the first."""
    found: dict[tuple[str, str, str], Problem] = {}
    for problem in problems:
        params = ",".join(f"{name}={value}" for name, value in sorted(problem.message.params.items()))
        found.setdefault((problem.code, problem.message.key, params), problem)
    return tuple(found.values())
