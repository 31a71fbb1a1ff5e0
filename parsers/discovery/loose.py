"""Single files that are runs by themselves: a table of operators, or a database of them."""

from __future__ import annotations

from pathlib import Path

from npuscope.parsers.columns import columns_of, is_operator_table
from npuscope.parsers.discovery.files import (
    STATISTIC,
    Fact,
    State,
    fact_of,
    make_run,
    permission_problem,
    unready,
)
from npuscope.parsers.discovery.mindspore import look_at_table
from npuscope.parsers.profile import Run
from npuscope.parsers.say import say

HEADER_BYTES = 1 << 16


def look_at_file(path: Path, now: float) -> Run | None:
    """The run that a csv or a db is, from its name, size and time; None for any other file."""
    of_a_rank = look_at_table(path, now)
    if of_a_rank is not None:
        return of_a_rank
    kind = {".csv": "csv", ".db": "db"}.get(path.suffix.casefold())
    fact = fact_of(path) if kind is not None else None
    if kind is None or fact is None:
        return None
    problems = [] if fact.readable else [permission_problem(str(path))]
    return make_run(path, kind, _state(path, fact, now), [fact], problems=problems)


def has_operators(path: Path) -> bool:
    """Whether the first line of a csv is that of a table of operators."""
    try:
        with path.open("rb") as handle:
            line = handle.readline(HEADER_BYTES)
    except OSError:
        return False
    return is_operator_table(columns_of(line.decode("utf-8", "replace").split(",")))


def _state(path: Path, fact: Fact, now: float) -> State:
    unread = unready(path, fact, now)
    if unread is not None:
        return unread
    if STATISTIC.fullmatch(path.name):
        return State("partial", say("profiles.reason.statistic-alone"))
    return State("ready")
