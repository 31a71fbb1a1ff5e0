"""The ranks as plain text and as Markdown: the verdict first, then one line a rank."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from npuscope.cli.printing.markdown import escaped, table_row
from npuscope.cli.printing.problemwords import problem_words
from npuscope.cli.printing.textcolumns import columns, hanging
from npuscope.tui import numbers
from npuscope.tui.ranks import words as rankwords
from npuscope.tui.text import clean, t

if TYPE_CHECKING:
    from npuscope.analysis.ranks.compare import RankTable
    from npuscope.analysis.ranks.lateness import RankLine
    from npuscope.cli.ranks import Compared
    from npuscope.parsers.say import Problem

HEADS = ("rank", "device", "computing", "communication", "free", "stage", "late", "reason")
TIMES = ("computing_us", "communication_us", "free_us", "stage_us")
OPERATOR_HEADS = ("type", "own", "median", "difference", "pct", "calls", "others-calls")
NAME = 40
PROBLEMS = 8
Unit = tuple[str, float, int]


def lines(found: Compared, top: int) -> Iterator[str]:
    """The page."""
    table = found.table
    yield from hanging(rankwords.verdict(table), "")
    for sentence in rankwords.second(table, found.operators):
        yield from hanging(sentence)
    yield ""
    rows = [heads(table), *rank_rows(table)]
    yield from (f"  {line}" for line in columns(rows, set(range(len(HEADS) - 1))))
    yield ""
    yield from hanging(facts(table))
    if tells(found):
        yield ""
        yield f"  {operators_title(found)}"
        cells = [operator_heads(found), *operator_rows(found, top)]
        yield from (f"    {line}" for line in columns(cells, set(range(1, len(OPERATOR_HEADS)))))
    told = problems_of(found)
    if told:
        yield ""
    for problem in told[:PROBLEMS]:
        yield from hanging(t("report.problem", message=problem_words(problem)), "  ")
    if len(told) > PROBLEMS:
        yield f"  {t('report.more', n=len(told) - PROBLEMS)}"


def markdown(found: Compared, top: int) -> Iterator[str]:
    """The same for issues and merge requests."""
    table = found.table
    yield f"## {escaped(rankwords.verdict(table))}"
    yield ""
    yield from (escaped(sentence) for sentence in rankwords.second(table, found.operators))
    yield ""
    yield table_row(heads(table))
    yield "|" + "---:|" * (len(HEADS) - 1) + "---|"
    yield from (table_row(row) for row in rank_rows(table))
    yield ""
    yield escaped(facts(table))
    if tells(found):
        yield ""
        yield escaped(operators_title(found))
        yield ""
        yield table_row(operator_heads(found))
        yield "|---|" + "---:|" * (len(OPERATOR_HEADS) - 1)
        yield from (table_row(row) for row in operator_rows(found, top))
    yield ""
    yield from (f"- ! {escaped(problem_words(problem))}" for problem in problems_of(found))


def complaint(problem: Problem) -> str:
    """One sentence for stderr."""
    return t("report.complaint", text=problem_words(problem))


def unit_of(table: RankTable) -> Unit:
    """The one unit of all times of the table."""
    stages = [line.times.stage_us for line in table.lines if line.times.stage_us is not None]
    return numbers.time_unit(max(stages, default=math.nan))


def heads(table: RankTable) -> list[str]:
    """The heads of the table of ranks."""
    return [t(f"ranks.head.{name}", unit=unit_of(table)[0]) for name in HEADS]


def rank_rows(table: RankTable) -> Iterator[list[str]]:
    """A row a rank, the missing ones in their places."""
    unit = unit_of(table)
    found = [(line.times.rank, _rank_row(line, unit)) for line in table.lines]
    absent = [numbers.DASH] * (len(HEADS) - 2)
    found += [(rank, [str(rank), *absent, t("ranks.absent")]) for rank in table.missing]
    yield from (row for _, row in sorted(found, key=lambda pair: math.inf if pair[0] is None else pair[0]))


def _rank_row(line: RankLine, unit: Unit) -> list[str]:
    times = line.times
    places = (times.rank, times.device)
    reason = rankwords.reason(line) or ("" if times.known else t(f"profiles.state.{times.state}"))
    return [
        *(numbers.DASH if place is None else str(place) for place in places),
        *(_time(getattr(times, name), unit) for name in TIMES),
        numbers.signed(line.late_by_pct, 1),
        reason,
    ]


def _time(us: float | None, unit: Unit) -> str:
    return numbers.fixed(None if us is None else us / unit[1], unit[2])


def facts(table: RankTable) -> str:
    """Where the times are from, and what they come to."""
    parts = []
    source = rankwords.source(table)
    if source:
        parts.append(t("ranks.from", source=source))
    if table.mean_computing_us is not None:
        parts.append(t("ranks.mean", n=table.used, us=table.mean_computing_us))
    if table.verdict.late:
        parts.append(t("ranks.late-means"))
    return t("report.semicolon").join(parts)


def tells(found: Compared) -> bool:
    """Whether the operators show why the rank is late."""
    operators = found.operators
    return operators is not None and operators.cause is not None and operators.cause.kind != "unexplained"


def operators_title(found: Compared) -> str:
    """What the second table compares."""
    others = len(found.operators.others) if found.operators is not None else 0
    return t("ranks.operators", who=rankwords.who(found.late) if found.late is not None else "", n=others)


def operator_heads(found: Compared) -> list[str]:
    """The heads of the second table."""
    unit, apart = _operator_unit(found)[0], _difference_unit(found)[0]
    rank = found.late.rank if found.late is not None else None
    key = "ranks.head.own" if rank is not None else "ranks.head.own.device"
    return [
        t(key, rank=rank, unit=unit)
        if name == "own"
        else t(f"ranks.head.{name}", unit=apart if name == "difference" else unit)
        for name in OPERATOR_HEADS
    ]


def _operator_unit(found: Compared) -> Unit:
    types = found.operators.types if found.operators is not None else ()
    return numbers.time_unit(max((one.us for one in types), default=math.nan))


def _difference_unit(found: Compared) -> Unit:
    types = found.operators.types if found.operators is not None else ()
    return numbers.change_unit((one.difference_us for one in types), _operator_unit(found))


def operator_rows(found: Compared, top: int) -> Iterator[list[str]]:
    """A row a type, the largest difference first."""
    unit, apart = _operator_unit(found), _difference_unit(found)
    for one in found.operators.types[:top] if found.operators is not None else ():
        yield [
            clean(one.type)[:NAME],
            numbers.column_time(one.us, unit),
            numbers.column_time(one.median_us, unit),
            numbers.column_change(one.difference_us, apart),
            numbers.signed(one.difference_pct, 1),
            numbers.count(one.count),
            numbers.count(one.median_count),
        ]


def problems_of(found: Compared) -> list[Problem]:
    """Everything a person must know, each once."""
    of_ranks = (problem for line in found.table.lines for problem in line.times.problems)
    operators = found.operators.problems if found.operators is not None else ()
    kept: list[Problem] = []
    for problem in (*found.problems, *found.table.problems, *of_ranks, *operators):
        if problem not in kept:
            kept.append(problem)
    return kept
