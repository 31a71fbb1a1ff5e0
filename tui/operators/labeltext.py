"""Why a row has its label, as lines: the rule, what of it held, how sure, who was next, what would decide. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from npuscope.analysis.indicators import Indicator, indicators
from npuscope.analysis.labels.applied import RuleApplied, rules_applied
from npuscope.analysis.labels.kind_applied import Share, kind_applied, mixed_applied
from npuscope.analysis.labels.verdict import Verdict
from npuscope.analysis.rules.conditions import Applied
from npuscope.analysis.summary import Summary
from npuscope.analysis.times.host_calls import missing
from npuscope.parsers.profile import UNKNOWN, Profile
from npuscope.tui import numbers
from npuscope.tui.helptext import SECTIONS, HelpLine, entry, term_lines
from npuscope.tui.operators.drillfacts import floor_notes
from npuscope.tui.operators.floor import floor_sentence
from npuscope.tui.operators.words import label_words, vendor_words
from npuscope.tui.text import t, told

Term = tuple[str, str, int]  # term, text, level
BESIDE = " "  # a term that is not there: its text stands below the one before it
HELP_OF = {"communication": "comm", "ai_cpu": "aicpu"}  # labels whose help has another name
MOST_DIGITS, NEAR = 7, 0.10
HELD = {True: "labelpage.held", False: "labelpage.not", None: "labelpage.unknown"}
_FROM = {  # the columns an indicator is read or made of
    "total": ("duration_us",),
    "kernel": ("aic_time_us", "aiv_time_us", "aic_total_cycles", "aiv_total_cycles"),
    "move": ("aic_mte2_ratio", "aiv_mte2_ratio", "aiv_mte3_ratio"),
    "aicore": ("cube_utilization_pct", "block_dim"),
    "issue": ("aic_scalar_ratio", "aiv_scalar_ratio"),
    "icache": ("aic_icache_miss_rate", "aiv_icache_miss_rate"),
}


def lay_out(summary: Summary, level: str, row: int, values: Mapping[str, Any], verdict: Verdict,
            width: int, ascii_only: bool = False) -> list[HelpLine]:  # fmt: skip
    """All lines about the label of a row of types, shapes or instances (its values and its verdict), at a width."""
    lines: list[HelpLine] = []
    for name, terms in sections(summary, level, row, values, verdict):
        found = [
            line
            for term, text, depth in terms
            for line in term_lines(name, term or BESIDE, text, width, ascii_only, depth)
        ]
        lines += [HelpLine(name)] if lines else []
        lines += [HelpLine(name, title=True, text=t(f"labelpage.{name}")), *found]
    return lines


def sections(
    summary: Summary, level: str, row: int, values: Mapping[str, Any], verdict: Verdict
) -> list[tuple[str, list[Term]]]:
    """The same by section: its name (`labelpage.<name>` is its title) and its terms; none is empty."""
    speaking = spokesman(summary, level, row)
    applied = rules_applied(summary, speaking) if speaking != UNKNOWN else ()
    shares = mixed_applied(summary, level, row)
    found: tuple[tuple[str, Iterable[Term]], ...] = (
        ("rule", _rule(verdict)),
        ("row", _row(verdict)),
        ("shares", _shares(shares)),
        ("sure", _sure(verdict, applied)),
        ("vendor", (("", text, 0) for text in vendor_words(summary.profile, speaking, verdict))),
        ("lacks", _lacks(verdict)),
        ("indicators", _indicators(summary, values, speaking)),
        ("floor", _floor(summary, values, verdict)),
        ("conditions", _conditions(applied) if applied else _kind(summary, speaking)),
        ("sources", [("", t("labelpage.sources.text"), 0)] if applied else []),
    )
    return [(name, terms) for name, terms in ((name, list(terms)) for name, terms in found) if terms]


def _shares(shares: tuple[Share, ...]) -> Iterator[Term]:
    for one in shares:
        yield t(f"label.{one.label}"), condition_words(one.applied), 0


def _kind(summary: Summary, speaking: int) -> Iterator[Term]:
    """What made a row that is no core kernel what it is, and from when on it is worth attention."""
    for one in kind_applied(summary, speaking) if speaking != UNKNOWN else ():
        words = condition_words(one) if isinstance(one, Applied) else told(one.text)
        yield t(HELD[one.holds]), words, 1


def spokesman(summary: Summary, level: str, row: int) -> int:
    """The instance that a row's verdict speaks of, as a row of ops; UNKNOWN where there is none."""
    if not len(summary.ops):
        return UNKNOWN
    if level == "instances":
        return row
    table = summary.types if level == "types" else summary.shapes
    return int(table.numbers("typical_row")[row]) if "typical_row" in table else UNKNOWN


