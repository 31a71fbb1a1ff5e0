"""The three lines a report begins with: where the time goes, what to fix first, what the run hides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from npuscope.analysis.first_look.triage import NO_CLASS, largest_untold
from npuscope.tui.text import t, told

if TYPE_CHECKING:
    from npuscope.analysis.summary import Summary

SHARES = 4
LOST = 0.5  # of the span idle
_STOPS = (".", "。", "?", "？", "!", "！")


def lines(summary: Summary) -> list[tuple[str, str]]:
    """Name and sentences of each."""
    found = summary.triage
    where, start, hides = (
        (list(map(told, said)) for said in (found.where, found.start, (*found.hides, *found.undecided)))
        if found
        else 3 * [[]]
    )
    where += _shares(summary)
    start = _idle(summary) + (start or _largest(summary))
    reason = summary.profile.run.reason
    hides = [said for said in hides if reason is None or said != told(reason)]  # it stands under the path already
    return [
        (t("report.triage.where"), _joined(where)),
        (t("report.triage.start"), _joined(start)),
        (t("report.triage.hides"), _joined(hides or [t("report.triage.nothing")])),
    ]


def _joined(sentences: list[str]) -> str:
    """One after the other; where one that does not end in a stop is followed by another, it gets one."""
    ended = [said if said.endswith(_STOPS) else said + t("report.stop") for said in sentences[:-1]]
    return t("report.blank").join([*ended, *sentences[-1:]])


def _shares(summary: Summary) -> list[str]:
    """The labels that took time, without the first one where that is told already."""
    total = sum(summary.label_us.values())
    told_already = not set(summary.label_us) <= NO_CLASS
    if len(summary.label_us) < 2:
        return []
    shares = [
        t("report.share", label=t(f"label.{label}.long"), pct=100 * us / total)
        for label, us in list(summary.label_us.items())[told_already : SHARES + told_already]
        if total
    ]
    key = "report.triage.also" if told_already else "report.triage.shares"
    return [t(key, shares=t("report.comma").join(shares))] if shares else []


def _idle(summary: Summary) -> list[str]:
    """Where the device mostly idles and nothing says yet what for, that comes before any kernel."""
    totals, lead = summary.totals, summary.triage.lead.kind if summary.triage else "none"
    if lead == "launches" or totals.busy_pct is None or totals.idle_us is None or totals.busy_pct > 100 * (1 - LOST):
        return []
    return [t("report.triage.idle", us=totals.idle_us, pct=100 - totals.busy_pct)]


def _largest(summary: Summary) -> list[str]:
    types, total = summary.types, summary.totals.once_us
    if not total:
        return []
    saved = np.nan_to_num(types.numbers("saving_us")) if "saving_us" in types else np.zeros(len(types))
    untold = largest_untold(summary) if "saving_us" in types else None
    if saved.any() and untold is None:  # there are floors, and what they give back is little of the run
        line = int(saved.argmax())
        gain = {"us": float(saved[line]), "pct": 100 * float(saved[line]) / total}
        return [
            t(
                "report.triage.little",
                type=types.strings("type")[line],
                worth=100 * summary.thresholds.worth_share,
                **gain,
            )
        ]
    us = float(types.numbers("total_us")[untold or 0])
    return [t("report.triage.first", type=types.strings("type")[untold or 0], us=us, pct=100 * us / total)]
