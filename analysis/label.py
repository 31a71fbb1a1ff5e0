"""The label of single instances, with everything that makes it believable."""

from __future__ import annotations

import numpy as np

from npuscope.analysis import choice, collect, judge
from npuscope.analysis.arrays import Ints
from npuscope.analysis.bounds import WorkArrays, arrays, bounds
from npuscope.analysis.chips import Chip
from npuscope.analysis.derived import Derived, derive
from npuscope.analysis.evidence import Names
from npuscope.analysis.families import MOVES_ONLY
from npuscope.analysis.groups import Grouping
from npuscope.analysis.rules import kinds
from npuscope.analysis.summary import ChipChoice, Summary
from npuscope.analysis.verdict import Verdict
from npuscope.analysis.work import Shapes, work_of
from npuscope.parsers.profile import Profile
from npuscope.parsers.table import Table

WORK_TEXT = ("input_shapes", "input_dtypes", "input_formats", "output_shapes", "output_dtypes", "output_formats")


def explain(summary: Summary, row: int) -> Verdict:
    """Everything about the label of one instance: row of `summary.ops`."""
    return explain_rows(summary, np.array([row]))[0]


def explain_rows(summary: Summary, rows: Ints) -> tuple[Verdict, ...]:
    """The same of several instances."""
    ops, profile = summary.ops.take(rows), summary.profile
    work = arrays([work_of(_shapes_of(ops, row)) for row in range(len(rows))], MOVES_ONLY)
    d = derived(profile, ops, work, choice.part_of(profile, summary.chip), summary.chip)
    tell = explainer(profile, d, judge.judge(d, kinds.kind_codes(ops)))
    types = ops.strings("type")
    return tuple(tell.verdict(row, types[row]) for row in range(len(rows)))


def derived(profile: Profile, ops: Table, work: WorkArrays, part: Chip | None, chosen: ChipChoice) -> Derived:
    """What the rules look at, for rows that have their gaps."""
    limits = bounds(work, ops.numbers("duration_us"), part, chosen.hbm_gbps)
    return derive(ops, work, limits, part, profile.run.kind == "msprof_op")


def explainer(profile: Profile, d: Derived, judged: judge.Judged) -> judge.Explainer:
    groups = collect.groups_of(profile.ops.columns) if choice.has_counters(profile.ops) else None
    return judge.Explainer(d, judged, Names(profile.sources), choice.tool(profile), groups)


def _shapes_of(table: Table, row: int) -> Shapes:
    told = [table.strings(name)[row] for name in WORK_TEXT]
    return (table.strings("type")[row] or "", told[0], told[1], told[2], told[3], told[4], told[5])


def work_arrays(ops: Table, by_shape: Grouping) -> WorkArrays:
    """The work of each row, estimated once per line of the shapes table."""
    samples = ops.take(by_shape.rows)
    return arrays([work_of(_shapes_of(samples, row)) for row in range(by_shape.count)], MOVES_ONLY).take(by_shape.group)
