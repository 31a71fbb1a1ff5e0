"""communication.json and communication_matrix.json as tables that are read with a run's operators."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from npuscope.parsers.msprof import communication
from npuscope.parsers.msprof.record_tables import table_of
from npuscope.parsers.say import Problem
from npuscope.parsers.table import Table


@dataclass(frozen=True)
class Found:
    """A table; what was odd about its file is told where the file itself is shown."""

    table: Table
    problems: tuple[Problem, ...] = ()


def read_operators(path: str) -> Found:
    """name kind transport step elapsed_us transit_us wait_us synchronization_us idle_us, an operator a row; `transport`
    = the wire that carried most. Raises ParseError.
    """
    columns = {"name": str, "kind": str, "transport": str, "step": int}
    times = ("elapsed_us", "transit_us", "wait_us", "synchronization_us", "idle_us")
    rows = [
        {**vars(one), "transport": max(one.transports, key=lambda wire: wire.size_mb or 0.0).kind}
        if one.transports
        else vars(one)
        for one in communication.read(path)
    ]
    return Found(table_of(rows, {**columns, **dict.fromkeys(times, float)}))


def read_packets(path: str) -> Found:
    """name transport bytes count total_us: how many packets of one size an operator sent over a wire. Raises
    ParseError.
    """
    rows = [
        {
            "name": one.name,
            "transport": wire.kind,
            "bytes": float(round(size.mb * 1e6)),
            "count": size.count,
            "total_us": size.total_us,
        }
        for one in communication.read(path)
        for wire in one.transports
        for size in wire.sizes
    ]
    columns = {"name": str, "transport": str, "bytes": float, "count": float, "total_us": float}
    return Found(table_of(rows, columns))


def read_links(path: str) -> Found:
    """group transport source target size_mb total_us of each link, all it carried once. Raises ParseError."""
    sums: dict[tuple[str, str, int, int], list[float]] = {}
    for link in communication.once(communication.read_matrix(path)):
        if link.transport in (None, communication.LOCAL) or not link.size_mb or not link.time_us:
            continue
        entry = sums.setdefault((link.group or "", str(link.transport), link.source, link.target), [0.0, 0.0])
        entry[0] += link.size_mb
        entry[1] += link.time_us
    rows = [
        {"group": key[0], "transport": key[1], "source": key[2], "target": key[3], "size_mb": mb, "total_us": us}
        for key, (mb, us) in sums.items()
    ]
    kinds = {"group": str, "transport": str, "source": int, "target": int, "size_mb": float, "total_us": float}
    return Found(table_of(rows, kinds))


@dataclass(frozen=True)
class Reader:
    """A kind of table: the files it is in, and how they are read."""

    PATTERN: re.Pattern[str]
    read: Callable[[str], Found]


OPERATORS = Reader(communication.PATTERN, read_operators)
PACKETS = Reader(communication.PATTERN, read_packets)
LINKS = Reader(communication.MATRIX_PATTERN, read_links)
