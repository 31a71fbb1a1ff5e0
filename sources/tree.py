"""What lies under a root, as cheap stat results, and which runs differ from the look before. Opens no file.

A look lists only folders whose own time changed, and stats the few places of each run where an export writes. The
files inside are compared every time while a run is young or changing, else in turns: a full round takes TURNS looks.
"""

# ruff: noqa: PTH112, PTH116, PTH118, PTH119, PTH206 (a Path per stat costs more than the stat)

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from npuscope.parsers.archives import SUFFIXES

RUN_NAME = re.compile(r"PROF_|OPPROF_|.*_ascend_(?:pt|ms)$")
EXPORTS = frozenset({"mindstudio_profiler_output", "ASCEND_PROFILER_OUTPUT"})
OUTPUTS = EXPORTS | {"summary"}
DEVICE = re.compile(r"device_\d+$")
SIDE = re.compile(r"device_\d+$|host$|PROF_")
NOISE = frozenset({"data", "sqlite", "FRAMEWORK", "logs", "mindstudio_profiler_log", "dump"})
SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})
TABLES = (".csv", ".db", ".json", *SUFFIXES)  # and archives of runs

GROUP_DEPTH = 8
MOST_GROUPS = 2000
RUN_DEPTH = 3
LAUNCH_DEPTH = 5  # of msprof op: device, operator, number, simulator, core
MOST_FILES = 400
TURNS = 30
HOT_LOOKS = 60
MOST_HOT = 60  # of 3,000 runs copied at once the newest; the others take turns
FRESH_LOOKS = 3  # a folder changed twice within one tick of its clock shows one time only

Stamp = tuple[int, int, int, int]


@dataclass(frozen=True)
class Seen:
    """What a look found different: runs and loose tables; whole = the root itself came, went or was replaced.

    young = runs seen for the first time that changed a short while ago: they may still be written.
    """

    whole: bool = False
    paths: frozenset[str] = frozenset()
    young: frozenset[str] = frozenset()


@dataclass
class _Group:
    stamp: Stamp
    fresh: int
    groups: tuple[str, ...] = ()
    runs: frozenset[str] = frozenset()
    tables: tuple[str, ...] = ()


@dataclass
class _Run:
    """files and quick are None until they are asked for: of 3,000 runs at the start only names are taken."""

    places: list[str]
    files: dict[str, Stamp] | None = None
    quick: list[Stamp | None] | None = None
    hot: int = 0


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
        """Compare with the look before; the first one only takes names. `now` = Unix seconds."""
        first, self.looks = self.looks == 0, self.looks + 1
        here = stamp(self.root)
        identity = None if here is None else (*here[2:], os.path.isdir(self.root))
        whole, self._identity = identity != self._identity, identity
        if whole:
            self._groups.clear()
        groups = self._walk()
        runs = frozenset().union(*(group.runs for group in groups))
        tables = self._compare_tables([table for group in groups for table in group.tables])
        if first:
            self._runs = {path: _Run(_places(path)) for path in sorted(runs)}
            return Seen(whole)
        changed, young = self._compare_runs(runs, now)
        return Seen(whole, changed | tables, young)

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

    def _compare_runs(self, runs: frozenset[str], now: float) -> tuple[frozenset[str], frozenset[str]]:
        """The runs that came, went or changed, and the young ones among those that were there at the start."""
        changed = set(self._runs.keys() - runs)
        for path in changed:
            del self._runs[path]
        for path in sorted(runs - self._runs.keys()):
            self._runs[path] = _Run([path], files={}, quick=[], hot=HOT_LOOKS)
        young, hot = set(), MOST_HOT
        for turn, (path, run) in enumerate(reversed(self._runs.items())):
            quick = [stamp(place) for place in run.places]
            if run.quick is None and not _is_young(quick, now):
                run.quick = quick
                continue
            if quick == run.quick and not (run.hot and hot) and (turn + self.looks) % TURNS:
                continue
            hot -= hot > 0 and run.hot > 0
            files = dict(_files(path))
            if (run.quick is not None and quick != run.quick) or run.files not in (None, files):
                changed.add(path)
            elif run.files is None and _is_young(files.values(), now):
                young.add(path)
            run.hot = HOT_LOOKS if (path in changed or path in young) else max(0, run.hot - 1)
            run.files, run.places = files, [file for file in files if os.path.basename(file) in OUTPUTS] or [path]
            run.quick = [stamp(place) for place in run.places]
        return frozenset(changed), frozenset(young)

    def _compare_tables(self, tables: list[str]) -> frozenset[str]:
        before, self._tables = self._tables, {table: stamp(table) for table in tables[:MOST_FILES]}
        names = before.keys() | self._tables.keys()
        return frozenset(name for name in names if before.get(name) != self._tables.get(name))


def _places(run: str) -> list[str]:
    """Where to look at a run whose files are not known yet."""
    return [run, *(os.path.join(run, export) for export in sorted(EXPORTS))]


def _is_young(stamps: Iterable[Stamp | None], now: float) -> bool:
    """Whether the newest change is so short a while ago that more may follow; a clock ahead of ours counts too."""
    return max((here[0] for here in stamps if here is not None), default=0) > (now - HOT_LOOKS) * 1e9


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

    Of the sides that collect (device_N, host) only the folders and the raw data, and only while nothing is exported.
    """
    waiting, count, exported = deque([(run, 0)]), 0, False
    everywhere = os.path.basename(run).startswith("OPPROF_")
    deepest = LAUNCH_DEPTH if everywhere else RUN_DEPTH
    while waiting and count < MOST_FILES:
        folder, depth = waiting.popleft()
        is_side = depth > 0 and SIDE.match(os.path.basename(folder)) is not None
        if is_side and exported:
            continue
        for name, is_folder in _children(folder):
            exported |= name in EXPORTS
            path = os.path.join(folder, name)
            here = None if is_side and not is_folder else stamp(path)
            if here is None:
                continue
            yield path, here
            count += 1
            inner = name in OUTPUTS or name == "data" or SIDE.match(name) or (everywhere and name not in NOISE)
            if is_folder and depth < deepest and inner:
                waiting.append((path, depth + 1))
