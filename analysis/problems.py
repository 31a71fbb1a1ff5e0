"""What a person has to know about a run before trusting its numbers, as far as the operator table shows it."""

from __future__ import annotations

import numpy as np

from npuscope.analysis import choice
from npuscope.analysis.chips import Chip
from npuscope.analysis.labels.core_clock import core_clock
from npuscope.analysis.summary import Summary
from npuscope.analysis.times import steps, totals
from npuscope.analysis.times.first_calls import late_first_calls
from npuscope.parsers.msprof.row_checks import CARRIED
from npuscope.parsers.say import Problem, say


def problems(summary: Summary, part: Chip | None) -> tuple[Problem, ...]:
    """The analysis's own remarks; the parser's are in `summary.profile.problems`."""
    return (
        *_overlap(summary),
        *_carried(summary),
        *_clock(summary),
        *_first_launch(summary),
        *steps.problems(summary.steps),
        *_chip(summary, part),
    )


def _overlap(summary: Summary) -> tuple[Problem, ...]:
    us = totals.overlap_us(summary.totals)
    if us is None or us <= summary.thresholds.overlap_share * (summary.totals.busy_us or 0):
        return ()
    text = say("problem.overlap", total_us=summary.totals.once_us, busy_us=summary.totals.busy_us, us=us)
    return (Problem("overlap", text, say("problem.overlap.hint")),)


def _carried(summary: Summary) -> tuple[Problem, ...]:
    """Kernels that do the work of a collective which has a row of its own."""
    us = summary.totals.carried_us
    if not us:
        return ()
    rows = int((summary.ops.numbers(CARRIED) == 1).sum())
    return (Problem("carried", say("problem.carried", n=rows, us=us, total_us=summary.totals.total_us)),)


def _clock(summary: Summary) -> tuple[Problem, ...]:
    """Core times that were computed with another clock than the cores'."""
    clock = core_clock(summary.profile)
    if clock.factor == 1:
        return ()
    if clock.real_mhz is None:
        return (Problem("core-clock", say("problem.core-clock.unknown", told_mhz=clock.told_mhz)),)
    text = say("problem.core-clock", told_mhz=clock.told_mhz, real_mhz=clock.real_mhz, times=clock.factor)
    return (Problem("core-clock", text),)


def _first_launch(summary: Summary) -> tuple[Problem, ...]:
    """One remark for the shape whose first call lost most."""
    late, lines = late_first_calls(summary), summary.shapes
    if not late.any():
        return ()
    line = int(np.argmax(late))
    text = say(
        "problem.first-launch",
        type=lines.strings("type")[line],
        first_us=float(lines.numbers("first_us")[line]),
        median_us=float(lines.numbers("median_us")[line]),
        others=int((late > 0).sum()) - 1,
        late_us=float(late.sum()),
    )
    return (Problem("first-launch", text, say("problem.first-launch.hint")),)


def _chip(summary: Summary, part: Chip | None) -> tuple[Problem, ...]:
    """A chip that was named and does not fit, or none at all."""
    chosen = summary.chip
    if part is not None and part.fused and choice.is_split(summary.ops):
        return (Problem("chip", say("problem.chip.fused", chip=part.name), say("problem.chip.hint")),)
    if chosen.hbm_gbps is None and part is None:
        text = say("problem.chip.unknown", chip=chosen.name) if chosen.name else say("problem.chip.none")
        return (Problem("chip", text, say("problem.chip.hint")),)
    if chosen.hbm_gbps is None:
        return (Problem("chip", say("problem.chip.no-hbm", chip=chosen.name), say("problem.chip.hbm-hint")),)
    return ()
