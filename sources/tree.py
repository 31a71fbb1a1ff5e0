"""What lies under a root, as cheap stat results, and which runs differ from the look before. Opens no file.

A look lists only folders whose own time changed, and stats the few places of each run where an export writes. The
files inside are compared every time while a run is young or changing, else in turns: a full round takes TURNS looks.
"""

# ruff: noqa: PTH112, PTH116, PTH118, PTH119, PTH206 (a Path per stat costs more than the stat)

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

RUN_NAME = re.compile(r"PROF_|OPPROF_|.*_ascend_(?:pt|ms)$")
EXPORTS = frozenset({"mindstudio_profiler_output", "ASCEND_PROFILER_OUTPUT"})
OUTPUTS = EXPORTS | {"summary"}
DEVICE = re.compile(r"device_\d+$")
SIDE = re.compile(r"device_\d+$|host$|PROF_")
NOISE = frozenset({"data", "sqlite", "FRAMEWORK", "logs", "mindstudio_profiler_log", "dump", "simulator"})
SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})
TABLES = (".csv", ".db", ".json")

GROUP_DEPTH = 8
MOST_GROUPS = 2000
RUN_DEPTH = 3
MOST_FILES = 400
TURNS = 30
HOT_LOOKS = 60
FRESH_LOOKS = 3  # a folder changed twice within one tick of its clock shows one time only

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True)
class Seen:
    """What a look found different: runs and loose tables; whole = the root itself came, went or was replaced."""

    whole: bool = False
    paths: frozenset[str] = frozenset()


@dataclass
class _Group:
    stamp: Stamp
    fresh: int
    groups: tuple[str, ...] = ()
    runs: frozenset[str] = frozenset()
    tables: tuple[str, ...] = ()


@dataclass
class _Run:
    files: dict[str, Stamp] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)
    quick: list[Stamp | None] = field(default_factory=list)
    hot: int = HOT_LOOKS


def stamp_of(status: os.stat_result) -> Stamp:
    """What changes when a file or folder does, its mode and its age after `cp -a` included."""
    return status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev


def stamp(path: str) -> Stamp | None:
    """The stamp of a path, links followed; None when it cannot be seen."""
    try:
        return stamp_of(os.stat(path))
    except (OSError, ValueError):
        return None


def owner(root: str, path: str) -> str | None:
    """The run a path under `root` belongs to, by names alone; None when no folder above it looks like a run."""
    if not path.startswith(root):
        return None
    parts = [part for part in path[len(root) :].split(os.sep) if part]
    folder = root
    for following in (*parts, ""):
        if RUN_NAME.match(os.path.basename(folder)) or following in EXPORTS or DEVICE.match(following):
            return folder
        folder = os.path.join(folder, following)
    return None


def noise(run: str, path: str) -> bool:
    """Whether a path of a run is one of the many raw files that say nothing about its state."""
    return not NOISE.isdisjoint(path[len(run) :].split(os.sep))


