"""hbm_*.csv and ddr_*.csv: mean bandwidth of the memory, for all of it and for each part of it."""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress

PATTERN = named("(?:hbm|ddr)")
SHEET = Sheet(needs=("metric", "read_mbps", "write_mbps"), texts=frozenset({"metric"}))


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """device metric read_mbps write_mbps; metric is Average or the number of a part. Raises ParseError."""
    return read_sheet(path, SHEET, progress)
