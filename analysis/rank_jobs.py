"""Which runs are the ranks of one job: distinct ranks that began together, in one folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from npuscope.parsers.profile import Run

# ranks of one job begin to profile at the same step, so within seconds; the clocks of hosts differ by some more
APART_S = 30.0
LEAST = 2


@dataclass(frozen=True)
class Job:
    """The runs of one job by rank; runs of unknown rank come last, by path."""

    runs: tuple[Run, ...]

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks that are known, ascending."""
        return tuple(run.rank for run in self.runs if run.rank is not None)

    @property
    def started_at(self) -> float:
        """When the first of them began (Unix seconds); 0 when none tells."""
        return min((run.started_at for run in self.runs if run.started_at is not None), default=0.0)

    @property
    def changed_at(self) -> float:
        """When the last of them changed."""
        return max((run.changed_at for run in self.runs), default=0.0)


def jobs(runs: Iterable[Run], one_folder: bool = True) -> tuple[Job, ...]:
    """The jobs among runs, newest first. Runs whose rank is not known belong to none.

    one_folder: ranks of a job lie in the same folder (what a list may fold unasked); without it those of any folders.
    """
    folders: dict[str, list[Run]] = {}
    for run in runs:
        if run.rank is not None:
            folders.setdefault(str(PurePath(run.path).parent) if one_folder else "", []).append(run)
    found = [job for alike in folders.values() for job in _by_time(alike)]
    return tuple(sorted(found, key=lambda job: (job.started_at, job.changed_at), reverse=True))


def job_of(run: Run, runs: Iterable[Run]) -> Job | None:
    """The job a run belongs to; None when it stands alone."""
    return next((job for job in jobs(runs) if any(one.path == run.path for one in job.runs)), None)


def _by_time(runs: Sequence[Run]) -> list[Job]:
    """A rank that comes twice was profiled twice: its later run opens the next job."""
    groups: list[dict[int, Run]] = []
    for run in sorted(runs, key=_order):
        home = next((group for group in groups if _fits(run, group)), None)
        if home is None:
            home = {}
            groups.append(home)
        home[run.rank if run.rank is not None else -1] = run
    return [Job(tuple(group[rank] for rank in sorted(group))) for group in groups if len(group) >= LEAST]


def _order(run: Run) -> tuple[float, float, str]:
    return (run.started_at or 0.0, run.changed_at, run.path)


def _fits(run: Run, group: dict[int, Run]) -> bool:
    if run.rank in group:
        return False
    first = next(iter(group.values()))
    if run.kind != first.kind or (run.started_at is None) != (first.started_at is None):
        return False
    return run.started_at is None or first.started_at is None or run.started_at - first.started_at <= APART_S
