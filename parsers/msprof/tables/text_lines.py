"""Logs, notes and marks: their lines, for those who want to see what stands there."""

from __future__ import annotations

import re
from pathlib import Path

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.csv_text import ENCODINGS, LineFeed, inspect, refusal
from npuscope.parsers.msprof.tables.record_tables import Row, table_of
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say

LOGS = re.compile(r".+\.log(?:\.\d+)?|README\.txt|.+\.stdout")
NOTES = re.compile(
    r"output_(?:op_compute_time(?:_detail)?|format_data_hwts|data_preprocess_aicpu)_\d+\.txt"
    r"|(?:minddata_aicpu|dataset_iterator_profiling|device_queue_profiling|min_cycle_counter|flops)_\d+\.txt|pc_start_addr\.txt"
)
MOST_LINES = 100_000
_LONGEST = 4096
COLUMNS = {"line": int, "text": str}


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """line (from 1) text. Raises ParseError."""
    name, start = Path(path).name, inspect(path).start
    rows: list[Row] = []
    problems: tuple[Problem, ...] = ()
    try:
        with Path(path).open("rb") as handle:
            if b"\0" in handle.read(4096):
                raise ParseError(Problem("no-table", say("files.problem.binary", file=name), file=path))
            for number, line in enumerate(LineFeed(handle, ENCODINGS[1], start), 1):
                if number > MOST_LINES:
                    told = say("files.problem.first-rows", file=name, rows=MOST_LINES, of=None)
                    problems = (Problem("rows-left-out", told, file=path),)
                    break
                rows.append({"line": number, "text": line.rstrip("\r\n")[:_LONGEST]})
    except OSError as error:
        raise refusal(path, error) from None
    return CsvTable(path, table_of(rows, COLUMNS), (), 0, problems)
