"""A profile -> its Summary: bounds, labels, lines per type and shape, gaps, steps, findings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from npuscope.analysis import apis, choice, findings, gaps, groups, judge, label, problems, statistic, steps, totals
from npuscope.analysis.arrays import Floats, Ints, decode, totalled
from npuscope.analysis.bounds import KINDS
from npuscope.analysis.chips import Chip
from npuscope.analysis.derived import Derived
from npuscope.analysis.groups import Grouping
from npuscope.analysis.lines import SHAPE_TEXT, TYPE_TEXT, Judgement
from npuscope.analysis.rules import kinds
from npuscope.analysis.summary import Summary
from npuscope.analysis.timeline import Timeline
from npuscope.analysis.verdict import CONFIDENCES, LABELS
from npuscope.parsers.profile import Profile
from npuscope.parsers.table import Column

HOST_BOUND_BUSY = 0.4  # of the span: below it a run of launch-bound rows is host-bound as a whole [ADV host_threshold]
RUN_NAMED = 0.5  # of the time in one label, else the run is mixed


def summarize(profile: Profile, chip: str | None = None, hbm_gbps: float | None = None) -> Summary:
    """Look at a profile.

    chip: a part's name that overrides what the profile says; hbm_gbps: its memory bandwidth in 10^9 bytes/s.
    """
    chosen = choice.choose(profile, chip, hbm_gbps)
    part = choice.part_of(profile, chosen)
    if not len(profile.ops):
        return statistic.summary(profile, chosen)
    timeline = Timeline.of(profile.ops)
    ops = gaps.with_gaps(profile.ops.extended({"type": groups.type_column(profile.ops)}), timeline)
    by_shape, by_type = groups.shapes_grouping(ops), groups.types_grouping(ops)
    d = label.derived(profile, ops, label.work_arrays(ops, by_shape), part, chosen)
    kind = kinds.kind_codes(ops)
    judged = judge.judge(d, kind)
    ops = ops.extended(_results(d, judged)).extended({"shape_row": by_shape.group, "type_row": by_type.group})
    explainer = label.explainer(profile, d, judged)
    judgement = Judgement.of(ops, d, judged, kind == kinds.COMMUNICATION)
    types, type_verdicts = judgement.lines(by_type, TYPE_TEXT, explainer)
    shapes, shape_verdicts = judgement.lines(by_shape, SHAPE_TEXT, explainer)
    summary = Summary(
        profile=profile,
        chip=chosen,
        totals=totals.totals(ops, d.occupancy, timeline),
        label="unknown",
        label_us=_label_us(judged.label, ops.numbers("duration_us")),
        ops=ops,
        types=types.extended({"shapes": _shapes_per_type(by_shape, by_type)}),
        shapes=shapes.extended({"shapes": np.ones(len(shapes), dtype=np.int64)}),
        type_verdicts=type_verdicts,
        shape_verdicts=shape_verdicts,
    )
    return _with_patterns(dataclasses.replace(summary, label=_run_label(summary)), d, timeline, part)


def _with_patterns(summary: Summary, d: Derived, timeline: Timeline, part: Chip | None) -> Summary:
    """What several rows together tell."""
    found = steps.steps(summary.ops)
    median, p99 = steps.statistics(found)
    summary = dataclasses.replace(
        summary,
        steps=found,
        step_median_us=median,
        step_p99_us=p99,
        gaps=gaps.stream_gaps(summary.ops, timeline),
        device_gaps=gaps.device_gaps(summary.ops, timeline),
        apis=apis.apis(summary.ops),
    )
    return dataclasses.replace(summary, findings=findings.find(summary, d), problems=problems.problems(summary, part))


def _results(d: Derived, judged: judge.Judged) -> dict[str, Column]:
    """The columns that Summary promises for `ops`."""
    limits = d.bounds
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "label": decode(judged.label, LABELS),
            "detail": decode(judged.detail, judge.DETAILS),
            "confidence": decode(judged.confidence, CONFIDENCES),
            "runner_up": decode(judged.second, LABELS),
            "bound_kind": decode(limits.kind, KINDS),
            "bytes": d.bytes,
            "flops": d.flops,
            "bound_us": limits.bound_us,
            "cube_bound_us": np.where(limits.by_cube, limits.unit_us, np.nan),
            "vector_bound_us": np.where(limits.by_cube, np.nan, limits.unit_us),
            "saving_us": np.maximum(d.D - limits.bound_us, 0),
            "times_over_bound": d.D / limits.bound_us,
            "achieved_gbps": d.bytes / (d.D * 1e3),
            "achieved_tflops": d.flops / (d.D * 1e6),
            "kernel_us": np.fmax(d.Ta, d.Tv),
            "move_us": np.fmax(np.fmax(d.move_cube, d.fixpipe) * d.Ta, d.move_vector * d.Tv),
            "aicore_pct": 100 * d.occupancy,
        }


def _shapes_per_type(by_shape: Grouping, by_type: Grouping) -> Ints:
    return np.bincount(by_type.group[by_shape.rows], minlength=by_type.count)


def _label_us(codes: Ints, duration: Floats) -> dict[str, float]:
    us = totalled(codes, len(LABELS), np.nan_to_num(duration))
    found = {name: float(us[at]) for at, name in enumerate(LABELS) if (codes == at).any()}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _run_label(summary: Summary) -> str:
    """The label with half of the time; launch also where the device mostly stands idle before launch-bound rows."""
    busy_us, span_us = summary.totals.busy_us, summary.totals.span_us
    if busy_us is not None and span_us and busy_us < HOST_BOUND_BUSY * span_us:
        gap = np.nan_to_num(summary.ops.numbers("launch_gap_us"))
        if gap[summary.ops.strings("label").mask(("launch",))].sum() > 0.5 * gap.sum():
            return "launch"
    return _leading(summary.label_us)


def _leading(label_us: Mapping[str, float]) -> str:
    total = sum(label_us.values())
    leading, us = next(iter(label_us.items()), ("unknown", 0.0))
    if not total:
        return "unknown"
    return leading if us >= RUN_NAMED * total else "mixed"
