"""Messages between worker.py and its child: a length, then a pickle; big tables go as folders of .npy files instead."""

from __future__ import annotations

import io
import pickle
import shutil
import struct
import sys
import weakref
from pathlib import Path
from typing import IO, Any

BIG_TABLE_BYTES = 1 << 20
_LENGTH = struct.Struct("<Q")
_TABLE_MODULE = "npuscope.parsers.table"


class TableStore:
    """Where big tables are put for the other process; a table's files go when the table does."""

    def __init__(self, folder: str, big_from: int = BIG_TABLE_BYTES) -> None:
        self._folder = Path(folder)
        self._big_from = big_from
        self._number = 0

    def put(self, thing: Any) -> str | None:
        """The folder of a saved table; None when it is no table or small."""
        tables = sys.modules.get(_TABLE_MODULE)
        if tables is None or not isinstance(thing, tables.Table) or _bytes_of(thing, tables) < self._big_from:
            return None
        self._number += 1
        path = self._folder / f"table-{self._number}-{id(thing):x}"
        thing.save(path)
        return str(path)

    def get(self, path: str) -> Any:
        """The table of a folder, mapped; its files are removed with it (maps that are still in use stay valid)."""
        from npuscope.parsers.table import Table

        table = Table.load(Path(path))
        weakref.finalize(table, shutil.rmtree, path, True)
        return table


def _bytes_of(table: Any, tables: Any) -> int:
    columns = table.columns.values()
    return sum((c.codes if isinstance(c, tables.Strings) else c).nbytes for c in columns)


class _Pickler(pickle.Pickler):
    def __init__(self, out: io.BytesIO, store: TableStore) -> None:
        super().__init__(out, protocol=pickle.HIGHEST_PROTOCOL)
        self._store = store

    def persistent_id(self, obj: Any) -> Any:
        return self._store.put(obj)


class _Unpickler(pickle.Unpickler):
    def __init__(self, source: io.BytesIO, store: TableStore) -> None:
        super().__init__(source)
        self._store = store

    def persistent_load(self, pid: Any) -> Any:
        return self._store.get(pid)


def write_frame(out: IO[bytes], store: TableStore, message: Any) -> None:
    """Send one message. Raises OSError when the other side is gone."""
    buffer = io.BytesIO()
    _Pickler(buffer, store).dump(message)
    body = buffer.getvalue()
    out.write(_LENGTH.pack(len(body)) + body)
    out.flush()


def read_frame(source: IO[bytes], store: TableStore) -> Any:
    """The next message; None at the end, or when the other side died inside a message."""
    try:
        head = source.read(_LENGTH.size)
        if len(head) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack(head)
        body = source.read(length)
    except (OSError, ValueError):
        return None
    return _Unpickler(io.BytesIO(body), store).load() if len(body) == length else None
