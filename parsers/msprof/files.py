"""Every kind of file a run may hold: how it is called, what it is, and who reads it as a table.

The kind of a file is told by its name; a csv that was given another name is known by its columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Optional

from npuscope.parsers.columns import columns_of, is_operator_table
from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.csv_text import ENCODINGS, LineFeed, rows
from npuscope.parsers.msprof import beside, mindspore_raw, several
from npuscope.parsers.msprof.collectives import cluster_communication, communication
from npuscope.parsers.msprof.databases import msprof_db, other_db
from npuscope.parsers.msprof.opprof import files as opprof_files
from npuscope.parsers.msprof.sight import Held, Sight
from npuscope.parsers.msprof.tables import (
    ai_core_utilization,
    aicpu,
    api_statistic,
    communication_statistic,
    data_preprocess,
    fusion_op,
    hbm,
    kernel_details,
    l2_cache,
    memory_record,
    npu_mem,
    npu_module_mem,
    op_statistic,
    op_summary,
    operator_details,
    operator_memory,
    other_csv,
    prof_rule,
    settings_file,
    step_trace,
    step_trace_time,
    task_time,
    text_lines,
)
from npuscope.parsers.msprof.tables.sheet import Sheet
from npuscope.parsers.msprof.traces import timeline, trace, trace_tables
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say

Reader = Callable[[str, Optional[Progress]], CsvTable]
Pattern = re.Pattern[str]
TIMELINE = "timeline"


def _timeline(path: str, progress: Progress | None) -> CsvTable:
    return trace_tables.read(path, TIMELINE, None, progress).found


def _statistic(path: str, progress: Progress | None) -> CsvTable:
    return op_statistic.read(path)


TABLES: tuple[tuple[Pattern, str, Reader], ...] = (
    (op_summary.PATTERN, "op_summary", op_summary.read),
    (kernel_details.PATTERN, "kernel_details", op_summary.read),
    (op_statistic.PATTERN, "op_statistic", _statistic),
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
    (cluster_communication.PATTERN, "cluster_communication", cluster_communication.collectives),
    (cluster_communication.MATRIX_PATTERN, "cluster_communication_matrix", cluster_communication.links),
    (timeline.PATTERN, TIMELINE, _timeline),
    (opprof_files.METRICS, "opprof", opprof_files.metrics),
    (opprof_files.EXECUTED, "simulator", opprof_files.executed),
    (opprof_files.TRACE, "simulator_trace", opprof_files.trace),
    (settings_file.PATTERN, "settings", settings_file.read),
    (settings_file.COLLECTION, "collection", settings_file.read),
    (settings_file.OTHERS, "values", settings_file.read),
    *((pattern, kind, reader) for kind, (pattern, reader) in mindspore_raw.FILES.items()),
    (other_csv.PATTERN, "summary", other_csv.read),
)
# what is no table itself: several tables, lines of text, or data that only the vendor's tools read
OTHERS: tuple[tuple[Pattern, str], ...] = (
    (other_db.PATTERN, "analysis_db"),
    (opprof_files.VIEWER, several.VIEWER),
    (msprof_db.PATTERN, "profile_db"),
    (text_lines.LOGS, "log"),
    (text_lines.NOTES, "notes"),
    (re.compile(r".+\.(?:done|complete)"), "mark"),
    (re.compile(r".+\.slice_\d+|.+\.data(?:\.\d+)*|torch\..+|hwts.*|aicore\..*|training_trace\..*"), "raw"),
    (re.compile(r"DeviceProf\d+\.bin|(?:L2Cache|duration)\.bin|aicore_binary\.o"), "raw"),
    (re.compile(r".+\.db"), "database"),
)
LINES = ("log", "notes", "mark")
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
    (Sheet(), "opprof", frozenset({"block_id", "sub_block_id"})),
    (Sheet(), "opprof", frozenset({"name", "task_duration_us", "block_dim", "current_freq", "rated_freq"})),
    (Sheet(), "simulator", frozenset({"pipe", "cycles", "call_count"})),
)
OPERATOR_KINDS = ("op_summary", "kernel_details", "op_statistic")


def kind_of(name: str) -> str | None:
    """The kind of a file by its bare name; None for what no profiler writes."""
    entry = _entry(name)
    if entry is not None:
        return entry[0]
    return next((kind for pattern, kind in OTHERS if pattern.fullmatch(name)), None)


def is_table(name: str) -> bool:
    """Whether a file of this name can be shown as a table."""
    return _entry(name) is not None or kind_of(name) in (*LINES, *several.KINDS)


def kind_by_columns(path: str) -> str | None:
    """The kind of a csv that is called something else by its columns, of a timeline by its first event; None when they
    are not known either.
    """
    if trace.is_one(path):
        return TIMELINE
    header = _header(path)
    for sheet, kind, wanted in _SIGNATURES:
        if wanted <= {column.name for column in sheet.columns_of(header)}:
            return kind
    return None


def has_operators(path: str) -> bool:
    """Whether the columns of a csv are those of a table of operators, or of their totals."""
    return _kind_of_operators(path) is not None


def _kind_of_operators(path: str) -> str | None:
    columns = columns_of(_header(path))
    if is_operator_table(columns):
        return "op_summary"
    return "op_statistic" if op_statistic.fits(columns) else None


def read_file(path: str, table: str | None = None, progress: Progress | None = None) -> Sight:
    """A file as a table, of one that holds several the one of that name. Raises ParseError; also where it is none."""
    name = Path(path).name
    kind = kind_of(name) or kind_by_columns(path) or _kind_of_operators(path)
    if kind in several.KINDS:
        return several.read(path, kind, table, progress)
    if kind == TIMELINE:
        return trace_tables.read(path, kind, table, progress)
    if kind in LINES:
        return Sight(kind, text_lines.read(path, progress))
    reader = next((reader for _, known, reader in TABLES if known == kind), None)
    if kind is None or reader is None:
        key = "files.problem.binary" if kind == "raw" else "files.problem.no-reader"
        raise ParseError(Problem("no-table", say(key, file=name), file=path))
    return Sight(kind, reader(path, progress))


def tables_in(path: str) -> Sequence[Held]:
    """The tables of a file that holds several; none of another file. Raises ParseError."""
    kind = kind_of(Path(path).name)
    return several.tables(path, kind) if kind in several.KINDS else ()


def _header(path: str) -> list[str]:
    """The first line of a csv file; nothing of any other."""
    if not path.casefold().endswith((".csv", ".txt")):
        return []
    try:
        with Path(path).open("rb") as handle:
            return next(rows(LineFeed(handle, ENCODINGS[1], 0), path), [])
    except (OSError, ParseError):
        return []


def _entry(name: str) -> tuple[str, Reader] | None:
    return next(((kind, reader) for pattern, kind, reader in TABLES if pattern.fullmatch(name)), None)
