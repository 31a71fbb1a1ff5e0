"""memory_record*.csv: allocated, reserved and active memory over time, by component."""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress

PATTERN = named("memory_record")
SHEET = Sheet(
    names={"device type": "device_name", "device": "device_name"},
    needs=("component", "timestamp_ns"),
    texts=frozenset({"component", "device_name"}),
    moments=frozenset({"timestamp"}),
    size="mb",
)


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """component timestamp_ns total_{allocated,reserved,active}_mb stream_ptr device_name. MB = 2^20 bytes.

    Raises ParseError.
    """
    return read_sheet(path, SHEET, progress)
