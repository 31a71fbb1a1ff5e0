"""op_statistic_*.csv: one row per operator type and core, without instances."""

from __future__ import annotations

from collections.abc import Sequence

from npuscope.parsers.columns import Column
from npuscope.parsers.csv_table import CsvTable, read_csv
from npuscope.parsers.discovery_msprof import OP_STATISTIC as PATTERN

__all__ = ["PATTERN", "fits", "read"]


def read(path: str) -> CsvTable:
    """Columns type core device count total_us min_us mean_us max_us, those the file has. Raises ParseError."""
    return read_csv(path, fits)


def fits(columns: Sequence[Column]) -> bool:
    """Whether these are the columns of such a file."""
    return {"type", "count", "total_us"} <= {column.name for column in columns}
