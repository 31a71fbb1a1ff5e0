"""Readings over time, per chip: a bounded ring of numbers, resampled for plots and asked by the hints."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat, takewhile
from statistics import median

from npuscope.parsers.readings import Chip, ChipKey, Reading

FIELDS = ("aicore", "hbm", "power", "temp")
# an hour and a bit at one reading a second: 16 chips take 2.2 MB
CAPACITY = 4000
# a reading stands for the time until the next; longer than this many usual periods and something is missing
GAP_PERIODS = 2.5
BEFORE_S = 60.0
# a table with one of these ends before its last chip: what it does not list is not gone
INCOMPLETE = frozenset(("truncated", "timeout"))

_GETTERS: Mapping[str, Callable[[Chip], float | None]] = {
    "aicore": lambda chip: chip.aicore_pct,
    "hbm": lambda chip: used_mb(chip),
    "power": lambda chip: chip.power_w,
    "temp": lambda chip: chip.temp_c,
}


def used_mb(chip: Chip) -> int | None:
    """Device memory in use, in MiB: HBM, or DDR on chips without HBM."""
    return chip.memory_used_mb if chip.hbm_total_mb is None else chip.hbm_used_mb


def total_mb(chip: Chip) -> int | None:
    """Device memory there is, in MiB: HBM, or DDR on chips without HBM."""
    return chip.memory_total_mb if chip.hbm_total_mb is None else chip.hbm_total_mb


def is_whole(reading: Reading) -> bool:
    """Whether the table lists all there is: it has chips and was not cut."""
    return bool(reading.chips) and not any(problem.code in INCOMPLETE for problem in reading.problems)


class Ring:
    """The last numbers of one kind, oldest first; NaN = not known then."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._values = array("d")
        self._start = 0

    def __len__(self) -> int:
        return len(self._values)

    def append(self, value: float) -> None:
        """Add one, and drop the oldest when full."""
        if len(self._values) < self._capacity:
            self._values.append(value)
        else:
            self._values[self._start] = value
            self._start = (self._start + 1) % self._capacity

    def at(self, back: int) -> float:
        """The value `back` readings ago; 0 = the last one."""
        return self._values[(self._start - 1 - back) % len(self._values)]

    def newest_first(self) -> Iterator[float]:
        """All of them, the last one first."""
        values, start = self._values, self._start
        yield from reversed(values[:start])
        yield from reversed(values[start:])


@dataclass(frozen=True)
class Stop:
    """AI Core went to 0 at this Unix time; `before` = the most percent within BEFORE_S ahead of it, or None.

    None where nothing was read then, and where most readings were 0 already: such a load pauses of its own.
    """

    at: float
    before: float | None


