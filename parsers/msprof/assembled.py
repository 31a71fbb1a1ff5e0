"""What was read of a run, put together into its Profile: one operator table, its metadata, the state reading showed."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.checks import check_operators, counters, devices_of
from npuscope.parsers.msprof.databases.msprof_db import Database
from npuscope.parsers.msprof.metric_groups import groups_of
from npuscope.parsers.msprof.row_checks import check_rows
from npuscope.parsers.msprof.start_checks import check_starts
from npuscope.parsers.profile import Metadata, Profile, Run
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Table, concatenate

_STATES = {"locked": "exporting", "permission": "unreadable", "empty-file": "empty"}


@dataclass
class Parts:
    """What the files of a run gave, in the order they were read."""

    problems: list[Problem]
    tables: list[CsvTable] = field(default_factory=list)
    statistics: list[CsvTable] = field(default_factory=list)
    database: Database | None = None

    @property
    def has_rows(self) -> bool:
        """Whether any table has an operator."""
        return any(len(part.table) for part in self.tables)


def assembled(run: Run, found: Parts, metadata: Metadata) -> Profile:
    """The parts as one profile, with what is odd about their rows."""
    table, odd_rows = check_rows(concatenate([part.table for part in found.tables]))
    statistic = concatenate([part.table for part in found.statistics]) if found.statistics else None
    parts = [*found.tables, *found.statistics]
    sources = {name: source for part in reversed(parts) for name, source in part.sources.items()}
    problems = [*found.problems, *(problem for part in parts for problem in part.problems)]
    problems += [*check_operators(table, sources), *odd_rows, *check_starts(table)]
    if statistic is not None and len(statistic) and not len(table):
        problems.append(Problem("no-instances", say("profiles.problem.no-instances")))
    damage = found.problems[-1] if found.problems and not found.tables else None
    return Profile(
        run=after_reading(run, table, statistic, damage),
        ops=table,
        statistic=statistic,
        metadata=completed(metadata, run, table, sources),
        sources=sources,
        rows_skipped=sum(part.rows_skipped for part in parts),
        problems=tuple(problems),
    )


def of_nothing(run: Run, problem: Problem) -> Profile:
    """The profile of a file whose reading a problem ended. Raises ParseError when it may not be read."""
    if problem.code == "permission":
        raise ParseError(problem)
    if problem.code == "empty-file":
        problem = zero_bytes(Path(run.path), run.name)
    return Profile(failed(run, problem), Table({}), problems=(*run.problems, problem))


def after_reading(run: Run, table: Table, statistic: Table | None, damage: Problem | None) -> Run:
    """The run with the state that reading has shown."""
    if run.state != "ready" or len(table):
        return run
    if statistic is not None and len(statistic):
        return dataclasses.replace(run, state="partial", reason=say("profiles.reason.statistic-alone"))
    if damage is not None:
        return failed(run, damage)
    return dataclasses.replace(run, state="empty", reason=say("profiles.reason.no-rows"))


def failed(run: Run, problem: Problem) -> Run:
    """The run with the state that follows from the problem that ended its reading."""
    state = _STATES.get(problem.code, "damaged")
    return dataclasses.replace(run, state=state, reason=problem.message)


def completed(metadata: Metadata, run: Run, table: Table, sources: Mapping[str, str]) -> Metadata:
    """The metadata with what the run's name and its operators tell."""
    return dataclasses.replace(
        metadata,
        started_at=run.started_at,
        rank=run.rank if run.rank is not None else metadata.rank,
        devices=devices_of(table) or metadata.devices,
        aic_metrics=metadata.aic_metrics or ", ".join(groups_of(counters(table), sources)) or None,
    )


def zero_bytes(path: Path, file: str) -> Problem:
    """The problem of a file without a byte, with the room that its disk has."""
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:
        free = None
    text = say("profiles.problem.empty-file", file=file)
    return Problem("empty-file", text, say("profiles.hint.free-space", free=free), str(path))
