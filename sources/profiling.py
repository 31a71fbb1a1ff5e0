"""Whether a profile is being collected now, told by looks alone: the profiler takes the utilization counters."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psutil

from npuscope.sources.host import comm_of

PROFILERS = frozenset(("msprof", "msprof.bin", "msopprof"))
# the collector writes slices of a few MB, at a quiet time every few seconds
FRESH_S = 10.0
_PREFIXES = ("PROF_", "OPPROF_")
_WRAPPER = "_ascend_pt"
_MOST_FOLDERS, _MOST_FILES = 50, 500


def profiling_now(folder: Path, now: float) -> bool:
    """True when a profiler runs on this box, or a profile in `folder` grew within FRESH_S before `now` (Unix s)."""
    return profiler_runs() or any(_is_growing(profile, now) for profile in _profiles(folder))


def profiler_runs() -> bool:
    """Whether a process of this pid namespace is a profiler."""
    try:
        return any(comm_of(pid) in PROFILERS for pid in psutil.pids())
    except (OSError, psutil.Error):
        return False


def _profiles(folder: Path) -> Iterator[Path]:
    """Profile folders in `folder` and in the wrappers of frameworks there, the newest names first."""
    found = [Path(entry.path) for entry in _entries(folder)]
    inner = [Path(entry.path) for path in found if path.name.endswith(_WRAPPER) for entry in _entries(path)]
    profiles = [path for path in found + inner if path.name.startswith(_PREFIXES)]
    yield from sorted(profiles, key=lambda path: path.name, reverse=True)[:_MOST_FOLDERS]


def _is_growing(profile: Path, now: float) -> bool:
    """Raw data written just now, and no mark of the collector's end."""
    for side in _entries(profile):
        names = [entry.name for entry in _entries(Path(side.path))]
        if any(name.startswith("end_info") for name in names):
            continue
        for data in _entries(Path(side.path, "data")):
            try:
                if abs(now - data.stat().st_mtime) < FRESH_S:
                    return True
            except OSError:
                continue
    return False


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return [entry for entry, _ in zip(entries, range(_MOST_FILES))]
    except OSError:
        return []
