"""What a profile says of itself beyond its operators, in few words: its metric groups, and the vendor's own verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npuscope.parsers.profile import UNKNOWN, Profile
from npuscope.tui.text import has, t, told

if TYPE_CHECKING:
    from npuscope.analysis.labels.verdict import Lack, Verdict
    from npuscope.analysis.summary import Summary

NAMED = 2
QUOTED = "vendor.advice"  # stands among the lines already, as it was written


def groups_in_words(aic_metrics: str | None) -> str | None:
    """`PipeUtilization`, `PipeUtilization, Memory`, `7 metric groups`."""
    if aic_metrics is None:
        return None
    count = len(aic_metrics.split(", "))
    return aic_metrics if count <= NAMED else t("opprof.groups", n=count)


def vendor_lines(profile: Profile, row: int) -> list[str]:
    """What the vendor's own tool says of a row of ops, in its words; its class first."""
    said = sorted((one for one in profile.vendor_verdict if one.row == row), key=lambda one: one.kind != "roofline")
    keys = {"roofline": "opprof.vendor.class"}
    return [
        t(
            keys.get(one.kind) or ("opprof.vendor.blocks" if one.blocks else "opprof.vendor"),
            text=one.text,
            n=one.blocks,
        )
        for one in said
    ]


def vendor_words(profile: Profile, row: int, verdict: Verdict) -> list[str]:
    """The same, and what counters of the vendor's say of the row."""
    return vendor_lines(profile, row) + [told(one) for one in verdict.vendor if one.key != QUOTED]


def vendor_of_line(summary: Summary, line: int) -> list[str]:
    """The same of the row that speaks for a line of types."""
    row = int(summary.types.numbers("typical_row")[line]) if "typical_row" in summary.types else UNKNOWN
    return vendor_words(summary.profile, row, summary.type_verdicts[line])


def label_words(verdict: Verdict) -> tuple[str, str]:
    """`memory-bound` and ` (tiling), confidence high`."""
    text = t("detail_pane.confidence", confidence=t(f"confidence.{verdict.confidence}"))
    return t(f"label.{verdict.label}.long"), inner_words(verdict) + text


def inner_words(verdict: Verdict) -> str:
    """` (tiling)`, ` (~access)` where two classes are level, or nothing."""
    detail = f"detail.{verdict.detail}"
    inner = t(detail) if verdict.detail and has(detail) else verdict.detail or ""
    if verdict.runner_up:
        inner = t("label.tie", label=t(f"label.{verdict.runner_up}"))
    return t("detail_pane.inner", text=inner) if inner else ""


def lack_words(lack: Lack) -> str:
    """A metric group that would tell more, what it tells, and the key that shows its command."""
    return t("detail_pane.lack", question=told(lack.question), group=lack.group)
