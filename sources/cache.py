"""Runs that were read before, in the cache folder of this user: columns that are mapped back, and the rest as JSON.

<folder>/<key>/<part>/columns.npy and record.json. A part is written into a folder of its own name and put in place by
one rename, so another npuscope sees all of it or nothing; what is damaged or vanishes counts as not there. No pickle:
such a folder may have been written by somebody else. Nothing that goes wrong here ever gets out.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np

from npuscope.sources.cachefolder import TEMPORARY, CacheFolder
from npuscope.sources.mapped import ALIGNED, KINDS, DamagedError, MappedFiles, place_of
from npuscope.sources.records import pack, unpack

T = TypeVar("T")

FORMAT = 1  # changes when an older npuscope would misread what is written
SPARED_BYTES = 1_000_000_000  # of the disk, for others
_COLUMNS, _RECORD = "columns.npy", "record.json"
_PART = re.compile(r"[0-9a-z-]+")
_MISTAKES = (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError)


class Cache(CacheFolder):
    """Records of runs, by key and part."""

    def has(self, key: str, part: str) -> bool:
        """Whether a part of a run seems to be there."""
        return (self.folder / key / part / _RECORD).exists()

    def find(self, key: str, part: str, kind: type[T]) -> T | None:
        """A record that was kept, its arrays mapped; None when it is not there."""
        if not self.has(key, part) or self.obstacle() is not None:
            return None
        try:
            record = self._read(self.folder / key, part, kind)
            os.utime(self.folder / key)
        except PermissionError:
            return None
        except _MISTAKES:
            self.remove(self.folder / key)
            return None
        return record

    def keep(self, key: str, part: str, record: T) -> T:
        """Keep a record and give it back with its arrays mapped; as it was when it cannot be kept.

        Arrays that are mapped from another part of the same run are not written again.
        """
        if self.obstacle() is not None:
            return record
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(self.folder / key, part, record)
            self.make_room(key)
        except _MISTAKES:
            return record
        return self.find(key, part, type(record)) or record

    def _read(self, run: Path, part: str, kind: type[T]) -> T:
        found = json.loads((run / part / _RECORD).read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise DamagedError("another format")
        return unpack(kind, found["record"], _Parts(run).get)

    def _write(self, run: Path, part: str, record: Any) -> None:
        shelf = _Shelf(run, part)
        packed = json.dumps({"format": FORMAT, "record": pack(record, shelf.put)}, separators=(",", ":"))
        if shelf.bytes + len(packed) > self.limit_bytes:
            raise OSError("larger than the cache may be")
        if shutil.disk_usage(self.folder).free < shelf.bytes + SPARED_BYTES:
            raise OSError("no room on the disk")
        made = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=self.folder))
        try:
            with (made / _COLUMNS).open("wb") as out:
                shelf.write(out)
            (made / _RECORD).write_text(packed, encoding="utf-8")
            self._put_in_place(made, run, part)
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def _put_in_place(self, made: Path, run: Path, part: str) -> None:
        run.mkdir(mode=0o700, exist_ok=True)
        try:
            made.rename(run / part)
        except OSError:
            if not self.has(run.name, part):  # else another npuscope was faster
                self.remove(run)
                raise


class _Shelf:
    """Arrays on their way into one file; each is told by [part, dtype, offset, length]."""

    def __init__(self, run: Path, part: str) -> None:
        self._run = run
        self._part = part
        self._known: dict[int, tuple[Any, list[Any]]] = {}
        self._arrays: list[Any] = []
        self.bytes = 0

    def put(self, array: Any) -> list[Any]:
        """Take an array; the same array is kept once."""
        if id(array) not in self._known:
            self._known[id(array)] = (array, self._mapped(array) or self._new(array))
        return self._known[id(array)][1]

    def _new(self, array: Any) -> list[Any]:
        if array.ndim != 1 or array.dtype.kind not in KINDS:
            raise TypeError(f"{array.dtype} cannot be kept")
        place = [self._part, array.dtype.str, self.bytes, len(array)]
        self._arrays.append(array)
        self.bytes += _padded(array.nbytes)
        return place

    def _mapped(self, array: Any) -> list[Any] | None:
        """Where an array already lies in another part of the run."""
        path, offset = place_of(array) or (Path(), 0)
        if path.name != _COLUMNS or path.parent.parent != self._run:
            return None
        return [path.parent.name, array.dtype.str, offset, len(array)]

    def write(self, out: IO[bytes]) -> None:
        """All arrays as one .npy of bytes."""
        header = {"descr": "|u1", "fortran_order": False, "shape": (self.bytes,)}
        np.lib.format.write_array_header_1_0(out, header)
        for array in self._arrays:
            out.write(np.ascontiguousarray(array).data)
            out.write(b"\0" * (_padded(array.nbytes) - array.nbytes))


class _Parts:
    """Arrays out of the parts of one run."""

    def __init__(self, run: Path) -> None:
        self._run = run
        self._files = MappedFiles()

    def get(self, json: Any) -> Any:
        """The array of a place. Raises OSError, TypeError, ValueError."""
        part, kind, offset, length = json
        if not _PART.fullmatch(part):
            raise DamagedError("no name of a part")
        return self._files.array(self._run / part / _COLUMNS, kind, offset, length)


def _padded(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED
