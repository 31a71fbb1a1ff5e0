"""How fast the slowest wire of a rank was, and which rank's is slower than those of the others."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence

from npuscope.parsers.msprof.collectives.communication import LOCAL, Link, once

SLOW = 0.8  # of the mean of the others (BANDWIDTH_THRESHOLD of msprof's own communication advice)
LEAST_MB = 1.0  # what carried less says nothing about a wire


def slowest(links: Iterable[Link]) -> dict[str, float]:
    """The slowest link of each kind of wire, GB/s over all it carried; kinds that carried little are left out."""
    sums: dict[tuple[str, str | None, int, int], list[float]] = {}
    for link in once(tuple(links)):
        if link.transport in (None, LOCAL) or not link.size_mb or not link.time_us:
            continue
        entry = sums.setdefault((str(link.transport), link.group, link.source, link.target), [0.0, 0.0])
        entry[0] += link.size_mb
        entry[1] += link.time_us
    found: dict[str, float] = {}
    for (transport, *_), (size_mb, time_us) in sums.items():
        if size_mb >= LEAST_MB:
            gbps = size_mb * 1000 / time_us
            found[transport] = min(gbps, found.get(transport, gbps))
    return found


def slow_ranks(links: Sequence[Mapping[str, float]]) -> list[tuple[int, str, float, float]]:
    """(index, kind of wire, its slowest link, the mean of the others' slowest) where one is much slower, GB/s."""
    found = []
    for at, own in enumerate(links):
        for transport, gbps in own.items():
            others = [other[transport] for number, other in enumerate(links) if number != at and transport in other]
            if len(others) > 1 and gbps < SLOW * statistics.fmean(others):
                found.append((at, transport, gbps, statistics.fmean(others)))
    return sorted(found, key=lambda one: one[2] / one[3])
