"""Histories cut into bins of absolute time: what is drawn of a bin changes only while the bin is the present one."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import Optional, Protocol

from npuscope.analysis.live.history import GAP_PERIODS
from npuscope.parsers.readings import ChipKey
from npuscope.tui.glyphs import Glyphs
from npuscope.tui.paint import Part

Value = Optional[float]
FIELD = "aicore"


class HistoryLike(Protocol):
    """History, as far as bins need it."""

    def samples(self, key: ChipKey, field: str, seconds: float, now: float) -> list[tuple[float, float | None]]:
        """(time, value) of the readings in the last `seconds` before `now`, oldest first."""

    def whole_samples(self, key: ChipKey, field: str, seconds: float, now: float) -> list[tuple[float, float | None]]:
        """The same without tables that were cut."""

    def period(self) -> float:
        """Usual seconds between readings."""


class Bins:
    """`count` bins of `width_s` seconds per chip, the last one open. Closed bins are computed once and kept."""

    def __init__(self, width_s: float, count: int, whole: bool = False) -> None:
        self.width_s = width_s
        self.whole = whole  # take in whole tables only
        self.count = count
        self.current = 0
        self.serial = 0  # another number whenever a closed bin may differ
        self._history: HistoryLike | None = None
        self._closed: dict[ChipKey, list[Value]] = {}
        self._open: dict[ChipKey, Value] = {}

    def update(self, history: HistoryLike, keys: Collection[ChipKey], now: float) -> None:
        """Bring the bins up to `now` (Unix seconds)."""
        current = math.floor(now / self.width_s)
        new = current - self.current
        if not 0 <= new < self.count or history is not self._history:
            self._closed.clear()
        if new or not self._closed:
            self.serial += 1
        self.current, self._history = current, history
        # what comes back after a while must not lie beside bins of another time
        self._closed = {key: kept for key, kept in self._closed.items() if key in keys}
        hold_s = history.period() * GAP_PERIODS
        for key in keys:
            kept = self._closed.get(key)
            missing = new if kept is not None else self.count - 1
            found = self._bins(history, key, current - missing, missing + 1, hold_s)
            self._closed[key] = [*(kept or ()), *found[:-1]][1 - self.count :] if self.count > 1 else []
            self._open[key] = found[-1]

    def _bins(self, history: HistoryLike, key: ChipKey, first: int, count: int, hold_s: float) -> list[Value]:
        """Means of `count` bins from the one numbered `first` on. A bin without a reading takes the one before it,
        where readings are further apart than bins; longer than `hold_s` it does not stand for anything."""
        begin, width = first * self.width_s, self.width_s
        ask = history.whole_samples if self.whole else history.samples
        samples = ask(key, FIELD, count * width + hold_s, begin + count * width)
        values: list[list[Value]] = [[] for _ in range(count)]
        for at, value in samples:
            index = math.floor((at - begin) / width)
            if 0 <= index < count:
                values[index].append(value)
        return [
            mean(known) if known else held(samples, begin + (index + 0.5) * width, hold_s)
            for index, known in enumerate(values)
        ]

    def closed(self, key: ChipKey) -> Sequence[Value]:
        """The bins before the present one, oldest first; None = no reading."""
        return self._closed.get(key) or [None] * (self.count - 1)

    def open(self, key: ChipKey) -> Value:
        """The present bin so far."""
        return self._open.get(key)

    def begin(self, index: int) -> float:
        """Unix time at which the bin of that index (0 = oldest) begins."""
        return (self.current - self.count + 1 + index) * self.width_s


class MeanBins:
    """The mean over the chips, closed bins only: a plot of several rows is sent once per bin and not every second."""

    def __init__(self, width_s: float, count: int) -> None:
        self.bins = Bins(width_s, count + 1, whole=True)
        self.values: Sequence[Value] = ()
        self._state: tuple[int, tuple[ChipKey, ...]] = (-1, ())

    def update(self, history: HistoryLike, keys: Sequence[ChipKey], now: float) -> None:
        """Bring the plot up to `now`; nothing is computed while the present bin is the same."""
        state = (math.floor(now / self.bins.width_s), tuple(keys))
        if state == self._state:
            return
        self._state = state
        self.bins.update(history, keys, now)
        self.values = [mean(column) for column in zip(*(self.bins.closed(key) for key in keys))]

    def position(self, at: float) -> int | None:
        """The bin a moment falls into, or None when it is not on the plot."""
        index = math.floor((at - self.bins.begin(0)) / self.bins.width_s)
        return index if 0 <= index < self.bins.count - 1 else None


def held(samples: Sequence[tuple[float, Value]], at: float, hold_s: float) -> Value:
    """The value of the last reading before `at`, unless it is older than `hold_s`."""
    before = next(((when, value) for when, value in reversed(samples) if when <= at), None)
    return before[1] if before is not None and at - before[0] <= hold_s else None


def mean(values: Iterable[Value]) -> Value:
    """Mean of what is known; None when nothing is."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def level(pct: float, levels: int) -> int:
    """0 for nothing, else 1..levels: anything above 0 shows."""
    return 0 if pct < 0.5 else max(1, min(levels, math.ceil(pct * levels / 100 - 1e-9)))


def cells(values: Iterable[Value], glyphs: Glyphs) -> list[Part]:
    """One row of history as texts with tokens: the lowest sign is 0 alone, in any colour; no reading is blank."""
    parts: list[Part] = []
    for value in values:
        if value is None:
            sign, token = " ", "hist"  # blank either way: no change of colour for it on the wire
        else:
            height = level(value, len(glyphs.levels) - 1)
            sign, token = glyphs.levels[height], "hist" if height else "faint"
        if parts and (parts[-1][1] == token):
            parts[-1] = (parts[-1][0] + sign, token)
        else:
            parts.append((sign, token))
    return parts


def plot_rows(values: Sequence[Value], rows: int, cells_per_bin: int, blocks: str) -> list[list[Part]]:
    """Several rows of a plot, top to bottom; `blocks` are the signs of 0 to a full cell."""
    steps = len(blocks) - 1
    heights = [None if value is None else level(value, rows * steps) for value in values]
    lines: list[list[Part]] = []
    for row in range(rows):
        below = (rows - 1 - row) * steps
        line: list[Part] = []
        for height in heights:
            if height == 0 and below == 0:
                sign, token = blocks[1], "faint"
            else:
                sign, token = blocks[max(0, min(steps, (height or 0) - below))], "hist"
            text = sign * cells_per_bin
            if line and line[-1][1] == token:
                line[-1] = (line[-1][0] + text, token)
            else:
                line.append((text, token))
        lines.append(line)
    return lines
