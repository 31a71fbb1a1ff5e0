"""A profile -> its Summary: bounds, labels, lines per type and shape, gaps, steps, findings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from npuscope.analysis import blocks, choice, findings, groups, problems, statistic
from npuscope.analysis.arrays import Floats, Ints, number, totalled
from npuscope.analysis.basis import Calibration
from npuscope.analysis.chips import Chip
from npuscope.analysis.first_look.triage import triage
from npuscope.analysis.groups import Grouping
from npuscope.analysis.indicators import stages
from npuscope.analysis.labels.label import Looker
from npuscope.analysis.lines import SHAPE_TEXT, TYPE_TEXT, lines, verdicts
from npuscope.analysis.rules import kinds
from npuscope.analysis.summary import Summary
from npuscope.analysis.thresholds import DEFAULTS, Thresholds
from npuscope.analysis.times import apis, gaps, steps, totals
from npuscope.analysis.times.carried import counted_us
from npuscope.analysis.times.step_summary import summarize_steps
from npuscope.parsers.msprof.extras import HOST_CALLS
from npuscope.parsers.profile import Profile
from npuscope.parsers.table import Table


def summarize(
    profile: Profile,
    chip: str | None = None,
    hbm_gbps: float | None = None,
    thresholds: Thresholds = DEFAULTS,
    calibrations: tuple[Calibration, ...] = (),
) -> Summary:
    """Look at a profile.

    chip: a part's name that overrides what the profile says; hbm_gbps: its memory bandwidth in 10^9 bytes/s, which
    beats what was measured on a chip.
    """
    chosen = choice.choose(profile, chip, hbm_gbps, calibrations)
    if not len(profile.ops):
        return looked_over(dataclasses.replace(statistic.summary(profile, chosen), thresholds=thresholds))
    looker = Looker.of(profile, chosen, thresholds)
    ops = profile.ops.extended({"type": groups.type_column(profile.ops)})
    kind = kinds.kind_codes(ops)
    measured = gaps.measure(ops, kind)
    by_shape, by_type = groups.shapes_grouping(ops), groups.types_grouping(ops)
    ops = ops.extended(measured.columns).extended({"shape_row": by_shape.group, "type_row": by_type.group})
    ops = ops.extended(looker.results(ops, by_shape, kind))
    gain = step_gain(ops.numbers("saving_us"), measured.alone_us)
    ops = ops.extended({"step_gain_us": gain, "alone_us": measured.alone_us.astype(np.float32)})
    if profile.cores is not None:
        ops = ops.extended({"waves": blocks.waves(ops, looker.part)})
    rows = groups.Rows.of(ops, kind == kinds.COMMUNICATION, kinds.computes(ops, kind))
    types, shapes = (
        lines(rows, by, text, thresholds.named) for by, text in ((by_type, TYPE_TEXT), (by_shape, SHAPE_TEXT))
    )
    summary = Summary(
        profile=profile,
        chip=chosen,
        totals=totals.totals(ops, kind, measured),
        label="unknown",
        label_us=_label_us(ops),
        ops=ops,
        types=types.extended({"shapes": _shapes_per_type(by_shape, by_type)}),
        shapes=shapes.extended({"shapes": np.ones(len(shapes), dtype=np.int64)}),
        gaps=measured.gaps,
        device_gaps=measured.device_gaps,
        thresholds=thresholds,
        core_clock=looker.clock,
        step_gain_us=_added(types.numbers("step_gain_us")),
    )
    return looked_over(_with_patterns(dataclasses.replace(summary, label=_run_label(summary)), looker.part))


def looked_over(summary: Summary) -> Summary:
    """With what one reads first."""
    calls, kernel_us = summary.profile.extras.get("api_statistic"), summary.totals.computing_us or 0.0
    found = stages(kernel_us, calls, summary.thresholds)
    source = summary.profile.sources.get(HOST_CALLS)
    if found is not None and source is not None:
        found = dataclasses.replace(found, source=source)
    summary = dataclasses.replace(summary, stages=found)
    return dataclasses.replace(summary, triage=triage(summary))


def step_gain(saving_us: Floats, alone_us: Floats) -> Floats:
    """What the step would gain if each row reached its floor: its saving, but no more than the time in which the
    device ran nothing else. Where no start time is known, unknown.
    """
    return np.minimum(saving_us, alone_us).astype(np.float32)


def _added(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return number(known.sum()) if len(known) else None


def _with_patterns(summary: Summary, part: Chip | None) -> Summary:
    """What several rows together tell."""
    found = steps.steps(summary.ops)
    called = apis.apis(summary.ops)
    whole = summarize_steps(summary.ops, found, summary.profile)
    median, p99 = (None, None) if whole is None else (whole.median_us, whole.p99_us)
    summary = dataclasses.replace(
        summary, steps=found, steps_summary=whole, step_median_us=median, step_p99_us=p99, apis=called
    )
    summary = dataclasses.replace(summary, type_verdicts=verdicts(summary, summary.types))
    return dataclasses.replace(
        summary, findings=findings.find(summary, part), problems=problems.problems(summary, part)
    )


def _shapes_per_type(by_shape: Grouping, by_type: Grouping) -> Ints:
    return np.bincount(by_type.group[by_shape.rows], minlength=by_type.count)


def _label_us(ops: Table) -> dict[str, float]:
    label = ops.strings("label")
    us = totalled(label.codes, len(label.values), counted_us(ops))
    found = {name: float(us[code]) for code, name in enumerate(label.values) if (label.codes == code).any()}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _run_label(summary: Summary) -> str:
    """The label with half of the time; launch also where the device mostly stands idle before launch-bound rows."""
    busy_us, span_us = summary.totals.busy_us, summary.totals.span_us
    if busy_us is not None and span_us and busy_us < summary.thresholds.host_bound * span_us:
        gap = np.nan_to_num(summary.ops.numbers("launch_gap_us"))
        if gap[summary.ops.strings("label").mask(("launch",))].sum() > 0.5 * gap.sum():
            return "launch"
    return _leading(summary.label_us, summary.thresholds.run_named)


def _leading(label_us: Mapping[str, float], named: float) -> str:
    total = sum(label_us.values())
    leading, us = next(iter(label_us.items()), ("unknown", 0.0))
    if not total:
        return "unknown"
    return leading if us >= named * total else "mixed"
