"""dp_*.csv: how the data queue was served; data_preprocess.csv of the framework profilers holds AI CPU operators."""

from __future__ import annotations

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables import aicpu
from npuscope.parsers.msprof.tables.sheet import Sheet, named, not_this_table, read_sheet
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError

PATTERN = named("(?:dp|data_preprocess)")
SHEET = Sheet(needs=("timestamp_ns", "action"), texts=frozenset({"action", "source"}), moments=frozenset({"timestamp"}))


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """timestamp_ns action source cached_buffer_size; or the columns of aicpu.py, by what the file has.

    Raises ParseError.
    """
    try:
        return read_sheet(path, SHEET, progress)
    except ParseError as error:
        if error.problem.code != "other-columns":
            raise
        refused = not_this_table(path, str(error.problem.message.params.get("header")))
    try:
        return read_sheet(path, aicpu.SHEET, progress)
    except ParseError as error:
        raise ParseError(refused if error.problem.code == refused.code else error.problem) from None
