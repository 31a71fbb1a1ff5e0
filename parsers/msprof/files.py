"""Every kind of file a run may hold: how it is called, what it is, and who reads it as a table.

The kind of a file is told by its name; a csv that was given another name is known by its columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.csv_text import ENCODINGS, LineFeed, rows
from npuscope.parsers.msprof import (
    ai_core_utilization,
    aicpu,
    api_statistic,
    beside,
    communication,
    communication_statistic,
    data_preprocess,
    fusion_op,
    hbm,
    kernel_details,
    l2_cache,
    memory_record,
    mindspore_raw,
    msprof_db,
    npu_mem,
    npu_module_mem,
    op_statistic,
    op_summary,
    operator_details,
    operator_memory,
    other_csv,
    other_db,
    prof_rule,
    step_trace,
    step_trace_time,
    task_time,
    timeline,
)
from npuscope.parsers.msprof.sheet import Progress, Sheet
from npuscope.parsers.say import ParseError, Problem, say

Reader = Callable[[str], CsvTable]
Pattern = re.Pattern[str]


def _timeline(path: str) -> CsvTable:
    found = timeline.read(path)
    return CsvTable(path, found.table(), (), 0, found.problems)


TABLES: tuple[tuple[Pattern, str, Reader], ...] = (
    (op_summary.PATTERN, "op_summary", op_summary.read),
    (kernel_details.PATTERN, "kernel_details", op_summary.read),
    (op_statistic.PATTERN, "op_statistic", op_statistic.read),
    (task_time.PATTERN, "task_time", task_time.read),
    (api_statistic.PATTERN, "api_statistic", api_statistic.read),
    (communication_statistic.PATTERN, "communication_statistic", communication_statistic.read),
    (fusion_op.PATTERN, "fusion_op", fusion_op.read),
    (l2_cache.PATTERN, "l2_cache", l2_cache.read),
    (operator_details.PATTERN, "operator_details", operator_details.read),
    (operator_memory.PATTERN, "operator_memory", operator_memory.read),
    (memory_record.PATTERN, "memory_record", memory_record.read),
    (npu_module_mem.PATTERN, "npu_module_mem", npu_module_mem.read),
    (npu_mem.PATTERN, "npu_mem", npu_mem.read),
    (hbm.PATTERN, "hbm", hbm.read),
    (aicpu.PATTERN, "aicpu", aicpu.read),
    (data_preprocess.PATTERN, "data_preprocess", data_preprocess.read),
    (ai_core_utilization.PATTERN, "ai_core_utilization", ai_core_utilization.read),
    (prof_rule.PATTERN, "prof_rule", prof_rule.read),
    (step_trace_time.PATTERN, "step_trace_time", beside.step_times),
    (step_trace.PATTERN, "step_trace", beside.iterations),
    (communication.PATTERN, "communication", beside.collectives),
    (communication.MATRIX_PATTERN, "communication_matrix", beside.links),
    (timeline.PATTERN, "timeline", _timeline),
    (other_db.PATTERN, "analysis_db", other_db.read),
    *((pattern, kind, reader) for kind, (pattern, reader) in mindspore_raw.FILES.items()),
    (other_csv.PATTERN, "summary", other_csv.read),
)
# what is no table: shown in the list of a run's files, and that is all
OTHERS: tuple[tuple[Pattern, str], ...] = (
    (msprof_db.PATTERN, "profile_db"),
    (re.compile(r"(?:info|sample)\.json(?:\.\d+)?|profiler_(?:info|metadata)(?:_\d+)?\.json"), "settings"),
    (re.compile(r"OpBasicInfo.*\.csv|(?:Pipe|Arithmetic)Utilization.*\.csv|Memory(?:L0|UB)?(?:_\d+)?\.csv"), "opprof"),
    (re.compile(r"(?:L2Cache|ResourceConflictRatio)(?:_\d+)?\.csv|visualize_data\.bin"), "opprof"),
    (re.compile(r".+\.(?:done|complete)|(?:start|end)_info(?:\.\d+)?"), "mark"),
    (re.compile(r".+\.slice_\d+|.+\.data(?:\.\d+)*|torch\..+|hwts.*|aicore\..*|training_trace\..*"), "raw"),
    (re.compile(r".+\.log(?:\.\d+)?|README\.txt|.+\.stdout"), "log"),
    (re.compile(r".+\.db"), "database"),
)
# tables by their columns, for a csv that was renamed: the first that has all of them
_SIGNATURES: tuple[tuple[Sheet, str, frozenset[str]], ...] = (
    (task_time.SHEET, "task_time", frozenset({"name", "core", "duration_us", "start_ns", "end_ns"})),
    (api_statistic.SHEET, "api_statistic", frozenset({"level", "name", "total_us", "count"})),
    (fusion_op.SHEET, "fusion_op", frozenset({"name", "original_ops"})),
    (l2_cache.SHEET, "l2_cache", frozenset({"stream", "task_id", "hit_rate"})),
    (operator_details.SHEET, "operator_details", frozenset({"name", "host_self_duration_us"})),
    (operator_memory.SHEET, "operator_memory", frozenset({"name", "size_kb", "allocated_at_ns"})),
    (memory_record.SHEET, "memory_record", frozenset({"component", "timestamp_ns", "total_reserved_mb"})),
    (npu_mem.SHEET, "npu_mem", frozenset({"event", "timestamp_ns", "hbm_mb"})),
    (hbm.SHEET, "hbm", frozenset({"metric", "read_mbps", "write_mbps"})),
    (aicpu.SHEET, "aicpu", frozenset({"name", "dispatch_us", "total_us"})),
    (data_preprocess.SHEET, "data_preprocess", frozenset({"timestamp_ns", "action", "source"})),
    (Sheet(), "step_trace_time", frozenset({"computing", "free", "stage"})),
)
OPERATOR_KINDS = ("op_summary", "kernel_details", "op_statistic")


@dataclass(frozen=True)
class Sight:
    """A file as a table: its kind, the table, and of a database which of its tables this is."""

    kind: str
    found: CsvTable
    table: str | None = None


def kind_of(name: str) -> str | None:
    """The kind of a file by its bare name; None for what no profiler writes."""
    entry = _entry(name)
    if entry is not None:
        return entry[0]
    return next((kind for pattern, kind in OTHERS if pattern.fullmatch(name)), None)


def is_table(name: str) -> bool:
    """Whether a file of this name can be shown as a table."""
    return _entry(name) is not None


def kind_by_columns(path: str) -> str | None:
    """The kind of a csv that is called something else, by its columns; None when they are not known either."""
    try:
        with Path(path).open("rb") as handle:
            header = next(rows(LineFeed(handle, ENCODINGS[1], 0), path), [])
    except (OSError, ParseError):
        return None
    for sheet, kind, wanted in _SIGNATURES:
        if wanted <= {column.name for column in sheet.columns_of(header)}:
            return kind
    return None


def read_file(path: str, table: str | None = None, progress: Progress | None = None) -> Sight:
    """A file as a table. Raises ParseError; also for a file that is none."""
    name = Path(path).name
    entry = _entry(name) or _by_columns(path)
    if entry is None:
        raise ParseError(Problem("no-table", say("files.problem.no-reader", file=name), file=path))
    kind, reader = entry
    if kind == "analysis_db":
        held = other_db.tables(path)
        chosen = table or (held[0].name if held else None)
        return Sight(kind, other_db.read(path, progress, chosen), chosen)
    return Sight(kind, reader(path))


def tables_in(path: str) -> Sequence[other_db.DbTable]:
    """The tables of a database that can be shown; none of another file. Raises ParseError."""
    return other_db.tables(path) if kind_of(Path(path).name) == "analysis_db" else ()


def _entry(name: str) -> tuple[str, Reader] | None:
    return next(((kind, reader) for pattern, kind, reader in TABLES if pattern.fullmatch(name)), None)


def _by_columns(path: str) -> tuple[str, Reader] | None:
    kind = kind_by_columns(path) if path.casefold().endswith((".csv", ".txt")) else None
    return next(((known, reader) for _, known, reader in TABLES if known == kind), None)
