"""How the blocks of an operator lie on the chip's cores."""

from __future__ import annotations

import numpy as np

from npuscope.analysis.arrays import Floats, ratio
from npuscope.analysis.chips import Chip
from npuscope.parsers.table import Table

VECTOR_CORES = ("AI_VECTOR_CORE", "MIX_AIV", "AIVECTOR", "AIV", "vector")


def waves(ops: Table, chip: Chip | None) -> Floats:
    """How often the cores are filled to run all blocks of each row; NaN where blocks or cores are not known."""
    block = ops.numbers("block_dim").astype(np.float64)
    cube, vector = (float(count or np.nan) if chip else np.nan for count in _cores(chip))
    cores = np.where(ops.strings("core").mask(VECTOR_CORES), vector, cube)
    return np.ceil(ratio(np.where(block > 0, block, np.nan), cores))


def _cores(chip: Chip | None) -> tuple[int | None, int | None]:
    return (chip.cube_cores, chip.vector_cores) if chip is not None else (None, None)
