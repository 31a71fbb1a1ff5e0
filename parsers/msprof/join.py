"""Several runs of one program, each profiled with another metric group, as one: every operator with all its counters.

Calls belong together by their place among the calls of their type on their device, and must then agree in name and
shapes. Durations are those of the first run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from npuscope.parsers.columns import is_counter
from npuscope.parsers.joined import joined_run
from npuscope.parsers.msprof.checks import counters
from npuscope.parsers.msprof.join_calls import Rows, grouped, partners, refused, types_of
from npuscope.parsers.msprof.metric_groups import groups_of
from npuscope.parsers.profile import Metadata, Profile, VendorText
from npuscope.parsers.say import Problem, say
from npuscope.parsers.table import Column, Strings, Table

APART = 0.20  # medians that differ by more are told
WORTH = 0.01  # of the run's time: types with less are not


def join(profiles: Sequence[Profile]) -> Profile:
    """One profile of several. Raises ParseError when they are not runs of one program, naming the first difference."""
    first, others = profiles[0], profiles[1:]
    if not others:
        return first
    joined = first
    for other in others:
        joined = _with(joined, other, first)
    metadata = _metadata(joined, profiles)
    return dataclasses.replace(joined, run=joined_run([one.run for one in profiles]), metadata=metadata)


def _with(joined: Profile, other: Profile, first: Profile) -> Profile:
    """`joined` and what `other` has beyond it."""
    _check_chips(first, other)
    partner = partners(first, other)
    added = dict(_added(joined.ops, other.ops.take(partner)))
    sources = {**{name: other.sources[name] for name in added if name in other.sources}, **joined.sources}
    ops = joined.ops.extended(added)
    row = np.empty(len(partner), dtype=np.int64)
    row[partner] = np.arange(len(partner))
    return dataclasses.replace(
        joined,
        ops=ops,
        sources=sources,
        cores=joined.cores if joined.cores is not None else _moved(other.cores, row),
        vendor_verdict=_said(joined.vendor_verdict, other.vendor_verdict, row),
        problems=_problems(joined, other, ops, _slower(first, other, partner)),
    )


def _check_chips(first: Profile, other: Profile) -> None:
    one, two = (profile.metadata.chip or profile.metadata.family for profile in (first, other))
    if one and two and one != two and not (one.startswith(two) or two.startswith(one)):
        raise refused(say("opprof.join.chip", run=first.run.name, other=other.run.name, here=one, there=two))


# ---- what is joined


def _added(ops: Table, other: Table) -> Iterator[tuple[str, Column]]:
    """The columns that only the other run has, or that are empty in the first."""
    for name, column in other.columns.items():
        if isinstance(column, Strings):
            if not (ops.strings(name).codes >= 0).any() and (column.codes >= 0).any():
                yield name, column
        elif name not in ops or (is_counter(name) and bool(np.isnan(ops.numbers(name)).all())):
            yield name, column


def _moved(cores: Table | None, row: Rows) -> Table | None:
    return None if cores is None else cores.extended({"op": row[cores.numbers("op")]})


def _said(mine: tuple[VendorText, ...], theirs: tuple[VendorText, ...], row: Rows) -> tuple[VendorText, ...]:
    known = {(one.row, one.kind, one.text) for one in mine}
    moved = (dataclasses.replace(one, row=int(row[one.row])) for one in theirs)
    return (*mine, *(one for one in moved if (one.row, one.kind, one.text) not in known))


def _problems(joined: Profile, other: Profile, ops: Table, slower: Problem | None) -> tuple[Problem, ...]:
    """All that is to be known of either, once; that counters lack no longer, when one of them has some."""
    unique: dict[Any, Problem] = {}
    for problem in (*joined.problems, *other.problems):
        unique.setdefault(_key(problem), problem)
    has_counters = any(not np.isnan(ops.numbers(name)).all() for name in counters(ops))
    kept = [problem for problem in unique.values() if not (problem.code == "no-pmu" and has_counters)]
    return (*kept, slower) if slower is not None else tuple(kept)


def _key(problem: Problem) -> tuple[str, str, tuple[tuple[str, Any], ...]]:
    return problem.code, problem.message.key, tuple(sorted(problem.message.params.items()))


def _slower(first: Profile, other: Profile, partner: Rows) -> Problem | None:
    """That a type took another time in the other run: then its counters are of another situation."""
    mine = first.ops.numbers("duration_us")
    theirs = other.ops.numbers("duration_us")[partner]
    types = types_of(first.ops)
    total = float(np.nansum(mine))
    found: list[tuple[float, str, float, float]] = []
    for rows in grouped(types.codes.astype(np.int64), np.arange(len(mine))):
        us = float(np.nansum(mine[rows]))
        here, there = float(np.nanmedian(mine[rows])), float(np.nanmedian(theirs[rows]))
        if us >= WORTH * total and here > 0 and abs(there - here) > APART * here:
            found.append((us, types[int(rows[0])] or "", here, there))
    if not found:
        return None
    _, name, here, there = max(found)
    text = say(
        "opprof.join.slower",
        types=len(found),
        type=name,
        run=first.run.name,
        other=other.run.name,
        here=here,
        there=there,
        pct=100 * (there / here - 1),
    )
    return Problem("join-apart", text, say("opprof.join.slower.hint"))


def _metadata(joined: Profile, profiles: Sequence[Profile]) -> Metadata:
    """Of the first run that tells; the groups are those of all columns."""
    told: dict[str, Any] = {}
    for name in ("chip", "family", "cann", "cube_cores", "vector_cores", "aic_freq_mhz"):
        told[name] = next((value for one in profiles if (value := getattr(one.metadata, name)) is not None), None)
    groups = ", ".join(groups_of(counters(joined.ops), joined.sources))
    return dataclasses.replace(joined.metadata, **told, aic_metrics=groups or joined.metadata.aic_metrics)
