"""communication.json and communication_matrix.json: what each collective did, and what each link carried.

Both may grow with steps and ranks to sizes no screen has a use for: `read` refuses them; one by one they can be had.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npuscope.parsers.csv_text import inspect, refusal
from npuscope.parsers.json_entries import entries
from npuscope.parsers.json_text import loads
from npuscope.parsers.msprof.tables.small_csv import LARGEST_NUMBER
from npuscope.parsers.say import ParseError, Problem, say

PATTERN = re.compile(r"communication(?:_\d+)?\.json")
MATRIX_PATTERN = re.compile(r"communication_matrix(?:_\d+)?\.json")
LARGEST = 64 << 20
MOST_ENTRIES = 500_000
KINDS = ("p2p", "collective")

_OF_SDMA = frozenset({"HCCS", "PCIE", "SIO"})
SUM = "Total Op Info"  # the sum of the others, never an operator of its own
LOCAL = "LOCAL"  # within one chip: no wire
_SAMPLE = re.compile(r".*-(?:top|middle|bottom)\d*")
_TOTAL = re.compile(r".*-total")
_STEP = re.compile(r"(?:step)?(\d+)")
_LINK = re.compile(r"(\d{1,9})-(\d{1,9})")


@dataclass(frozen=True)
class PacketSize:
    """Packets of one size (10^6 bytes) and how long all of them took."""

    mb: float
    count: float
    total_us: float | None = None


@dataclass(frozen=True)
class Transport:
    """What an operator sent over one kind of wire. mb = 10^6 bytes as the file counts them, gbps = 10^9 bytes/s."""

    kind: str
    size_mb: float | None = None
    time_us: float | None = None
    gbps: float | None = None
    large_share: float | None = None
    sizes: tuple[PacketSize, ...] = ()


@dataclass(frozen=True)
class Collective:
    """One communication operator of one step; times in us. wait includes synchronization (waiting before the first
    byte); kind = p2p or collective."""

    step: int | None
    kind: str
    name: str
    group: str | None = None
    start_us: float | None = None
    elapsed_us: float | None = None
    transit_us: float | None = None
    wait_us: float | None = None
    synchronization_us: float | None = None
    idle_us: float | None = None
    transports: tuple[Transport, ...] = ()

    @property
    def size_mb(self) -> float | None:
        """What was sent over all wires. SDMA is the sum of the wires that the copy engine serves, not one more."""
        kinds = {one.kind for one in self.transports}
        counted = [one for one in self.transports if not ("SDMA" in kinds and one.kind in _OF_SDMA)]
        return sum(one.size_mb or 0.0 for one in counted) if counted else None

    @property
    def by_sdma(self) -> tuple[float, float] | None:
        """(10^6 bytes, us) of what the copy engine moved, its links' times added up; None where it moved nothing."""
        sums = [one for one in self.transports if one.kind == "SDMA" and one.time_us]
        moved = sums or [one for one in self.transports if one.kind in _OF_SDMA and one.time_us]
        return (sum(one.size_mb or 0.0 for one in moved), sum(one.time_us or 0.0 for one in moved)) if moved else None


@dataclass(frozen=True)
class Link:
    """What went from one member of a group to another in one step. Newer tools number members within their group,
    older ones by rank. `operator` names one, or stands for several: `allreduce-top1` .. `-total` (their sum)."""

    step: int | None
    kind: str
    operator: str
    source: int
    target: int
    group: str | None = None
    transport: str | None = None
    size_mb: float | None = None
    time_us: float | None = None
    gbps: float | None = None


def read(path: str) -> tuple[Collective, ...]:
    """The operators of communication.json, the sums left out. Raises ParseError."""
    _refuse_large(path)
    return tuple(itertools.islice(collectives(path), MOST_ENTRIES))


def collectives(path: str) -> Iterator[Collective]:
    """The same one by one, whatever the size of the file. Raises ParseError, also on the way."""
    for step, kind, name, entry in _entries(path):
        if name != SUM:
            yield collective_of(step, kind, name, entry)


def collective_of(step: int | None, kind: str, name: str, entry: Mapping[str, Any]) -> Collective:
    """What one entry tells of an operator."""
    times = object_of(entry.get("Communication Time Info"))
    bare, _, group = name.partition("@")
    return Collective(
        step=step,
        kind=kind,
        name=bare,
        group=group or None,
        start_us=number_of(times.get("Start Timestamp(us)")),
        elapsed_us=from_ms(times.get("Elapse Time(ms)")),
        transit_us=from_ms(times.get("Transit Time(ms)")),
        wait_us=from_ms(times.get("Wait Time(ms)")),
        synchronization_us=from_ms(times.get("Synchronization Time(ms)")),
        idle_us=from_ms(times.get("Idle Time(ms)")),
        transports=_transports(object_of(entry.get("Communication Bandwidth Info"))),
    )


