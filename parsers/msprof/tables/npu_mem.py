"""npu_mem_*.csv: memory of the device over time, for the profiled program (APP) and for all (Device)."""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress

PATTERN = named("npu_mem")
SHEET = Sheet(needs=("event", "timestamp_ns"), texts=frozenset({"event"}), moments=frozenset({"timestamp"}), size="mb")


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """device event ddr_mb hbm_mb memory_mb timestamp_ns. MB = 2^20 bytes. Raises ParseError."""
    return read_sheet(path, SHEET, progress)
