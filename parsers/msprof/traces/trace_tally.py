"""What a timeline holds, added up by lane and name while it is read: flat memory, whatever its size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.msprof.traces.timeline import STEP, Chunk, Names, Reading
from npuscope.parsers.msprof.traces.trace_events import Codes
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.progress import Progress, part_of
from npuscope.parsers.say import Problem
from npuscope.parsers.table import Strings, Table

_AT_FIRST = 1024
_NAMES = np.int64(1 << 32)
_LONGEST_US = 1e12  # eleven days: what is said to take longer ends at a time that is none
_SUMS = ("count", "first_ns", "last_ns", "total_us", "min_us", "max_us")


@dataclass(frozen=True)
class Tally:
    """The slices that have a start, of one trace or of all parts of one.

    `table` has a row for each name of a lane, in the order they were met:
        process thread name             text (where the file names no process or thread, its number)
        count first_ns last_ns          int64: how many, start of the first, end of the last
        total_us min_us max_us          float64; a slice without a duration counts as 0
    `frequency`: start_ns and freq_mhz of AI Core Freq, of as many chips as there are `clocks`. `phases`: how many
    events there are of each phase of the format (X slices, C counters, M names, s t f flows), without a start too.
    """

    table: Table
    frequency: Table
    phases: Mapping[str, int]
    clocks: int = 0
    problems: tuple[Problem, ...] = ()

    def steps(self) -> Table:
        """step, start_ns, duration_us of the marks ProfilerStep#N; of one that stands in several lanes the longest."""
        found: dict[int, tuple[int, float]] = {}
        rows = self.table
        first, us = rows.numbers("first_ns").tolist(), rows.numbers("max_us").tolist()
        for row, name in enumerate(rows.strings("name").tolist()):
            mark = STEP.fullmatch(name or "")
            if mark is not None:
                start, longest = found.get(int(mark.group(1)), (first[row], 0.0))
                found[int(mark.group(1))] = min(start, first[row]), max(longest, us[row])
        steps = sorted(found)
        return Table({
            "step": np.array(steps, dtype=np.int64),
            "start_ns": np.array([found[step][0] for step in steps], dtype=np.int64),
            "duration_us": np.array([found[step][1] for step in steps], dtype=np.float64),
        })  # fmt: skip

    def lanes(self) -> Table:
        """A row for each lane, that with most slices first: process thread count total_us max_us longest (the name of
        the longest slice) first_ns last_ns names (how many different ones).
        """
        rows = self.table
        keys = list(zip(rows.strings("process").codes.tolist(), rows.strings("thread").codes.tolist()))
        codes = Codes()
        group = np.array(codes.of(keys), dtype=np.int64)
        size = len(codes)
        most = rows.numbers("max_us")
        order = np.lexsort((-most, group))
        longest = order[np.flatnonzero(np.diff(group[order], prepend=-1))]
        count = np.bincount(group, rows.numbers("count"), size).astype(np.int64)
        first, last = np.full(size, np.iinfo(np.int64).max), np.full(size, UNKNOWN)
        np.minimum.at(first, group, rows.numbers("first_ns"))
        np.maximum.at(last, group, rows.numbers("last_ns"))
        found = Table({
            "process": rows.strings("process").take(longest),
            "thread": rows.strings("thread").take(longest),
            "count": count,
            "total_us": np.bincount(group, rows.numbers("total_us"), size),
            "max_us": most[longest],
            "longest": rows.strings("name").take(longest),
            "first_ns": first,
            "last_ns": last,
            "names": np.bincount(group, minlength=size).astype(np.int64),
        })  # fmt: skip
        return found.take(np.argsort(-count, kind="stable"))


def tally(paths: Sequence[str], progress: Progress | None = None) -> Tally:
    """Read a trace, or all parts of one, to the end. Raises ParseError."""
    lanes, texts, names = Codes(), Codes(), Names()
    phases: Counter[str] = Counter()
    sums = _Sums()
    problems: list[Problem] = []
    for number, path in enumerate(paths):
        reading = Reading(path, part_of(progress, number, len(paths)), lanes, texts)
        for chunk in reading:
            for mark in chunk.marks:
                names.add(mark)
            sums.add(chunk)
        phases.update(reading.phases)
        problems += reading.problems
    frequency = Table({
        "start_ns": np.array([at for at, _ in names.frequency], dtype=np.int64),
        "freq_mhz": np.array([mhz for _, mhz in names.frequency], dtype=np.float64),
    })  # fmt: skip
    return Tally(sums.table(names, tuple(lanes), tuple(texts)), frequency, phases, len(names.clocks), tuple(problems))


class _Sums:
    """A row for each lane and name met so far, in arrays that have room for more."""

    def __init__(self) -> None:
        self._keys = Codes()
        self._arrays = {name: _unused(name, _AT_FIRST) for name in _SUMS}

    def add(self, chunk: Chunk) -> None:
        """Count the slices that have a start."""
        known = np.flatnonzero(chunk.starts_ns != UNKNOWN)
        keys = chunk.lanes[known] * _NAMES + chunk.names[known]
        keys, group = np.unique(keys, return_inverse=True)
        group, size = group.reshape(-1), len(keys)
        rows = np.array(self._keys.of(keys.tolist()), dtype=np.int64)
        while len(self._keys) > len(self._arrays["count"]):
            self._arrays = {name: np.concatenate((a, _unused(name, len(a)))) for name, a in self._arrays.items()}
        start = chunk.starts_ns[known]
        us = np.maximum(np.nan_to_num(chunk.durations_us[known].astype(np.float64)), 0.0)
        end = start + np.rint(np.minimum(us, _LONGEST_US) * 1000).astype(np.int64)
        arrays = self._arrays
        arrays["count"][rows] += np.bincount(group, minlength=size)
        arrays["total_us"][rows] += np.bincount(group, us, size)
        for name, values, better in (
            ("first_ns", start, np.minimum),
            ("last_ns", end, np.maximum),
            ("min_us", us, np.minimum),
            ("max_us", us, np.maximum),
        ):
            found = arrays[name][rows]
            better.at(found, group, values)
            arrays[name][rows] = found

    def table(self, names: Names, pairs: tuple[Any, ...], texts: tuple[Any, ...]) -> Table:
        """What was counted, with the names of the lanes."""
        keys = np.array(list(self._keys), dtype=np.int64)
        lane, name = keys // _NAMES, keys % _NAMES
        lanes = names.lanes(pairs)
        processes = Strings.of(one.process or str(one.pid) for one in lanes)
        threads = Strings.of(one.thread or str(one.tid) for one in lanes)
        return Table({
            "process": processes.take(lane),
            "thread": threads.take(lane),
            "name": Strings(name.astype(np.int32), tuple(str(text) for text in texts)),
            **{column: array[: len(keys)] for column, array in self._arrays.items()},
        })  # fmt: skip


def _unused(name: str, size: int) -> NDArray[Any]:
    empty = {"first_ns": np.iinfo(np.int64).max, "last_ns": UNKNOWN, "min_us": np.inf}
    kind = np.int64 if name in ("count", "first_ns", "last_ns") else np.float64
    return np.full(size, empty.get(name, 0), dtype=kind)
