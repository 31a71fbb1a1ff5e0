"""A run in an archive: its tables are taken out into a private folder, read there, and the folder goes again."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from npuscope.parsers.archive_members import Member, unpacked
from npuscope.parsers.archives import inside
from npuscope.parsers.discovery.runs import find_runs
from npuscope.parsers.msprof.extras import MOST_STREAMED_BYTES, is_read
from npuscope.parsers.msprof.files import kind_of
from npuscope.parsers.profile import Profile, Run
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, Say, Value, say

Read = Callable[[Run, "Callable[[float], None] | None", "int | None"], Profile]

_UNPACKING = 0.3  # share of the work that taking out takes
# read with a run besides the files it names itself, and besides what extras.is_read names
BESIDE = frozenset({
    "l2_cache", "task_time", "step_trace", "step_trace_time", "analysis_db", "settings", "opprof", "viewer",
})  # fmt: skip
SETTINGS = frozenset({"settings"})
_TABLES = frozenset({"op_summary", "kernel_details", "op_statistic", "profile_db"})
_NOTES = ("op_basic_info.txt",)


@dataclass(frozen=True)
class Unpacked:
    """A run of an archive as it lies in a private folder."""

    run: Run
    folder: str
    archive: Path

    def problem(self, problem: Problem) -> Problem:
        """What went wrong there, told of the archive."""
        return renamed(problem, self.folder, self.archive)

    def said(self, sentence: Say | None) -> Say | None:
        """A sentence about it, told of the archive."""
        return _said(sentence, self.folder, self.archive)


def read_archived(
    run: Run, read: Read, progress: Progress | None = None, most: int | None = MOST_STREAMED_BYTES
) -> Profile:
    """The run out of its archive, read by `read`. `most` as in extras.is_read. Raises ParseError."""
    unpacking = None if progress is None else (lambda share: progress(_UNPACKING * share))
    reading = None if progress is None else (lambda share: progress(_UNPACKING + (1 - _UNPACKING) * share))
    kinds = BESIDE if run.files else BESIDE | _TABLES
    with taken_out(run, kinds, unpacking, most) as out:
        return _named(read(out.run, reading, most), run, out)


@contextlib.contextmanager
def taken_out(
    run: Run, kinds: frozenset[str], progress: Progress | None = None, most: int | None = MOST_STREAMED_BYTES
) -> Iterator[Unpacked]:
    """The run with the files it names and those of these kinds, in a folder that is gone afterwards. A run that names
    no files is found by what was taken out. Raises ParseError.
    """
    found = inside(run.path)
    if found is None:
        raise ParseError(Problem("not-found", say("profiles.problem.vanished", path=run.path), file=run.path))
    archive, rest = found
    with unpacked(archive, _wanted(run, rest, kinds, most), progress) as folder:
        yield Unpacked(_inner(folder, run, rest), str(folder), archive)


def _wanted(run: Run, rest: str, kinds: frozenset[str], most: int | None) -> Callable[[Member], bool]:
    def wanted(member: Member) -> bool:
        name = member.name
        if rest and not name.startswith(f"{rest}/") and name != rest:
            return False
        if any(name == file or name.endswith(f"/{file}") for file in run.files):
            return True
        bare = name.rpartition("/")[2]
        kind = kind_of(bare)
        if kind in kinds or bare in _NOTES or (kind is not None and kind.startswith("mindspore_")):
            return True
        return kinds >= BESIDE and is_read(bare, member.size, most)

    return wanted


def _inner(folder: Path, run: Run, rest: str) -> Run:
    """The run as it lies in the private folder. Of an archive whose names were not looked at it is found now."""
    if run.kind in ("csv", "db"):
        return replace(run, path=str(_place(folder, run, "") / run.files[0]))
    if run.files or rest:
        return replace(run, path=str(_place(folder, run, rest)))
    runs = find_runs(folder, math.inf)
    if run.state != "ready":
        return replace(run, path=next((one.path for one in runs if one.kind == run.kind), str(folder)))
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


def _named(profile: Profile, run: Run, out: Unpacked) -> Profile:
    """The profile with the archive's paths in place of those of the private folder.

    Raw data was not taken out: that there is none says nothing here, unless the names in the archive told it.
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
        reason=out.said(read.reason),
        problems=run.problems,
    )
    known = run.reason is not None and run.reason.key == "profiles.reason.no-device-data"
    told = (problem for problem in profile.problems if known or problem.code != "no-device-data")
    return replace(profile, run=named, problems=tuple(out.problem(problem) for problem in told))


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
