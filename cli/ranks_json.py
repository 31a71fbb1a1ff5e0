"""The ranks as npuscope.ranks/1: one strict JSON document; unknown is null."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TextIO

from npuscope.cli.ranks_text import problems_of
from npuscope.cli.reporting.as_json import number, problem_document
from npuscope.tui.ranks import words as rankwords
from npuscope.tui.text import told

if TYPE_CHECKING:
    from npuscope.analysis.ranks.against import RankOperators
    from npuscope.analysis.ranks.compare import RankTable
    from npuscope.analysis.ranks.lateness import RankLine
    from npuscope.cli.ranks import Compared
    from npuscope.parsers.msprof.tables.step_trace_time import StepTimes

SCHEMA = "npuscope.ranks/1"
TIMES = (
    "computing_us", "communication_us", "overlapped_us", "free_us", "stage_us", "bubble_us", "preparing_us", "wait_us",
)  # fmt: skip
STEP = {
    "computing_us": "computing_us", "communication_us": "not_overlapped_us", "overlapped_us": "overlapped_us",
    "free_us": "free_us", "stage_us": "stage_us", "bubble_us": "bubble_us", "preparing_us": "preparing_us",
}  # fmt: skip


def write(out: TextIO, found: Compared, top: int, ascii_only: bool) -> None:
    """Write the document."""
    table = found.table
    document = {
        "schema": SCHEMA,
        "path": " ".join(found.paths),
        "world_size": table.world_size,
        "ranks": [_rank(line) for line in table.lines],
        "mean_computing_us": number(table.mean_computing_us),
        "ranks_used": table.used,
        "missing_ranks": list(table.missing),
        "verdict": _verdict(table, found.operators),
        "operators": _operators(found.operators, found, top) if found.operators is not None else None,
        "problems": [problem_document(problem) for problem in problems_of(found)],
    }
    json.dump(document, out, ensure_ascii=ascii_only, allow_nan=False)
    out.write("\n")


def _rank(line: RankLine) -> dict[str, Any]:
    times = line.times
    return {
        "rank": times.rank,
        "device": times.device,
        "path": times.run.path,
        "state": times.state,
        **{name: number(getattr(times, name)) for name in TIMES},
        "slowest_link_gbps": {transport: number(gbps) for transport, gbps in times.links.items()},
        "pipeline_stage": times.pipeline_stage,
        "late_by_pct": number(line.late_by_pct),
        "late_by_us": number(line.late_by_us),
        "reason": rankwords.reason(line) or None,
        "reason_code": line.code or None,
        "next_command": times.run.next_command,
        "times_from": times.source or None,
        "steps": [_step(step) for step in times.steps],
    }


def _step(step: StepTimes) -> dict[str, Any]:
    return {"step": step.step, **{name: number(getattr(step, field)) for name, field in STEP.items()}}


def _verdict(table: RankTable, operators: RankOperators | None) -> dict[str, Any]:
    found = table.verdict
    named = found.late if found.kind != "stages" else ()
    steps = {"late_in": found.steps[0], "of": found.steps[1]} if found.steps is not None else None
    return {
        "late_rank": named[0].times.rank if named else None,
        "late_ranks": [line.times.rank for line in found.late],
        "kind": found.kind,
        "cause": operators.cause.kind if operators is not None and operators.cause is not None else None,
        "steps": steps,
        "text": rankwords.verdict(table),
        "more": list(rankwords.second(table, operators)),
    }


def _operators(operators: RankOperators, found: Compared, top: int) -> dict[str, Any]:
    late = found.late
    return {
        "rank": late.rank if late is not None else None,
        "path": operators.path,
        "others": list(operators.others),
        "cause": told(operators.cause.text) if operators.cause is not None else None,
        "types": [
            {
                "type": one.type,
                "communication": one.communication,
                "count": one.count,
                "median_count": number(one.median_count),
                "us": number(one.us),
                "median_us": number(one.median_us),
                "difference_us": number(one.difference_us),
                "difference_pct": number(one.difference_pct),
            }
            for one in operators.types[:top]
        ],
        "problems": [problem_document(problem) for problem in operators.problems],
    }
