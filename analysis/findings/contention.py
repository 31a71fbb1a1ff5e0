"""Collectives that move their bytes slower while kernels compute: both want the same memory."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, ratio
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import kernels, leading_types, run_us, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.analysis.times.timeline import times
from npuscope.parsers.say import say
from npuscope.parsers.table import Table


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`communication-contention`: over SDMA, beside kernels, slower than a share of its peak and than what ran with
    nothing beside it. Of one device: a communication file does not say which it is of.
    """
    sent = summary.profile.extras.get("communication", Table({}))
    if not len(sent) or len(np.unique(summary.ops.numbers("device"))) != 1:
        return ()
    limits = summary.thresholds
    size, us = sent.numbers("sdma_mb") * 1e6, sent.numbers("sdma_us")
    gbps = np.where(size >= limits.link_bytes, ratio(size, us * 1e3), np.nan)
    beside, alone = _beside(summary, sent)
    rows = beside & (gbps < limits.contention * limits.sdma_gbps)
    reached, free = _together(size, us, rows), _together(size, us, alone & np.isfinite(gbps))
    if reached is None or (free is not None and reached >= limits.contention * free):
        return ()
    taken = np.nan_to_num(sent.numbers("elapsed_us") - np.nan_to_num(sent.numbers("wait_us")))
    lost = float((taken * (1 - gbps / (free or limits.sdma_gbps)))[rows].sum())
    if lost < limits.worth_share * run_us(summary):
        return ()
    slowest = int(np.argmin(np.where(rows, gbps, np.inf)))
    return (
        Finding(
            code="communication-contention",
            severity=severity(summary, lost),
            title=say("finding.contention", count=int(rows.sum()), gbps=reached),
            evidence=say(
                "finding.contention.evidence" if free is not None else "finding.contention.evidence.all",
                name=sent.strings("name")[slowest],
                gbps=float(gbps[slowest]),
                beside=int((beside & np.isfinite(gbps)).sum()),
                alone_gbps=free,
                limit=limits.contention * limits.sdma_gbps,
            ),
            advice=say("finding.contention.advice"),
            saving_us=None,
            ops=leading_types(summary, summary.ops.strings("label").mask(("communication",))),
        ),
    )


def _together(size: Floats, us: Floats, rows: Bools) -> float | None:
    """GB/s of these rows; None where there are none."""
    return float(size[rows].sum() / (us[rows].sum() * 1e3)) if rows.any() else None


def _beside(summary: Summary, sent: Table) -> tuple[Bools, Bools]:
    """Collectives that move beside kernels, and those that move without, for most of the time they do not wait. When
    within its time a collective waits is not told: each counts only where it is so in any case.
    """
    start, elapsed, wait = (sent.numbers(name) for name in ("start_us", "elapsed_us", "wait_us"))
    moving = elapsed - wait
    busy = _busy_us(summary, start, start + elapsed)
    half = summary.thresholds.mostly * moving
    return (moving > 0) & (busy - wait > half), (moving > 0) & (elapsed - busy - wait > half)


def _busy_us(summary: Summary, begin: Floats, end: Floats) -> Floats:
    """us of each interval in which kernels compute; NaN for unknown times or where no kernel has any."""
    start, stop, known = times(summary.ops)
    rows = known & kernels(summary) & (stop > start)
    if not rows.any():
        return np.full(len(begin), np.nan)
    origin = int(start[rows].min())
    order = np.argsort(start[rows], kind="stable")
    first, last = ((at[rows][order] - origin) / 1e3 for at in (start, stop))
    reach = np.maximum.accumulate(last)
    gap = np.maximum(first[1:] - reach[:-1], 0.0)
    idle = np.concatenate(([0.0], np.cumsum(gap)))  # before each kernel
    at = np.concatenate((first, reach))
    done = np.concatenate((first - idle, reach - idle))  # busy time until then
    order = np.lexsort((done, at))
    base = origin / 1e3
    return np.asarray(
        np.interp(end - base, at[order], done[order]) - np.interp(begin - base, at[order], done[order]),
        dtype=np.float64,
    )
