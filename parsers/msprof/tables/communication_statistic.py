"""communication_statistic_*.csv: communication operators by type."""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress

PATTERN = named("(?:communication|hccl)_statistic")
SHEET = Sheet(
    names={"total time": "total", "min time": "min", "avg time": "mean", "max time": "max", "core type": "core"},
    needs=("type", "count", "total_us"),
    texts=frozenset({"type", "core"}),
)


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """device type count total_us min_us mean_us max_us ratio_pct. Raises ParseError."""
    return read_sheet(path, SHEET, progress)
