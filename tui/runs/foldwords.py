"""What the list of runs says about a job: the pane under its line. Pure."""

from __future__ import annotations

from npuscope.analysis.ranks.jobs import Job, ranges
from npuscope.tui.runs.view import READABLE
from npuscope.tui.runs.words import Line
from npuscope.tui.text import t


def job_lines(job: Job) -> list[Line]:
    """The pane of the list of runs about a folded job."""
    waiting = sum(run.state not in READABLE for run in job.runs)
    lines = [
        Line("there", job.folder),
        Line("holds", t("ranks.fold.holds", n=len(job.runs), ranks=ranges(job.ranks))),
    ]
    if waiting:
        lines.append(Line("lacks", t("ranks.fold.states", n=waiting, of=len(job.runs))))
    return [*lines, Line("do", t("ranks.fold.open"))]