def _rule(verdict: Verdict) -> Iterator[Term]:
    name = HELP_OF.get(verdict.label, verdict.label)
    if name not in SECTIONS["labels"]:
        yield t(f"label.{verdict.label}"), t("labelpage.mixed"), 0
        return
    yield (*entry("labels", name), 0)
    detail = f"{name}.{verdict.detail}"
    if detail in SECTIONS["labels"]:
        yield (*entry("labels", detail), 1)


def _row(verdict: Verdict) -> Iterator[Term]:
    word, rest = label_words(verdict)
    yield t("labelpage.label"), word + rest, 0
    for number, evidence in enumerate(verdict.evidence):
        yield (t("detail_pane.why") if number == 0 else ""), told(evidence.text), 0
    for number, advice in enumerate(verdict.advice, 1):
        yield (t("detail_pane.next") if number == 1 else ""), f"{number}  {told(advice)}", 0


def _sure(verdict: Verdict, applied: tuple[RuleApplied, ...]) -> Iterator[Term]:
    yield t("labelpage.confidence"), t(f"confidence.{verdict.confidence}"), 0
    for reason in verdict.reasons:
        yield "", told(reason), 0
    if not verdict.reasons:
        yield "", t("labelpage.no-doubt"), 0
    others = [rule for rule in applied if rule.place != "label"]
    if verdict.runner_up:
        yield t("labelpage.runner-up"), t("labelpage.level", label=f"label.{verdict.runner_up}.long"), 0
    elif others:
        best = others[0]
        key = "labelpage.next-best" if best.score > 0 else "labelpage.none-else"
        yield t("labelpage.runner-up"), t(key, label=f"label.{best.label}.long", score=best.score), 0


def _conditions(applied: tuple[RuleApplied, ...]) -> Iterator[Term]:
    for rule in applied:
        said = {"label": "labelpage.gave", "runner-up": "labelpage.beside"}.get(rule.place or "", "labelpage.score")
        yield t(f"label.{rule.label}"), t(said, score=rule.score), 0
        known = [one for one in rule.conditions if one.holds is not None]
        for one in known:
            yield t(HELD[one.holds]), condition_words(one), 1
        silent = list(dict.fromkeys(t(f"condition.{one.key}") for one in rule.conditions if one.holds is None))
        if silent:
            yield t(HELD[None]), t("sentence.join").join(silent), 1


def condition_words(one: Applied) -> str:
    """`mte2 of the cube side: 0.96 >= 0.80 (move_cube; source)`."""
    value, limit = _beside(one)
    compared = t("labelpage.compared", name=f"condition.{one.key}", value=value, sign=one.sign, limit=limit)
    if one.threshold is None:
        return compared
    return compared + t("labelpage.source", name=one.threshold, source=one.source)


