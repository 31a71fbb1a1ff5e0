"""A file of a run as it is looked at: its kind, the table, and the other tables of a file that holds several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.say import Say


@dataclass(frozen=True)
class Held:
    """One table of a file that holds several, and how many rows it has; summed = it sums up another of them."""

    name: str
    rows: int
    summed: bool = False


def rows_of(tables: Iterable[Held]) -> int:
    """The rows of all tables, sums left out."""
    return sum(one.rows for one in tables if not one.summed)


@dataclass(frozen=True)
class Sight:
    """A file as a table. `tables` are all that it holds and `table` the one that this is, where there are several;
    `note` says in a sentence what the file tells as a whole.
    """

    kind: str
    found: CsvTable
    table: str | None = None
    tables: tuple[Held, ...] = ()
    note: Say | None = None
