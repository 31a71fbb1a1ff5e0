"""Profiles on disk: a folder -> the runs in it, from names, sizes and times only; nothing is parsed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from npuscope.parsers.archives import stem_of
from npuscope.parsers.discovery import msprof as discovery_msprof
from npuscope.parsers.discovery import torch as discovery_torch
from npuscope.parsers.discovery.archive import is_run_archive, look_at_archive
from npuscope.parsers.discovery.files import LOOSE_CSV, LOOSE_DB, Folder, fact_of
from npuscope.parsers.discovery.listing import Listing
from npuscope.parsers.discovery.loose import has_operators, look_at_file
from npuscope.parsers.discovery.mindspore import is_mindspore_raw, look_at_ranks
from npuscope.parsers.discovery.msprof import look_at_prof
from npuscope.parsers.discovery.opprof import (
    BASIC_INFO,
    SIMULATOR,
    look_at_bare_opprof,
    look_at_opprof,
    look_at_simulator,
)
from npuscope.parsers.discovery.torch import look_at_framework
from npuscope.parsers.profile import Run

MAX_DEPTH = 8
MAX_FOLDERS = 50_000
MAX_HEADERS = 200
MAX_ARCHIVES = 20
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})
_FRAMEWORK = ("_ascend_pt", "_ascend_ms")
_UNOPENED = frozenset({"damaged", "unreadable", "empty"})
_INSIDE = (discovery_msprof.OUTPUT, discovery_torch.OUTPUT)


def find_runs(root: Path, now: float) -> tuple[Run, ...]:
    """The runs of `list_runs`."""
    return list_runs(root, now).runs


def list_runs(root: Path, now: float) -> Listing:
    """Every run at or under `root` (a folder, one run, a csv or a db), newest first, and the folders closed to us.

    Links to folders are followed once. Where no name tells anything, the first lines of the folder's csv files do,
    and what lies in its archives.

    `now` is in seconds since the epoch: files younger than a few seconds count as still being written.
    """
    root = _absolute(root)
    run = look_at(root, now)
    if run is not None:
        return Listing((run,))
    closed: list[str] = []
    several = look_at_archive(root, now, _runs_of) or _runs_of(Folder.of(root), now)
    found = sorted(several or _walk(root, now, closed), key=_newest_first)
    runs = found or _by_header(Folder.of(root), now) or _in_archives(Folder.of(root))
    return Listing(tuple(runs), tuple(sorted(closed)))


def look_at(path: Path, now: float) -> Run | None:
    """The run that `path` is; None when it is none (a folder that only holds runs, or several ranks, is none)."""
    path = _absolute(path)
    packed = look_at_archive(path, now, _runs_of)
    if packed:
        return packed[0] if len(packed) == 1 else None
    if fact_of(path) is not None:
        return look_at_file(path, now)
    if path.name in _INSIDE:
        path = path.parent
    runs = _runs_of(Folder.of(path), now)
    return runs[0] if len(runs) == 1 else None


def _absolute(path: Path) -> Path:
    path = Path(path).absolute()
    return path.resolve() if ".." in path.parts else path


def _newest_first(run: Run) -> tuple[float, str, str]:
    return (-(run.started_at if run.started_at is not None else run.changed_at), run.name, run.path)


def _runs_of(folder: Folder, now: float) -> list[Run]:
    """The runs that a folder itself is: one, or one for each rank; none when it only holds runs."""
    run = _look_at_folder(folder, now)
    if run is not None:
        return [run]
    return look_at_ranks(folder, now) if is_mindspore_raw(folder) else []


def _look_at_folder(folder: Folder, now: float) -> Run | None:
    name = folder.path.name
    if folder.has(BASIC_INFO):
        return look_at_opprof(folder, now)
    if name.endswith(_FRAMEWORK) or discovery_torch.OUTPUT in folder.entries:
        return look_at_framework(folder, now)
    if name.startswith("OPPROF_"):
        return look_at_bare_opprof(folder, now)
    if _is_prof(folder):
        return look_at_prof(folder, now)
    return look_at_simulator(folder, now) if SIMULATOR in folder.entries else None


def _is_prof(folder: Folder) -> bool:
    if folder.path.name.startswith("PROF_"):
        return True
    entries = folder.entries
    return discovery_msprof.OUTPUT in entries or ("host" in entries and folder.has(discovery_msprof.DEVICE))


def _walk(root: Path, now: float, closed: list[str]) -> Iterator[Run]:
    """The runs below a folder; what the system refuses to list, and is no run by its name, goes into `closed`."""
    todo: list[tuple[Path, int]] = [(root, 0)]
    links: list[tuple[Path, int]] = []
    seen: set[tuple[int, int]] = set()
    while (todo or links) and len(seen) < MAX_FOLDERS:
        path, depth = todo.pop() if todo else links.pop()
        if not _first_visit(path, seen, closed):
            continue
        folder = Folder.of(path)
        runs = _runs_of(folder, now) if depth else []
        if runs:
            yield from runs
            continue
        if isinstance(folder.error, PermissionError):
            closed.append(str(path))
        yield from _loose_files(folder, now)
        if depth < MAX_DEPTH:
            for name in folder.folders():
                if name not in _SKIPPED and not name.startswith("."):
                    (links if folder.entries[name].is_symlink() else todo).append((path / name, depth + 1))


def _first_visit(path: Path, seen: set[tuple[int, int]], closed: list[str]) -> bool:
    try:
        stat = path.stat()
    except OSError as error:
        closed += [str(path)] if isinstance(error, PermissionError) else []
        return False
    key = (stat.st_dev, stat.st_ino)
    if key in seen:
        return False
    seen.add(key)
    return True


def _loose_files(folder: Folder, now: float) -> Iterator[Run]:
    for name in sorted(folder.entries):
        if LOOSE_CSV.fullmatch(name) or LOOSE_DB.fullmatch(name):
            run = look_at_file(folder.path / name, now)
            if run is not None:
                yield run
        elif is_run_archive(name) and stem_of(name) not in folder.entries:
            yield from look_at_archive(folder.path / name, now, _runs_of)


def _by_header(folder: Folder, now: float) -> list[Run]:
    """Where no name tells anything: the csv files of the folder whose first line is an operator table's."""
    names = [name for name in sorted(folder.entries) if name.casefold().endswith(".csv")][:MAX_HEADERS]
    found = [look_at_file(folder.path / name, now) for name in names if has_operators(folder.path / name)]
    return sorted((run for run in found if run is not None), key=_newest_first)


def _in_archives(folder: Folder) -> list[Run]:
    """Where no name tells anything: the runs in the folder's archives; one that cannot be opened may be anything."""
    names = [name for name in sorted(folder.entries) if stem_of(name) is not None][:MAX_ARCHIVES]
    found = [run for name in names for run in look_at_archive(folder.path / name, math.inf, _runs_of)]
    return sorted((run for run in found if run.state not in _UNOPENED), key=_newest_first)
