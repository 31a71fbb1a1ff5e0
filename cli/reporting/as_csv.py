"""The operator types (and instances) of all runs as one CSV, for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from npuscope.cli.reporting.as_json import ops_documents, type_documents
from npuscope.tui.text import clean

if TYPE_CHECKING:
    from npuscope.cli.report import Looked

TYPE_COLUMNS = (
    "type", "core", "count", "total_us", "share_pct", "mean_us", "median_us", "min_us", "max_us", "first_us", "wait_us",
    "kernel_us", "move_us", "aicore_pct", "shapes", "label", "detail", "confidence", "runner_up", "bound_us",
    "bound_kind", "times_over_bound", "saving_us", "bytes", "flops", "achieved_gbps", "achieved_tflops",
    "step_gain_us",
)  # fmt: skip
OP_COLUMNS = (
    "name", "type", "core", "device", "stream", "task_id", "step", "start_ns", "duration_us", "wait_us", "kernel_us",
    "move_us", "aicore_pct", "block_dim", "input_shapes", "input_dtypes", "input_formats", "output_shapes", "label",
    "detail", "confidence", "runner_up", "bound_us", "bound_kind", "times_over_bound", "saving_us", "bytes", "flops",
    "achieved_gbps", "achieved_tflops", "step_gain_us",
)  # fmt: skip


def lines(looked: Iterable[Looked], top: int, ops: int, findings: int | None = None) -> Iterator[str]:
    """A head, then a line per type, or per instance with --ops."""
    columns = OP_COLUMNS if ops else TYPE_COLUMNS
    yield csv_line(["run", *columns])
    for one in looked:
        if one.summary is None:
            continue
        summary = one.summary
        rows = ops_documents(summary, ops) if ops else type_documents(summary, top)
        for row in rows:
            yield csv_line([one.run.path, *(row.get(name) for name in columns)])


def csv_line(cells: Iterable[Any]) -> str:
    """A line of cells; None is an empty one."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(["" if cell is None else _safe(cell) for cell in cells])
    return out.getvalue()


def _safe(cell: Any) -> Any:
    """No control code, and no text that begins like a formula: a spreadsheet would take it for one."""
    if not isinstance(cell, str):
        return cell
    return f"'{clean(cell)}" if cell[:1] in ("=", "+", "@", "\t", "\r") else clean(cell)
