"""The least time each operator can take: by bytes over the memory's bandwidth, by operations over the unit's peak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, known_or, ratio
from npuscope.analysis.chips import Chip
from npuscope.analysis.work.workload import Work

UNITS = ("", "cube_fp16", "cube_int8", "vector_fp16", "vector_fp32")
KINDS = ("hbm", "cube", "vector", "start")
START_US = 1.0  # shortest kernels of public profiles: 0.99 us on 910A, 1.10 on 910B3, 1.18 on 910B2
IMPOSSIBLE = 0.95  # faster than 0.95 of the L2 time or of the unit's peak time: the estimate is wrong, not the chip
CUBE_MORE = 1.05  # operations that need this much longer than the cube was busy were not all done
FASTEST_L2_GBPS = 6480.0  # where the L2 rate is unknown: no part in the table has a faster one
LEAST_WHOLE = 0.5  # a causal mask halves the work; where the lower end is under that, it says next to nothing
TILED = ("matmul", "conv", "attention")  # read their tiles several times


@dataclass(frozen=True)
class WorkArrays:
    """`Work` of each row as arrays. bytes, flops NaN = unknown; *_least NaN = no range; unit = index into UNITS.
    `measured`: the bytes were counted at the memory, shapes do not tell them.
    """

    bytes: Floats
    flops: Floats
    bytes_least: Floats
    flops_least: Floats
    unit: Ints
    matmul: Bools
    tiled: Bools
    moves_only: Bools
    ragged: Bools
    off_tile: Bools
    consistent: Bools
    measured: Bools

    def take(self, rows: Ints) -> WorkArrays:
        """The same of other rows."""
        return WorkArrays(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def only(self, chosen: Bools) -> WorkArrays:
        """Without the amounts of the rows that are not chosen."""
        kept = [np.where(chosen, getattr(self, n), np.nan) for n in ("bytes", "flops", "bytes_least", "flops_least")]
        rest = [getattr(self, name) for name in list(self.__dataclass_fields__)[len(kept) :]]
        return WorkArrays(*kept, *rest)


def arrays(works: Sequence[Work], moves_only: frozenset[str]) -> WorkArrays:
    """Works under each other."""
    amounts = {
        name: np.array([_number(getattr(work, name)) for work in works], dtype=np.float64)
        for name in ("bytes", "flops", "bytes_least", "flops_least")
    }
    return WorkArrays(
        **amounts,
        unit=np.array([UNITS.index(work.unit) for work in works], dtype=np.int8),
        matmul=np.array([work.family == "matmul" for work in works], dtype=bool),
        tiled=np.array([work.family in TILED for work in works], dtype=bool),
        moves_only=np.array([work.family in moves_only for work in works], dtype=bool),
        ragged=np.array([work.ragged for work in works], dtype=bool),
        off_tile=np.array([work.off_tile for work in works], dtype=bool),
        consistent=np.array([work.consistent for work in works], dtype=bool),
        measured=np.zeros(len(works), dtype=bool),
    )


def _number(value: float | None) -> float:
    return np.nan if value is None else value


@dataclass(frozen=True)
class Bounds:
    """Per row, in us: time the bytes need from HBM and the operations from their unit; the larger is `work_us`, the
    bound of the work alone. `bound_us` is also at least START_US, which no task goes below; `kind` says which it is.

    NaN = unknown. kind = index into KINDS, -1 unknown. `invalid`: the row was faster than the chip can be (another
    chip, sparse or in-place work), its estimate is dropped. `by_cube`: `unit_us` is of the cube. Faster than HBM alone
    is legal: the data was in L2. Where the work is a range, the bound is of its upper end and `least_us` of its lower
    one; a row faster than the upper end is held against the lower one, and `lower` says so. Not `whole`: work of the
    cube whose operations, or their peak, are not known, or whose range begins at next to none: such a floor is far too
    low to save against.
    """

    hbm_us: Floats
    unit_us: Floats
    by_cube: Bools
    work_us: Floats
    bound_us: Floats
    least_us: Floats
    kind: Ints
    bw_frac: Floats
    fl_frac: Floats
    invalid: Bools
    lower: Bools
    whole: Bools

    def take(self, rows: Ints) -> Bounds:
        """The same of other rows."""
        return Bounds(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


@dataclass(frozen=True)
class Floors:
    """Times in us that amounts of work need: from HBM, at the fastest (from L2), and on their unit."""

    hbm_us: Floats
    fastest_us: Floats
    unit_us: Floats

    def beaten(self, duration_us: Floats) -> tuple[Bools, Bools]:
        """Rows faster than their bytes, and than their operations, can be."""
        with np.errstate(invalid="ignore"):
            return duration_us < IMPOSSIBLE * self.fastest_us, duration_us < IMPOSSIBLE * self.unit_us


def floors(moved: Floats, flops: Floats, unit: Ints, chip: Chip | None, hbm_gbps: float | None) -> Floors:
    """Of so many bytes and operations; hbm_gbps overrides the chip's (10^9 bytes/s)."""
    bandwidth = hbm_gbps or (chip.hbm_gbps if chip else None)
    l2_gbps = (chip.l2_gbps if chip else None) or (FASTEST_L2_GBPS if bandwidth else None)
    fastest = max(l2_gbps, bandwidth or 0.0) if l2_gbps else None
    return Floors(_over(moved, bandwidth), _over(moved, fastest), flops / (_peaks(chip)[unit] * 1e6))