class Tree:
    """One root; `look` compares it with the look before. A root may be missing, a folder of runs, a run or a file."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._identity: tuple[int, ...] | None = None
        self._groups: dict[str, _Group] = {}
        self._runs: dict[str, _Run] = {}
        self._tables: dict[str, Stamp | None] = {}
        self.looks = 0

    def look(self, now: float) -> Seen:
        """Compare with the look before; the first one tells which runs changed shortly before `now` (Unix seconds)."""
        first, self.looks = self.looks == 0, self.looks + 1
        here = stamp(self.root)
        identity = None if here is None else (*here[2:], os.path.isdir(self.root))
        whole, self._identity = identity != self._identity, identity
        if whole:
            self._groups.clear()
        groups = self._walk()
        changed = self._compare_runs(frozenset().union(*(group.runs for group in groups)))
        changed |= self._compare_tables([table for group in groups for table in group.tables])
        if first:
            changed = frozenset(path for path, run in self._runs.items() if _newest(run) > now - HOT_LOOKS)
            for path, run in self._runs.items():
                run.hot = HOT_LOOKS if path in changed else 0
        return Seen(whole, changed)

    def heat(self, run: str) -> None:
        """Compare the files of a run at every look for a while: an event said that it changes."""
        if run in self._runs:
            self._runs[run].hot = HOT_LOOKS

    def _walk(self) -> list[_Group]:
        """All folders that may hold runs, listed anew where they changed."""
        known, self._groups = self._groups, {}
        waiting, met = deque([(self.root, 0)]), set()
        while waiting and len(self._groups) < MOST_GROUPS:
            folder, depth = waiting.popleft()
            here = stamp(folder)
            if here is None or here[2:] in met:
                continue
            met.add(here[2:])
            group = known.get(folder)
            if group is None or group.stamp != here:
                group = _listed(folder, here, FRESH_LOOKS)
            elif group.fresh:
                group = _listed(folder, here, group.fresh - 1)
            self._groups[folder] = group
            if depth < GROUP_DEPTH:
                waiting.extend((inner, depth + 1) for inner in group.groups)
        return list(self._groups.values())

    def _compare_runs(self, runs: frozenset[str]) -> frozenset[str]:
        gone = frozenset(self._runs) - runs
        for path in gone:
            del self._runs[path]
        changed = set(gone)
        for turn, path in enumerate(sorted(runs) if runs != frozenset(self._runs) else self._runs):
            run = self._runs.get(path)
            if run is None:
                run = self._runs[path] = _Run()
                changed.add(path)
            quick = [stamp(place) for place in run.places]
            if quick == run.quick and not run.hot and (turn + self.looks) % TURNS:
                continue
            files = dict(_files(path))
            run.hot = max(0, run.hot - 1)
            if files != run.files or quick != run.quick:
                changed.add(path)
                run.hot = HOT_LOOKS
            run.files, run.places = files, [file for file in files if os.path.basename(file) in OUTPUTS] or [path]
            run.quick = [stamp(place) for place in run.places]
        return frozenset(changed)

    def _compare_tables(self, tables: list[str]) -> frozenset[str]:
        before, self._tables = self._tables, {table: stamp(table) for table in tables[:MOST_FILES]}
        names = before.keys() | self._tables.keys()
        return frozenset(name for name in names if before.get(name) != self._tables.get(name))


def _newest(run: _Run) -> float:
    """Unix seconds of the newest change in a run."""
    return max((changed_ns for changed_ns, *_ in run.files.values()), default=0) / 1e9


def _listed(folder: str, here: Stamp, fresh: int) -> _Group:
    """A folder's own runs, loose tables and further folders; a file is its own table, a run's folder its own run."""
    group = _Group(here, fresh)
    if RUN_NAME.match(os.path.basename(folder)):
        group.runs = frozenset({folder})
        return group
    names = dict(_children(folder))
    if not names and not os.path.isdir(folder):
        group.tables = (folder,)
    elif not EXPORTS.isdisjoint(names) or ("host" in names and any(DEVICE.match(name) for name in names)):
        group.runs = frozenset({folder})
    else:
        folders = [name for name, is_folder in names.items() if is_folder and name[0] != "." and name not in SKIPPED]
        group.runs = frozenset(os.path.join(folder, name) for name in folders if RUN_NAME.match(name))
        group.groups = tuple(os.path.join(folder, name) for name in folders if not RUN_NAME.match(name))
        files = (name for name, is_folder in names.items() if not is_folder and name.endswith(TABLES))
        group.tables = tuple(os.path.join(folder, name) for name in files)
    return group


def _children(folder: str) -> Iterator[tuple[str, bool]]:
    """Names in a folder and whether each is a folder; nothing when it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.name, _is_folder(entry)
    except OSError:
        return


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder or a link to one; a link that leads in a circle is neither."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _files(run: str) -> Iterator[tuple[str, Stamp]]:
    """The places of a run where something changes until it is ready, with their stamps.

    Of the sides that collect (device_N, host) only the folders, and the raw data while there is nothing better.
    """
    waiting, count, outputs = deque([(run, 0)]), 0, False
    everywhere = os.path.basename(run).startswith("OPPROF_")
    while waiting and count < MOST_FILES:
        folder, depth = waiting.popleft()
        is_side = depth > 0 and SIDE.match(os.path.basename(folder)) is not None
        for name, is_folder in _children(folder):
            outputs |= name in OUTPUTS
            path = os.path.join(folder, name)
            here = None if is_side and not is_folder else stamp(path)
            if here is None:
                continue
            yield path, here
            count += 1
            inner = name in OUTPUTS or SIDE.match(name) or (everywhere and name not in NOISE)
            if is_folder and depth < RUN_DEPTH and (inner or (name == "data" and not outputs)):
                waiting.append((path, depth + 1))
