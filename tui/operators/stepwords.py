"""The steps of a run in words: a line of the report, and a part of the operator table's meta. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from npuscope.tui import numbers
from npuscope.tui.text import t

if TYPE_CHECKING:
    from npuscope.analysis.summary import StepsSummary


def line(steps: StepsSummary) -> str:
    """`steps: 12   median 7.220 ms   p90 ...   138 steps/s   (from Step Id)`."""
    key = "steps.line" if steps.complete == steps.count else "steps.line.cut"
    said = t(key, n=steps.count, complete=steps.complete, median=steps.median_us, p90=steps.p90_us, p99=steps.p99_us)
    if steps.per_second is not None:
        said += t("steps.per-second", rate=numbers.significant(steps.per_second))
    if steps.drifts and steps.drift_pct is not None:
        said += t("steps.slower" if steps.drift_pct > 0 else "steps.faster", pct=abs(steps.drift_pct))
    return said + t("steps.from", source=t(f"steps.source.{steps.source}"))


def within(steps: StepsSummary, width: int) -> str:
    """The line where it fits; else `12 steps: med 7.220 ms, p90 ...` with what finds room of drift and pace."""
    whole = line(steps)
    if cell_len(whole) <= width:
        return whole
    said = t("steps.narrow", n=steps.count, median=steps.median_us, p90=steps.p90_us, p99=steps.p99_us)
    drift = t("steps.narrow.drift", pct=steps.drift_pct) if steps.drifts else ""
    pace = "" if steps.per_second is None else t("steps.narrow.pace", rate=numbers.significant(steps.per_second))
    for more in (drift, pace):
        said += more if cell_len(said + more) <= width else ""
    return said


def short(steps: StepsSummary | None) -> str:
    """`12 steps, median 7.22 ms`; "" when nothing is known."""
    if steps is None or steps.median_us is None:
        return ""
    return t("steps.short.one" if steps.count == 1 else "steps.short", n=steps.count, median=steps.median_us)
