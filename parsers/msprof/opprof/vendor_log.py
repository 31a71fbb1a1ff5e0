"""What `msprof op` printed while it worked: its class of the operator (RoofLine) and its advice.

A report is kept only for the operator that the same log names with its time: logs of other runs lie about everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from npuscope.parsers.columns import number_cell
from npuscope.parsers.msprof.opprof.visualize import Advice, without_number

MAX_LOGS = 20  # of one folder
MAX_BYTES = 1 << 20
MAX_SENTENCES = 50
_LOG = re.compile(r".+\.(?:stdout|log)")
_LINE = re.compile(r"(?:\S+ \S+ +)?\[(?:INFO|WARN|ERROR)\]\s+(?P<text>.*)")
_REPORTS = {
    "RoofLine Summary Report:": "roofline",
    "Performance Summary Report:": "advice",
    "Occupancy Summary Report:": "occupancy",
}
_OPERATOR = "Operator Basic Information:"


@dataclass(frozen=True)
class Reported:
    """What was said of one operator; its name and time in us as printed."""

    name: str
    duration_us: float
    advice: tuple[Advice, ...]
    file: str


@dataclass
class _Reading:
    said: list[Advice] = field(default_factory=list)
    section: str = ""
    facts: dict[str, str] = field(default_factory=dict)


def beside(folder: Path) -> Iterator[Reported]:
    """The reports in the logs of a run: in its folder, beside it, and in a `logs` folder of the two above it."""
    for place in (folder, folder.parent, folder.parent / "logs", folder.parent.parent / "logs"):
        for path in _logs(place):
            try:
                stat = path.stat()
            except OSError:
                continue
            if 0 < stat.st_size <= MAX_BYTES:
                yield from _kept(str(path), stat.st_size, stat.st_mtime_ns)


def _logs(place: Path) -> list[Path]:
    try:
        found = sorted(path for path in place.iterdir() if _LOG.fullmatch(path.name))
    except OSError:
        return []
    return found[:MAX_LOGS]


@lru_cache(maxsize=128)
def _kept(path: str, size: int, changed_ns: int) -> tuple[Reported, ...]:
    """Many runs share the folder their logs lie in. Size and time are there to notice another text."""
    try:
        text = Path(path).read_bytes()[:MAX_BYTES].decode("utf-8", "replace")
    except OSError:
        return ()
    return tuple(parse(text, Path(path).name))


def parse(text: str, file: str = "") -> list[Reported]:
    """The operators of a log that it says something of, in their order."""
    found: list[Reported] = []
    reading = _Reading()
    for line in text.splitlines():
        head = _LINE.fullmatch(line.rstrip())
        if head is not None:
            if reading.section == _OPERATOR:
                found += _reported(reading, file)
                reading = _Reading()
            title = head.group("text").strip()
            reading.section = _REPORTS.get(title, _OPERATOR if title == _OPERATOR else "")
        elif reading.section == _OPERATOR:
            name, _, value = line.strip().partition(":")
            reading.facts[name] = value.strip()
        elif reading.section and line.strip() and len(reading.said) < MAX_SENTENCES:
            reading.said.append(Advice(without_number(line), reading.section))
    return found + list(_reported(reading, file))


def _reported(reading: _Reading, file: str) -> Iterator[Reported]:
    name, duration = reading.facts.get("Op Name"), number_cell(reading.facts.get("Task Duration(us)", ""))
    if name and duration == duration and reading.said:
        yield Reported(name, duration, tuple(dict.fromkeys(reading.said)), file)
