"""ai_core_utilization_*.csv and ai_vector_core_utilization_*.csv: counters sampled in time, by core.

Sampled counters belong to a core, not to an operator: there is no way to say which operator they speak of.
"""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress

PATTERN = named("ai_(?:vector_)?core_utilization")
SHEET = Sheet(names={"core id": "core_id"}, needs=("core_id",), texts=frozenset({"core_id"}))


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """core_id ("Average" or a number) and the counters of the metric group that was sampled. Raises ParseError."""
    return read_sheet(path, SHEET, progress)
