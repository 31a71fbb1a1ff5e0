"""Messages between worker.py and its child: a length, then a pickle; big arrays go as .npy files instead.

An array that is mapped from the cache already lies in a file: only its place is told.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import pickle
import struct
import sys
import weakref
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Union

if TYPE_CHECKING:  # numpy is not imported before the first array
    from npuscope.sources.mapped import MappedFiles

BIG_ARRAY_BYTES = 1 << 18
PLACE_FROM_BYTES = 1 << 10  # a smaller one is told faster than the place it lies in
_numbers = itertools.count()
_LENGTH = struct.Struct("<Q")
Pid = Union[str, tuple[str, str, int, int], None]


class VanishedError(Exception):
    """A message told of arrays whose file is no longer there."""


class ArrayStore:
    """Where big arrays are put for the other process; an array's file goes when the array does."""

    def __init__(self, folder: str, big_from: int = BIG_ARRAY_BYTES) -> None:
        self._folder = Path(folder)
        self._big_from = big_from

    def put(self, array: Any) -> Pid:
        """Save an array; gives its path, or None when the disk does not take it (then it goes through the pipe)."""
        from npuscope.sources.mapped import place_of

        place = place_of(array)
        if place is not None:
            return (str(place[0]), array.dtype.str, place[1], len(array))
        numpy = sys.modules["numpy"]
        path = self._folder / f"{os.getpid()}-{next(_numbers)}.npy"
        try:
            numpy.save(path, array)
        except OSError:
            _remove(str(path))
            return None
        return str(path)

    def is_big(self, thing: Any) -> bool:
        """Whether it is an array that is better handed over as a file."""
        # numpy may be on its way in, in another thread
        kinds: Any = getattr(sys.modules.get("numpy"), "ndarray", ())
        if not isinstance(thing, kinds):
            return False
        if thing.dtype.hasobject or thing.nbytes < PLACE_FROM_BYTES:
            return False
        return bool(thing.nbytes >= self._big_from or _lies_in_a_file(thing))

    def get(self, path: str) -> Any:
        """Map an array; its file is removed with it (parts of it that are still in use stay valid)."""
        import numpy

        array = numpy.load(path, mmap_mode="r")
        weakref.finalize(array, _remove, path)
        return array


def _lies_in_a_file(array: Any) -> bool:
    from npuscope.sources.mapped import place_of

    return place_of(array) is not None


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        Path(path).unlink()


class _Pickler(pickle.Pickler):
    def __init__(self, out: io.BytesIO, store: ArrayStore) -> None:
        super().__init__(out, protocol=pickle.HIGHEST_PROTOCOL)
        self._store = store
        self._saved: dict[int, Pid] = {}

    def persistent_id(self, obj: Any) -> Any:
        """The path of a big array, saved once however many tables share it."""
        if not self._store.is_big(obj):
            return None
        if id(obj) not in self._saved:
            self._saved[id(obj)] = self._store.put(obj)
        return self._saved[id(obj)]


class _Unpickler(pickle.Unpickler):
    def __init__(self, source: io.BytesIO, store: ArrayStore) -> None:
        super().__init__(source)
        self._store = store
        self._loaded: dict[Any, Any] = {}
        self._files: MappedFiles | None = None

    def persistent_load(self, pid: Any) -> Any:
        """The array of a path or place. Raises VanishedError."""
        if pid not in self._loaded:
            try:
                self._loaded[pid] = self._kept(*pid) if isinstance(pid, tuple) else self._store.get(pid)
            except (OSError, ValueError) as error:
                raise VanishedError(str(pid)) from error
        return self._loaded[pid]

    def _kept(self, path: str, kind: str, offset: int, length: int) -> Any:
        from npuscope.sources.mapped import MappedFiles

        self._files = self._files or MappedFiles()
        return self._files.array(Path(path), kind, offset, length)


def write_frame(out: IO[bytes], store: ArrayStore, message: Any) -> None:
    """Send one message. Raises OSError when the other side is gone."""
    buffer = io.BytesIO()
    _Pickler(buffer, store).dump(message)
    body = buffer.getvalue()
    out.write(_LENGTH.pack(len(body)) + body)
    out.flush()


def read_frame(source: IO[bytes], store: ArrayStore) -> Any:
    """The next message; None at the end, or when the other side died inside a message. Raises VanishedError."""
    try:
        head = source.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack(head)
        body = source.read(length)
    except (OSError, ValueError):
        return None
    return _Unpickler(io.BytesIO(body), store).load() if len(body) == length else None
