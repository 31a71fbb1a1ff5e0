"""What stands beside the tables as JSON or as `key=value` lines: a row for each value, called by its path.

info.json, sample.json, profiler_info.json, start_info, op_basic_info.txt, and the small JSON files of MindSpore.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.csv_text import inspect, refusal
from npuscope.parsers.json_text import loads
from npuscope.parsers.msprof.tables.record_tables import Row, table_of
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say

PATTERN = re.compile(r"(?:info|sample)\.json(?:\.\d+)?|profiler_(?:info|metadata)(?:_\d+)?\.json|op_basic_info\.txt")
COLLECTION = re.compile(r"(?:start|end)_info(?:\.\d+)?")
OTHERS = re.compile(
    r"(?:communication_group|pipeline_profiling_\d+|minddata_cpu_utilization_\d+|dynamic_shape_info_\d+"
    r"|parallel_strategy_\d+|flops_(?:summary|scope)_\d+|(?:(?:ascend|gpu)_)?timeline_summary_\d+|step_trace_point_info"
    r"|minddata_pipeline_summary_\d+)\.json"
)
LARGEST = 32 << 20
MOST_ROWS = 200_000
MOST_DEPTH = 40
COLUMNS = {"key": str, "value": str}
_LINE = re.compile(r"([^=]{1,80})=(.*)")


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """key value: an inner value is called `outer.inner`, an entry of a list `list[0]`. Raises ParseError."""
    name, size = Path(path).name, inspect(path).size
    if size > LARGEST:
        raise ParseError(Problem("too-large", say("files.problem.too-large", file=name, most=LARGEST), file=path))
    try:
        text = Path(path).read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise refusal(path, error) from None
    values = _of_lines(text) if name.endswith(".txt") else _of_json(text)
    if values is None:
        raise ParseError(Problem("invalid-json", say("files.problem.not-json", file=name), file=path))
    rows: list[Row] = []
    problems: tuple[Problem, ...] = ()
    for key, value in values:
        if len(rows) == MOST_ROWS:
            told = say("files.problem.first-rows", file=name, rows=MOST_ROWS, of=None)
            problems = (Problem("rows-left-out", told, file=path),)
            break
        rows.append({"key": key, "value": value})
    return CsvTable(path, table_of(rows, COLUMNS), (), 0, problems)


def _of_lines(text: str) -> Iterator[tuple[str, str]] | None:
    found = [match.groups() for line in text.splitlines() if (match := _LINE.fullmatch(line.strip()))]
    return ((key.strip(), value.strip()) for key, value in found) if found else None


def _of_json(text: str) -> Iterator[tuple[str, str]] | None:
    try:
        found = loads(text)
    except (ValueError, RecursionError):
        return None
    return _values("", found, 0) if isinstance(found, (dict, list)) else None


def _values(path: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    if depth < MOST_DEPTH and isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _values(f"{path}.{key}" if path else str(key), inner, depth + 1)
    elif depth < MOST_DEPTH and isinstance(value, list) and any(isinstance(inner, (dict, list)) for inner in value):
        for place, inner in enumerate(value):
            yield from _values(f"{path}[{place}]", inner, depth + 1)
    elif isinstance(value, str):
        yield path, value
    else:
        yield path, json.dumps(value, ensure_ascii=False)
