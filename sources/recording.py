"""Recordings of readings: one `npuscope.snapshot/1` document per line, plain or gzip, and their replay."""

from __future__ import annotations

import gzip
import itertools
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Union

from npuscope.parsers.json_text import loads
from npuscope.parsers.reading_json import from_json
from npuscope.parsers.readings import Reading, SourceInfo
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.sources.source import Callback

GZIP = b"\x1f\x8b"
PERIOD_S = 1.0  # between the last reading and the first of the next round, when a recording does not tell
LATE_S = 5.0  # behind by more (the program was suspended), the replay goes on from now instead of catching up
STOP_S = 0.3

Pathlike = Union[str, Path]


def read_recording(path: Pathlike) -> list[Reading]:
    """All readings of a file, oldest first. A last line that was cut becomes a problem of the reading before it.

    Raises OSError when there is no such file, ParseError (with file and line) at a line that is no reading.
    """
    readings: list[Reading] = []
    cut: Problem | None = None
    path = Path(path)
    for number, (line, whole) in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        try:
            readings.append(_reading(line))
        except ParseError as error:
            if whole or not readings:
                raise ParseError(_bad_line(path, number, error.problem)) from error
            cut = Problem("truncated", say("recording.cut", file=str(path), line=number), file=str(path), line=number)
    if not readings:
        raise ParseError(Problem("unreadable", say("recording.empty", file=str(path)), file=str(path)))
    if cut is not None:
        readings[-1] = replace(readings[-1], problems=(*readings[-1].problems, cut))
    return readings


class RecordingSource:
    """Replays a recording with the spacing it was taken with, as if it were taken now.

    speed: how many times faster; loop: begin anew at the end; lead_s: begin so many seconds into it, and `lead` tells
    what was before. A file that cannot be read is one reading with the problem.
    """

    def __init__(self, path: Pathlike, speed: float = 1.0, loop: bool = True, lead_s: float = 0.0) -> None:
        self._path, self._speed, self._loop, self._lead_s = Path(path), speed, loop, lead_s
        self._begin: tuple[float, float] | None = None  # of the recording: Unix seconds, monotonic seconds
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def lead(self) -> list[Reading]:
        """The readings of the `lead_s` before now, oldest first: a history to begin with; none when unreadable."""
        wall, _ = self._began()
        try:
            steps = replayed(read_recording(self._path), self._speed, self._loop)
        except (OSError, ParseError):  # start() tells
            return []
        early = itertools.takewhile(lambda step: step[0] * self._speed < self._lead_s, steps)
        return [moved(reading, wall + at, self._speed) for at, reading in early]

    def start(self, callback: Callback) -> None:
        """Begin; returns at once."""
        self._began()
        self._thread = threading.Thread(target=self._run, args=(callback,), name="npuscope-replay", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the replay and its thread."""
        self._stopping.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(STOP_S)

    def _began(self) -> tuple[float, float]:
        if self._begin is None:
            ago = self._lead_s / self._speed
            self._begin = time.time() - ago, time.monotonic() - ago
        return self._begin

    def _run(self, callback: Callback) -> None:
        try:
            readings = read_recording(self._path)
        except OSError as error:
            reason = error.strerror or str(error)
            problem = Problem("not-found", say("recording.no-file", file=str(self._path), reason=reason))
            callback(self._failed(problem))
            return
        except ParseError as error:
            callback(self._failed(error.problem))
            return
        wall, begin = self._began()
        for at, reading in replayed(readings, self._speed, self._loop):
            if at * self._speed < self._lead_s:
                continue
            late = time.monotonic() - (begin + at)
            if late > LATE_S:
                begin, wall = begin + late, wall + late
            if self._stopping.wait(max(0.0, begin + at - time.monotonic())):
                return
            callback(moved(reading, wall + at, self._speed))

    def _failed(self, problem: Problem) -> Reading:
        return Reading(time.time(), 0.0, SourceInfo("replay", str(self._path), ok=False), problems=(problem,))


def replayed(readings: Sequence[Reading], speed: float, loop: bool) -> Iterator[tuple[float, Reading]]:
    """(seconds after the beginning, reading), in the order of replay; without end when it loops."""
    offsets = _offsets(readings, speed)
    steps = [later - earlier for earlier, later in zip(offsets, offsets[1:]) if later > earlier]
    length = offsets[-1] + (median(steps) if steps else PERIOD_S / speed)
    lasting = _lasting(readings)
    turn = 0
    while True:
        for offset, reading in zip(offsets, readings):
            yield turn * length + offset, _aged(reading, lasting, turn * length * speed)
        turn += 1
        if not loop:
            return


def moved(reading: Reading, taken_at: float, speed: float) -> Reading:
    """The reading as if taken at `taken_at` (Unix seconds); processes keep their age."""
    shift = taken_at - reading.taken_at
    local = {
        pid: entry if entry.started_at is None else replace(entry, started_at=entry.started_at + shift)
        for pid, entry in reading.local.items()
    }
    period = None if reading.period_s is None else reading.period_s / speed
    return replace(reading, taken_at=taken_at, period_s=period, local=local)


def _offsets(readings: Sequence[Reading], speed: float) -> list[float]:
    """Seconds after the first reading; a clock that went back stands still."""
    offsets, last = list[float](), 0.0
    for reading in readings:
        last = max(last, (reading.taken_at - readings[0].taken_at) / speed)
        offsets.append(last)
    return offsets


def _lasting(readings: Sequence[Reading]) -> frozenset[int]:
    """Processes that run from the first reading to the last: in the next round they are still the same ones."""
    first, last = readings[0].local, readings[-1].local
    return frozenset(pid for pid in first if pid in last and first[pid].started_at == last[pid].started_at)


def _aged(reading: Reading, lasting: frozenset[int], seconds: float) -> Reading:
    """The reading with its lasting processes older by `seconds`: the rounds they lived through."""
    if not seconds or lasting.isdisjoint(reading.local):
        return reading
    local = {
        pid: replace(entry, started_at=entry.started_at - seconds) if pid in lasting and entry.started_at else entry
        for pid, entry in reading.local.items()
    }
    return replace(reading, local=local)


def _lines(path: Path) -> Iterator[tuple[bytes, bool]]:
    """The lines of a file, unpacked where it is packed, and whether each is known to be whole."""
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
        file.seek(0)
        lines = iter(gzip.GzipFile(fileobj=file) if packed else file)
        while True:
            try:
                line = next(lines, None)
            except (EOFError, zlib.error, gzip.BadGzipFile):
                yield b"?", False  # cut or damaged inside: what came before it stands
                return
            if line is None:
                return
            yield line, line.endswith(b"\n")


def _reading(line: bytes) -> Reading:
    """Raises ParseError with the reason, which does not know the file yet."""
    try:
        document = loads(line)
    except (ValueError, RecursionError) as error:
        raise ParseError(Problem("unreadable", say("recording.no-json"))) from error
    if not isinstance(document, dict):
        raise ParseError(Problem("unreadable", say("recording.no-json")))
    return from_json(document)


def _bad_line(path: Path, line: int, problem: Problem) -> Problem:
    key = "recording.no-json" if problem.message.key == "recording.no-json" else "recording.no-reading"
    message = say(key, **{**problem.message.params, "file": str(path), "line": line})
    return Problem(problem.code, message, file=str(path), line=line)
