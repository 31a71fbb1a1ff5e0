"""A file of a run as it is looked at: its kind, the table, and the other tables of a file that holds several."""

from __future__ import annotations

from dataclasses import dataclass

from npuscope.parsers.csv_table import CsvTable


@dataclass(frozen=True)
class Held:
    """One table of a file that holds several, and how many rows it has."""

    name: str
    rows: int


@dataclass(frozen=True)
class Sight:
    """A file as a table. `tables` are all that it holds and `table` the one that this is, where there are several."""

    kind: str
    found: CsvTable
    table: str | None = None
    tables: tuple[Held, ...] = ()
