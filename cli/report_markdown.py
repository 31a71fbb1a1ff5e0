"""The report as Markdown, for issues and merge requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from npuscope.cli.report_text import answer, gap_words, label_words
from npuscope.tui import numbers
from npuscope.tui.text import clean, t, told

if TYPE_CHECKING:
    from npuscope.analysis.summary import Summary
    from npuscope.cli.report import Looked

GAPS = 5
HEADS = ("type", "count", "total", "share", "median", "label", "bound", "over", "saving")


def lines(looked: Iterable[Looked], top: int, ops: int, findings: int | None = None) -> Iterator[str]:
    """A section per run; `findings` = as many of each, None = all."""
    for one in looked:
        yield f"## {escaped(one.run.name)}"
        yield ""
        state = t(f"profiles.state.{one.run.state}")
        reason = f": {told(one.run.reason)}" if one.run.reason is not None else ""
        yield f"`{clean(one.run.path)}` {escaped(state + reason)}"
        yield ""
        if one.summary is not None and len(one.summary.types):
            yield from _section(one.summary, top, findings)
        yield from (f"- ! {escaped(told(problem.message))}" for problem in one.problems)
        if one.run.next_command:
            yield f"- `{clean(one.run.next_command)}`"
        yield ""


def _section(summary: Summary, top: int, findings: int | None) -> Iterator[str]:
    totals = summary.totals
    yield (
        t("report.total", us=totals.total_us)
        + ", "
        + t("report.span", us=totals.span_us)
        + ", "
        + t("report.busy", us=totals.busy_us)
    )
    yield ""
    yield from (escaped(line.strip()) for line in answer(summary))
    yield ""
    yield table_row(t(f"report.head.{name}", unit="us") for name in HEADS)
    yield "|" + "|".join("---" if name in ("type", "label") else "---:" for name in HEADS) + "|"
    for line in range(min(top, len(summary.types))):
        row = summary.types.row(line)
        yield table_row(
            (
                row["type"] or numbers.DASH,
                numbers.count(row["count"]),
                numbers.fixed(row["total_us"], 1),
                numbers.fixed(row["share_pct"], 1),
                numbers.fixed(row.get("median_us"), 1),
                label_words(summary.type_verdicts[line]),
                numbers.fixed(row.get("bound_us"), 1),
                numbers.times_over(row.get("times_over_bound")),
                numbers.fixed(row.get("saving_us"), 1),
            )
        )
    yield ""
    yield from (f"- {escaped(gap_words(gap))}" for gap in summary.gaps[:GAPS])
    for finding in summary.findings[:findings]:
        evidence, advice = escaped(told(finding.evidence)), escaped(told(finding.advice))
        yield f"- **{escaped(told(finding.title))}**; {evidence}. {advice}"
    hidden = len(summary.findings[findings:]) if findings is not None else 0
    if hidden:
        yield f"- {escaped(t('report.more-findings', n=hidden))}"


def table_row(cells: Iterable[str]) -> str:
    """A line of a table."""
    return "| " + " | ".join(escaped(cell) for cell in cells) + " |"


def escaped(text: str) -> str:
    """Text that stays text: names hold underscores, pipes and angle brackets."""
    for sign in "\\`*_|<>[]":
        text = text.replace(sign, f"\\{sign}")
    return clean(text)
