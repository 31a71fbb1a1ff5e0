"""What the host does, where calls (api_statistic) or a timeline tell: waiting, compiling, collecting garbage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import kernels, severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.analysis.thresholds import Thresholds
from npuscope.parsers.msprof.traces.host_events import kind_of
from npuscope.parsers.say import say
from npuscope.parsers.table import Table


@dataclass(frozen=True)
class Seen:
    """Events of one kind: how many, us of all, the longest, and its name."""

    count: int = 0
    total_us: float = 0.0
    longest_us: float = 0.0
    name: str | None = None


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`garbage-collection`, `data-loader`, `host-sync`, `op-compile`, `host-memory`, `sync-batchnorm`. Host time
    saves the device only what it waits for: none of them names a saving.
    """
    extras = summary.profile.extras
    if kernels(summary).sum() < summary.thresholds.storm_least:
        return ()  # one operator tried out: what happens around it is its set-up
    seen = {kind: _seen(extras, kind) for kind in CODES}
    launches = _seen(extras, "launch").count
    return tuple(
        Finding(
            code=code,
            severity=severity(summary, seen[kind].total_us) if kind != "sync_batch_norm" else "low",
            title=say(f"finding.{code}", count=seen[kind].count, us=seen[kind].total_us),
            evidence=say(
                f"finding.{code}.evidence",
                name=seen[kind].name,
                us=seen[kind].longest_us,
                launches=launches,
                limit=_limit(summary.thresholds, kind),
            ),
            advice=say(f"finding.{code}.advice"),
        )
        for kind, code in CODES.items()
        if _over(seen[kind], kind, launches, summary.thresholds)
    )


CODES = {
    "gc": "garbage-collection",
    "data_loader": "data-loader",
    "sync": "host-sync",
    "compile": "op-compile",
    "memory": "host-memory",
    "sync_batch_norm": "sync-batchnorm",
}


def _over(seen: Seen, kind: str, launches: int, limits: Thresholds) -> bool:
    limit = _limit(limits, kind)
    if kind == "sync":
        return launches >= limits.storm_least and seen.count > limit * launches
    measured = {"gc": seen.longest_us, "data_loader": seen.longest_us, "memory": seen.total_us}
    return measured.get(kind, float(seen.count)) > limit


def _limit(limits: Thresholds, kind: str) -> float:
    return {
        "gc": limits.gc_us,
        "data_loader": limits.data_loader_us,
        "sync": limits.sync_share,
        "compile": limits.compiled,
        "memory": limits.host_memory_us,
        "sync_batch_norm": limits.sync_batch_norms,
    }[kind]


def _seen(extras: Mapping[str, Table], kind: str) -> Seen:
    """By the calls in api_statistic, where they are told, else by the timeline."""
    calls, events = extras.get("api_statistic", Table({})), extras.get("host_events", Table({}))
    for table in (calls, events):
        names = table.strings("name")
        of_kind = np.array([*(kind_of(value) == kind for value in names.values), False], dtype=bool)
        rows = of_kind[names.codes] & (table.numbers("count") > 0)
        if rows.any():
            longest = np.where(rows, np.nan_to_num(table.numbers("max_us")), -1.0)
            at = int(np.argmax(longest))
            total = float(np.nansum(table.numbers("total_us")[rows]))
            return Seen(int(table.numbers("count")[rows].sum()), total, float(longest[at]), names[at])
    return Seen()
