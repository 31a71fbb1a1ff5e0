"""What the rules look at: the counters, bounds and gaps of every row as arrays, unknown = NaN."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, TypeVar

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, largest, ratio
from npuscope.analysis.thresholds import Thresholds
from npuscope.analysis.work.bounds import Bounds, WorkArrays

Found = TypeVar("Found")

FLOPS_PER_BYTE = 500.0  # above the ridge of every part in the table (184 on 910B3, 480 on 310P)
FEW_FLOPS_PER_BYTE = 50.0  # below the ridge of every cube


@dataclass(frozen=True)
class Derived:
    """One value per row. Times in us; shares 0..1 of the time of the side of the core that counts; NaN = unknown.

    D = duration, W = idle of the whole device right before the row, T = core time (last wave included).
    `move_cube` and `move_vector` leave fixpipe out: waiting fills it too. `bw_eff` = share of HBM peak for the cores in
    use, head cost off, `movers` = shares of the movement pipes that were sampled together. Of other metric groups:
    `usage` of the route's bandwidth, `active` = share of HBM peak if every core moved as fast as these do while they
    move, `packets` = bytes an instruction by pipe, `hit` = L2 read hits, `traffic` = bytes seen at the memory, `waits`,
    `queues`, `conflicts` and `mixtures` (shares of number types) by column, `simt` = share of SIMT functions,
    `spread` = (max - min) / max of the blocks' times, `memory_bound` = the vendor's own figure, `counted_flops` =
    operations of the cube as counted.
    """

    t: Thresholds
    D: Floats
    W: Floats
    waited: Bools
    Ta: Floats
    Tv: Floats
    T: Floats
    pipes: Mapping[str, Floats]
    names: Mapping[str, str]
    cube: Floats
    vec: Floats
    move_cube: Floats
    move_vector: Floats
    fixpipe: Floats
    mte1: Floats
    scalar: Floats
    pmax: Floats
    serial_sum: Floats
    sum3: Floats
    vector_side: Bools
    mix: Bools
    sampled: Bools
    complete: Bools
    flagged: Bools
    broken: Bools
    movers: Floats
    no_mte: Bools
    vec_may_move: Bools
    bounds: Bounds
    bw_eff: Floats
    usage: Floats
    active: Floats
    packets: Mapping[str, Floats]
    hit: Floats
    traffic: Floats
    conflicts: Mapping[str, Floats]
    waits: Mapping[str, Floats]
    queues: Mapping[str, Floats]
    mixtures: Mapping[str, Floats]
    icache: Floats
    simt: Floats
    spread: Floats
    memory_bound: Floats
    counted_flops: Floats
    block: Floats
    cores: Floats
    occupancy: Floats
    work: WorkArrays
    a2: bool
    memo: dict[str, Any] = field(default_factory=dict, init=False, compare=False)

    def take(self, rows: Ints) -> Derived:
        """The same of other rows."""
        taken: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                taken[name] = value[rows]
            elif isinstance(value, (Bounds, WorkArrays)):
                taken[name] = value.take(rows)
            elif isinstance(value, dict) and name not in ("names", "memo"):
                taken[name] = {key: values[rows] for key, values in value.items()}
        return dataclasses.replace(self, **taken)

    @cached_property
    def bytes(self) -> Floats:
        """Bytes one call must move."""
        return np.where(self.bounds.lower, self.work.bytes_least, self.work.bytes)

    @cached_property
    def flops(self) -> Floats:
        """Operations one call must do."""
        return np.where(self.bounds.lower, self.work.flops_least, self.work.flops)

    @property
    def bw_frac(self) -> Floats:
        """Share of HBM peak its bytes needed; above 1 they came from L2."""
        return self.bounds.bw_frac

    @property
    def fl_frac(self) -> Floats:
        """Share of its unit's peak its operations needed."""
        return self.bounds.fl_frac

    @cached_property
    def outside(self) -> Floats:
        """Time of the task that its mean core time does not cover."""
        outside: Floats = np.maximum(self.D - self.T, 0)
        return outside

    @cached_property
    def core_share(self) -> Floats:
        """Blocks over cores, at most 1."""
        return np.minimum(ratio(self.block, self.cores), 1.0)

    @cached_property
    def more_blocks(self) -> Floats:
        """Blocks beyond the cores."""
        more: Floats = np.maximum(self.block - self.cores, 0)
        return more

    @cached_property
    def move(self) -> Floats:
        """The busiest movement pipe."""
        return np.fmax(self.move_cube, self.move_vector)

    @cached_property
    def intensity(self) -> Floats:
        """Operations per byte."""
        return ratio(self.flops, self.bytes)

    @cached_property
    def fl_side(self) -> Bools:
        """Rows whose operations need longer than their bytes; without a chip, by operations per byte."""
        return self._by_chip(self.bounds.unit_us > self.bounds.hbm_us, self.intensity > FLOPS_PER_BYTE)

    @cached_property
    def bw_side(self) -> Bools:
        """Rows whose bytes need longer than their operations, likewise."""
        return self._by_chip(self.bounds.hbm_us >= self.bounds.unit_us, self.intensity < FEW_FLOPS_PER_BYTE)

    def _by_chip(self, told: Bools, by_intensity: Bools) -> Bools:
        unknown = np.isnan(self.bounds.unit_us) | np.isnan(self.bounds.hbm_us)
        return np.where(unknown, by_intensity, told)

    @cached_property
    def conflict(self) -> Floats:
        """The largest conflict ratio."""
        return self.most(self.conflicts)

    @cached_property
    def wait(self) -> Floats:
        """The largest share of waiting of any pipe."""
        return self.most(self.waits)

    @cached_property
    def queue(self) -> Floats:
        """The largest share of a full instruction queue."""
        return self.most(self.queues)

    def most(self, columns: Mapping[str, Floats]) -> Floats:
        """The largest known value of several columns; NaN where none is known."""
        return largest(list(columns.values())) if columns else np.full(len(self.D), np.nan)


def once(rule: Callable[[Derived], Found]) -> Callable[[Derived], Found]:
    """A function of the derived quantities that several rules ask: computed once for each of them."""
    name = f"{rule.__module__}.{rule.__qualname__}"

    @wraps(rule)
    def asked(d: Derived) -> Found:
        if name not in d.memo:
            d.memo[name] = rule(d)
        found: Found = d.memo[name]
        return found

    return asked
