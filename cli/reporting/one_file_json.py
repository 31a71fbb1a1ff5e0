"""A looked-at file as npuscope.table/1; see one_file for what stands where."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from npuscope.analysis.sheet_totals import ColumnTold
from npuscope.cli.reporting.as_json import number, problem_document
from npuscope.cli.reporting.one_file import FileLooked
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.say import Problem
from npuscope.parsers.table import Strings, Table
from npuscope.tui.files.sheetwords import kind_words

SCHEMA = "npuscope.table/1"


def write(
    out: TextIO, args: argparse.Namespace, looked: Iterable[FileLooked], problems: Sequence[Problem], ascii_only: bool
) -> None:
    """Write the document; what is wrong with a file that gives nothing stands there and at its own place."""
    seen = list(looked)
    files = [document(one, args.top) for one in seen]
    nothing = [
        problem for one in seen if one.sight is None or not len(one.sight.found.table) for problem in one.problems
    ]
    whole = {
        "schema": SCHEMA,
        "path": " ".join(map(str, args.paths)),
        "files": files,
        "problems": [problem_document(problem) for problem in (*problems, *nothing)],
    }
    json.dump(whole, out, ensure_ascii=ascii_only, allow_nan=False)
    out.write("\n")


def document(looked: FileLooked, top: int) -> dict[str, Any]:
    """FILE."""
    sight, run = looked.sight, looked.run
    table = sight.found.table if sight is not None else None
    return {
        "path": str(looked.path),
        "kind": looked.kind,
        "kind_text": kind_words(looked.kind),
        "run": run.path if run is not None else None,
        "run_name": run.name if run is not None else None,
        "size_bytes": looked.size_bytes,
        "table": sight.table if sight is not None else None,
        "tables": [{"table": one.name, "rows": one.rows} for one in sight.tables] if sight is not None else [],
        "rows": len(table) if table is not None else None,
        "rows_skipped": sight.found.rows_skipped if sight is not None else None,
        "columns": [_column(one) for one in looked.columns],
        "top": [row_document(table, row) for row in range(min(top, len(table)))] if table is not None else [],
        "problems": [problem_document(problem) for problem in looked.problems],
    }


def _column(told: ColumnTold) -> dict[str, Any]:
    return {
        "name": told.name, "unit": told.unit or None, "kind": told.kind, "source": told.source, "known": told.known,
        "distinct": told.distinct, "min": number(told.smallest), "max": number(told.largest),
        "sum": number(told.total),
    }  # fmt: skip


def row_document(table: Table, row: int) -> dict[str, Any]:
    """One row: unknown is None."""
    return {name: value(column, row) for name, column in table.columns.items()}


def value(column: Any, row: int) -> Any:
    """A cell as JSON can carry it."""
    if isinstance(column, Strings):
        return column[row]
    found = column[row].item()
    return None if isinstance(found, int) and found == UNKNOWN else number(found)
