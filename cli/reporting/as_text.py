"""The report as one page of plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.analysis.times.host_calls import missing
from npuscope.cli.printing.problemwords import problem_words
from npuscope.cli.printing.textcolumns import columns, cut, hanging, narrowed, terminal_width
from npuscope.cli.reporting import overview, triage, why
from npuscope.cli.reporting.typenames import type_names
from npuscope.parsers.say import Problem
from npuscope.tui import numbers
from npuscope.tui.operators import floor, stepwords
from npuscope.tui.operators import words as opwords
from npuscope.tui.text import clean, has, t, told

if TYPE_CHECKING:
    from npuscope.analysis.labels.verdict import Verdict
    from npuscope.analysis.summary import Finding, Gap, Summary
    from npuscope.cli.report import Looked
    from npuscope.parsers.profile import Run

NAME = 30
GAPS = 3
TITLE = 200
PROBLEMS = 12
PAGES = 12  # of more runs than these only the line of each is printed
TYPE_HEADS = ("type", "count", "total", "share", "median", "move", "core", "label", "bound", "over", "saving")
OP_HEADS = ("name", "start", "total", "gap", "block", "core", "label", "bound", "over", "saving")
SPARE = (
    "move",
    "median",
    "bound",
    "core",
    "count",
    "over",
    "share",
)  # what a narrow terminal does without, first first
TEXT_COLUMNS = ("type", "name", "label")


def lines(looked: Iterable[Looked], top: int, ops: int, findings: int | None = None) -> Iterator[str]:
    """The pages of all runs, `findings` = as many of each (None = all); of several runs first one line for each."""
    rows, pages = [], []
    for one in looked:
        rows.append(overview.row(one))
        if len(rows) <= PAGES:
            pages.append(list(_page(one, top, ops, findings)))
    if len(rows) > 1:
        yield from overview.lines(rows)
        yield ""
    if len(rows) > PAGES:
        yield t("report.many", n=len(rows))
        return
    for number, page in enumerate(pages):
        if number:
            yield ""
        yield from page


def listing(looked: Iterable[Looked]) -> Iterator[str]:
    """One line per run: when, name (with folders where others bear it too), kind, state, why."""
    rows = [[t(f"report.head.{name}") for name in ("started", "run", "kind", "state", "reason")]]
    runs = [one.run for one in looked]
    for run, name in zip(runs, overview.apart([str(Path(run.path).parent / run.name) for run in runs])):
        reason = told(run.reason) if run.reason is not None else ""
        rows.append(
            [moment(run.started_at), clean(name or run.name), t(f"profiles.kind.{run.kind}"), _state(run), reason]
        )
    yield from columns(rows)


def _page(looked: Looked, top: int, ops: int, findings: int | None) -> Iterator[str]:
    run, summary = looked.run, looked.summary
    yield from hanging(" · ".join(_title(run, summary)), "")
    yield f"  {clean(run.path)}"
    if run.reason is not None:
        yield from hanging(told(run.reason))
    if summary is not None and len(summary.types):
        yield ""
        for name, text in triage.lines(summary):
            yield from hanging(name + text)
        yield ""
        yield from _totals(summary)
        yield ""
        yield from _types(summary, top)
        yield from _explanations(summary, top)
        yield from _ops(summary, ops)
        yield from _patterns(summary, findings)
    yield from _problems(looked.problems)
    if run.next_command:
        yield ""
        yield f"  {t('report.next-command', command=run.next_command)}"


def _title(run: Run, summary: Summary | None) -> list[str]:
    parts = [clean(run.name), t(f"profiles.kind.{run.kind}"), _state(run)]
    if summary is not None:
        told_by, chip = summary.profile.metadata, summary.chip
        rank = run.rank if run.rank is not None else told_by.rank
        parts += [t("report.rank", rank=rank)] if rank is not None else []
        parts += [t("report.chip", chip=chip.name, source=t(f"report.chip.{chip.source}"))] if chip.name else []
        parts += [t("report.cann", cann=told_by.cann)] if told_by.cann else []
        parts += filter(None, [opwords.groups_in_words(told_by.aic_metrics)])
        devices = told_by.devices or tuple(summary.totals.by_device)
        key = "report.device" if len(devices) == 1 else "report.devices"
        parts += [t(key, n=len(devices), device=devices[0], devices=", ".join(map(str, devices)))] if devices else []
    return parts


def _state(run: Run) -> str:
    return t(f"profiles.state.{run.state}")


def moment(seconds: float | None) -> str:
    """A time of day, UTC; what is not known is a dash."""
    return numbers.DASH if seconds is None else f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%d %H:%M:%S}"


def _totals(summary: Summary) -> Iterator[str]:
    totals = summary.totals
    parts = [
        t("report.total", us=totals.once_us),
        t("report.span", us=totals.span_us),
        t("report.busy", us=totals.busy_us),
    ]
    if totals.busy_pct is None:
        parts.append(t("report.idle.unknown"))
    else:
        parts.append(t("report.idle", us=totals.idle_us, pct=100 - totals.busy_pct))
    parts.append(t("report.rows", n=int(summary.types.numbers("count").sum()), types=len(summary.types)))
    yield from hanging("   ".join(parts))
    if totals.communication_us:
        alone = totals.communication_not_overlapped_us
        said = t("report.communication", us=totals.communication_us, alone=alone, computing=totals.computing_us)
        yield from hanging(said)
    if summary.steps_summary is not None:
        yield from hanging(stepwords.line(summary.steps_summary))
    if len(summary.ops):
        yield from hanging(stages_words(summary))
    for device, of in totals.by_device.items() if len(totals.by_device) > 1 else ():
        said = t("report.by-device", device=device, us=of.once_us, busy=of.busy_us, span=of.span_us, rows=of.rows)
        yield from hanging(said)


def stages_words(summary: Summary) -> str:
    """Preparation, kernels and copies; without host calls why there are none, and what records them."""
    found = summary.stages
    if found is None:
        return told(missing(summary.profile))
    said = t(
        "report.stages",
        preparation=found.preparation_us,
        pct=100 * found.preparation_share,
        limit=100 * summary.thresholds.preparation,
        kernel=found.kernel_us,
        copy=found.copy_us,
    )
    return said + t("report.from", source=found.source)


def _types(summary: Summary, top: int) -> Iterator[str]:
    table = summary.types
    shown, total = min(top, len(table)), summary.totals.once_us
    unit, per, decimals = numbers.time_unit(float(table.numbers("total_us")[:shown].max()))
    rows, names = [_heads(TYPE_HEADS, unit)], type_names(table, NAME)
    for line in range(shown):
        row = table.row(line)
        rows.append(
            [
                names[line],
                numbers.count(row["count"]),
                numbers.fixed(row["total_us"] / per, decimals),
                numbers.fixed(100 * row["total_us"] / total if total else None, 1),
                numbers.fixed(row.get("median_us"), 1),
                numbers.fixed(row.get("move_us"), 1),
                numbers.fixed(row.get("aicore_pct"), 0),
                label_words(summary.type_verdicts[line]),
                numbers.fixed(row.get("bound_us"), 1),
                numbers.times_over(row.get("times_over_bound")),
                numbers.fixed(_over(row.get("saving_us"), per), decimals),
            ]
        )
    page = terminal_width()
    kept = narrowed(rows, page - 2 if page else None, [TYPE_HEADS.index(name) for name in SPARE])
    heads = tuple(TYPE_HEADS[at] for at in kept)
    yield from (f"  {text}" for text in columns([[row[at] for at in kept] for row in rows], _right(heads)))
    if len(kept) < len(TYPE_HEADS):
        yield from hanging(t("report.narrow", n=len(TYPE_HEADS) - len(kept)))
    if shown < len(table):
        yield f"  {t('report.more', n=len(table) - shown)}"
    yield from hanging(t("report.share-of", us=total))
    if summary.chip.hbm_gbps is not None:
        if any(bound == bound for bound in table.numbers("bound_us")[:shown].tolist()):  # NaN: none is shown
            yield from hanging(t("report.floors", source=floor.hbm_source(summary.chip)))
        for reason in no_floors(summary, shown):
            yield from hanging(reason)


def no_floors(summary: Summary, shown: int) -> Iterator[str]:
    """Of the first `shown` types, why those that run on a core have no floor, or one that nothing is saved against."""
    bound, saving = (summary.types.numbers(name).tolist() for name in ("bound_us", "saving_us"))
    for line, verdict in enumerate(summary.type_verdicts[:shown]):
        if verdict.no_floor is not None and verdict.no_floor.key != "work.not-core":
            name = summary.types.strings("type")[line] or numbers.DASH
            yield t("report.no-floor", type=name, why=told(verdict.no_floor))
        elif floor.known(bound[line]) and not floor.known(saving[line]):
            yield t("report.open", type=summary.types.strings("type")[line] or numbers.DASH)


def _over(value: float | None, per: float) -> float | None:
    return None if value is None else value / per


def _heads(names: tuple[str, ...], unit: str) -> list[str]:
    return [t(f"report.head.{name}", unit=unit) for name in names]


def _right(names: tuple[str, ...]) -> set[int]:
    return {at for at, name in enumerate(names) if name not in TEXT_COLUMNS}


def label_words(verdict: Verdict) -> str:
    """`memory tiling`, `memory ~ compute`."""
    word = t(f"label.{verdict.label}")
    if verdict.runner_up:
        return f"{word} ~ {t(f'label.{verdict.runner_up}')}"
    key = f"detail.{verdict.detail}"
    return f"{word} {t(key)}" if verdict.detail and has(key) else word


def _explanations(summary: Summary, top: int) -> Iterator[str]:
    said: set[str] = set()
    for group in why.groups(summary, top):
        yield ""
        yield from hanging(why.head(summary, group))
        for name, text in why.points(summary, group, said):
            yield from hanging(name + text, "    ")


def _ops(summary: Summary, limit: int) -> Iterator[str]:
    if not limit or not len(summary.ops):
        return
    import numpy as np

    ops = summary.ops
    order = np.argsort(-np.nan_to_num(ops.numbers("duration_us")), kind="stable")[:limit]
    known = ops.numbers("start_ns")[ops.numbers("start_ns") >= 0]
    origin = int(known.min()) if len(known) else 0
    rows = [_heads(OP_HEADS, "us")]
    for at in order.tolist():
        row = ops.row(at)
        start = row.get("start_ns", -1)
        rows.append(
            [
                cut(row.get("name") or numbers.DASH, 44),
                numbers.fixed((start - origin) / 1000 if start >= 0 else None, 1),
                numbers.fixed(row["duration_us"], 1),
                numbers.fixed(row["gap_us"], 1),
                numbers.count(row["block_dim"] if row.get("block_dim", -1) > 0 else None),
                numbers.fixed(row["aicore_pct"], 0),
                t(f"label.{row['label']}"),
                numbers.fixed(row["bound_us"], 1),
                numbers.times_over(row["times_over_bound"]),
                numbers.fixed(row["saving_us"], 1),
            ]
        )
    yield ""
    yield from (f"  {text}" for text in columns(rows, _right(OP_HEADS)))


def finding_head(finding: Finding) -> str:
    """`medium, small-op-storm, up to 11.7 ms`."""
    said = [t(f"report.severity.{finding.severity}"), finding.code]
    if finding.saving_us is not None:
        said.append(t("findings.saving", us=finding.saving_us))
    return t("report.comma").join(said)


def _patterns(summary: Summary, findings: int | None) -> Iterator[str]:
    if summary.device_gaps:
        yield ""
        yield f"  {t('report.gaps')}"
        yield from (line for gap in summary.device_gaps[:GAPS] for line in hanging(gap_words(gap), "    "))
    if summary.findings:
        yield ""
        yield f"  {t('report.findings')}"
        for finding in summary.findings[:findings]:
            title, evidence = cut(told(finding.title), TITLE), told(finding.evidence)
            said = t("report.finding", severity=finding_head(finding), title=title, evidence=evidence)
            yield from hanging(said, "    ")
            yield from hanging(told(finding.advice), "      ")
        hidden = len(summary.findings[findings:]) if findings is not None else 0
        if hidden:
            yield f"    {t('report.more-findings', n=hidden)}"


def gap_words(gap: Gap) -> str:
    """`30.0 us before Cast_0, after RmsNorm_0 (device 0, stream 2)`."""
    places = (("device", gap.device), ("stream", gap.stream))
    where = t("report.comma").join(t(f"report.{place}", **{place: at}) for place, at in places if at is not None)
    after, before = (cut(name or numbers.DASH, 40) for name in (gap.after, gap.before))
    said = t("report.gap", us=numbers.fixed(gap.us, 1), before=before, after=after)
    return said + (t("report.inner", text=where) if where else "")


def _problems(problems: tuple[Problem, ...]) -> Iterator[str]:
    if problems:
        yield ""
        yield f"  {t('report.problems')}"
    for problem in problems[:PROBLEMS]:
        yield from hanging(t("report.problem", message=problem_words(problem)), "    ")
    if len(problems) > PROBLEMS:
        yield f"    {t('report.more', n=len(problems) - PROBLEMS)}"
