"""The summary of a run that has totals per type and no instances: op_statistic alone."""

from __future__ import annotations

import numpy as np

from npuscope.analysis import choice
from npuscope.analysis.arrays import Floats, first_rows, grouped, ratio, totalled
from npuscope.analysis.labels import collect
from npuscope.analysis.labels.verdict import Evidence, Verdict
from npuscope.analysis.summary import ChipChoice, DeviceTotals, Summary, Totals
from npuscope.parsers.profile import UNKNOWN, Profile
from npuscope.parsers.say import say
from npuscope.parsers.table import Strings, Table


def summary(profile: Profile, chosen: ChipChoice) -> Summary:
    """Types with their times; labels stay unknown, a total and a count say nothing about pipes."""
    table = profile.statistic if profile.statistic is not None else Table({})
    types = _types(table)
    unknown = _verdict(choice.tool(profile))
    total = float(np.nan_to_num(types.numbers("total_us")).sum())
    return Summary(
        profile=profile,
        chip=chosen,
        totals=Totals(rows=0, total_us=total, computing_us=total, by_device=_devices(table)),
        label="unknown",
        label_us={"unknown": total} if total else {},
        ops=profile.ops,
        types=types,
        shapes=Table({}),
        type_verdicts=(unknown,) * len(types),
    )


def _verdict(tool: str) -> Verdict:
    command = collect.command(tool, "PipeUtilization")
    why = Evidence("op_statistic", None, None, say("evidence.no-instances"))
    return Verdict(
        "unknown",
        evidence=(why,),
        lacks=collect.lacks("unknown", tool, frozenset(), False, False),
        advice=(say("advice.collect", command=command),),
    )


def _types(table: Table) -> Table:
    if not len(table):
        return Table({})
    group, count = grouped([table.strings("type").codes, table.strings("core").codes])
    total = _added(table, "total_us", group, count)
    order = np.argsort(-total, kind="stable")
    rows = first_rows(group, count)[order]
    calls = _added(table, "count", group, count)[order]
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.fmin.at(low, group, table.numbers("min_us"))
    np.fmax.at(high, group, table.numbers("max_us"))
    text = {name: table.strings(name).take(rows) for name in ("type", "core")}
    unknown = {name: Strings(np.full(count, -1, dtype=np.int32), ()) for name in ("detail", "runner_up")}
    return Table(
        {
            **text,
            **unknown,
            "label": Strings.of(["unknown"] * count),
            "confidence": Strings.of(["low"] * count),
            "count": calls.astype(np.int64),
            "total_us": total[order],
            "share_pct": ratio(100 * total[order], np.full(count, total.sum())),
            "mean_us": ratio(total[order], calls),
            "min_us": np.where(np.isfinite(low), low, np.nan)[order],
            "max_us": np.where(np.isfinite(high), high, np.nan)[order],
        }
    )


def _added(table: Table, name: str, group: np.ndarray, count: int) -> Floats:
    return totalled(group, count, np.nan_to_num(table.numbers(name).astype(np.float64)))


def _devices(table: Table) -> dict[int, DeviceTotals]:
    if "device" not in table:
        return {}
    device, total = table.numbers("device"), np.nan_to_num(table.numbers("total_us"))
    told = [int(value) for value in np.unique(device).tolist() if value != UNKNOWN]
    return {value: DeviceTotals(float(total[device == value].sum()), 0) for value in told}
