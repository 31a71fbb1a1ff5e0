"""The folder that read runs are kept in: where it is, whether it may be used, how full it is, what has to go."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from npuscope.sources.mounts import silent_file_system

LIMIT_BYTES = 2_000_000_000
CLOSED, SHARED, NETWORK = "closed", "shared", "network"
TEMPORARY = "tmp-"
_LEFT_BEHIND_S = 3600.0


@dataclass(frozen=True)
class Content:
    """What the cache holds: bytes on disk, and how many runs."""

    bytes: int
    runs: int


def usual_folder() -> Path | None:
    """Where caches of this user belong; None when nothing tells."""
    import platformdirs

    folder = Path(platformdirs.user_cache_dir("npuscope")) / "profiles"
    return folder if folder.is_absolute() else None


class CacheFolder:
    """One folder below it per run. Every method takes any state of the folder, at any time."""

    def __init__(self, folder: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self.folder = folder
        self.limit_bytes = limit_bytes

    def obstacle(self) -> str | None:
        """Why nothing is kept, or None: closed (it cannot be made or written to), shared (others may write to it),
        network (another machine could take a file away that is mapped here)."""
        with contextlib.suppress(OSError):
            return self._obstacle()
        return CLOSED

    def _obstacle(self) -> str | None:
        there = _nearest(self.folder)
        if there is None or not os.access(there, os.R_OK | os.W_OK | os.X_OK):
            return CLOSED
        if there == self.folder:
            found = there.stat()
            if found.st_uid != os.geteuid() or found.st_mode & 0o022:
                return SHARED
        return NETWORK if silent_file_system(str(there)) else None

    def content(self) -> Content:
        """How much is there."""
        sizes = [_bytes_of(run) for run in self._runs()]
        return Content(sum(sizes), len(sizes))

    def make_room(self, newest: str) -> None:
        """Take away what was not used for longest until the rest fits, and what a killed npuscope left behind."""
        sizes = {run: _bytes_of(run) for run in self._runs()}
        total = sum(sizes.values())
        for run in sorted(sizes, key=_used_at):
            if total > self.limit_bytes and run.name != newest:
                total -= sizes[run]
                self.remove(run)
        for left in self._entries():
            if left.name.startswith(TEMPORARY) and time.time() - _used_at(left) > _LEFT_BEHIND_S:
                shutil.rmtree(left, ignore_errors=True)

    def remove(self, run: Path) -> None:
        """Out of sight first, then away."""
        with contextlib.suppress(OSError):
            gone = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=self.folder))
            with contextlib.suppress(OSError):
                run.rename(gone / run.name)
            shutil.rmtree(gone, ignore_errors=True)

    def _runs(self) -> list[Path]:
        return [entry for entry in self._entries() if not entry.name.startswith(TEMPORARY)]

    def _entries(self) -> list[Path]:
        try:
            return [path for path in self.folder.iterdir() if path.is_dir()]
        except OSError:
            return []


def _nearest(folder: Path) -> Path | None:
    """The folder itself, or the one it would be made in; None where a file is in the way."""
    there = next((path for path in (folder, *folder.parents) if os.path.lexists(path)), None)
    return there if there is not None and there.is_dir() else None


def _bytes_of(run: Path) -> int:
    total = 0
    for folder, _, names in os.walk(run):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(folder) / name).stat().st_size
    return total


def _used_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
