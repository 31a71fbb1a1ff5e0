"""operator_details.csv of torch_npu: time by operator and call stack; the stack has lines of its own."""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress

PATTERN = named("operator_details")
SHEET = Sheet(
    needs=("name", "host_self_duration_us"),
    texts=frozenset({"name", "input_shapes", "call_stack"}),
)


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """name input_shapes call_stack {host,device}_{self,total}_duration_us device_*_duration_with_aicore_us.

    Raises ParseError.
    """
    return read_sheet(path, SHEET, progress)
