"""Which file systems tell the kernel about changes made on another machine: none that comes over a network."""

from __future__ import annotations

import os
from pathlib import Path

MOUNTS = Path("/proc/mounts")
SILENT = frozenset({
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "beegfs", "ceph", "gfs2", "glusterfs", "gpfs", "lustre",
    "ocfs2", "orangefs", "pvfs2", "virtiofs", "drvfs",
})  # fmt: skip


def mount_table() -> str:
    """The kernel's list of mounts, empty where there is none to read."""
    try:
        return MOUNTS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def file_system(path: str, mounts: str) -> str | None:
    """The type of the file system an absolute path without links lies on; a later mount hides an earlier one."""
    best, kind = -1, None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = _plain(fields[1])
        if len(point) >= best and (path == point or path.startswith(point.rstrip("/") + "/")):
            best, kind = len(point), fields[2]
    return kind


def silent(kind: str | None) -> bool:
    """Whether changes made elsewhere arrive on this file system without an event."""
    return kind is not None and (kind in SILENT or kind.startswith(("nfs", "fuse.")))


def silent_file_system(path: str) -> str | None:
    """The type of the file system under `path` when it is a silent one."""
    kind = file_system(os.path.realpath(path), mount_table())
    return kind if silent(kind) else None


def _plain(point: str) -> str:
    """A mount point without the octal escapes of blanks, tabs, line ends and backslashes."""
    for octal, sign in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(octal, sign)
    return point