class History:
    """What was read, newest last. A clock that jumps back begins a new history."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._latest: Reading | None = None
        self._clear()

    def _clear(self) -> None:
        self._times = Ring(self._capacity)
        self._whole = Ring(self._capacity)
        self._values: dict[ChipKey, dict[str, Ring]] = {}
        self._stops: dict[ChipKey, Stop] = {}
        self._gone: dict[ChipKey, float] = {}

    def __len__(self) -> int:
        return len(self._times)

    @property
    def latest(self) -> Reading | None:
        """The last reading, whole or not."""
        return self._latest

    @property
    def chips(self) -> tuple[ChipKey, ...]:
        """Every chip ever read, in the order of its first appearance."""
        return tuple(self._values)

    def append(self, reading: Reading) -> None:
        """Take in a reading; chips it does not list have a gap there."""
        if len(self) and reading.taken_at < self._times.at(0):
            self._clear()
        self._latest = reading
        found = {chip.key: chip for chip in reading.chips}
        for key in found:
            if key not in self._values:
                self._values[key] = {field: self._empty() for field in FIELDS}
        self._times.append(reading.taken_at)
        self._whole.append(float(is_whole(reading)))
        for key, rings in self._values.items():
            chip = found.get(key)
            for field, ring in rings.items():
                value = None if chip is None else _GETTERS[field](chip)
                ring.append(math.nan if value is None else float(value))
            self._note_stop(key, None if chip is None else chip.aicore_pct)
            if chip is not None:
                self._gone.pop(key, None)
            elif is_whole(reading):
                self._gone.setdefault(key, reading.taken_at)

    def _note_stop(self, key: ChipKey, aicore: float | None) -> None:
        if aicore != 0:
            self._stops.pop(key, None)
        elif key not in self._stops:
            at = self._times.at(0)
            known = [v for _, v in self.samples(key, "aicore", BEFORE_S, at - 1e-6) if v is not None]
            worked = sum(value > 0 for value in known)
            self._stops[key] = Stop(at, max(known) if 2 * worked > len(known) else None)

    def stop(self, key: ChipKey) -> Stop | None:
        """When the AI Core went to 0, if it is 0 now and was in every reading since."""
        return self._stops.get(key)

    @property
    def gone(self) -> Mapping[ChipKey, float]:
        """Chips that whole tables no longer list, and the Unix time of the first table without them."""
        return self._gone

    def _empty(self) -> Ring:
        ring = Ring(self._capacity)
        for _ in range(len(self)):
            ring.append(math.nan)
        return ring

    def samples(self, key: ChipKey, field: str, seconds: float, now: float) -> list[tuple[float, float | None]]:
        """(time, value) of the readings in the last `seconds` before `now`, oldest first; None = not known then."""
        ring = self._values.get(key, {}).get(field)
        found: list[tuple[float, float | None]] = []
        for at, value in zip(self._times.newest_first(), repeat(math.nan) if ring is None else ring.newest_first()):
            if at < now - seconds:
                break
            if at <= now:
                found.append((at, None if math.isnan(value) else value))
        return found[::-1]

    def whole_samples(self, key: ChipKey, field: str, seconds: float, now: float) -> list[tuple[float, float | None]]:
        """Like `samples`, but of whole tables only: a mean over chips must not be that of the few a cut one lists."""
        samples = self.samples(key, field, seconds, now)
        later = sum(1 for _ in takewhile(lambda back: self._times.at(back) > now, range(len(self))))
        backs = range(later + len(samples) - 1, later - 1, -1)
        return [sample for sample, back in zip(samples, backs) if self._whole.at(back)]

    def series(self, key: ChipKey, field: str, seconds: float, cells: int, now: float) -> list[float | None]:
        """`cells` means over the last `seconds` before `now`, oldest first; field = one of FIELDS.

        A reading holds until the next one, so readings slower than cells draw a line and not dots; where a reading
        is missing or did not know the chip there is None, which is a gap and not 0.
        """
        width = seconds / cells
        samples = self.samples(key, field, seconds + self.period() * GAP_PERIODS, now)
        sums, counts = [0.0] * cells, [0] * cells
        for at, value in samples:
            cell = math.floor((at - (now - seconds)) / width)
            if value is not None and 0 <= cell <= cells:
                sums[min(cell, cells - 1)] += value
                counts[min(cell, cells - 1)] += 1
        held = self._held(samples, now - seconds, width, cells)
        return [total / count if count else hold for total, count, hold in zip(sums, counts, held)]

    def _held(
        self, samples: Sequence[tuple[float, float | None]], begin: float, width: float, cells: int
    ) -> list[float | None]:
        """The value that the reading before each cell still stands for."""
        longest = max(self.period() * GAP_PERIODS, width)
        found: list[float | None] = [None] * cells
        index = -1
        for cell in range(cells):
            middle = begin + (cell + 0.5) * width
            while index + 1 < len(samples) and samples[index + 1][0] <= middle:
                index += 1
            if index >= 0 and middle - samples[index][0] <= longest:
                found[cell] = samples[index][1]
        return found

    def period(self, last: int = 30) -> float:
        """Usual seconds between readings, over the last ones; 0 before there are two."""
        times = [self._times.at(back) for back in range(min(last, len(self)))]
        return median(a - b for a, b in zip(times, times[1:])) if len(times) > 1 else 0.0

    def since(self, key: ChipKey, field: str, holds: Callable[[float], bool], limit_s: float) -> float | None:
        """Unix time of the first reading of the unbroken run, up to the last one, whose values all hold.

        None when the last value does not hold or is unknown; an unknown value or a gap ends the run. Looks back
        `limit_s` and one reading further, so that a run that lasts so long is seen to do so.
        """
        ring = self._values.get(key, {}).get(field)
        longest = self.period() * GAP_PERIODS
        first: float | None = None
        for back in range(len(self) if ring is not None else 0):
            at, value = self._times.at(back), ring.at(back) if ring is not None else math.nan
            if math.isnan(value) or not holds(value) or (first is not None and first - at > longest):
                break
            first = at
            if self._times.at(0) - at >= limit_s:
                break
        return first

    def mean(self, key: ChipKey, field: str, begin: float, end: float) -> float | None:
        """Mean of the known values of readings from `begin` to `end`, both within; None when there is none."""
        values = [v for at, v in self.samples(key, field, end - begin, end) if v is not None and at >= begin]
        return sum(values) / len(values) if values else None
