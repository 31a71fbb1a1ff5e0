"""communication.json and communication_matrix.json as tables that are read with a run's operators."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from npuscope.parsers.msprof.collectives import communication
from npuscope.parsers.msprof.collectives.communication import Collective, Link
from npuscope.parsers.msprof.databases import communication_db
from npuscope.parsers.msprof.tables import step_trace_time
from npuscope.parsers.msprof.tables.record_tables import table_of
from npuscope.parsers.say import Problem
from npuscope.parsers.table import Table, concatenate

_AT_ONCE = 20_000
_Sums = dict[tuple[str, str, int, int], list[float]]


@dataclass(frozen=True)
class Found:
    """A table; what was odd about its file is told where the file itself is shown."""

    table: Table
    problems: tuple[Problem, ...] = ()


def operators(found: Iterable[Collective]) -> Found:
    """name kind transport step start_us elapsed_us transit_us wait_us synchronization_us idle_us sdma_mb sdma_us, an
    operator a row; `transport` = the wire that carried most, sdma_* = Collective.by_sdma.
    """
    columns = {"name": str, "kind": str, "transport": str, "step": int}
    times = ("start_us", "elapsed_us", "transit_us", "wait_us", "synchronization_us", "idle_us", "sdma_mb", "sdma_us")
    return _found(map(_operator, found), {**columns, **dict.fromkeys(times, float)})


def _operator(one: Collective) -> Mapping[str, Any]:
    most = max(one.transports, key=lambda wire: wire.size_mb or 0.0).kind if one.transports else None
    sdma_mb, sdma_us = one.by_sdma or (None, None)
    return {**vars(one), "transport": most, "sdma_mb": sdma_mb, "sdma_us": sdma_us}


def packets(found: Iterable[Collective]) -> Found:
    """name transport bytes count total_us: how many packets of one size an operator sent over a wire."""
    rows = (
        {
            "name": one.name,
            "transport": wire.kind,
            "bytes": float(round(size.mb * 1e6)),
            "count": size.count,
            "total_us": size.total_us,
        }
        for one in found
        for wire in one.transports
        for size in wire.sizes
    )
    columns = {"name": str, "transport": str, "bytes": float, "count": float, "total_us": float}
    return _found(rows, columns)


def _found(rows: Iterator[Mapping[str, Any]], columns: Mapping[str, type]) -> Found:
    """Some rows at a time: as columns they cost little."""
    parts = [table_of(list(itertools.islice(rows, _AT_ONCE)), columns)]
    while some := list(itertools.islice(rows, _AT_ONCE)):
        parts.append(table_of(some, columns))
    return Found(concatenate(parts) if len(parts) > 1 else parts[0])


def links(found: Iterable[Link]) -> Found:
    """group transport source target size_mb total_us of each link, all it carried once (communication.once)."""
    totals: _Sums = {}
    singles: _Sums = {}
    has_totals = False
    for link in found:
        total = communication.is_total(link)
        has_totals = has_totals or total
        if total or not (has_totals or communication.is_repeated(link)):
            _carried(totals if total else singles, link)
    rows = [
        {"group": key[0], "transport": key[1], "source": key[2], "target": key[3], "size_mb": mb, "total_us": us}
        for key, (mb, us) in (totals if has_totals else singles).items()
    ]
    kinds = {"group": str, "transport": str, "source": int, "target": int, "size_mb": float, "total_us": float}
    return Found(table_of(rows, kinds))


def _carried(sums: _Sums, link: Link) -> None:
    if link.transport in (None, communication.LOCAL) or not link.size_mb or not link.time_us:
        return
    entry = sums.setdefault((link.group or "", str(link.transport), link.source, link.target), [0.0, 0.0])
    entry[0] += link.size_mb
    entry[1] += link.time_us


@dataclass(frozen=True)
class Reader:
    """A kind of table: the files it is in, and how they are read."""

    PATTERN: re.Pattern[str]
    read: Callable[[str], Found]


def _reader(pattern: re.Pattern[str], made: Callable[[Any], Found], read: Callable[[str], Any]) -> Reader:
    return Reader(pattern, lambda path: made(read(path)))


OPERATORS = _reader(communication.PATTERN, operators, communication.collectives)
PACKETS = _reader(communication.PATTERN, packets, communication.collectives)
LINKS = _reader(communication.MATRIX_PATTERN, links, communication.links)
# of a database export
DB_OPERATORS = _reader(step_trace_time.DB_PATTERN, operators, communication_db.read)
DB_PACKETS = _reader(step_trace_time.DB_PATTERN, packets, communication_db.read)
DB_LINKS = _reader(step_trace_time.DB_PATTERN, links, communication_db.read_matrix)
