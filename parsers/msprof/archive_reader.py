"""A run in an archive: its tables are taken out into a private folder, read there, and the folder goes again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from npuscope.parsers.archive_members import unpacked
from npuscope.parsers.archives import inside
from npuscope.parsers.discovery import find_runs
from npuscope.parsers.msprof.files import kind_of
from npuscope.parsers.profile import Profile, Run
from npuscope.parsers.say import ParseError, Problem, Say, Value, say

Read = Callable[[Run, "Callable[[float], None] | None"], Profile]
Progress = Callable[[float], None]

_UNPACKING = 0.3  # share of the work that taking out takes
# read with a run besides the files it names itself
BESIDE = frozenset({
    "api_statistic", "fusion_op", "operator_memory", "l2_cache", "task_time", "step_trace", "step_trace_time",
    "analysis_db", "settings", "opprof", "viewer",
})  # fmt: skip
_TABLES = frozenset({"op_summary", "kernel_details", "op_statistic", "profile_db"})
_NOTES = ("op_basic_info.txt",)


def read_archived(run: Run, read: Read, progress: Progress | None = None) -> Profile:
    """The run out of its archive, read by `read`. Raises ParseError."""
    found = inside(run.path)
    if found is None:
        raise ParseError(Problem("not-found", say("profiles.problem.vanished", path=run.path), file=run.path))
    archive, rest = found
    unpacking = None if progress is None else (lambda share: progress(_UNPACKING * share))
    reading = None if progress is None else (lambda share: progress(_UNPACKING + (1 - _UNPACKING) * share))
    with unpacked(archive, _wanted(run, rest), unpacking) as folder:
        profile = read(_inner(folder, run, rest), reading)
        return _named(profile, run, str(folder), archive)


def _wanted(run: Run, rest: str) -> Callable[[str], bool]:
    kinds = BESIDE if run.files else BESIDE | _TABLES

    def wanted(name: str) -> bool:
        if rest and not name.startswith(f"{rest}/") and name != rest:
            return False
        if any(name == file or name.endswith(f"/{file}") for file in run.files):
            return True
        bare = name.rpartition("/")[2]
        kind = kind_of(bare)
        return kind in kinds or bare in _NOTES or (kind is not None and kind.startswith("mindspore_"))

    return wanted


def _inner(folder: Path, run: Run, rest: str) -> Run:
    """The run as it lies in the private folder. Of an archive whose names were not looked at it is found now."""
    if run.files or run.state != "ready":
        return replace(run, path=str(_place(folder, run, rest)))
    runs = find_runs(folder, math.inf)
    if not runs:
        raise ParseError(Problem("no-profile", say("files.problem.archive.no-profile", file=run.name), file=run.path))
    return replace(runs[0], started_at=run.started_at)


def _place(folder: Path, run: Run, rest: str) -> Path:
    """Where the run's files begin: the folder its first file is relative to."""
    if rest or not run.files:
        return folder / rest
    first = run.files[0]
    for path in sorted(folder.rglob(Path(first).name)):
        if path.relative_to(folder).as_posix().endswith(first):
            return Path(str(path)[: -len(first)] or folder)
    return folder


def _named(profile: Profile, run: Run, folder: str, archive: Path) -> Profile:
    """The profile with the archive's paths in place of those of the private folder.

    Raw data was not taken out: that there is none says nothing here.
    """
    read = profile.run
    named = replace(
        read,
        path=run.path,
        name=run.name,
        next_command=run.next_command,
        changed_at=run.changed_at,
        signature=run.signature,
        size_bytes=run.size_bytes,
        reason=_said(read.reason, folder, archive),
        problems=run.problems,
    )
    told = (problem for problem in profile.problems if problem.code != "no-device-data")
    return replace(profile, run=named, problems=tuple(renamed(problem, folder, archive) for problem in told))


def renamed(problem: Problem, folder: str, archive: Path) -> Problem:
    """A problem of a file that was taken out, with the archive's path in place of the private folder's."""
    message = _said(problem.message, folder, archive)
    assert message is not None
    hint = _said(problem.hint, folder, archive)
    return replace(problem, message=message, hint=hint, file=_text(problem.file, folder, archive))


def _said(sentence: Say | None, folder: str, archive: Path) -> Say | None:
    if sentence is None:
        return None
    params: Mapping[str, Value] = {
        name: _text(value, folder, archive) if isinstance(value, str) else value
        for name, value in sentence.params.items()
    }
    return Say(sentence.key, params)


def _text(text: str | None, folder: str, archive: Path) -> str | None:
    return None if text is None else text.replace(folder, str(archive))
