"""What lies in a run's folder, counted: for a run that cannot be read yet, so that a person sees what is there."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from npuscope.parsers.msprof import info
from npuscope.parsers.profile import Metadata

MOST_FILES = 20_000


@dataclass(frozen=True)
class Inside:
    """`names` = folders and files at the top; `files` and `size_bytes` = all below; whole is False when too many."""

    names: tuple[str, ...] = ()
    files: int = 0
    size_bytes: int = 0
    whole: bool = True
    metadata: Metadata = field(default_factory=Metadata)


def look_inside(path: Path) -> Inside:
    """Count what is in a run. What may not be read counts as not there; a file counts as one."""
    if not path.is_dir():
        return Inside((path.name,), 1, _size(path)) if path.is_file() else Inside()
    names = tuple(sorted(name for name in _names(path) if not name.startswith(".")))
    files = size = 0
    for folder, _, inner in os.walk(path):
        for name in inner:
            files += 1
            size += _size(Path(folder) / name)
        if files > MOST_FILES:
            return Inside(names, files, size, whole=False, metadata=_metadata(path))
    return Inside(names, files, size, metadata=_metadata(path))


def _metadata(path: Path) -> Metadata:
    if path.name.endswith(("_ascend_pt", "_ascend_ms")):
        return info.of_framework(path)
    return info.of_prof(path)


def _names(path: Path) -> list[str]:
    try:
        return [entry.name for entry in path.iterdir()]
    except OSError:
        return []


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0
