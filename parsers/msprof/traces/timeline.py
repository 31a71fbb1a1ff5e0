"""trace_view.json, msprof_*.json and their older kin: a timeline of lanes, read in blocks whatever its size.

A bare array of events, or `{"traceEvents": [...]}`; times are microseconds, as text or as numbers. Where the JSON is
cut or broken, what came before counts, and a problem tells at which byte it ends.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.csv_gather import keep_freed_memory
from npuscope.parsers.csv_text import refusal
from npuscope.parsers.json_blocks import Blocks
from npuscope.parsers.msprof.traces.trace_events import Codes, Decoded, decoder, durations_us, starts_ns
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Column, Strings, Table

PATTERN = re.compile(
    r"trace_view(?:_\d+)?\.json|msprof(?:_slice_\d+)?(?:_\d+)*\.json|(?:ascend_)?timeline_display_\d+\.json"
    r"|(?:task_time|hccl|step_trace|ai_stack_time|acl|thread_group|runtime_api)(?:_\d+){2,}\.json"
)

OVERLAP = "Overlap Analysis"
COMPUTING, COMMUNICATION, EXPOSED, FREE = "computing", "communication", "not_overlapped", "free"
_OVERLAPS = {
    "computing": COMPUTING, "communication": COMMUNICATION, "communication(not overlapped)": EXPOSED, "free": FREE,
}  # fmt: skip
STEP = re.compile(r"ProfilerStep#(\d{1,18})")
_MARGIN = 1.1
_MOST_MHZ = 1e6
_MOST_SHORT = np.iinfo(np.int16).max


@dataclass(frozen=True)
class Lane:
    """One line of a timeline: the process and thread it is called after ("" where the file names none)."""

    process: str
    thread: str
    pid: Any = None
    tid: Any = None


@dataclass(frozen=True)
class Chunk:
    """Slices in the order of the file. `lanes` and `names` are codes into `pairs` (pid, tid) and `texts`, both of
    which go on growing with the chunks that follow; a start is in nanoseconds, UNKNOWN where the file has none.
    """

    lanes: NDArray[np.int32]
    names: NDArray[np.int32]
    starts_ns: NDArray[np.int64]
    durations_us: NDArray[np.float32]
    pairs: Mapping[Any, int]
    texts: Mapping[str, int]
    marks: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Timeline:
    """`events`: lane (whole number into `lanes`), name, start_ns, duration_us (float32: seven digits), those that have
    a start, in the order of the file. `frequency`: start_ns and freq_mhz of AI Core Freq. `phases`: how many events of
    each phase of the format the file has.
    """

    path: str
    lanes: tuple[Lane, ...]
    events: Table
    frequency: Table
    problems: tuple[Problem, ...] = ()
    phases: Mapping[str, int] = field(default_factory=dict)

    def overlap(self, what: str) -> Table:
        """The slices of one lane of Overlap Analysis: COMPUTING, COMMUNICATION, EXPOSED or FREE."""
        wanted = [
            number
            for number, lane in enumerate(self.lanes)
            if lane.process == OVERLAP and _OVERLAPS.get(lane.thread.casefold()) == what
        ]
        return self.events.take(np.flatnonzero(np.isin(self.events.numbers("lane"), wanted)))

    def steps(self) -> Table:
        """step, start_ns, duration_us of the marks ProfilerStep#N, in the order of the file."""
        names = self.events.strings("name")
        found = [STEP.fullmatch(name) for name in names.values]
        numbers = np.array([*(int(match.group(1)) if match else UNKNOWN for match in found), UNKNOWN], dtype=np.int64)
        step = numbers[names.codes]
        rows = np.flatnonzero(step != UNKNOWN)
        marks = self.events.take(rows)
        return Table({"step": step[rows], **{name: marks.columns[name] for name in ("start_ns", "duration_us")}})

    def table(self) -> Table:
        """The events with the names of their lanes: process, thread, name, start_ns, duration_us."""
        lane = self.events.numbers("lane")
        processes, threads = (Strings.of(texts) for texts in zip(*_lane_texts(self.lanes)))
        return Table({
            "process": processes.take(lane),
            "thread": threads.take(lane),
            **{name: self.events.columns[name] for name in ("name", "start_ns", "duration_us")},
        })  # fmt: skip


def _lane_texts(lanes: tuple[Lane, ...]) -> list[tuple[str, str]]:
    return [(lane.process or str(lane.pid), lane.thread or str(lane.tid)) for lane in lanes] or [("", "")]


@dataclass
class Names:
    """What the marks of a trace tell: names of processes and threads, and (start_ns, MHz) of the AI Core clock, which
    stands in a lane (pid) for each chip.
    """

    processes: dict[Any, str] = field(default_factory=dict)
    threads: dict[Any, str] = field(default_factory=dict)
    frequency: list[tuple[int, float]] = field(default_factory=list)
    clocks: set[str] = field(default_factory=set)

    def lanes(self, pairs: Iterable[Any]) -> tuple[Lane, ...]:
        """The lanes of pairs (pid, tid)."""
        return tuple(
            Lane(self.processes.get(pid, ""), self.threads.get((pid, tid), ""), pid, tid) for pid, tid in pairs
        )

    def add(self, mark: Mapping[str, Any]) -> None:
        """What one mark tells; one that is odd tells nothing."""
        args = mark.get("args")
        if not isinstance(args, dict):
            return
        if mark.get("ph") == "C":
            told = (value for value in args.values() if isinstance(value, (int, float)))
            mhz = next((float(value) for value in told if 0 <= value < _MOST_MHZ), None)
            start = int(starts_ns([mark.get("ts")])[0])
            if mhz is not None and start != UNKNOWN:
                self.frequency.append((start, mhz))
                self.clocks.add(str(mark.get("pid")))
        elif isinstance(args.get("name"), str) and _is_key(mark.get("pid")) and _is_key(mark.get("tid")):
            if mark.get("name") == "process_name":
                self.processes[mark.get("pid")] = args["name"]
            elif mark.get("name") == "thread_name":
                self.threads[mark.get("pid"), mark.get("tid")] = args["name"]