def bounds(
    work: WorkArrays,
    duration_us: Floats,
    chip: Chip | None,
    hbm_gbps: float | None,
    cube_us: Floats | None = None,
) -> Bounds:
    """Lower bounds of rows that took `duration_us`; hbm_gbps overrides the chip's (10^9 bytes/s).

    cube_us: time the cube was busy, NaN = unknown; it decides between the ends of a range.
    """
    usual = floors(work.bytes, work.flops, work.unit, chip, hbm_gbps)
    bad_bytes, bad_flops = usual.beaten(duration_us)
    hbm_us, unit_us = usual.hbm_us, usual.unit_us
    ranged = ~np.isnan(work.bytes_least)
    less = unit_us > CUBE_MORE * cube_us if cube_us is not None else np.zeros(len(hbm_us), dtype=bool)
    lower = ranged & (bad_bytes | bad_flops | (less & (work.unit > 0)))
    least_us = np.full(len(hbm_us), np.nan)
    if ranged.any():
        least = floors(work.bytes_least, work.flops_least, work.unit, chip, hbm_gbps)
        least_bytes, least_flops = least.beaten(duration_us)
        hbm_us, unit_us = np.where(lower, least.hbm_us, hbm_us), np.where(lower, least.unit_us, unit_us)
        bad_bytes, bad_flops = np.where(lower, least_bytes, bad_bytes), np.where(lower, least_flops, bad_flops)
        least_us = np.where(ranged & ~lower, np.fmax(least.hbm_us, least.unit_us), np.nan)
    invalid = bad_bytes | bad_flops
    whole = ~(work.tiled & np.isnan(unit_us)) & ~(lower & (work.flops_least < LEAST_WHOLE * work.flops))
    hbm_us, unit_us = np.where(bad_bytes, np.nan, hbm_us), np.where(bad_flops, np.nan, unit_us)
    work_us = np.fmax(hbm_us, unit_us)
    work_us = np.where((work_us > 0) & (duration_us > 0) & ~invalid, work_us, np.nan)
    started = (work_us < START_US) & (duration_us >= START_US)
    bound_us = np.where(started, START_US, work_us)
    least_us = np.where(started, np.nan, np.minimum(np.maximum(least_us, START_US), bound_us))
    by_cube = work.unit < UNITS.index("vector_fp16")
    kind = np.where(known_or(unit_us, 0) > known_or(hbm_us, 0), np.where(by_cube, 1, 2), 0)
    kind = np.where(started, KINDS.index("start"), kind)
    return Bounds(
        hbm_us,
        unit_us,
        by_cube,
        work_us,
        bound_us,
        np.where(np.isnan(bound_us), np.nan, least_us),
        np.where(np.isnan(bound_us), -1, kind).astype(np.int8),
        ratio(hbm_us, duration_us),
        ratio(unit_us, duration_us),
        invalid,
        lower,
        whole,
    )


def _over(amount: Floats, rate: float | None) -> Floats:
    return amount / (rate * 1e3) if rate else np.full(len(amount), np.nan)


def _peaks(chip: Chip | None) -> Floats:
    """The peak of each of UNITS in 10^12/s; NaN = unknown."""
    values = [
        getattr(chip, f"{unit}_tops" if unit.endswith("int8") else f"{unit}_tflops") if chip and unit else None
        for unit in UNITS
    ]
    return np.array([np.nan if value is None else value for value in values])