def _beside(one: Applied) -> tuple[str, str]:
    """The value and its limit; shares with so many digits that each is near what it is and they differ as they do."""
    if one.unit != "ratio":
        write = numbers.FORMATS[one.unit]
        return write(one.value), write(one.limit)
    for digits in range(2, MOST_DIGITS):
        value, limit = (f"{number:.{digits}f}" for number in (one.value, one.limit))
        near = all(abs(float(text) - number) <= NEAR * abs(number)
                   for text, number in ((value, one.value), (limit, one.limit)))  # fmt: skip
        if near and (value != limit or one.value == one.limit):
            break
    return value, limit


def _lacks(verdict: Verdict) -> Iterator[Term]:
    for lack in verdict.lacks:
        yield lack.group, told(lack.question), 0
        yield "", lack.command, 0
    if not verdict.lacks:
        yield "", t("drill.nothing_lacks"), 0


def _indicators(summary: Summary, values: Mapping[str, Any], speaking: int) -> Iterator[Term]:
    call = summary.ops.row(speaking) if speaking != UNKNOWN else {}
    for one in indicators(values, summary.thresholds):
        parts = [numbers.time_in_words(one.us)] if one.us is not None else []
        if one.share is not None:
            plain = one.name in ("issue", "icache")
            parts.append(numbers.fixed(one.share, 2) if plain else t("ui.pct", pct=100 * one.share))
        yield t(f"labelpage.indicator.{one.name}"), "  ".join([*parts, _provenance(summary.profile, one, call)]), 0
        if one.attention is not None:
            yield "", "! " + told(one.attention), 0
    if summary.stages is None and len(summary.ops):
        yield t("labelpage.stages"), told(missing(summary.profile)), 0


def _provenance(profile: Profile, one: Indicator, call: Mapping[str, Any]) -> str:
    """The file and its columns; what is worked out of them says so."""
    by_file: dict[str, list[str]] = {}
    for name in _columns_of(one.name, call):
        value = call.get(name)
        if name in profile.sources and value is not None and numbers.known(value) and value > 0:
            file, _, column = profile.sources[name].rpartition(":")
            by_file.setdefault(file, []).append(column)
    said = [f"{file}: {', '.join(dict.fromkeys(columns))}" for file, columns in by_file.items()]
    return t("labelpage.from", source=t("sentence.join").join(said)) if said else t("labelpage.derived")


def _columns_of(indicator: str, call: Mapping[str, Any]) -> tuple[str, ...]:
    """Its columns; the scalar unit is that of the side that works longer."""
    names = _FROM.get(indicator, ())
    aic_us, aiv_us = (call.get(f"{side}_time_us", math.nan) for side in ("aic", "aiv"))
    if indicator != "issue" or not (numbers.known(aic_us) and numbers.known(aiv_us)):
        return names
    return tuple(name for name in names if name.startswith("aiv" if aiv_us > aic_us else "aic"))


def _floor(summary: Summary, values: Mapping[str, Any], verdict: Verdict) -> Iterator[Term]:
    if verdict.no_floor is not None:
        yield t("detail_pane.floor"), told(verdict.no_floor), 0
        return
    yield t("detail_pane.floor"), floor_sentence(values, summary.chip, verdict), 0
    over, achieved = values.get("times_over_bound", math.nan), []
    if numbers.known(over):
        achieved.append(t("labelpage.l2") if over < 0.95 else t("labelpage.over", x=over))
    if numbers.known(values.get("achieved_gbps")):
        achieved.append(t("labelpage.gbps", gbps=values["achieved_gbps"]))
    if numbers.known(values.get("achieved_tflops")) and values["achieved_tflops"] > 0:
        achieved.append(t("labelpage.tflops", tflops=values["achieved_tflops"]))
    yield t("labelpage.achieved"), t("sentence.join").join(achieved), 0
    if numbers.known(values.get("saving_us")):
        yield (
            t("labelpage.saves"),
            t("labelpage.saves.text", us=values["saving_us"], gain=values.get("step_gain_us")),
            0,
        )
    for number, note in enumerate(floor_notes(summary, values, verdict)):
        yield (t("labelpage.peaks") if number == 0 else ""), note, 0
