"""Facts about the box that `doctor` tells: versions, device files, limits, the folder's file system. Starts nothing.

Fixed places (/dev, /proc, /usr/local/Ascend) are looked for below `root`: a test stands a box up in a folder.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from npuscope.sources.mounts import file_system

HOME_VARIABLES = ("ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH")
CANN_HOMES = ("usr/local/Ascend/ascend-toolkit/latest", "usr/local/Ascend/cann", "usr/local/Ascend/latest")
DRIVER_INFO = "usr/local/Ascend/driver/version.info"
_VERSION = re.compile(r"^\s*(?:Version|version)\s*=\s*(\S+)", re.MULTILINE)
_DEVICE = re.compile(r"davinci\d+")
_LARGEST = 65_536


@dataclass(frozen=True)
class Cann:
    """A CANN toolkit: its folder, its version (None = no file tells it), and what named the folder ("" = its place)."""

    home: str
    version: str | None
    variable: str = ""


@dataclass(frozen=True)
class Devices:
    """NPU device files: how many, the first that may not be used by this user, and the group that may."""

    count: int
    closed: str | None = None
    group: str | None = None


@dataclass(frozen=True)
class Disk:
    """The file system under a folder. free_bytes None = unknown."""

    kind: str | None
    free_bytes: int | None
    writable: bool


def version_in(path: Path) -> str | None:
    """The `Version=` of an info file; None when it is missing, closed or has none."""
    try:
        with path.open(encoding="utf-8", errors="replace") as opened:
            found = _VERSION.search(opened.read(_LARGEST))
    except OSError:
        return None
    return found.group(1) if found else None


def driver_version(root: Path) -> str | None:
    """The installed driver's version."""
    return version_in(root / DRIVER_INFO)


def cann(environ: Mapping[str, str], root: Path) -> Cann | None:
    """The toolkit that the environment names, else the one in its usual place."""
    named = [(environ[variable], variable) for variable in HOME_VARIABLES if environ.get(variable)]
    usual = [(str(root / home), "") for home in CANN_HOMES]
    for home, variable in (*named, *usual):
        if Path(home).is_dir():
            return Cann(home, _cann_version(Path(home)), variable)
    return None


def _cann_version(home: Path) -> str | None:
    machine = platform.machine()
    places = (f"{machine}-linux/ascend_toolkit_install.info", "ascend_toolkit_install.info", "compiler/version.info",
              "runtime/version.info", "version.info")  # fmt: skip
    return next((version for place in places if (version := version_in(home / place)) is not None), None)


def devices(root: Path) -> Devices:
    """The chips' device files, and whether this user may open them."""
    try:
        found = sorted(path for path in (root / "dev").iterdir() if _DEVICE.fullmatch(path.name))
    except OSError:
        return Devices(0)
    closed = next((path for path in found if not os.access(path, os.R_OK | os.W_OK)), None)
    return Devices(len(found), None if closed is None else str(closed), None if closed is None else _group(closed))


def _group(path: Path) -> str | None:
    try:
        return path.group()
    except (KeyError, OSError):
        return None


def limit(root: Path, name: str) -> int | None:
    """One of the kernel's inotify limits: max_user_watches, max_user_instances."""
    try:
        return int((root / "proc/sys/fs/inotify" / name).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def folders_below(path: Path, most: int) -> int:
    """How many folders lie under a path; counting ends above `most`."""
    count = 0
    for _, folders, _ in os.walk(path):
        count += len(folders)
        if count > most:
            break
    return count


def disk(path: Path, root: Path) -> Disk:
    """The file system of a folder."""
    try:
        mounts = (root / "proc/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        mounts = ""
    try:
        free: int | None = shutil.disk_usage(path).free
    except OSError:
        free = None
    return Disk(file_system(os.path.realpath(path), mounts), free, os.access(path, os.W_OK | os.X_OK))


def package_versions(names: Sequence[str]) -> dict[str, str | None]:
    """Versions of installed packages, without importing them; None = not installed."""
    found: dict[str, str | None] = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found