def read_matrix(path: str) -> tuple[Link, ...]:
    """The links of communication_matrix.json. Raises ParseError."""
    _refuse_large(path)
    return tuple(itertools.islice(links(path), MOST_ENTRIES))


def links(path: str) -> Iterator[Link]:
    """The same one by one, whatever the size of the file. Raises ParseError, also on the way."""
    for step, kind, name, entry in _entries(path):
        yield from links_of(step, kind, name, entry)


def links_of(step: int | None, kind: str, name: str, entry: Mapping[str, Any]) -> Iterator[Link]:
    """The links that one entry tells of."""
    operator, _, group = name.partition("@")
    for ends, told in entry.items():
        match = _LINK.fullmatch(ends)
        if match is None or not isinstance(told, dict):
            continue
        transport = told.get("Transport Type")
        yield Link(
            step=step,
            kind=kind,
            operator=operator,
            source=int(match.group(1)),
            target=int(match.group(2)),
            group=group or None,
            transport=transport if isinstance(transport, str) else None,
            size_mb=number_of(told.get("Transit Size(MB)")),
            time_us=from_ms(told.get("Transit Time(ms)")),
            gbps=number_of(told.get("Bandwidth(GB/s)")),
        )


def document_of(path: str) -> dict[str, Any]:
    """The object in such a file. Raises ParseError."""
    _refuse_large(path)
    try:
        found = loads(Path(path).read_bytes().decode("utf-8-sig", "replace"))
    except OSError as error:
        raise refusal(path, error) from None
    except (ValueError, RecursionError):
        raise _invalid(path) from None
    if not isinstance(found, dict):
        raise _invalid(path)
    return found


def _refuse_large(path: str) -> None:
    file = inspect(path)
    if file.size > LARGEST:
        text = say("ranks.problem.too-large", file=Path(path).name, size=file.size, most=LARGEST)
        raise ParseError(Problem("too-large", text, None, path))


def _invalid(path: str) -> ParseError:
    return ParseError(Problem("invalid-json", say("ranks.problem.json", file=Path(path).name), None, path))


def _entries(path: str) -> Iterator[tuple[int | None, str, str, Mapping[str, Any]]]:
    """Each operator of each step; what has another form is passed over."""
    try:
        with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as handle:
            for (step, kind, name), entry in entries(handle, depth=3):
                if kind in KINDS and isinstance(entry, dict):
                    yield step_of(step), kind, name, entry
    except OSError as error:
        raise refusal(path, error) from None
    except (ValueError, RecursionError):
        raise _invalid(path) from None


def step_of(text: str) -> int | None:
    """The number of `step7`."""
    match = _STEP.fullmatch(text)
    return int(match.group(1)) if match is not None and len(match.group(1)) < 16 else None


def _transports(told: Mapping[str, Any]) -> tuple[Transport, ...]:
    found = [
        Transport(
            kind=kind,
            size_mb=number_of(entry.get("Transit Size(MB)")),
            time_us=from_ms(entry.get("Transit Time(ms)")),
            gbps=number_of(entry.get("Bandwidth(GB/s)")),
            large_share=number_of(entry.get("Large Packet Ratio")),
            sizes=_sizes(object_of(entry.get("Size Distribution"))),
        )
        for kind, entry in told.items()
        if isinstance(entry, dict)
    ]
    return tuple(one for one in found if one.size_mb)


def _sizes(told: Mapping[str, Any]) -> tuple[PacketSize, ...]:
    """Of `{"8.4": [how many, ms of all]}`."""
    found = []
    for size, entry in told.items():
        mb, cells = number_of(size), entry if isinstance(entry, list) else []
        count = number_of(cells[0]) if cells else None
        if mb and count:
            found.append(PacketSize(mb, count, from_ms(cells[1]) if len(cells) > 1 else None))
    return tuple(found)


def once(links: Sequence[Link]) -> Iterable[Link]:
    """Every transfer once: the file repeats operators in samples and in sums."""
    wanted = any(map(is_total, links))
    return (link for link in links if (is_total(link) if wanted else not is_repeated(link)))


def is_total(link: Link) -> bool:
    """Whether it stands for all operators of its kind; where there are such, the others are parts of them."""
    return _TOTAL.fullmatch(link.operator) is not None


def is_repeated(link: Link) -> bool:
    """Whether it is a sample or a sum of others."""
    return link.operator == SUM or _SAMPLE.fullmatch(link.operator) is not None


def object_of(value: Any) -> Mapping[str, Any]:
    """An object, else an empty one."""
    return value if isinstance(value, dict) else {}


def number_of(value: Any) -> float | None:
    """A number, or text that is one; None for all else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and abs(number) < LARGEST_NUMBER else None


def from_ms(value: Any) -> float | None:
    """Milliseconds as microseconds."""
    number = number_of(value)
    return None if number is None else number * 1000
