"""The lines of the types and shapes tables, each with the verdict of a typical row."""

from __future__ import annotations

import dataclasses

import numpy as np

from npuscope.analysis import groups
from npuscope.analysis.groups import Grouping, GroupLabels
from npuscope.analysis.label import Looker
from npuscope.analysis.verdict import LABELS, Evidence, Verdict
from npuscope.parsers.say import say
from npuscope.parsers.table import Strings, Table

TYPE_TEXT = ("type", "core")
SHAPE_TEXT = (*TYPE_TEXT, *groups.SHAPE_TEXT)


def lines(looker: Looker, rows: groups.Rows, by: Grouping, text: tuple[str, ...]) -> tuple[Table, tuple[Verdict, ...]]:
    """The table of one grouping and its verdicts, in the same order. `rows.ops` has its results."""
    ops = rows.ops
    label = ops.strings("label")
    places = np.array([*(LABELS.index(value) for value in label.values), LABELS.index("unknown")], dtype=np.int64)
    found = groups.group_labels(rows, by, places[label.codes])
    verdicts = tuple(
        _mixed(found, line, verdict) if found.second[line] >= 0 else verdict
        for line, verdict in enumerate(looker.explain(ops.take(found.row)))
    )
    spoken = {
        name: Strings.of(getattr(verdict, name) for verdict in verdicts)
        for name in ("label", "detail", "confidence", "runner_up")
    }
    kind = ops.strings("bound_kind").take(found.row)
    return groups.gather(rows, by, text).extended({**spoken, "bound_kind": kind, "typical_row": found.row}), verdicts


def _mixed(found: GroupLabels, line: int, leading: Verdict) -> Verdict:
    """A type of which no label holds 60 % of the time: the shares of the top two, and what the leading one says."""
    places = ((found.label[line], found.share[line]), (found.second[line], found.second_share[line]))
    top = tuple(_part(LABELS[label_], round(100 * float(share), 1)) for label_, share in places)
    return dataclasses.replace(
        leading, label="mixed", detail=None, confidence="low", runner_up=None, evidence=(*top, *leading.evidence)
    )


def _part(name: str, pct: float) -> Evidence:
    return Evidence(f"{name}_pct", pct, 100 * groups.NAMED, say(f"evidence.mixed.{name}", pct=pct))
