"""The lines of the types and shapes tables: their label, and on demand the verdict of their typical row."""

from __future__ import annotations

import dataclasses

import numpy as np

from npuscope.analysis import groups
from npuscope.analysis.groups import Grouping, GroupLabels
from npuscope.analysis.labels.label import explain_rows
from npuscope.analysis.labels.verdict import LABELS, Evidence, Verdict
from npuscope.analysis.summary import Summary
from npuscope.parsers.say import say
from npuscope.parsers.table import Column, Strings, Table

TYPE_TEXT = ("type", "core")
SHAPE_TEXT = (*TYPE_TEXT, *groups.SHAPE_TEXT)
SPOKEN = ("label", "detail", "confidence", "runner_up")


def lines(rows: groups.Rows, by: Grouping, text: tuple[str, ...], named: float) -> Table:
    """The table of one grouping. `rows.ops` has its results; `typical_row` is the row of ops that speaks for a line.

    named: the share of a line's time that gives it its label, else it is mixed.
    """
    ops = rows.ops
    label = ops.strings("label")
    places = np.array([*(LABELS.index(value) for value in label.values), LABELS.index("unknown")], dtype=np.int64)
    found = groups.group_labels(rows, by, places[label.codes], named)
    table = groups.gather(rows, by, text).extended(_labels(ops, found))
    kind = ops.strings("bound_kind").take(found.row)
    return table.extended({"bound_kind": kind, "typical_row": found.row})


def verdicts(summary: Summary, table: Table) -> tuple[Verdict, ...]:
    """What the labels of these lines of types or shapes rest on, in the same order."""
    if not len(summary.ops):
        return tuple(Verdict("unknown") for _ in range(len(table)))
    explained = explain_rows(summary, table.numbers("typical_row"))
    named = summary.thresholds.named
    return tuple(_mixed(table, line, verdict, named) for line, verdict in enumerate(explained))


def _labels(ops: Table, found: GroupLabels) -> dict[str, Column]:
    """The typical row's label; where no label holds 60 % of the time `mixed`, with the top two and their shares."""
    spoken = [ops.strings(name).take(found.row).tolist() for name in SPOKEN]
    for line in np.flatnonzero(found.second >= 0).tolist():
        for values, value in zip(spoken, ("mixed", None, "low", None)):
            values[line] = value
    columns: dict[str, Column] = {name: Strings.of(values) for name, values in zip(SPOKEN, spoken)}
    columns["first_label"] = Strings(found.label.astype(np.int32), LABELS)
    columns["second_label"] = Strings(found.second.astype(np.int32), LABELS)
    columns["first_label_pct"] = np.round(100 * found.share, 1)
    columns["second_label_pct"] = np.round(100 * found.second_share, 1)
    return columns


def _mixed(table: Table, line: int, leading: Verdict, named: float) -> Verdict:
    """A line of which no label holds 60 % of the time: the shares of the top two, and what the leading one says."""
    if table.strings("label")[line] != "mixed":
        return leading
    top = tuple(
        _part(
            table.strings(f"{place}_label")[line] or "unknown", float(table.numbers(f"{place}_label_pct")[line]), named
        )
        for place in ("first", "second")
    )
    return dataclasses.replace(
        leading, label="mixed", detail=None, confidence="low", runner_up=None, evidence=(*top, *leading.evidence)
    )


def _part(name: str, pct: float, named: float) -> Evidence:
    return Evidence(f"{name}_pct", pct, 100 * named, say(f"evidence.mixed.{name}", pct=pct))
