"""operator_memory*.csv: memory each operator took and gave back. Without a release time it was not freed."""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress

PATTERN = named("operator_memory")
SHEET = Sheet(
    names={
        "allocation time": "allocated_at", "release time": "released_at", "active release time": "active_released_at",
        "duration": "held", "active duration": "active", "device type": "device_name", "device": "device_name",
    },
    needs=("name", "size_kb", "allocated_at_ns"),
    texts=frozenset({"name", "device_name"}),
    moments=frozenset({"allocated_at", "released_at", "active_released_at"}),
    size="mb",
    sizes={"size": "kb"},
)  # fmt: skip


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """name size_kb allocated_at_ns released_at_ns (UNKNOWN = not freed) active_released_at_ns held_us active_us
    {allocation,release}_total_{allocated,reserved,active}_mb stream_ptr device_name. Powers of 1024. Raises ParseError.
    """
    return read_sheet(path, SHEET, progress)
