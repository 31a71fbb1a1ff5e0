"""Tables of what others of these parsers read as records: steps, iterations, collectives, links."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.collectives import communication
from npuscope.parsers.msprof.tables import step_trace, step_trace_time
from npuscope.parsers.msprof.tables.record_tables import table_of
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import Problem

_STEP_TIMES = {
    "step": int, "device": int, "rank": int, "computing_us": float, "not_overlapped_us": float, "overlapped_us": float,
    "communication_us": float, "free_us": float, "stage_us": float, "bubble_us": float, "without_receive_us": float,
    "preparing_us": float,
}  # fmt: skip
_ITERATIONS = {
    "iteration": int, "model": int, "fp_start_ns": int, "bp_end_ns": int, "end_ns": int, "time_us": float,
    "fp_to_bp_us": float, "refresh_us": float, "data_aug_us": float, "reduces": int, "reduce_us": float,
}  # fmt: skip
COLLECTIVES = {
    "step": int, "kind": str, "name": str, "group": str, "start_ns": int, "elapsed_us": float, "transit_us": float,
    "wait_us": float, "synchronization_us": float, "idle_us": float, "transports": str, "size_mb": float,
}  # fmt: skip
LINKS = {
    "step": int, "kind": str, "operator": str, "source": int, "target": int, "transport": str, "size_mb": float,
    "time_us": float, "gbps": float,
}  # fmt: skip


def step_times(path: str, progress: Progress | None = None) -> CsvTable:
    """step_trace_time.csv. Raises ParseError."""
    found = step_trace_time.read(path)
    return made(path, [dataclasses.asdict(one) for one in found.steps], _STEP_TIMES, found.problems)


def iterations(path: str, progress: Progress | None = None) -> CsvTable:
    """step_trace_*.csv, its Reduce pairs as their number and sum. Raises ParseError."""
    found = step_trace.read(path)
    rows = [
        {
            **vars(one),
            "reduces": len(one.reduces),
            "reduce_us": sum((us for _, us in one.reduces if us is not None), 0.0) if one.reduces else None,
        }
        for one in found.iterations
    ]
    return made(path, rows, _ITERATIONS, found.problems)


def collectives(path: str, progress: Progress | None = None) -> CsvTable:
    """communication.json. Raises ParseError."""
    rows = [collective_row(one) for one in communication.read(path)]
    return made(path, rows, COLLECTIVES)


def collective_row(one: communication.Collective) -> dict[str, Any]:
    """A row of COLLECTIVES."""
    return {
        **vars(one),
        "start_ns": None if one.start_us is None or one.start_us < 0 else _ns(one.start_us),
        "transports": ", ".join(part.kind for part in one.transports),
        "size_mb": one.size_mb,
    }


def _ns(us: float) -> int:
    """Whole and part apart: their product with 1000 has more digits than a float holds."""
    return math.floor(us) * 1000 + round((us - math.floor(us)) * 1000)


def links(path: str, progress: Progress | None = None) -> CsvTable:
    """communication_matrix.json. Raises ParseError."""
    return made(path, [vars(one) for one in communication.read_matrix(path)], LINKS)


def made(
    path: str, rows: Sequence[dict[str, Any]], columns: dict[str, type], problems: tuple[Problem, ...] = ()
) -> CsvTable:
    """Only the columns of which something is known."""
    known = {name: kind for name, kind in columns.items() if any(row.get(name) is not None for row in rows)}
    return CsvTable(path, table_of(rows, known or columns), (), 0, problems)
