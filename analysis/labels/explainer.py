"""Verdicts of single rows: everything that makes a label believable, and what to do with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from npuscope.analysis.arrays import known_or
from npuscope.analysis.labels import advice, collect, confidence
from npuscope.analysis.labels.advice import A2, A5, Context
from npuscope.analysis.labels.derive import SIMT_FAMILIES
from npuscope.analysis.labels.derived import Derived
from npuscope.analysis.labels.evidence import Explained, Names, at, busiest, counted_bytes, known
from npuscope.analysis.labels.judge import DETAILS, RULES, Judged
from npuscope.analysis.labels.models import model_of
from npuscope.analysis.labels.verdict import CONFIDENCES, LABELS, Evidence, Verdict
from npuscope.analysis.rules import kinds, movement
from npuscope.analysis.work.bounds import UNITS
from npuscope.parsers.say import Say, say

_FAMILIES = {"Ascend910B": A2, "Ascend910_93": A2, "Ascend950": A5}


@dataclass(frozen=True)
class Named:
    """What a row is called: operator, type, and what the vendor's tool says of it."""

    name: str | None
    type: str | None
    vendor: str | None = None


class Explainer:
    """Verdicts of single rows. kind = the run's; groups = its metric groups, None without counters; `why` = the
    reason of each row without a floor.
    """

    def __init__(
        self,
        d: Derived,
        judged: Judged,
        names: Names,
        kind: str,
        groups: frozenset[str] | None,
        chip_family: str | None,
        why: Sequence[Say | None],
    ) -> None:
        self._d, self._judged, self._names, self._kind, self._groups = d, judged, names, kind, groups
        self._family, self._why = chip_family or "", why
        self._doubts = confidence.doubts(d, judged.label, judged.second)
        self._simt = movement.without_mte(d) & np.isnan(d.bytes) & (known_or(d.vec, 0) >= d.t.compute_vector)

    def verdict(self, row: int, named: Named) -> Verdict:
        """Everything about the label of one row."""
        d, judged = self._d, self._judged
        label, second = LABELS[judged.label[row]], int(judged.second[row])
        detail = DETAILS[judged.detail[row]] if judged.detail[row] >= 0 else None
        rule = next((rule for rule in RULES if rule.label == label), None)
        if rule is not None:
            told = rule.explain(d, row, detail, self._names)
            told = Explained(told.detail, (*told.evidence, *counted_bytes(d, row)))
        elif label == "unknown":
            told = self._unknown(row)
        else:
            told = _no_kernel(label, _sort_of_other(named) if label == "other" else None)
        has = self._groups or frozenset()
        return Verdict(
            label=label,
            detail=told.detail,
            confidence=CONFIDENCES[judged.confidence[row]],
            runner_up=LABELS[second] if second >= 0 else None,
            evidence=told.evidence,
            reasons=confidence.reasons(self._doubts, row) if rule is not None else (),
            advice=self._advice(row, label, detail, named),
            lacks=collect.lacks(label, self._kind, has, bool(d.sampled[row]), bool(d.complete[row])),
            vendor=self._vendor(row, named),
            no_floor=None if known(d.bounds.bound_us, row) else self._no_floor(row),
        )

    def _advice(self, row: int, label: str, detail: str | None, named: Named) -> tuple[Say, ...]:
        if label == "unknown":
            if self._simt[row] and self._d.sampled[row] and not self._d.flagged[row]:
                return (say("advice.simt"),)
            return advice.collect_again(collect.command(self._kind, "PipeUtilization"))
        detail = _sort_of_other(named) if label == "other" else detail
        found = advice.advise(label, detail, self.context(row, named))
        if self._kind != "msprof_op":
            return found
        return tuple(one for one in found if not one.key.startswith("advice.per-core"))  # these are its cores

    def context(self, row: int, named: Named) -> Context:
        """What the advice for a row depends on."""
        d = self._d
        share = movement.bandwidth(d)
        return Context(
            model=model_of(named.name, named.type, self._kind),
            family=_FAMILIES.get(self._family, self._family.replace("Ascend", "")),
            block=_maybe(at(d.block, row)),
            cores=_maybe(at(d.cores, row)),
            move=_maybe(at(d.move, row)),
            cube=_maybe(at(d.cube, row)),
            bandwidth=_maybe(at(share, row)),
            hit=_maybe(at(d.hit, row)),
            conflict=bool(at(d.conflict, row) > d.t.conflict),
            matmul=bool(d.work.matmul[row]),
            attention="attention" in (named.type or "").casefold(),
            mix=bool(d.mix[row]),
            simt=bool(d.no_mte[row] or (d.vec_may_move[row] and self._family in SIMT_FAMILIES)),
            unit=UNITS[int(d.work.unit[row])],
            ragged=bool(d.work.ragged[row]) if known(d.work.bytes, row) else None,
        )

    def _vendor(self, row: int, named: Named) -> tuple[Say, ...]:
        """The vendor's own verdict, shown beside ours: memory_bound of older chips, the advice of msprof op."""
        found = [say("vendor.advice", text=named.vendor)] if named.vendor else []
        if at(self._d.memory_bound, row) > 0:
            value = round(at(self._d.memory_bound, row), 2)
            found.append(say("vendor.memory-bound" if value > 1 else "vendor.memory-free", value=value))
        return tuple(found)

    def _no_floor(self, row: int) -> Say:
        if self._d.bounds.invalid[row]:
            return say("work.faster")
        return self._why[row] or say("work.no-chip")

    def _unknown(self, row: int) -> Explained:
        d, command = self._d, collect.command(self._kind, "PipeUtilization")
        if d.flagged[row]:
            why = say("evidence.broken" if d.broken[row] else "evidence.flagged")
        elif not d.sampled[row]:
            why = self._unsampled(command)
        elif self._simt[row]:
            why = say("evidence.simt")
        else:
            why = say("evidence.incomplete", command=command)
            pipe = busiest(d, row, tuple(d.pipes))
            value = at(d.pipes[pipe], row) if pipe else 0.0
            seen = self._names.of(d.names[pipe]) if pipe else ""
            found = Evidence(seen, round(value, 6), None, say("evidence.seen", metric=seen, value=value))
            return Explained(None, (Evidence("core counters", None, None, why), *((found,) if pipe else ())))
        return Explained(None, (Evidence("core counters", None, None, why),))

    def _unsampled(self, command: str) -> Say:
        if self._groups is None:
            return say("evidence.not-collected", command=command)
        return (
            say("evidence.not-valid")
            if "PipeUtilization" in self._groups
            else say("evidence.other-group", command=command)
        )


def _maybe(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _sort_of_other(named: Named) -> str | None:
    """helper (AI CPU's half of a collective), fused (computes and communicates), else None."""
    if kinds.is_helper(named.type, named.name):
        return "helper"
    return "fused" if kinds.is_fused(named.type) else None


def _no_kernel(label: str, sort: str | None) -> Explained:
    return Explained(None, (Evidence("task type", None, None, say(f"evidence.kind.{sort or label}")),))
