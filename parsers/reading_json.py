"""A reading as the `npuscope.snapshot/1` document, and back: what `snapshot --json` prints and recordings keep."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields
from datetime import datetime, timezone
from typing import Any, Protocol

from npuscope.parsers.readings import Chip, Host, LocalProcess, NpuProcess, Reading, SourceInfo
from npuscope.parsers.say import ParseError, Problem, Say, say

SCHEMA = "npuscope.snapshot/1"
RECORDED = "smi.recorded"
Tell = Callable[[Say], str]

_TYPES: dict[str, Any] = {"int": int, "float": (int, float), "str": str, "bool": bool, "None": type(None)}
_LARGEST = (1 << 63) - 1
_LOCAL = ("user", "cpu_pct", "rss_mb", "started_at", "command")


class HintLike(Protocol):
    """What a hint of analysis has that a document shows."""

    @property
    def code(self) -> str:
        """Stable code."""

    @property
    def npu_id(self) -> int | None:
        """Chip it speaks of; None = all."""

    @property
    def chip_id(self) -> int | None:
        """Chip it speaks of; None = all."""

    @property
    def text(self) -> Say:
        """The sentence."""


def to_json(reading: Reading, hints: Iterable[HintLike], tell: Tell) -> dict[str, Any]:
    """The document of one reading; `tell` turns sentences into words. Unknown numbers are None."""
    source = asdict(reading.source)
    return {
        "schema": SCHEMA,
        "taken_at": iso(reading.taken_at),
        "elapsed_s": round(reading.elapsed_s, 3),
        "period_s": None if reading.period_s is None else round(reading.period_s, 3),
        "source": {**source, "lists_processes": reading.processes_known},
        "chips": [asdict(chip) for chip in reading.chips],
        "processes": [_process(process, reading.local.get(process.pid)) for process in reading.processes],
        "host": None if reading.host is None else asdict(reading.host),
        "hints": [
            {"code": hint.code, "npu_id": hint.npu_id, "chip_id": hint.chip_id, "text": tell(hint.text)}
            for hint in hints
        ],
        "problems": [
            {
                "code": problem.code,
                "message": tell(problem.message),
                "hint": None if problem.hint is None else tell(problem.hint),
            }
            for problem in reading.problems
        ],
    }


def _process(process: NpuProcess, local: LocalProcess | None) -> dict[str, Any]:
    started = None if local is None or local.started_at is None else iso(local.started_at)
    more = {name: None if local is None else getattr(local, name) for name in _LOCAL}
    return {**asdict(process), **more, "started_at": started}


def from_json(document: Mapping[str, Any]) -> Reading:
    """The reading of a document; fields it does not have are unknown. Raises ParseError when it is no reading.

    Hints are not kept: they follow from the readings. Problems keep their words as they were recorded.
    """
    try:
        return _reading(document)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ParseError(Problem("unreadable", say("smi.no-reading", reason=str(error)))) from error


def _reading(document: Mapping[str, Any]) -> Reading:
    if not str(document["schema"]).startswith("npuscope.snapshot/"):
        raise ValueError(str(document["schema"]))
    source = document["source"]
    rows = document.get("processes") or ()
    host = document.get("host")
    return Reading(
        taken_at=unix(document["taken_at"]),
        elapsed_s=_seconds(document.get("elapsed_s")) or 0.0,
        source=_record(SourceInfo, source),
        period_s=_seconds(document.get("period_s")),
        chips=tuple(_record(Chip, chip) for chip in document.get("chips") or ()),
        processes=tuple(_record(NpuProcess, row) for row in rows),
        local={row["pid"]: _local(row) for row in rows if row.get("local")},
        host=None if host is None else _record(Host, host),
        problems=tuple(_problem(problem) for problem in document.get("problems") or ()),
        processes_known=bool(source.get("lists_processes", True)),
    )


def _record(kind: Any, values: Mapping[str, Any]) -> Any:
    """A record of its fields in `values`; a value of another type than the field's is refused."""
    known = {field.name: field.type for field in fields(kind) if field.name in values}
    for name, wanted in known.items():
        value = values[name]
        kinds = tuple(type_ for word, type_ in _TYPES.items() if word in str(wanted))
        if not (isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))):
            raise ValueError(f"{name}: {value!r}")
        _finite(name, value)
    return kind(**{name: values[name] for name in known})


def _seconds(value: Any) -> float | None:
    """A time that is there. Raises TypeError, ValueError."""
    if value is None or isinstance(value, bool):
        return None
    if not isinstance(value, (int, float)):
        raise TypeError(f"{value!r:.40} s")
    _finite("s", value)
    return float(value)


def _finite(name: str, value: Any) -> None:
    """Raises ValueError for numbers that are none, or have more digits than 64 bits."""
    if isinstance(value, (int, float)) and not -_LARGEST <= value <= _LARGEST:
        raise ValueError(f"{name}: {value!r:.40}")


def _local(row: Mapping[str, Any]) -> LocalProcess:
    started = row.get("started_at")
    local: LocalProcess = _record(LocalProcess, {**row, "started_at": None if started is None else unix(started)})
    return local


def _problem(problem: Mapping[str, Any]) -> Problem:
    hint = problem.get("hint")
    message = say(RECORDED, text=str(problem["message"]))
    return Problem(str(problem["code"]), message, None if hint is None else say(RECORDED, text=str(hint)))


def iso(seconds: float) -> str:
    """Unix seconds as UTC text with milliseconds."""
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds")


def unix(text: str) -> float:
    """The time of `iso`; without a zone it is UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
