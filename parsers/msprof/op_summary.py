"""op_summary_*.csv, and every other csv of operator instances: kernel_details is the same table under other names."""

from __future__ import annotations

from npuscope.parsers.columns import is_operator_table
from npuscope.parsers.csv_table import CsvTable, Progress, read_csv
from npuscope.parsers.discovery_msprof import OP_SUMMARY as PATTERN

__all__ = ["PATTERN", "read"]


def read(path: str, progress: Progress | None = None, only: frozenset[str] | None = None) -> CsvTable:
    """The operator instances of a csv file; `only` keeps some columns. Raises ParseError."""
    return read_csv(path, is_operator_table, None, progress, only)
