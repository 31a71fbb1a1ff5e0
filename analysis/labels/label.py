"""The label of instances, with everything that makes it believable."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from npuscope.analysis import choice
from npuscope.analysis.arrays import Ints, decode
from npuscope.analysis.chips import Chip
from npuscope.analysis.groups import Grouping
from npuscope.analysis.labels import collect, counters, judge, metric_groups
from npuscope.analysis.labels.core_clock import core_clock
from npuscope.analysis.labels.derive import derive
from npuscope.analysis.labels.derived import Derived
from npuscope.analysis.labels.evidence import Names
from npuscope.analysis.labels.explainer import Explainer, Named
from npuscope.analysis.labels.verdict import CONFIDENCES, LABELS, Verdict
from npuscope.analysis.rules import kinds
from npuscope.analysis.summary import ChipChoice, Summary
from npuscope.analysis.thresholds import Thresholds
from npuscope.analysis.work.bounds import KINDS, WorkArrays, arrays, bounds
from npuscope.analysis.work.estimate import Shapes, work_of
from npuscope.analysis.work.families import MOVES_ONLY
from npuscope.analysis.work.workload import Work
from npuscope.parsers.profile import Profile
from npuscope.parsers.say import say
from npuscope.parsers.table import Column, Table

WORK_TEXT = ("input_shapes", "input_dtypes", "input_formats", "output_shapes", "output_dtypes", "output_formats")
CHUNK = 65_536  # rows judged at a time: what the rules look at is ten times the table
CODES = {"label": LABELS, "detail": judge.DETAILS, "confidence": CONFIDENCES, "runner_up": LABELS, "bound_kind": KINDS}
NO_CORE = Work(why=say("work.not-core"))
FUSED = Work(why=say("work.fused"))


def explain(summary: Summary, row: int) -> Verdict:
    """Everything about the label of one instance: row of `summary.ops`."""
    return explain_rows(summary, np.array([row]))[0]


def explain_rows(summary: Summary, rows: Ints) -> tuple[Verdict, ...]:
    """The same of several instances."""
    return Looker.again(summary).explain(summary.ops.take(rows))


@dataclass(frozen=True)
class Looker:
    """How the rows of one profile are judged. groups = its metric groups, None where it has no counters at all;
    clock = what its core times have to be multiplied with."""

    profile: Profile
    chosen: ChipChoice
    part: Chip | None
    groups: frozenset[str] | None
    thresholds: Thresholds
    clock: float = 1.0

    @classmethod
    def of(cls, profile: Profile, chosen: ChipChoice, thresholds: Thresholds, clock: float | None = None) -> Looker:
        """With the peaks of the chosen chip; clock = that of `core_clock`, where it was looked for already."""
        groups = collect.groups_of(profile.ops.columns) if choice.has_counters(profile.ops) else None
        factor = core_clock(profile).factor if clock is None else clock
        return cls(profile, chosen, choice.part_of(profile, chosen), groups, thresholds, factor)

    @classmethod
    def again(cls, summary: Summary) -> Looker:
        """For rows of a run that was judged: all its rows are not looked through once more."""
        return cls.of(summary.profile, summary.chip, summary.thresholds, summary.core_clock)

    def derive(self, ops: Table, work: WorkArrays) -> Derived:
        """What the rules look at, for rows that have their gaps."""
        work = measured(work, ops)
        ranged = not np.isnan(work.bytes_least).all()
        cube_us = counters.share(ops, "aic_mac") * ops.numbers("aic_time_us") if ranged else None
        limits = bounds(work, ops.numbers("duration_us"), self.part, self.chosen.hbm_gbps, cube_us)
        per_block = self.profile.run.kind == "msprof_op"
        return derive(ops, work, limits, self.part, per_block, self.thresholds, self.chosen.hbm_gbps, self.clock)

    def judged(self, ops: Table) -> tuple[Derived, judge.Judged, list[Work]]:
        """Rows that have their gaps, looked at and labelled, with the work of each."""
        kind = kinds.kind_codes(ops)
        types = ops.strings("type").tolist()
        found = [_of_kind(work, of, name) for work, of, name in zip(works(ops), kind.tolist(), types)]
        d = self.derive(ops, arrays(found, MOVES_ONLY))
        return d, judge.judge(d, kind), found

    def explain(self, ops: Table) -> tuple[Verdict, ...]:
        """Verdicts of rows that have their gaps."""
        d, judged, found = self.judged(ops)
        tell = Explainer(
            d,
            judged,
            Names(self.profile.sources),
            choice.tool(self.profile),
            self.groups,
            self.part.family if self.part else None,
            [work.why for work in found],
        )
        name, kind, vendor = (ops.strings(column) for column in ("name", "type", "vendor_verdict"))
        return tuple(tell.verdict(row, Named(name[row], kind[row], vendor[row])) for row in range(len(ops)))

    def results(self, ops: Table, by_shape: Grouping, kind: Ints) -> dict[str, Column]:
        """The columns that Summary promises for `ops`, which has its gaps; `kind` of rules/kinds.py."""
        of_shapes = arrays(works(ops.take(by_shape.rows)), MOVES_ONLY).only(kind[by_shape.rows] == kinds.KERNEL)
        found: dict[str, Any] = {}
        for begin in range(0, len(ops), CHUNK):
            rows = np.arange(begin, min(begin + CHUNK, len(ops)))
            d = self.derive(ops.take(rows), of_shapes.take(by_shape.group[rows]))
            for name, values in _columns(d, judge.judge(d, kind[rows])).items():
                found.setdefault(name, np.empty(len(ops), dtype=values.dtype))[rows] = values
        return {name: decode(values, CODES[name]) if name in CODES else values for name, values in found.items()}


def _of_kind(work: Work, kind: int, type_name: str | None) -> Work:
    """The work of a kernel; why the others (rules/kinds.py) have none."""
    if kind == kinds.KERNEL:
        return work
    return FUSED if kind == kinds.OTHER and kinds.is_fused(type_name) else NO_CORE


def measured(work: WorkArrays, ops: Table) -> WorkArrays:
    """With the bytes that were counted at the memory (msprof op) where shapes do not tell them."""
    counted = metric_groups.traffic(ops)
    used = np.isnan(work.bytes) & (counted > 0)
    if not used.any():
        return work
    return dataclasses.replace(work, bytes=np.where(used, counted, work.bytes), measured=work.measured | used)


def works(ops: Table) -> list[Work]:
    """The work of each row, by its shapes."""
    return [work_of(_shapes_of(ops, row)) for row in range(len(ops))]


def _shapes_of(table: Table, row: int) -> Shapes:
    told = [table.strings(name)[row] for name in WORK_TEXT]
    return (table.strings("type")[row] or "", told[0], told[1], told[2], told[3], told[4], told[5])


def _columns(d: Derived, judged: judge.Judged) -> Mapping[str, Any]:
    limits = d.bounds
    moving = np.fmax(np.fmax(d.move_cube, d.fixpipe) * d.Ta, d.move_vector * d.Tv)
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = {
            "bytes": d.bytes,
            "flops": d.flops,
            "bound_us": limits.bound_us,
            "cube_bound_us": np.where(limits.by_cube, limits.unit_us, np.nan),
            "vector_bound_us": np.where(limits.by_cube, np.nan, limits.unit_us),
            "saving_us": np.where(limits.whole, np.maximum(d.D - limits.bound_us, 0), np.nan),
        }
        rough = {
            "bound_least_us": limits.least_us,
            "times_over_bound": d.D / limits.bound_us,
            # an estimate that the row beat says nothing of what it achieved
            "achieved_gbps": np.where(limits.invalid & np.isnan(limits.hbm_us), np.nan, d.bytes / (d.D * 1e3)),
            "achieved_tflops": np.where(limits.invalid & np.isnan(limits.unit_us), np.nan, d.flops / (d.D * 1e6)),
            "kernel_us": d.T,
            "move_us": moving,
            "other_us": np.maximum(d.D - d.T, 0),
            "aicore_pct": 100 * d.occupancy,
            "scalar_ratio": d.scalar,
        }
    codes = {
        "label": judged.label,
        "detail": judged.detail,
        "confidence": judged.confidence,
        "runner_up": judged.second,
        "bound_kind": limits.kind,
    }
    return {**codes, **exact, **{name: values.astype(np.float32) for name, values in rough.items()}}
