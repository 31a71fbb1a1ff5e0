"""npu_module_mem*.csv: memory the parts of CANN reserved over time."""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.memory_record import SHEET
from npuscope.parsers.msprof.tables.sheet import named, read_sheet
from npuscope.parsers.progress import Progress

PATTERN = named("npu_module_mem")


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """device component timestamp_ns total_reserved_mb device_name. MB = 2^20 bytes. Raises ParseError."""
    return read_sheet(path, SHEET, progress)
