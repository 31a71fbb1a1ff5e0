"""Files of a run as facts (name, size, time): what every kind of run decides its state from."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from npuscope.parsers.profile import IgnoredFile, Run
from npuscope.parsers.say import Problem, Say, say

SETTLE_S = 3.0
QUIET_S = 30.0
SKEW_S = 60.0
HEAD_BYTES = 64 << 10
BESIDE = re.compile(
    r"(?:api_statistic|fusion_op|operator_memory|l2_cache|task_time|step_trace(?:_time)?)(?:_\w+)?\.csv"
    r"|trace_view\.json|analysis\.db"
)
# tables and databases that are runs by themselves, wherever they lie
LOOSE_CSV = re.compile(r".*(?:op_summary|kernel_details).*\.csv", re.IGNORECASE)
LOOSE_DB = re.compile(r"(?:msprof(?:_\w+)?|ascend_(?:pytorch|mindspore)_profiler(?:_\w+)?)\.db")
STATISTIC = re.compile(r".*op_statistic.*\.csv", re.IGNORECASE)
_STAMP = re.compile(r"(?<!\d)(\d{14})(\d{3})?(?!\d)")


@dataclass(frozen=True)
class Fact:
    """One file: its path relative to the run, bytes, seconds of its last change."""

    file: str
    size: int
    changed_at: float
    readable: bool = True

    @property
    def name(self) -> str:
        """The bare file name."""
        return self.file.rpartition("/")[2]


@dataclass(frozen=True)
class Folder:
    """A folder's entries by name. `error` is set when it could not be listed (then it has none)."""

    path: Path
    entries: Mapping[str, os.DirEntry[str]]
    error: OSError | None = None

    @classmethod
    def of(cls, path: Path) -> Folder:
        """List a folder; whatever the system refuses becomes `error`."""
        try:
            with os.scandir(path) as listed:
                return cls(path, {entry.name: entry for entry in listed})
        except OSError as error:
            return cls(path, {}, error)

    def folders(self) -> list[str]:
        """Names of its sub-folders, links to folders included."""
        return sorted(name for name, entry in self.entries.items() if _is_folder(entry))

    def sub(self, name: str) -> Folder:
        """A sub-folder's listing; empty when there is none of that name."""
        entry = self.entries.get(name)
        return Folder.of(self.path / name) if entry is not None and _is_folder(entry) else Folder(self.path / name, {})

    def facts(self, pattern: re.Pattern[str], prefix: str = "") -> list[Fact]:
        """The files whose whole name matches, by name; a file that vanished meanwhile is left out."""
        found = (fact(self.entries[name], prefix) for name in sorted(self.entries) if pattern.fullmatch(name))
        return [one for one in found if one is not None]

    def beside(self, prefix: str = "") -> list[Fact]:
        """The files that are read with the tables of this folder; whether they may be read is not asked."""
        names = sorted(name for name in self.entries if BESIDE.fullmatch(name))
        found = (fact(self.entries[name], prefix, ask=False) for name in names)
        return [one for one in found if one is not None]

    def head(self, file: str, most: int = HEAD_BYTES) -> bytes:
        """The first bytes of a file below this folder; none when it cannot be read. A pipe is not waited for."""
        try:
            handle = os.open(f"{self.path}/{file}", os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return b""
        try:
            return os.read(handle, most)
        except OSError:
            return b""
        finally:
            os.close(handle)

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether any name matches wholly."""
        return any(pattern.fullmatch(name) for name in self.entries)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def fact(entry: os.DirEntry[str], prefix: str = "", ask: bool = True) -> Fact | None:
    """What one file is; None for a folder, or when it is gone. Without `ask` it counts as readable."""
    try:
        if not entry.is_file():
            return None
        found = entry.stat()
    except OSError:
        return None
    return Fact(prefix + entry.name, found.st_size, found.st_mtime, not ask or os.access(entry.path, os.R_OK))


def fact_of(path: Path) -> Fact | None:
    """The fact of a single file by its path; None when it is gone or no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    return Fact(path.name, found.st_size, found.st_mtime, os.access(path, os.R_OK))


def is_young(changed_at: float, now: float, seconds: float = SETTLE_S) -> bool:
    """Whether something changed within `seconds`; a clock of another host may be a little ahead."""
    return -SKEW_S < now - changed_at < seconds


def changed(path: Path) -> float:
    """When a path last changed; 0 when it cannot be asked."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def settling(facts: Iterable[Fact], now: float) -> bool:
    """Whether any of the files is still being written, as far as times tell."""
    return any(is_young(one.changed_at, now) for one in facts)


def stamp_of(name: str) -> str:
    """The last 14-digit time in a name, as digits; "" without one."""
    found = _STAMP.findall(name)
    return found[-1][0] if found else ""


def started_at(name: str) -> float | None:
    """Seconds since the epoch of the first time stamp in a name (local time of the box that wrote it)."""
    found = _STAMP.search(name)
    if found is None:
        return None
    digits, millis = found.groups()
    parts = [int(digits[:4])] + [int(digits[at : at + 2]) for at in range(4, 14, 2)]
    try:
        return datetime(*parts).timestamp() + int(millis or 0) / 1000  # type: ignore[arg-type]
    except (ValueError, OverflowError, OSError):
        return None


def signature_of(facts: Iterable[Fact]) -> str:
    """Changes when any of the files does."""
    text = "|".join(f"{one.file}:{one.size}:{one.changed_at!r}" for one in facts)
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


@dataclass(frozen=True)
class State:
    """A run's state with its reason and the command that leads on."""

    state: str
    reason: Say | None = None
    next_command: str | None = None


def make_run(
    folder: Path,
    kind: str,
    state: State,
    files: Sequence[Fact] = (),
    ignored: Sequence[IgnoredFile] = (),
    problems: Sequence[Problem] = (),
    rank: int | None = None,
    changed_at: float | None = None,
    beside: Sequence[Fact] = (),
) -> Run:
    """The record of a run from the facts of the files that a reader has to open.

    `beside`: what is read with them where it is there; only the signature knows of it.
    """
    newest = max((one.changed_at for one in files), default=changed_at or 0.0)
    return Run(
        path=str(folder),
        name=folder.name or str(folder),
        kind=kind,
        state=state.state,
        reason=state.reason,
        next_command=state.next_command,
        files=tuple(one.file for one in files),
        ignored=tuple(ignored),
        started_at=started_at(folder.name),
        changed_at=max(newest, changed_at or 0.0),
        size_bytes=sum(one.size for one in files),
        signature=signature_of([*files, *beside]) if files or beside else f"{state.state}:{changed_at or 0.0!r}",
        rank=rank,
        problems=tuple(problems),
    )


def unreadable(folder: Path, kind: str, error: OSError, closed: Path | None = None) -> Run:
    """A run whose folder, or the `closed` one in it, cannot be listed."""
    path, at = str(closed or folder), changed(folder)
    if isinstance(error, PermissionError):
        return make_run(folder, kind, no_permission(path), problems=[permission_problem(path)], changed_at=at)
    reason = say("profiles.reason.os", path=path, reason=error.strerror or str(error))
    return make_run(folder, kind, State("damaged", reason), changed_at=at)


def no_permission(path: str) -> State:
    """State of a run that may not be read."""
    return State("unreadable", say("profiles.reason.permission", path=path))


def unready(path: Path, one: Fact, now: float) -> State | None:
    """Why a single file cannot be read as a run now: closed, still being written, or empty; None = it can."""
    if not one.readable:
        return no_permission(str(path))
    if settling([one], now):
        return State("exporting", say("profiles.reason.being-written", file=path.name))
    if not one.size:
        return State("empty", say("profiles.reason.zero-bytes", file=path.name))
    return None


def permission_problem(path: str) -> Problem:
    """The problem that goes with it."""
    return Problem("permission", say("profiles.problem.permission", path=path), say("profiles.hint.permission"), path)


def export_command(folder: Path) -> str:
    """The command that exports a PROF folder."""
    return f"msprof --export=on --output={shlex.quote(str(folder))}"


def collect_command(folder: Path) -> str:
    """The command that profiles anew beside a PROF folder which holds nothing to export."""
    return f"msprof --output={shlex.quote(str(folder.parent))} ./YOUR_PROGRAM"
