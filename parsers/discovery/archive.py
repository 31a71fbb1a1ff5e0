"""Archives as folders: the runs in a zip or tar, found by the same rules from the names in it; nothing is unpacked."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from npuscope.parsers.archives import inside, is_compressed_tar, stem_of
from npuscope.parsers.discovery.files import (
    HEAD_BYTES,
    LOOSE_CSV,
    LOOSE_DB,
    Fact,
    Folder,
    State,
    fact_of,
    make_run,
    permission_problem,
    signature_of,
    started_at,
    unready,
)
from npuscope.parsers.profile import Run
from npuscope.parsers.say import ParseError, say

if TYPE_CHECKING:
    from npuscope.parsers.archive_members import Member

RunsOf = Callable[[Folder, float], "list[Run]"]

LOOKED_INTO_BYTES = 64 << 20  # the names in a larger compressed tar take seconds: it is known by its own name
MOST_DEPTH = 4
_HEADS = re.compile(r"(?:.*/)?(?:host|device_\d+)/info\.json(?:\.\d+)?")  # the rank stands there
_RUN = re.compile(r"PROF_.+|OPPROF_.+|.+_ascend_(?:pt|ms)")
_KINDS = ((re.compile(r"PROF_.+"), "msprof"), (re.compile(r"OPPROF_.+"), "msprof_op"),
          (re.compile(r".+_ascend_ms"), "mindspore"), (re.compile(r".+"), "torch_npu"))  # fmt: skip


def is_run_archive(name: str) -> bool:
    """Whether a file is called like an archive of one run."""
    stem = stem_of(name)
    return stem is not None and _RUN.fullmatch(stem) is not None


def look_at_archive(path: Path, now: float, runs_of: RunsOf) -> list[Run]:
    """The runs in an archive, or the one that a path into it names; [] when there are none, or it is no archive.

    A single run is called by the archive, several by their paths in it.
    """
    found = inside(str(path))
    fact = fact_of(found[0]) if found is not None else None
    if found is None or fact is None:
        return []
    archive, rest = found
    stem = stem_of(archive.name) or archive.name
    unread = unready(archive, fact, now)
    if unread is not None:
        return [_bare(archive, stem, fact, unread)]
    if is_compressed_tar(archive) and fact.size > LOOKED_INTO_BYTES:
        return [_bare(archive, stem, fact, State("ready"))] if _RUN.fullmatch(stem) else []
    from npuscope.parsers.archive_members import members  # imports zipfile and tarfile

    try:
        root = folder_of(archive, members(archive, _HEADS))
    except ParseError as error:
        state = State("damaged", error.problem.message)
        return [replace(_bare(archive, stem, fact, state), problems=(error.problem,))]
    # what lies in an archive is no longer being written
    inner = _from_the_top(root, math.inf, runs_of)
    named = [_named(run, archive, stem, fact, alone=len(inner) == 1) for run in inner]
    return [run for run in named if not rest or run.path == str(path)]


def folder_of(archive: Path, found: tuple[Member, ...]) -> Folder:
    """The members of an archive as a folder, called like the archive without its suffix."""
    tree: dict[str, Any] = {}
    for member in found:
        *folders, name = member.name.split("/")
        place = tree
        for part in folders:
            inner = place.setdefault(part, {})
            if not isinstance(inner, dict):
                break
            place = inner
        else:
            if not isinstance(place.get(name), dict):
                place[name] = member
    return _Inner.made(archive / (stem_of(archive.name) or archive.name), str(archive), tree)


@dataclass(frozen=True)
class _Stat:
    st_size: int
    st_mtime: float


class _Entry:
    """What os.scandir tells of a file, as far as Folder asks; permissions are those of the archive."""

    def __init__(self, name: str, archive: str, held: Any) -> None:
        self.name = name
        self.path = archive
        self.held = held

    def is_dir(self) -> bool:
        """Whether it is a folder."""
        return isinstance(self.held, dict)

    def is_file(self) -> bool:
        """Whether it is a file."""
        return not self.is_dir()

    def is_symlink(self) -> bool:
        """Links are passed over when the members are listed."""
        return False

    def stat(self) -> _Stat:
        """Size and time of a file."""
        return _Stat(self.held.size, self.held.changed_at)


class _Inner(Folder):
    """A folder in an archive."""

    @classmethod
    def made(cls, path: Path, archive: str, tree: Mapping[str, Any]) -> _Inner:
        """From nested names."""
        entries = {name: _Entry(name, archive, held) for name, held in tree.items()}
        return cls(path, cast(Any, entries))

    def sub(self, name: str) -> Folder:
        """A sub-folder; empty when there is none of that name."""
        entry = cast(Any, self.entries.get(name))
        held = entry.held if entry is not None and entry.is_dir() else {}
        return _Inner.made(self.path / name, entry.path if entry is not None else "", held)

    def head(self, file: str, most: int = HEAD_BYTES) -> bytes:
        """What was kept of a member while the archive was listed."""
        *folders, name = file.split("/")
        place: Folder = self
        for part in folders:
            place = place.sub(part)
        entry = cast(Any, place.entries.get(name))
        return entry.held.head[:most] if entry is not None and entry.is_file() else b""


def _from_the_top(root: Folder, now: float, runs_of: RunsOf) -> list[Run]:
    """The runs of an archive, which is called like its run but holds its folder, or holds it without a folder."""
    folders = root.folders()
    only_runs = len(folders) == len(root.entries) and all(_RUN.fullmatch(name) for name in folders)
    if len(root.entries) == 1 or only_runs:
        found = [run for name in folders for run in _below(root.sub(name), now, runs_of, MOST_DEPTH)]
        if found:
            return found
    return _below(root, now, runs_of, MOST_DEPTH)


def _below(folder: Folder, now: float, runs_of: RunsOf, depth: int) -> list[Run]:
    """The runs at or below a folder."""
    here = runs_of(folder, now)
    if here:
        return here
    loose = [_alone(folder, one) for pattern in (LOOSE_CSV, LOOSE_DB) for one in folder.facts(pattern)]
    if not depth:
        return loose
    return loose + [run for name in folder.folders() for run in _below(folder.sub(name), now, runs_of, depth - 1)]


def _alone(folder: Folder, one: Fact) -> Run:
    """A table of operators, or a database of them, that lies in an archive without the folder of its run."""
    kind = "db" if one.name.endswith(".db") else "csv"
    empty = State("empty", say("profiles.reason.zero-bytes", file=one.name))
    return make_run(folder.path / one.file, kind, State("ready") if one.size else empty, [one])


def _named(run: Run, archive: Path, stem: str, fact: Fact, alone: bool) -> Run:
    """A run of the archive's folder under the path it can be asked for by."""
    root = archive / stem
    rest = Path(run.path).relative_to(root).as_posix()
    path = archive if alone else archive / rest
    return replace(
        run,
        path=str(path),
        name=stem if alone or rest == "." else run.name,
        next_command=unpack_command(archive) if run.next_command else None,
        started_at=run.started_at if run.started_at is not None else started_at(stem),
        changed_at=fact.changed_at,
        signature=signature_of([fact, Fact(rest, 0, 0.0)]),
    )


def unpack_command(archive: Path) -> str:
    """The command that unpacks an archive where it lies."""
    quoted, place = shlex.quote(str(archive)), shlex.quote(str(archive.parent))
    return f"unzip {quoted} -d {place}" if archive.name.casefold().endswith(".zip") else f"tar -xf {quoted} -C {place}"


def _bare(archive: Path, stem: str, fact: Fact, state: State) -> Run:
    """A run of which no more is known than the archive's name."""
    kind = next(kind for pattern, kind in _KINDS if pattern.fullmatch(stem))
    problems = [] if fact.readable else [permission_problem(str(archive))]
    run = make_run(archive, kind, state, [fact], problems=problems)
    return replace(run, name=stem, files=())
