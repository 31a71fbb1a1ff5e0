"""task_time_*.csv: every task of the device with its start and end, kernels and others, without counters.

The oldest form has no task in it but totals per operator; it keeps its own columns.
"""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress

PATTERN = named("task_time")
SHEET = Sheet(
    names={
        "kernel name": "name", "kernel type": "core", "task time": "duration", "task start": "start",
        "task stop": "end", "time": "time", "avg": "mean",
    },
    needs=("name",),
    texts=frozenset({"name", "core", "type", "api"}),
    moments=frozenset({"start", "end"}),
)  # fmt: skip


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """name core device stream task_id duration_us start_ns end_ns; of the oldest form name type time_us count ... .

    Raises ParseError.
    """
    return read_sheet(path, SHEET, progress)
