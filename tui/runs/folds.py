"""Runs of one job (its ranks) as one line of the list, until the person unfolds it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from npuscope.analysis.ranks.jobs import Job, jobs
from npuscope.parsers.profile import Run
from npuscope.tui.text import t

JOB = "job"  # the kind of a folded line
UNFINISHED = ("collecting", "exporting", "collected", "unreadable", "damaged", "empty")


class Folds:
    """Which runs are folded into which line. A folded line is a Run of kind JOB at the path of the first rank."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._home: dict[str, str] = {}
        self._open: set[str] = set()

    def take(self, runs: Sequence[Run]) -> None:
        """The runs on disk now; what was unfolded stays so."""
        self._jobs = {job.runs[0].path: job for job in jobs(runs)}
        self._home = {run.path: key for key, job in self._jobs.items() for run in job.runs}

    def fold(self, shown: Sequence[Run]) -> list[Run]:
        """The same runs, each job as one line where its first run stood."""
        lines, seen = [], set()
        for run in shown:
            key = self._home.get(run.path)
            if key is None or key in self._open:
                lines.append(run)
            elif key not in seen:
                seen.add(key)
                lines.append(folded(self._jobs[key]))
        return lines

    def job(self, line: Run | None) -> Job | None:
        """The job a folded line stands for; None for a run."""
        return self._jobs.get(line.path) if line is not None and line.kind == JOB else None

    def home(self, path: str) -> str:
        """The path of the line a run is folded into, or its own."""
        key = self._home.get(path, path)
        return path if key in self._open else key

    def toggle(self, line: Run) -> bool:
        """Unfold a line, or fold the job a run belongs to; False when it belongs to none."""
        key = self._home.get(line.path)
        if key is None:
            return False
        self._open ^= {key}
        return True


def folded(job: Job) -> Run:
    """The line of a job: it began with its first rank, is ready when all ranks are, and partial when some are."""
    first = job.runs[0]
    states = {run.state for run in job.runs}
    state = "partial" if states & {"ready", "partial"} else next(one for one in UNFINISHED if one in states)
    state = "ready" if states == {"ready"} else state
    return Run(
        path=first.path,
        name=PurePath(job.folder).name or "/",
        kind=JOB,
        state=state,
        started_at=job.started_at or None,
        changed_at=job.changed_at,
        size_bytes=sum(run.size_bytes for run in job.runs),
        signature=f"{JOB} {len(job.runs)}",
    )


def name(job: Job) -> str:
    """`job of 4 ranks · run42`."""
    return t("ranks.fold.named", n=len(job.runs), folder=PurePath(job.folder).name)
