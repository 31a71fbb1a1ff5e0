"""aicpu_*.csv: operators that ran on the AI CPU, with the parts of their time."""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress

PATTERN = named("aicpu")
SHEET = Sheet(
    names={
        "node": "name", "timestamp": "timestamp", "compute time": "compute", "memcpy time": "memcpy",
        "task time": "task", "dispatch time": "dispatch", "total time": "total",
    },
    needs=("name", "total_us"),
    texts=frozenset({"name"}),
    moments=frozenset({"timestamp"}),
)  # fmt: skip


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """device timestamp_ns name compute_us memcpy_us task_us dispatch_us total_us stream task_id. Raises ParseError."""
    return read_sheet(path, SHEET, progress)
