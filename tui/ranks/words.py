"""What is said about the ranks of a job, in sentences: the same for the command line and the screen. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from npuscope.analysis.ranks.against import RankOperators
from npuscope.analysis.ranks.compare import RankTable
from npuscope.analysis.ranks.jobs import ranges
from npuscope.analysis.ranks.lateness import COMPUTE, FREE, WAIT, RankLine
from npuscope.analysis.ranks.times import OPERATORS, RankTimes
from npuscope.tui.text import t, told


def who(times: RankTimes, first: bool = False) -> str:
    """`rank 3`; where the rank is not known `device 3`, or the run's name. `first` = at the start of a sentence."""
    end = ".first" if first else ""
    if times.rank is not None:
        return t("ranks.who.rank" + end, rank=times.rank)
    if times.device is not None:
        return t("ranks.who.device" + end, device=times.device)
    return t("ranks.who.run" + end, name=times.run.name)


def verdict(table: RankTable) -> str:
    """The sentence that stands first."""
    found = table.verdict
    params = dict(found.text.params)
    if found.late:
        params["who"] = who(found.late[0].times, first=True)
    return t(found.text.key, **params)


def second(table: RankTable, operators: RankOperators | None = None) -> tuple[str, ...]:
    """What follows from it: who waits, why, how often, who else is late, what is missing."""
    return tuple(sentence for sentence in _second(table, operators) if sentence)


def _second(table: RankTable, operators: RankOperators | None) -> Iterator[str]:
    found, waiting = table.verdict, table.waiting
    if found.kind == "stages":
        yield t("ranks.stages", **found.text.params)
        for line in found.late[:2]:
            yield t(f"ranks.inside.{line.code}", who=who(line.times, first=True), us=line.late_by_us)
    elif found.late:
        if operators is not None and operators.cause is not None and found.kind == COMPUTE:
            yield told(operators.cause.text)
        if len(found.late) > 1:
            yield t("ranks.also", others=_names(found.late[1:]))
    if waiting and found.kind in (COMPUTE, FREE):
        waits = [line.waits_us or 0.0 for line in waiting]
        key = "ranks.others-wait.one" if len(waiting) == 1 else "ranks.others-wait"
        yield t(key, n=len(waiting), least=min(waits), most=max(waits))
    if found.steps is not None:
        yield t("ranks.in-steps", n=found.steps[0], of=found.steps[1])
    for link in table.slow_links[:1]:
        yield t(
            "ranks.slow-link", who=who(link.times, first=True), transport=link.transport, gbps=link.gbps,
            others=link.others_gbps,
        )  # fmt: skip
    if table.missing:
        yield missing(table)


def missing(table: RankTable) -> str:
    """Which ranks have no profile here."""
    key = "ranks.missing.one" if len(table.missing) == 1 else "ranks.missing"
    return t(key, ranks=ranges(table.missing), n=len(table.missing))


def _names(lines: tuple[RankLine, ...], most: int = 8) -> str:
    ranks = [line.times.rank for line in lines[:most] if line.times.rank is not None]
    key = "ranks.who.rank" if len(ranks) == 1 else "ranks.ranks"
    names = [t(key, rank=ranks[0], ranks=ranges(ranks))] if ranks else []
    names += [who(line.times) for line in lines[:most] if line.times.rank is None]
    if len(lines) > most:
        names.append(t("ranks.more", n=len(lines) - most))
    return t("ranks.comma").join(names)


def reason(line: RankLine) -> str:
    """Why a rank stands as it does; "" when there is nothing to say."""
    if line.code in (COMPUTE, FREE):
        return t(f"ranks.reason.{line.code}", us=line.late_by_us)
    if line.code == WAIT:
        return t("ranks.reason.wait", who=_awaited(line), us=line.waits_us)
    return "" if line.times.reason is None else told(line.times.reason)


def short_reason(line: RankLine) -> str:
    """The same in a narrow column."""
    if line.code in (COMPUTE, FREE):
        return t(f"ranks.reason.{line.code}.short")
    if line.code == WAIT:
        return t("ranks.reason.wait.short", who=_awaited(line))
    return "" if line.times.reason is None else told(line.times.reason)


def _awaited(line: RankLine) -> str:
    if line.waits_for is not None:
        return who(line.waits_for)
    return t("ranks.who.stage", stage=line.waits_stage)


def source(table: RankTable) -> str:
    """What the times were taken from."""
    found = dict.fromkeys(line.times.source for line in table.lines if line.times.source)
    return t("ranks.comma").join(t("ranks.source.operators") if one == OPERATORS else one for one in found)
