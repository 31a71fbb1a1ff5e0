"""Which runs are the ranks of one job: distinct ranks that began together, in one folder or a folder for each host."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from npuscope.parsers.profile import Run

# ranks of one job begin to profile at the same step, so within seconds; the clocks of hosts differ by some more
APART_S = 30.0
LEAST = 2
_Group = dict[int, Run]  # runs by rank


@dataclass(frozen=True)
class Job:
    """The runs of one job by rank; runs of unknown rank come last, by path."""

    runs: tuple[Run, ...]

    @property
    def ranks(self) -> tuple[int, ...]:
        """The ranks that are known, ascending."""
        return tuple(run.rank for run in self.runs if run.rank is not None)

    @property
    def folder(self) -> str:
        """The folder that holds all of them."""
        return os.path.commonpath([os.path.dirname(run.path) for run in self.runs])  # noqa: PTH120 (names, not files)

    @property
    def started_at(self) -> float:
        """When the first of them began (Unix seconds); 0 when none tells."""
        return min((run.started_at for run in self.runs if run.started_at is not None), default=0.0)

    @property
    def changed_at(self) -> float:
        """When the last of them changed."""
        return max((run.changed_at for run in self.runs), default=0.0)


def jobs(runs: Iterable[Run], anywhere: bool = False) -> tuple[Job, ...]:
    """The jobs among runs, newest first. Runs whose rank is not known belong to none.

    The ranks of a job lie in one folder, or in folders side by side (one for each host), and with `anywhere` in any.
    """
    folders: dict[str, list[Run]] = {}
    for run in runs:
        if run.rank is not None:
            folders.setdefault(str(PurePath(run.path).parent), []).append(run)
    places: dict[str, list[_Group]] = {}
    for folder, alike in folders.items():
        places.setdefault("" if anywhere else str(PurePath(folder).parent), []).extend(_by_time(alike))
    found = [group for beside in places.values() for group in _joined(beside, anywhere)]
    made = [Job(tuple(group[rank] for rank in sorted(group))) for group in found if len(group) >= LEAST]
    return tuple(sorted(made, key=lambda job: (job.started_at, job.changed_at), reverse=True))


def _joined(groups: Sequence[_Group], anywhere: bool) -> list[_Group]:
    """Groups of several folders that began together are one job, unless any rank is in two of them."""
    joined: list[_Group] = []
    together: list[list[_Group]] = []
    for group in sorted(groups, key=_start):
        if not anywhere and not _start(group):
            joined.append(group)  # names without a time say nothing across folders
        elif together and _start(group) - _start(together[-1][0]) <= APART_S:
            together[-1].append(group)
        else:
            together.append([group])
    for beside in together:
        everyone = [run for group in beside for run in group.values()]
        alike = len({run.rank for run in everyone}) == len(everyone) and len({run.kind for run in everyone}) == 1
        joined += [{_rank(run): run for run in everyone}] if alike else beside
    return joined


def _start(group: _Group) -> float:
    return min(_began(run) for run in group.values())


def job_of(run: Run, runs: Iterable[Run]) -> Job | None:
    """The job a run belongs to; None when it stands alone."""
    return next((job for job in jobs(runs) if any(one.path == run.path for one in job.runs)), None)


def _by_time(runs: Sequence[Run]) -> list[_Group]:
    """Of one folder. A rank that comes twice was profiled twice: its later run opens the next job."""
    ordered = sorted(runs, key=lambda run: (run.started_at or 0.0, run.changed_at, run.path))
    dated = [run for run in ordered if run.started_at is not None]
    return [*_dated(dated), *_undated(run for run in ordered if run.started_at is None)]


def _dated(ordered: Iterable[Run]) -> list[_Group]:
    groups: list[_Group] = []
    joinable: list[tuple[Run, _Group]] = []
    for run in ordered:
        joinable = [(first, group) for first, group in joinable if _began(run) - _began(first) <= APART_S]
        home = next((g for first, g in joinable if first.kind == run.kind and run.rank not in g), None)
        if home is None:
            home = {}
            groups.append(home)
            joinable.append((run, home))
        home[_rank(run)] = run
    return groups


def _undated(ordered: Iterable[Run]) -> list[_Group]:
    """Names without a time count by their folder: the n-th run of each rank belongs to the n-th job."""
    groups: dict[tuple[str, int], _Group] = {}
    seen: Counter[tuple[str, int]] = Counter()
    for run in ordered:
        key = (run.kind, _rank(run))
        groups.setdefault((run.kind, seen[key]), {})[_rank(run)] = run
        seen[key] += 1
    return list(groups.values())


def _began(run: Run) -> float:
    return run.started_at or 0.0


def _rank(run: Run) -> int:
    return -1 if run.rank is None else run.rank


def ranges(numbers: Iterable[int | None]) -> str:
    """Ranks as `0-2, 5`; the unknown ones are left out."""
    parts: list[list[int]] = []
    for number in sorted({number for number in numbers if number is not None}):
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)
