"""The lines of the types and shapes tables, each with the verdict of a typical row."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from npuscope.analysis import groups, judge
from npuscope.analysis.arrays import Bools
from npuscope.analysis.derived import Derived
from npuscope.analysis.groups import Grouping, GroupLabels
from npuscope.analysis.verdict import LABELS, Evidence, Verdict
from npuscope.parsers.say import say
from npuscope.parsers.table import Strings, Table

TYPE_TEXT = ("type", "core")
SHAPE_TEXT = (*TYPE_TEXT, *groups.SHAPE_TEXT)


@dataclass(frozen=True)
class Judgement:
    """All rows of a run, judged."""

    ops: Table
    d: Derived
    judged: judge.Judged
    rows: groups.Rows

    @classmethod
    def of(cls, ops: Table, d: Derived, judged: judge.Judged, communication: Bools) -> Judgement:
        """The same, ready to be gathered."""
        pipes = {f"{stem}_ratio": values for stem, values in d.pipes.items()}
        by_duration = np.argsort(np.nan_to_num(ops.numbers("duration_us")), kind="stable")
        return cls(ops, d, judged, groups.Rows(ops, communication, pipes, by_duration))

    def lines(
        self, by: Grouping, text: tuple[str, ...], explainer: judge.Explainer
    ) -> tuple[Table, tuple[Verdict, ...]]:
        """The table of one grouping and its verdicts, in the same order."""
        ops = self.ops
        found = groups.group_labels(self.rows, by, self.judged.label.astype(np.int64))
        verdicts = self._verdicts(found, explainer)
        table = groups.gather(self.rows, by, text)
        spoken = {
            name: Strings.of(getattr(verdict, name) for verdict in verdicts)
            for name in ("label", "detail", "confidence", "runner_up")
        }
        kind = ops.strings("bound_kind").take(found.row)
        return table.extended({**spoken, "bound_kind": kind, "typical_row": found.row}), verdicts

    def _verdicts(self, found: GroupLabels, explainer: judge.Explainer) -> tuple[Verdict, ...]:
        typical = explainer.of(self.d.take(found.row), self.judged.take(found.row))
        types = self.ops.strings("type").take(found.row)
        verdicts = (typical.verdict(line, types[line]) for line in range(len(found.row)))
        return tuple(_mixed(found, at, v) if found.second[at] >= 0 else v for at, v in enumerate(verdicts))


def _mixed(found: GroupLabels, line: int, leading: Verdict) -> Verdict:
    """A type of which no label holds 60 % of the time: the shares of the top two, and what the leading one says."""
    places = ((found.label[line], found.share[line]), (found.second[line], found.second_share[line]))
    top = tuple(_part(LABELS[label_], round(100 * float(share), 1)) for label_, share in places)
    return dataclasses.replace(
        leading, label="mixed", detail=None, confidence="low", runner_up=None, evidence=(*top, *leading.evidence)
    )


def _part(name: str, pct: float) -> Evidence:
    return Evidence(f"{name}_pct", pct, 100 * groups.NAMED, say(f"evidence.mixed.{name}", pct=pct))
