"""Counter columns made fit for use: impossible values out, the two sides of a core weighed by their time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, known_or, largest, ratio
from npuscope.parsers.profile import PIPES
from npuscope.parsers.table import Strings, Table

SIDES = ("aic", "aiv")
RATIO_MAX = 1.05  # a share above it is a unit error or an overflow, not a share [CB]
SIDE_MIN = (
    0.2  # of a MIX row, the side with less of the other's time says nothing: its shares are extremes (own choice)
)
BROKEN_RATIO = 10.0  # a share this far over 1 and
BROKEN_TIMES = 100.0  # core time this many times the task's are no counts of this row: nothing beside them is, either
TIME_MAX = 1.5  # core time over task time: a wrong block count (static-graph attention: 343 us of a 39 us task)

# where a metric group splits a pipe, its parts: ArithmeticUtilization
PARTS = {
    "aic_mac": ("aic_mac_fp16_ratio", "aic_mac_int8_ratio", "aic_mac_fp_ratio", "aic_mac_int_ratio"),
    "aic_vec": ("aic_vec_fp32_ratio", "aic_vec_fp16_ratio", "aic_vec_int32_ratio", "aic_vec_misc_ratio"),
    "aiv_vec": ("aiv_vec_fp32_ratio", "aiv_vec_fp16_ratio", "aiv_vec_int32_ratio", "aiv_vec_misc_ratio"),
}


@dataclass(frozen=True)
class Counters:
    """Per row: pipe shares 0..1 of the sides that count, their times in us, and what was wrong with them.

    `pipes` by "<side>_<pipe>"; NaN = not sampled, impossible, or of a side that does not count.
    `names` tells which column a pipe was read from.
    """

    pipes: Mapping[str, Floats]
    names: Mapping[str, str]
    aic_us: Floats
    aiv_us: Floats
    aic_on: Bools
    aiv_on: Bools
    flagged: Bools
    broken: Bools
    sampled: Bools

    def get(self, pipe: str) -> Floats:
        """The share of one pipe; all NaN when it was not collected."""
        found = self.pipes.get(pipe)
        return np.full(len(self.flagged), np.nan, dtype=np.float32) if found is None else found


def stems(table: Table) -> list[str]:
    """The pipes, "<side>_<pipe>", of which the table has a share or its parts."""
    every = (f"{side}_{pipe}" for side in SIDES for pipe in PIPES)
    return [stem for stem in every if any(_numeric(table, name) for name in (f"{stem}_ratio", *PARTS.get(stem, ())))]


def share(table: Table, stem: str) -> Floats:
    """The shares of one pipe of `stems`, impossible ones unknown, whatever side counts."""
    column = _column(table, stem)
    return column[1] if column is not None else np.full(len(table), np.nan)


def read(table: Table) -> Counters:
    """The counters of an operator table."""
    flagged = np.zeros(len(table), dtype=bool)
    pipes: dict[str, Floats] = {}
    names: dict[str, str] = {}
    for side in SIDES:
        for pipe in PIPES:
            stem = f"{side}_{pipe}"
            column = _column(table, stem)
            if column is None:
                continue
            names[stem], values, impossible = column
            pipes[stem] = values
            flagged |= impossible
    aic_us, aiv_us = _time(table, "aic_time_us"), _time(table, "aiv_time_us")
    aic_on, aiv_on = _sides(pipes, aic_us, aiv_us, len(table))
    for stem, values in pipes.items():
        pipes[stem] = np.where(aic_on if stem.startswith("aic") else aiv_on, values, np.float32(np.nan))
    any_pipe = largest(list(pipes.values())) if pipes else np.full(len(table), np.nan)
    broken = _broken(table, names, aic_us, aiv_us)
    flagged |= broken
    return Counters(pipes, names, aic_us, aiv_us, aic_on, aiv_on, flagged, broken, (any_pipe > 0) | flagged)


def _broken(table: Table, names: Mapping[str, str], aic_us: Floats, aiv_us: Floats) -> Bools:
    """Rows whose counters are garbage: not one of their numbers is believed."""
    core_us, duration = np.fmax(aic_us, aiv_us), table.numbers("duration_us")
    found: Bools = core_us > BROKEN_TIMES * np.where(duration > 0, duration, np.inf)
    for name in names.values():
        if _numeric(table, name):
            values = table.numbers(name)
            found |= (values > BROKEN_RATIO) & np.isfinite(values)
    return found


def _column(table: Table, stem: str) -> tuple[str, Floats, Bools] | None:
    name = f"{stem}_ratio"
    if _numeric(table, name):
        values, impossible = _share(table.numbers(name))
        timed = _from_time(table, stem) if np.isnan(values).any() else None
        return (name, values, impossible) if timed is None else (name, *_filled(values, impossible, timed))
    parts = [part for part in PARTS.get(stem, ()) if _numeric(table, part)]
    if not parts:
        return _from_time(table, stem)
    read_parts = [_share(table.numbers(part)) for part in parts]
    total = np.sum([known_or(values, 0) for values, _ in read_parts], axis=0, dtype=np.float32)
    unknown = np.all([np.isnan(values) for values, _ in read_parts], axis=0)
    total = np.where(unknown, np.float32(np.nan), np.minimum(total, np.float32(1)))
    return parts[0], total, np.any([bad for _, bad in read_parts], axis=0)


def _filled(values: Floats, impossible: Bools, timed: tuple[str, Floats, Bools]) -> tuple[Floats, Bools]:
    """Shares with those of the times where a row has no share printed."""
    missing = np.isnan(values) & ~impossible
    return np.where(missing, timed[1], values).astype(values.dtype), impossible | (missing & timed[2])


def _from_time(table: Table, stem: str) -> tuple[str, Floats, Bools] | None:
    """A pipe's time over its side's; over the whole task where that is unknown, which can only be less."""
    name = f"{stem}_time_us"
    if not _numeric(table, name):
        return None
    side = _time(table, f"{stem[:3]}_time_us")
    values, impossible = _share(ratio(table.numbers(name), np.where(side > 0, side, table.numbers("duration_us"))))
    return f"{stem}_ratio", values, impossible


def _numeric(table: Table, name: str) -> bool:
    return name in table and not isinstance(table.columns[name], Strings)


def _share(values: Floats) -> tuple[Floats, Bools]:
    """Shares with the impossible ones unknown, and which those were."""
    fits = (values >= 0) & (values <= RATIO_MAX)
    impossible = ~fits & ~np.isnan(values)
    return np.where(fits, np.minimum(values, values.dtype.type(1)), values.dtype.type(np.nan)), impossible


def _time(table: Table, name: str) -> Floats:
    """Core time in us; unknown where it was not sampled, or lost with the block count. 0 = this side did not work."""
    values = table.numbers(name)
    lost = (values == 0) & (table.numbers(name.replace("_time_us", "_total_cycles")) > 0)
    return np.where((values >= 0) & np.isfinite(values) & ~lost, values, np.nan)


def _sides(pipes: Mapping[str, Floats], aic_us: Floats, aiv_us: Floats, rows: int) -> tuple[Bools, Bools]:
    on = []
    for side, own, other in (("aic", aic_us, aiv_us), ("aiv", aiv_us, aic_us)):
        shares = [values for stem, values in pipes.items() if stem.startswith(side)]
        works = (largest(shares) > 0) if shares else np.zeros(rows, dtype=bool)
        by_time = (own > 0) & ~(own < SIDE_MIN * other)
        on.append(np.where(np.isnan(own), works, by_time))
    return on[0].astype(bool), on[1].astype(bool)
