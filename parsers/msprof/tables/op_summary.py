"""op_summary_*.csv, and every other csv of operator instances: kernel_details is the same table under other names."""

from __future__ import annotations

from pathlib import Path

from npuscope.parsers.columns import is_operator_table
from npuscope.parsers.csv_table import FAST_FROM_BYTES, CsvTable, Fast, read_csv
from npuscope.parsers.discovery.msprof import OP_SUMMARY as PATTERN
from npuscope.parsers.progress import Progress

__all__ = ["PATTERN", "fast_for", "read"]


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """The operator instances of a csv file. Raises ParseError."""
    return read_csv(path, is_operator_table, fast_for(path), progress)


def fast_for(path: str) -> Fast | None:
    """The way to read clean blocks of a big file at once; None for a small one."""
    try:
        big = Path(path).stat().st_size >= FAST_FROM_BYTES
    except OSError:
        return None
    if not big:
        return None
    from npuscope.parsers.msprof.tables.csv_fast import read_block  # imports pandas

    return read_block
