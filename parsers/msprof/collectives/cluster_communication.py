"""cluster_communication.json and cluster_communication_matrix.json: what a cluster's analysis gathered of its ranks.

The nesting is kind, step, operator, rank; the matrix has no rank. Times come out in us, sizes in MB (10^6 bytes).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.beside import COLLECTIVES, LINKS, collective_row, made
from npuscope.parsers.msprof.collectives import communication as one_rank
from npuscope.parsers.progress import Progress

PATTERN = re.compile(r"cluster_communication\.json")
MATRIX_PATTERN = re.compile(r"cluster_communication_matrix\.json")
_MOST_DIGITS = 9


def collectives(path: str, progress: Progress | None = None) -> CsvTable:
    """The operators of each rank, the sums left out. Raises ParseError."""
    rows = itertools.islice(_collectives(one_rank.document_of(path)), one_rank.MOST_ENTRIES)
    return made(path, list(rows), {"rank": int, **COLLECTIVES})


def links(path: str, progress: Progress | None = None) -> CsvTable:
    """What went from one rank to another. Raises ParseError."""
    found = (
        vars(link)
        for kind, step, name, entry in _entries(one_rank.document_of(path))
        for link in one_rank.links_of(step, kind, name, entry)
    )
    return made(path, list(itertools.islice(found, one_rank.MOST_ENTRIES)), LINKS)


def _collectives(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for kind, step, name, ranks in _entries(document):
        if name == one_rank.SUM:
            continue
        for rank, entry in ranks.items():
            if isinstance(entry, dict) and rank.isdecimal() and len(rank) <= _MOST_DIGITS:
                yield {**collective_row(one_rank.collective_of(step, kind, name, entry)), "rank": int(rank)}


def _entries(document: Mapping[str, Any]) -> Iterator[tuple[str, int | None, str, Mapping[str, Any]]]:
    for kind, steps in document.items():
        for step, operators in one_rank.object_of(steps).items():
            for name, entry in one_rank.object_of(operators).items():
                if kind in one_rank.KINDS and isinstance(entry, dict):
                    yield kind, one_rank.step_of(step), name, entry
