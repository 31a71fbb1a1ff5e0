"""The report as npuscope.report/1: one strict JSON document; unknown is null."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, TextIO

from npuscope.parsers.profile import PIPES, Run
from npuscope.parsers.say import Problem
from npuscope.tui.filtering import any_of
from npuscope.tui.operators import floor
from npuscope.tui.text import t, told

if TYPE_CHECKING:
    from npuscope.analysis.indicators import Stages
    from npuscope.analysis.labels.verdict import Verdict
    from npuscope.analysis.summary import Api, Finding, Gap, Step, StepsSummary, Summary, Totals
    from npuscope.cli.report import Looked

SCHEMA = "npuscope.report/1"
DIGITS = 6

TYPE_NUMBERS = {
    "total_us": "total_us", "share_pct": "share_pct", "mean_us": "mean_us", "median_us": "median_us",
    "min_us": "min_us", "max_us": "max_us", "first_us": "first_us", "mean_without_first_us": "mean_without_first_us",
    "wait_us": "wait_total_us", "kernel_us": "kernel_total_us", "move_us": "move_total_us", "aicore_pct": "aicore_pct",
    "bound_us": "bound_total_us", "times_over_bound": "times_over_bound", "saving_us": "saving_us",
    "bytes": "bytes_total", "flops": "flops_total", "achieved_gbps": "achieved_gbps",
    "achieved_tflops": "achieved_tflops", "step_gain_us": "step_gain_us",
}  # fmt: skip
OP_NUMBERS = (
    "wait_us", "kernel_us", "move_us", "aicore_pct", "bound_us", "times_over_bound", "saving_us", "bytes", "flops",
    "achieved_gbps", "achieved_tflops", "step_gain_us", "freq_mhz", "rated_freq_mhz", "gap_us",
    "block_spread", "waves",
)  # fmt: skip
OP_TEXT = (
    "op_state", "input_shapes", "input_dtypes", "input_formats", "output_shapes", "output_dtypes", "output_formats",
)  # fmt: skip
OP_INTEGERS = (
    "device", "stream", "task_id", "block_dim", "mix_block_dim", "step", "model_id", "launch", "blocks_measured",
)  # fmt: skip


def write(
    out: TextIO,
    args: argparse.Namespace,
    looked: Iterable[Looked],
    problems: Sequence[Problem],
    ascii_only: bool,
    tables: Iterable[dict[str, Any]] = (),
) -> None:
    """Write the document. `problems` are of paths that hold no run; they are complete once `looked` is used up.

    `tables` are the documents of files that were given beside runs.
    """
    runs = [_listed(one.run) if args.list else _run(one, args.top, args.ops) for one in looked]
    document = {
        "schema": SCHEMA,
        "path": " ".join(str(path) for path in args.paths),
        "runs": runs,
        "problems": [problem_document(problem) for problem in problems],
    }
    beside = list(tables)
    if beside:
        document["tables"] = beside
    json.dump(document, out, ensure_ascii=ascii_only, allow_nan=False)
    out.write("\n")


def number(value: Any, digits: int = DIGITS) -> float | int | None:
    """A number as JSON can carry it."""
    if value is None:
        return None
    if isinstance(value, int):
        return value
    plain = float(value)
    return round(plain, digits) if math.isfinite(plain) else None


def problem_document(problem: Problem) -> dict[str, Any]:
    """PROBLEM."""
    hint = told(problem.hint) if problem.hint is not None else None
    return {
        "code": problem.code,
        "message": told(problem.message),
        "hint": hint,
        "file": problem.file,
        "line": problem.line,
    }


def _listed(run: Run) -> dict[str, Any]:
    return {"path": run.path, "kind": run.kind, "state": run.state, "started_at": _moment(run.started_at)}


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, timezone.utc).isoformat()


def _run(looked: Looked, top: int, ops: int) -> dict[str, Any]:
    run, summary = looked.run, looked.summary
    document: dict[str, Any] = {
        **_listed(run),
        "state_reason": told(run.reason) if run.reason is not None else None,
        "next_command": run.next_command,
        "rank": run.rank,
        "files": list(run.files),
        "files_ignored": [{"file": one.file, "reason": told(one.reason)} for one in run.ignored],
    }
    document.update(_unread() if summary is None else _read(summary, top, ops))
    document["problems"] = [problem_document(problem) for problem in looked.problems]
    return document


def _unread() -> dict[str, Any]:
    known = ("chip", "chip_source", "cann", "level", "aic_metrics", "rows")
    empty: dict[str, Any] = dict.fromkeys(
        (*known, "step_median_us", "step_p99_us", "steps_summary", "step_gain_us", "stages")
    )
    many = ("devices", "steps", "types", "ops", "gaps", "findings", "apis", "vendor_verdict")
    lists: dict[str, Any] = {name: [] for name in many}
    return {**empty, **_totals(None), **lists, "rows_skipped": 0, "by_device": {}, "label": "unknown"}


def _read(summary: Summary, top: int, ops: int) -> dict[str, Any]:
    told_by = summary.profile.metadata
    return {
        "chip": summary.chip.name,
        "chip_source": summary.chip.source,
        "cann": told_by.cann,
        "level": told_by.level,
        "aic_metrics": told_by.aic_metrics,
        "vendor_verdict": list(dict.fromkeys(one.text for one in summary.profile.vendor_verdict)),
        "devices": list(told_by.devices or summary.totals.by_device),
        "rank": summary.profile.run.rank if summary.profile.run.rank is not None else told_by.rank,
        "rows": summary.totals.rows,
        "rows_skipped": summary.profile.rows_skipped,
        "steps": [_step(step) for step in summary.steps],
        "step_median_us": number(summary.step_median_us),
        "step_p99_us": number(summary.step_p99_us),
        "steps_summary": None if summary.steps_summary is None else _plain(summary.steps_summary),
        **_totals(summary.totals if len(summary.types) else None),
        "by_device": {
            str(device): {name: number(value) for name, value in dataclasses.asdict(totals).items()}
            for device, totals in summary.totals.by_device.items()
        },
        "label": summary.label,
        "step_gain_us": number(summary.step_gain_us),
        "label_us": {name: number(us) for name, us in summary.label_us.items()},
        "types": type_documents(summary, top),
        "ops": ops_documents(summary, ops),
        "gaps": [_gap(gap) for gap in summary.gaps[:top]],
        "device_gaps": [_gap(gap) for gap in summary.device_gaps[:top]],
        "apis": [_plain(api) for api in summary.apis],
        "stages": None if summary.stages is None else _stages(summary.stages),
        "findings": [_finding(finding) for finding in summary.findings],
    }


def _plain(record: Api | StepsSummary) -> dict[str, Any]:
    """The fields of a record by their names."""
    return {name: value if isinstance(value, str) else number(value) for name, value in vars(record).items()}


def _stages(found: Stages) -> dict[str, Any]:
    """Shares are of the three together: host calls overlap with kernels."""
    return {
        "preparation_us": number(found.preparation_us),
        "kernel_us": number(found.kernel_us),
        "copy_us": number(found.copy_us),
        "preparation_pct": number(100 * found.preparation_share),
        "source": found.source,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "title": told(finding.title),
        "evidence": told(finding.evidence),
        "advice": told(finding.advice),
        "saving_us": number(finding.saving_us),
        "ops": list(finding.ops),
        "filter": any_of("type", finding.ops) or None,
    }


def _totals(totals: Totals | None) -> dict[str, Any]:
    names = (
        "total_us", "span_us", "busy_us", "idle_us", "busy_pct", "wait_us", "computing_us", "communication_us",
        "communication_not_overlapped_us", "aicore_pct",
    )  # fmt: skip
    return {name: None if totals is None else number(getattr(totals, name)) for name in names}


def _step(step: Step) -> dict[str, Any]:
    return {
        "step": step.step,
        "us": number(step.us),
        "kernel_us": number(step.kernel_us),
        "kernels": step.kernels,
        "complete": step.complete,
    }


def _gap(gap: Gap) -> dict[str, Any]:
    return {
        "device": gap.device,
        "stream": gap.stream,
        "us": number(gap.us),
        "after": gap.after,
        "before": gap.before,
        "start_ns": gap.start_ns,
    }


def type_documents(summary: Summary, top: int) -> list[dict[str, Any]]:
    """The largest types first."""
    types = summary.types
    lines = list(range(len(types)))
    if "carried_us" in types:
        every_us = types.numbers("total_us") + types.numbers("carried_us")
        lines.sort(key=lambda line: -float(every_us[line]))
    return [type_document(summary, line) for line in lines[:top]]


def type_document(summary: Summary, line: int) -> dict[str, Any]:
    """TYPE: of all rows, as `total_us` of the run is."""
    row = _of_all_rows(summary.types.row(line))
    return {
        "type": row["type"],
        "core": row["core"],
        "count": int(row["count"]),
        **{name: number(row.get(column)) for name, column in TYPE_NUMBERS.items()},
        "shapes": number(row.get("shapes")),
        **_verdict(summary.type_verdicts[line], row.get("bound_kind"), summary),
        "pipes": pipes(row),
    }


def _of_all_rows(row: dict[str, Any]) -> dict[str, Any]:
    """A line with the rows in it whose time another row tells too."""
    if not row.get("carried_count"):
        return row
    count, total_us = row["count"] + row["carried_count"], row["total_us"] + row["carried_us"]
    return {**row, "count": count, "total_us": total_us, "mean_us": total_us / count}


def ops_documents(summary: Summary, limit: int) -> list[dict[str, Any]]:
    """The longest instances first."""
    if not limit or not len(summary.ops):
        return []
    import numpy as np

    from npuscope.analysis.labels.label import explain_rows

    order = np.argsort(-np.nan_to_num(summary.ops.numbers("duration_us")), kind="stable")[:limit]
    verdicts = explain_rows(summary, order)
    return [_op(summary, int(row), verdict) for row, verdict in zip(order.tolist(), verdicts)]


def _op(summary: Summary, at: int, verdict: Verdict) -> dict[str, Any]:
    row = summary.ops.row(at)
    start = row.get("start_ns")
    return {
        "name": row.get("name"),
        "type": row.get("type"),
        "core": row.get("core"),
        "start_ns": start if isinstance(start, int) and start >= 0 else None,
        "duration_us": number(row["duration_us"]),
        **{name: row[name] if row.get(name, -1) != -1 else None for name in OP_INTEGERS},
        **{name: row.get(name) for name in OP_TEXT},
        **{name: number(row.get(name)) for name in OP_NUMBERS},
        **_verdict(verdict, row.get("bound_kind"), summary),
        "pipes": pipes(row),
        "vendor_verdict": [one.text for one in summary.profile.vendor_verdict if one.row == at],
    }


def _verdict(verdict: Verdict, bound_kind: str | None, summary: Summary) -> dict[str, Any]:
    return {
        "label": verdict.label,
        "detail": verdict.detail.replace("-", " ") if verdict.detail else None,
        "confidence": verdict.confidence,
        "runner_up": verdict.runner_up,
        "evidence": [
            {
                "metric": one.metric,
                "value": number(one.value),
                "threshold": number(one.threshold),
                "text": told(one.text),
            }
            for one in verdict.evidence
        ],
        "reasons": [told(reason) for reason in verdict.reasons],
        "bound_kind": bound_kind,
        "bound_source": bound_source(bound_kind, summary),
        "no_bound_reason": None if verdict.no_floor is None else told(verdict.no_floor),
        "advice": [told(advice) for advice in verdict.advice],
        "lacks": [
            {"group": lack.group, "question": told(lack.question), "command": lack.command} for lack in verdict.lacks
        ],
    }


def bound_source(kind: str | None, summary: Summary) -> str | None:
    """Which peak a bound was computed with, and where that number is from."""
    chip = summary.chip
    if kind is None:
        return None
    if kind != "hbm":
        return t(f"report.bound.{kind}", chip=chip.name)
    return floor.hbm_source(chip)


def pipes(row: dict[str, Any]) -> dict[str, float | int | None]:
    """Pipe shares as read: those of the side that works by their bare names, a second side's with its name."""
    sides = sorted(("aic", "aiv"), key=lambda side: -_weight(row, side))
    found: dict[str, float | int | None] = {}
    for place, side in enumerate(sides):
        if place and _weight(row, side) <= 0:
            break
        for pipe in PIPES:
            if f"{side}_{pipe}_ratio" in row:
                name = pipe if pipe not in found and not place else f"{side}_{pipe}"
                found[name] = number(row[f"{side}_{pipe}_ratio"])
    return found


def _weight(row: dict[str, Any], side: str) -> float:
    time = row.get(f"{side}_time_us", math.nan)
    if time is not None and time > 0:
        return float(time)
    shares = [row.get(f"{side}_{pipe}_ratio", math.nan) for pipe in PIPES]
    return max((float(share) for share in shares if share is not None and share > 0), default=0.0)
