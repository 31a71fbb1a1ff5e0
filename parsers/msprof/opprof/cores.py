"""The cores of one launch: how long each block took on each core, and what its pipes did."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.profile import PIPES, UNKNOWN
from npuscope.parsers.table import Column, Numbers, Strings, Table

SIDES = ("aic", "aiv")
_BY_NAME = {"cube": "aic", "vector": "aiv"}

Floats = NDArray[np.float64]


def cores_of(metrics: Table, row: int) -> Table | None:
    """Profile.cores for one row of ops from a metric file; None where the file does not tell the blocks apart."""
    if "block" not in metrics or isinstance(metrics.columns["block"], Strings):
        return None
    times = {side: _floats(metrics, f"{side}_time_us") for side in SIDES}
    sides = _sides(metrics.strings("sub_block"), times)
    time_us = np.where(sides == 1, times["aiv"], times["aic"])
    rows = np.flatnonzero((metrics.numbers("block") != UNKNOWN) & (sides >= 0) & (time_us > 0) & np.isfinite(time_us))
    if not len(rows):
        return None
    columns: dict[str, Column] = {
        "op": np.full(len(rows), row, dtype=np.int64),
        "block": metrics.numbers("block")[rows],
        "sub_block": metrics.strings("sub_block").take(rows),
        "side": Strings(sides[rows].astype(np.int32), SIDES),
        "time_us": time_us[rows],
    }
    for pipe in PIPES:
        shares = [_shares(metrics, f"{side}_{pipe}", times[side]) for side in SIDES]
        share = np.where(sides == 1, shares[1], shares[0])[rows]
        if not np.isnan(share).all():
            columns[f"{pipe}_ratio"] = share
    return Table(columns)


def cores_by_time(blocks: Table, row: int) -> Table | None:
    """The same where only the cores' times are known: columns block, sub_block, time_us."""
    names = [(name or "").casefold() for name in blocks.strings("sub_block").tolist()]
    side = np.array([SIDES.index(_side(name) or "aic") for name in names], dtype=np.int64)
    time_us = blocks.numbers("time_us")
    metrics: dict[str, Column] = {
        "block": blocks.numbers("block"),
        "sub_block": blocks.strings("sub_block"),
        "aic_time_us": np.where(side == 0, time_us, np.nan),
        "aiv_time_us": np.where(side == 1, time_us, np.nan),
    }
    return cores_of(Table(metrics), row)


def spread(cores: Table) -> float:
    """(max - min) / max of the cores' times, on the side that worked longer; NaN for less than two."""
    time_us = max(_by_side(cores), key=lambda times: float(times.mean()) if len(times) else -1.0)
    if len(time_us) < 2:
        return math.nan
    longest = float(time_us.max())
    return (longest - float(time_us.min())) / longest


def blocks_measured(cores: Table) -> int:
    """How many blocks have a time."""
    return len(np.unique(cores.numbers("block")))


def _by_side(cores: Table) -> Iterator[Numbers]:
    side = cores.strings("side")
    for name in SIDES:
        yield cores.numbers("time_us")[side.mask((name,))]


def _floats(table: Table, name: str) -> Floats:
    return table.numbers(name).astype(np.float64)


def _side(name: str) -> str | None:
    return next((side for start, side in _BY_NAME.items() if name.startswith(start)), None)


def _sides(names: Strings, times: dict[str, Floats]) -> NDArray[np.int64]:
    """0 = aic, 1 = aiv, -1 = neither: by the core's name, else by the time that is there."""
    by_value = [_side(value.casefold()) for value in names.values]
    codes = np.array([*(-1 if side is None else SIDES.index(side) for side in by_value), -1], dtype=np.int64)
    named = codes[names.codes]
    by_time = np.where(~np.isnan(times["aic"]), 0, np.where(~np.isnan(times["aiv"]), 1, -1))
    return np.where(named >= 0, named, by_time)


def _shares(metrics: Table, stem: str, core_us: Floats) -> Floats:
    """A pipe's time over its core's: in MIX kernels the printed share has another base; as printed without a time."""
    printed, busy = _floats(metrics, f"{stem}_ratio"), _floats(metrics, f"{stem}_time_us")
    with np.errstate(divide="ignore", invalid="ignore"):
        share = busy / core_us
    return np.where(np.isfinite(share), share, printed)
