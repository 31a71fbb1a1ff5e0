"""The least time each operator can take: by bytes over the memory's bandwidth, by operations over the unit's peak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, known_or, ratio
from npuscope.analysis.chips import Chip
from npuscope.analysis.work import Work

UNITS = ("", "cube_fp16", "cube_int8", "vector_fp16", "vector_fp32")
KINDS = ("hbm", "cube", "vector")
IMPOSSIBLE = 0.95  # faster than 0.95 of the L2 time or of the unit's peak time: the estimate is wrong, not the chip
L2_OVER_HBM = 4.0  # where the L2 rate is unknown: no part in the table has a larger ratio


@dataclass(frozen=True)
class WorkArrays:
    """`Work` of each row as arrays. bytes, flops NaN = unknown; unit = index into UNITS."""

    bytes: Floats
    flops: Floats
    unit: Ints
    matmul: Bools
    moves_only: Bools
    ragged: Bools
    off_tile: Bools
    consistent: Bools

    def take(self, rows: Ints) -> WorkArrays:
        """The same of other rows."""
        return WorkArrays(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def arrays(works: Sequence[Work], moves_only: frozenset[str]) -> WorkArrays:
    """Works under each other."""
    return WorkArrays(
        bytes=np.array([np.nan if work.bytes is None else work.bytes for work in works], dtype=np.float64),
        flops=np.array([np.nan if work.flops is None else work.flops for work in works], dtype=np.float64),
        unit=np.array([UNITS.index(work.unit) for work in works], dtype=np.int8),
        matmul=np.array([work.family == "matmul" for work in works], dtype=bool),
        moves_only=np.array([work.family in moves_only for work in works], dtype=bool),
        ragged=np.array([work.ragged for work in works], dtype=bool),
        off_tile=np.array([work.off_tile for work in works], dtype=bool),
        consistent=np.array([work.consistent for work in works], dtype=bool),
    )


@dataclass(frozen=True)
class Bounds:
    """Per row, in us: time the bytes need from HBM and from L2, the operations from their unit; the larger of HBM and
    unit is the lower bound. NaN = unknown. kind = index into KINDS, -1 unknown. `invalid`: the row was faster than the
    chip can be (another chip, sparse or in-place work), its estimate is dropped. `by_cube`: `unit_us` is of the cube.
    Faster than HBM alone is legal: the data was in L2.
    """

    hbm_us: Floats
    l2_us: Floats
    unit_us: Floats
    by_cube: Bools
    bound_us: Floats
    kind: Ints
    bw_frac: Floats
    fl_frac: Floats
    invalid: Bools

    def take(self, rows: Ints) -> Bounds:
        """The same of other rows."""
        return Bounds(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def bounds(work: WorkArrays, duration_us: Floats, chip: Chip | None, hbm_gbps: float | None) -> Bounds:
    """Lower bounds of rows that took `duration_us`; hbm_gbps overrides the chip's (10^9 bytes/s)."""
    bandwidth = hbm_gbps or (chip.hbm_gbps if chip else None)
    hbm_us = _over(work.bytes, bandwidth, 1e3)
    l2_us = _over(work.bytes, chip.l2_gbps if chip else None, 1e3)
    unit_us = work.flops / (_peaks(chip)[work.unit] * 1e6)
    fastest = np.where(np.isnan(l2_us), hbm_us / L2_OVER_HBM, l2_us)
    with np.errstate(invalid="ignore"):
        bad_bytes, bad_flops = duration_us < IMPOSSIBLE * fastest, duration_us < IMPOSSIBLE * unit_us
    hbm_us, l2_us = np.where(bad_bytes, np.nan, hbm_us), np.where(bad_bytes, np.nan, l2_us)
    unit_us = np.where(bad_flops, np.nan, unit_us)
    bound_us = np.fmax(hbm_us, unit_us)
    bound_us = np.where((bound_us > 0) & (duration_us > 0) & ~(bad_bytes | bad_flops), bound_us, np.nan)
    by_cube = work.unit < UNITS.index("vector_fp16")
    by_unit = known_or(unit_us, 0) > known_or(hbm_us, 0)
    kind = np.where(by_unit, np.where(by_cube, 1, 2), 0)
    return Bounds(
        hbm_us,
        l2_us,
        unit_us,
        by_cube,
        bound_us,
        np.where(np.isnan(bound_us), -1, kind).astype(np.int8),
        ratio(hbm_us, duration_us),
        ratio(unit_us, duration_us),
        bad_bytes | bad_flops,
    )


def _over(amount: Floats, rate: float | None, scale: float) -> Floats:
    return amount / (rate * scale) if rate else np.full(len(amount), np.nan)


def _peaks(chip: Chip | None) -> Floats:
    """The peak of each of UNITS in 10^12/s; NaN = unknown."""
    values = [
        getattr(chip, f"{unit}_tops" if unit.endswith("int8") else f"{unit}_tflops") if chip and unit else None
        for unit in UNITS
    ]
    return np.array([np.nan if value is None else value for value in values])
