"""The report as Markdown, fit for an issue: triage, conditions and table in sight, the rest folded away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from npuscope import __version__
from npuscope.cli.printing.markdown import escaped, table_row
from npuscope.cli.printing.problemwords import problem_words
from npuscope.cli.printing.textcolumns import cut
from npuscope.cli.reporting import overview, triage, why
from npuscope.cli.reporting.as_text import finding_head, gap_words, label_words, moment, no_floors
from npuscope.cli.reporting.typenames import type_names
from npuscope.tui import numbers
from npuscope.tui.operators import floor, stepwords
from npuscope.tui.text import clean, t, told

if TYPE_CHECKING:
    from npuscope.analysis.summary import Summary
    from npuscope.cli.report import Looked

GAPS = 5
TITLE = 200
HEADS = ("type", "count", "total", "share", "median", "label", "bound", "over", "saving")
TEXT = ("type", "label")
_TICKS = re.compile(r"`+")


def lines(looked: Iterable[Looked], top: int, ops: int, findings: int | None = None) -> Iterator[str]:
    """A section per run, `findings` = as many of each (None = all); of several runs first a table, a line for each."""
    rows, sections = [], []
    for one in looked:
        rows.append(overview.row(one))
        sections.append(list(_section(one, top, findings)))
    if len(rows) > 1:
        yield from _table(
            [t(f"report.overview.{name}") for name in overview.HEADS],
            overview.named(rows),
            overview.RIGHT,
        )
        yield ""
    for section in sections:
        yield from section


def _section(looked: Looked, top: int, findings: int | None) -> Iterator[str]:
    run, summary = looked.run, looked.summary
    yield f"## {escaped(run.name)}"
    yield ""
    if summary is not None and len(summary.types):
        for name, text in triage.lines(summary):
            yield f"- **{escaped(name.strip().rstrip(':：'))}**: {escaped(text)}"
        yield ""
    yield from _conditions(looked)
    yield ""
    if summary is not None and len(summary.types):
        yield from _types(summary, top)
        yield ""
    yield from _folded(looked, top, findings)
    if run.next_command:
        yield f"{escaped(t('report.next').strip())} {code(run.next_command)}"
        yield ""


def _conditions(looked: Looked) -> Iterator[str]:
    """What has to be equal before anybody compares: one row each."""
    run, summary = looked.run, looked.summary
    reason = t("report.colon") + told(run.reason) if run.reason is not None else ""
    rows = [
        ("run", code(run.path)),
        ("state", escaped(t(f"profiles.kind.{run.kind}") + ", " + t(f"profiles.state.{run.state}") + reason)),
    ]
    if run.started_at is not None:
        rows.append(("started", moment(run.started_at)))
    if summary is not None:
        rows += [(name, escaped(text)) for name, text in _measured(summary)]
    rows.append(("npuscope", __version__))
    yield f"| {t('report.condition')} | |"
    yield "| --- | --- |"
    yield from (f"| {t(f'report.condition.{name}')} | {text} |" for name, text in rows)


def _measured(summary: Summary) -> Iterator[tuple[str, str]]:
    told_by, chip, totals = summary.profile.metadata, summary.chip, summary.totals
    if chip.name is not None:
        source = t("report.inner", text=t(f"report.chip.{chip.source}")) if chip.source else ""
        yield "chip", chip.name + source
    yield "cann", told_by.cann or numbers.DASH
    yield "metrics", told_by.aic_metrics or numbers.DASH
    yield "level", told_by.level or numbers.DASH
    devices = told_by.devices or tuple(totals.by_device)
    yield "devices", ", ".join(map(str, devices)) or numbers.DASH
    rank = summary.profile.run.rank if summary.profile.run.rank is not None else told_by.rank
    if rank is not None:
        yield "rank", str(rank)
    if chip.hbm_gbps is not None:
        yield "floors", floor.hbm_source(chip)
    if not len(summary.types):
        return
    times = [t("report.total", us=totals.once_us), t("report.span", us=totals.span_us)]
    times += [t("report.busy", us=totals.busy_us)]
    times.append(t("report.rows", n=int(summary.types.numbers("count").sum()), types=len(summary.types)))
    yield "times", ", ".join(" ".join(one.split()) for one in times)
    if summary.steps_summary is not None:
        yield "steps", " ".join(stepwords.line(summary.steps_summary).split())


def _types(summary: Summary, top: int) -> Iterator[str]:
    total, rows, names = summary.totals.once_us, [], type_names(summary.types)
    for line in range(min(top, len(summary.types))):
        row = summary.types.row(line)
        rows.append(
            (
                names[line],
                numbers.count(row["count"]),
                numbers.fixed(row["total_us"], 1),
                numbers.fixed(100 * row["total_us"] / total if total else None, 1),
                numbers.fixed(row.get("median_us"), 1),
                label_words(summary.type_verdicts[line]),
                numbers.fixed(row.get("bound_us"), 1),
                numbers.times_over(row.get("times_over_bound")),
                numbers.fixed(row.get("saving_us"), 1),
            )
        )
    heads = [t(f"report.head.{name}", unit="us") for name in HEADS]
    yield from _table(heads, rows, {at for at, name in enumerate(HEADS) if name not in TEXT})
    yield ""
    yield escaped(t("report.share-of", us=total))
    if summary.chip.hbm_gbps is not None:
        for reason in no_floors(summary, top):
            yield ""
            yield escaped(reason)


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], right: set[int]) -> Iterator[str]:
    heads = list(heads)
    yield table_row(heads)
    yield "|" + "|".join("---:" if at in right else "---" for at in range(len(heads))) + "|"
    yield from (table_row(row) for row in rows)


def _folded(looked: Looked, top: int, findings: int | None) -> Iterator[str]:
    """Everything else, behind one line; GitHub reads Markdown there only after an empty line."""
    content = list(_rest(looked, top, findings))
    if not content:
        return
    yield f"<details><summary>{escaped(t('report.details'))}</summary>"
    yield ""
    yield from content
    yield ""
    yield "</details>"
    yield ""


def _rest(looked: Looked, top: int, findings: int | None) -> Iterator[str]:
    summary = looked.summary
    if summary is not None and len(summary.types):
        said: set[str] = set()
        for group in why.groups(summary, top):
            yield f"- **{escaped(why.head(summary, group))}**"
            for name, text in why.points(summary, group, said):
                yield f"  - {escaped(name + text)}"
        for finding in summary.findings[:findings]:
            head, evidence, advice = map(escaped, (finding_head(finding), told(finding.evidence), told(finding.advice)))
            yield f"- **{escaped(cut(told(finding.title), TITLE))}** ({head}); {evidence}. {advice}"
        hidden = len(summary.findings[findings:]) if findings is not None else 0
        if hidden:
            yield f"- {escaped(t('report.more-findings', n=hidden))}"
        yield from (f"- {escaped(gap_words(gap))}" for gap in summary.device_gaps[:GAPS])
    yield from (f"- ! {escaped(problem_words(problem))}" for problem in looked.problems)


def code(text: str) -> str:
    """A path or command as code, also in a table: the fence is longer than any in it."""
    text = clean(text)
    fence = "`" * (1 + max((len(found) for found in _TICKS.findall(text)), default=0))
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{blank}{text}{blank}{fence}".replace("|", "\\|")
