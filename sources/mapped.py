"""Arrays that lie in one file of bytes: where each is, and back from there without a copy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

ALIGNED = 64
KINDS = "biuf"


class DamagedError(ValueError):
    """What was read is not what was written."""


def place_of(array: Any) -> tuple[Path, int] | None:
    """The file an array is mapped from and the byte it begins at; None when it is in memory, or not one piece of it."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    if not isinstance(owner, np.memmap) or owner.filename is None or owner.dtype != np.uint8:
        return None
    offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    whole = array.ndim == 1 and array.flags.c_contiguous and not offset % ALIGNED
    return (Path(owner.filename), offset) if whole else None


class MappedFiles:
    """Files of bytes, each mapped once; they stay mapped as long as one of their arrays lives."""

    def __init__(self) -> None:
        self._files: dict[Path, Any] = {}

    def array(self, path: Path, kind: str, offset: int, length: int) -> Any:
        """A column of `length` values. Raises OSError, and DamagedError or another ValueError."""
        dtype = np.dtype(kind)
        if dtype.kind not in KINDS or offset < 0 or length < 0 or offset % ALIGNED:
            raise DamagedError("no place of an array")
        if path not in self._files:
            mapped = np.lib.format.open_memmap(path, mode="r")
            if mapped.dtype != np.uint8 or mapped.ndim != 1:
                raise DamagedError("no file of bytes")
            self._files[path] = np.asarray(mapped)
        raw = self._files[path][offset : offset + length * dtype.itemsize]
        if len(raw) != length * dtype.itemsize:
            raise DamagedError("a file that was cut")
        return raw.view(dtype)
