"""Whether a path is a file of a run that is no run itself, the run it belongs to, and the file as a table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from npuscope.parsers.archive_members import unpacked
from npuscope.parsers.archives import inside
from npuscope.parsers.discovery.files import fact_of
from npuscope.parsers.discovery.mindspore import look_at_table
from npuscope.parsers.discovery.runs import find_runs, look_at
from npuscope.parsers.msprof import files
from npuscope.parsers.msprof.archive_reader import renamed
from npuscope.parsers.msprof.sight import Sight
from npuscope.parsers.profile import Run
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say

RUNS = frozenset({"op_summary", "kernel_details", "op_statistic", "profile_db", "database"})
RAW = "raw"
LEVELS = 8
_MOST_RUNS_ASKED = 64


def is_beside(path: Path) -> bool:
    """Whether a path is a file that is looked at by itself; a table of operators, or their database, is a run."""
    kind = files.kind_of(path.name)
    if kind in RUNS or kind == RAW:
        return False
    found = inside(str(path))
    if found is not None:
        return bool(found[1]) and kind is not None
    if fact_of(path) is None or look_at_table(path, 0.0) is not None:
        return False
    if kind is not None:
        return True
    return not files.has_operators(str(path)) and files.kind_by_columns(str(path)) is not None


def run_of(path: Path, now: float) -> Run | None:
    """The run that a file lies in; None where it lies in none, or in a folder of several that do not tell."""
    path = path.absolute()
    found = inside(str(path))
    if found is not None:
        runs = find_runs(found[0], now)[:_MOST_RUNS_ASKED]
        held = [run for run in runs if str(path).startswith(f"{run.path}/")]
        return max(held, key=lambda run: len(run.path), default=None)
    for folder in list(path.parents)[:LEVELS]:
        run = look_at(folder, now)
        if run is not None:
            return run
    return None


def read_at(path: Path, table: str | None = None, progress: Progress | None = None) -> Sight:
    """The file at a path, which may lead into an archive, as a table. Raises ParseError."""
    found = inside(str(path))
    if found is None or not found[1]:
        return files.read_file(str(path), table, progress)
    archive, rest = found
    with unpacked(archive, lambda member: member.name == rest, progress) as folder:
        try:
            if not (folder / rest).is_file():
                text = say("files.problem.not-in-archive", file=archive.name, name=rest)
                raise ParseError(Problem("not-found", text, file=str(path)))
            sight = files.read_file(str(folder / rest), table)
        except ParseError as error:
            raise ParseError(renamed(error.problem, str(folder), archive)) from None
        problems = tuple(renamed(problem, str(folder), archive) for problem in sight.found.problems)
        return replace(sight, found=replace(sight.found, path=str(path), problems=problems))
