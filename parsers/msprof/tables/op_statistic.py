"""op_statistic_*.csv: one row per operator type and core, without instances."""

from __future__ import annotations

from collections.abc import Sequence

from npuscope.parsers.columns import Column, columns_of, is_counter
from npuscope.parsers.csv_table import CsvTable, read_csv
from npuscope.parsers.discovery.msprof import OP_STATISTIC as PATTERN

__all__ = ["PATTERN", "fits", "read"]


def read(path: str) -> CsvTable:
    """Columns type core device count total_us min_us mean_us max_us, those the file has. Raises ParseError."""
    return read_csv(path, fits, named=_named)


def _named(header: Sequence[str]) -> tuple[Column, ...]:
    """A table of totals has no counters."""
    return tuple(column for column in columns_of(header) if not is_counter(column.name))


def fits(columns: Sequence[Column]) -> bool:
    """Whether these are the columns of such a file."""
    return {"type", "count", "total_us"} <= {column.name for column in columns}
