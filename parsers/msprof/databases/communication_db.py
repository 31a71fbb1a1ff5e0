"""What communication.json and its matrix tell, of a database export: the CommAnalyzer tables of analysis.db."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from npuscope.parsers.msprof.collectives.communication import (
    MOST_ENTRIES,
    SUM,
    Collective,
    Link,
    PacketSize,
    Transport,
    from_ms,
    number_of,
)
from npuscope.parsers.msprof.databases.db_file import columns_of, opened, select


def read(path: str) -> tuple[Collective, ...]:
    """The operators of CommAnalyzerTime with what CommAnalyzerBandwidth says they sent. Raises ParseError."""
    sizes: dict[tuple[Any, Any, Any, Any], list[PacketSize]] = {}
    wires: dict[tuple[Any, Any, Any], dict[str, Transport]] = {}
    for row in _rows(path, "CommAnalyzerBandwidth"):
        key, wire, sent = _key(row), str(row.get("transport_type")), number_of(row.get("transit_size"))
        if sent:
            wires.setdefault(key, {})[wire] = Transport(wire, sent, from_ms(row.get("transit_time")))
        mb, count = number_of(row.get("package_size")), number_of(row.get("count"))
        if mb and count:
            sizes.setdefault((*key, wire), []).append(PacketSize(mb, count, from_ms(row.get("total_duration"))))
    return tuple(
        Collective(
            step=None,
            kind=str(row.get("type")),
            name=str(row.get("hccl_op_name")),
            transports=tuple(
                dataclasses.replace(sent, sizes=tuple(sizes.get((*_key(row), wire), ())))
                for wire, sent in wires.get(_key(row), {}).items()
            ),
            start_us=number_of(row.get("start_timestamp")),
            elapsed_us=from_ms(row.get("elapse_time")),
            transit_us=from_ms(row.get("transit_time")),
            wait_us=from_ms(row.get("wait_time")),
            synchronization_us=from_ms(row.get("synchronization_time")),
            idle_us=from_ms(row.get("idle_time")),
        )
        for row in _rows(path, "CommAnalyzerTime")
        if row.get("hccl_op_name") != SUM
    )


def read_matrix(path: str) -> tuple[Link, ...]:
    """The links of CommAnalyzerMatrix. Raises ParseError."""
    found = []
    for row in _rows(path, "CommAnalyzerMatrix"):
        source, target = (number_of(row.get(name)) for name in ("src_rank", "dst_rank"))
        if source is None or target is None:
            continue
        found.append(
            Link(
                step=None,
                kind=str(row.get("type")),
                operator=str(row.get("hccl_op_name")),
                source=int(source),
                target=int(target),
                group=str(row.get("group_name")),
                transport=str(row.get("transport_type")),
                size_mb=number_of(row.get("transit_size")),
                time_us=from_ms(row.get("transit_time")),
                gbps=number_of(row.get("bandwidth")),
            )
        )
    return tuple(found)


def _key(row: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    return row.get("hccl_op_name"), row.get("group_name"), row.get("step")


def _rows(path: str, table: str) -> Iterator[dict[str, Any]]:
    with opened(Path(path)) as connection:
        columns = columns_of(connection, table)
        rows = connection.execute(select(table, columns, MOST_ENTRIES)).fetchall() if columns else []
    return (dict(zip(columns, row)) for row in rows)