def _is_key(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float))


class Reading:
    """An open trace: iterate over it for its chunks; once that is done, `problems` and `phases` (how many events there
    are of each, other than slices too) are complete.
    """

    def __init__(
        self, path: str, progress: Progress | None = None, lanes: Codes | None = None, names: Codes | None = None
    ) -> None:
        """lanes, names: the numbers that another part of the trace has given, to be gone on with."""
        self._path = path
        self._progress = progress
        self._lanes = Codes() if lanes is None else lanes
        self._names = Codes() if names is None else names
        self.share = 0.0
        self.phases: Counter[str] = Counter()
        self.problems: tuple[Problem, ...] = ()

    def __iter__(self) -> Iterator[Chunk]:
        """Raises ParseError when the file cannot be opened, is empty, or holds no list of events."""
        try:
            with Path(self._path).open("rb", buffering=0) as handle:
                size = handle.seek(0, 2)
                handle.seek(0)
                if not size:
                    text = say("profiles.problem.empty-file", file=Path(self._path).name)
                    raise ParseError(Problem("empty-file", text, file=self._path))
                keep_freed_memory()
                blocks = Blocks(handle, decoder())
                for decoded in blocks:
                    self.share = blocks.position / size
                    if self._progress is not None:
                        self._progress(self.share)
                    yield self._chunk(decoded)
        except OSError as error:
            raise refusal(self._path, error) from None
        if blocks.broken_at is not None:
            self.problems = (invalid_trace(self._path, blocks.broken_at),)
            if not blocks.opened:
                raise ParseError(self.problems[0])

    def _chunk(self, decoded: Decoded) -> Chunk:
        slices = decoded.slices
        self.phases.update(decoded.phases)
        return Chunk(
            lanes=np.array(self._lanes.of(zip(slices.pids, slices.tids)), dtype=np.int32),
            names=np.array(self._names.of(slices.names), dtype=np.int32),
            starts_ns=starts_ns(slices.starts),
            durations_us=durations_us(slices.durations),
            pairs=self._lanes,
            texts=self._names,
            marks=tuple(decoded.marks),
        )


def invalid_trace(path: str, byte: int) -> Problem:
    """A trace that stops being JSON at this byte."""
    text = say("profiles.problem.invalid-trace", file=Path(path).name, bytes=byte)
    return Problem("invalid-trace", text, say("profiles.hint.invalid-trace"), path)


def events(path: str, progress: Progress | None = None) -> Iterator[Chunk]:
    """The slices of a trace, a block at a time, in flat memory. Raises ParseError."""
    return iter(Reading(path, progress))


def read(path: str, progress: Progress | None = None) -> Timeline:
    """A whole trace. Raises ParseError."""
    reading = Reading(path, progress)
    names, kept = Names(), _Kept()
    pairs: Mapping[Any, int] = {}
    texts: Mapping[str, int] = {}
    for chunk in reading:
        for mark in chunk.marks:
            names.add(mark)
        kept.add(chunk, reading.share)
        pairs, texts = chunk.pairs, chunk.texts
    return Timeline(
        path=path,
        lanes=names.lanes(pairs),
        events=kept.table(tuple(str(text) for text in texts)),
        frequency=Table(
            {
                "start_ns": np.array([at for at, _ in names.frequency], dtype=np.int64),
                "freq_mhz": np.array([mhz for _, mhz in names.frequency], dtype=np.float64),
            }
        ),
        problems=reading.problems,
        phases=reading.phases,
    )


class _Kept:
    """Columns that grow to what the share of the file read so far lets expect: pages never written cost nothing."""

    def __init__(self) -> None:
        types = {"lane": np.int16, "name": np.int32, "start_ns": np.int64, "duration_us": np.float32}
        self._arrays: dict[str, NDArray[Any]] = {name: np.empty(0, kind) for name, kind in types.items()}
        self._rows = 0

    def add(self, chunk: Chunk, share: float) -> None:
        """Append the slices that have a start."""
        known = chunk.starts_ns != UNKNOWN
        cells: tuple[NDArray[Any], ...] = (chunk.lanes, chunk.names, chunk.starts_ns, chunk.durations_us)
        end = self._rows + int(np.count_nonzero(known))
        room = len(self._arrays["lane"])
        if end > room:
            self._grow(max(int(end / max(share, 1e-9) * _MARGIN), end) if share < 1 else end)
        if len(chunk.pairs) > _MOST_SHORT:
            self._arrays["lane"] = self._arrays["lane"].astype(np.int32)
        for array, values in zip(self._arrays.values(), cells):
            array[self._rows : end] = values if known.all() else values[known]
        self._rows = end

    def _grow(self, rows: int) -> None:
        for name, array in self._arrays.items():
            larger = np.empty(rows, array.dtype)
            larger[: self._rows] = array[: self._rows]
            self._arrays[name] = larger

    def table(self, texts: tuple[str, ...]) -> Table:
        """What was kept."""
        found: dict[str, Column] = {name: array[: self._rows] for name, array in self._arrays.items()}
        return Table({**found, "name": Strings(self._arrays["name"][: self._rows], texts)})
