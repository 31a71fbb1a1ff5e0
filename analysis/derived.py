"""What the rules look at: the counters, bounds and gaps of every row as arrays, unknown = NaN."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any

import numpy as np

from npuscope.analysis import counters
from npuscope.analysis.arrays import Bools, Floats, Ints, known_or, largest, ratio
from npuscope.analysis.bounds import Bounds, WorkArrays
from npuscope.analysis.chips import Chip
from npuscope.analysis.counters import Counters
from npuscope.parsers.table import Table

UB_BYTES = 196_608  # unified buffer of one A2 vector core; less than this may never leave it
NO_MTE = 0.05  # all movement pipes together: the data did not go through them [DEV]
HEAD_US = 3.0  # fixed cost of one task: 2.7 to 2.9 us for a copy of one element on 910B [TRN]
VECTOR_CORES = ("AI_VECTOR_CORE", "MIX_AIV", "AIVECTOR", "AIV", "vector")
A2_FAMILIES = ("Ascend910B", "Ascend910_93")


@dataclass(frozen=True)
class Derived:
    """One value per row. Times in us; shares 0..1 of the time of the side of the core that counts; NaN = unknown.

    D = duration, W = idle of the whole device right before the row, T = core time (last wave included).
    `move` leaves fixpipe out: waiting fills it too. `bw_eff` = share of HBM peak for the cores in use, head cost off.
    """

    D: Floats
    W: Floats
    waited: Bools
    Ta: Floats
    Tv: Floats
    T: Floats
    outside: Floats
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
    no_mte: Bools
    bounds: Bounds
    bw_eff: Floats
    usage: Floats
    packet: Floats
    conflict: Floats
    wait: Floats
    icache: Floats
    block: Floats
    cores: Floats
    occupancy: Floats
    work: WorkArrays
    a2: bool
    memo: dict[str, Floats] = field(default_factory=dict, init=False, compare=False)

    def take(self, rows: Ints) -> Derived:
        """The same of other rows."""
        taken: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                taken[name] = value[rows]
            elif isinstance(value, (Bounds, WorkArrays)):
                taken[name] = value.take(rows)
        pipes = {stem: values[rows] for stem, values in self.pipes.items()}
        return dataclasses.replace(self, **taken, pipes=pipes)

    @property
    def bytes(self) -> Floats:
        """Bytes one call must move."""
        return self.work.bytes

    @property
    def flops(self) -> Floats:
        """Operations one call must do."""
        return self.work.flops

    @property
    def bw_frac(self) -> Floats:
        """Share of HBM peak its bytes needed; above 1 they came from L2."""
        return self.bounds.bw_frac

    @property
    def fl_frac(self) -> Floats:
        """Share of its unit's peak its operations needed."""
        return self.bounds.fl_frac

    @cached_property
    def core_share(self) -> Floats:
        """Blocks over cores, at most 1."""
        return np.minimum(ratio(self.block, self.cores), 1.0)

    @cached_property
    def move(self) -> Floats:
        """The busiest movement pipe."""
        return np.fmax(self.move_cube, self.move_vector)

    @cached_property
    def fl_side(self) -> Bools:
        """Rows whose operations need longer than their bytes; without a chip, by operations per byte."""
        by_chip = self.bounds.unit_us > self.bounds.hbm_us
        unknown = np.isnan(self.bounds.unit_us) | np.isnan(self.bounds.hbm_us)
        return np.where(unknown, ratio(self.flops, self.bytes) > FLOPS_PER_BYTE, by_chip)

    @cached_property
    def bw_side(self) -> Bools:
        """Rows whose bytes need longer than their operations, likewise."""
        by_chip = self.bounds.hbm_us >= self.bounds.unit_us
        unknown = np.isnan(self.bounds.unit_us) | np.isnan(self.bounds.hbm_us)
        return np.where(unknown, ratio(self.flops, self.bytes) < FEW_FLOPS_PER_BYTE, by_chip)


def once(rule: Callable[[Derived], Floats]) -> Callable[[Derived], Floats]:
    """A function of the derived quantities that several rules ask: computed once for each of them."""
    name = f"{rule.__module__}.{rule.__qualname__}"

    @wraps(rule)
    def asked(d: Derived) -> Floats:
        if name not in d.memo:
            d.memo[name] = rule(d)
        return d.memo[name]

    return asked


FLOPS_PER_BYTE = 500.0  # above the ridge of every part in the table (184 on 910B3, 480 on 310P)
FEW_FLOPS_PER_BYTE = 50.0  # below the ridge of every cube


def derive(table: Table, work: WorkArrays, limits: Bounds, chip: Chip | None, per_block: bool = False) -> Derived:
    """Derived quantities of the rows of `table`, which has `launch_gap_us` and `waited_for` of gaps.py.

    per_block: core times are means over blocks (msprof op), not yet multiplied by the waves.
    """
    seen = counters.read(table)
    duration = np.where(table.numbers("duration_us") > 0, table.numbers("duration_us"), np.nan)
    vector_side = _vector_side(table, seen)
    block, cores = blocks_and_cores(table, chip)
    waves = np.ceil(ratio(block, cores)) if per_block else np.ones(len(table))
    aic_us, aiv_us = (_possible(side_us * waves, duration) for side_us in (seen.aic_us, seen.aiv_us))
    core_us = np.fmax(aic_us, aiv_us)
    core_us = np.where(core_us > 0, core_us, np.nan)
    groups = _pipe_groups(seen, vector_side)
    return Derived(
        D=duration,
        W=table.numbers("launch_gap_us"),
        waited=table.strings("waited_for").codes >= 0,
        Ta=aic_us,
        Tv=aiv_us,
        T=core_us,
        outside=np.maximum(duration - core_us, 0),
        pipes=seen.pipes,
        names=seen.names,
        vector_side=vector_side,
        mix=seen.aic_on & seen.aiv_on,
        sampled=seen.sampled,
        complete=_complete(seen),
        flagged=seen.flagged,
        no_mte=_no_mte(seen, work.bytes, chip),
        bounds=limits,
        bw_eff=_effective(limits.hbm_us, duration, block, cores),
        block=block,
        cores=cores,
        occupancy=occupancy(table, duration, core_us, block, cores, vector_side, chip),
        work=work,
        a2=chip is not None and chip.family in A2_FAMILIES,
        **groups,
        **_memory_columns(table),
    )


def _possible(side_us: Floats, duration: Floats) -> Floats:
    """Core time of one side, unknown where it is far longer than the task."""
    return np.where(side_us > counters.TIME_MAX * duration, np.nan, side_us)


def _vector_side(table: Table, seen: Counters) -> Bools:
    """Rows whose heavier side is the vector core."""
    by_name = table.strings("core").mask(VECTOR_CORES)
    longer = known_or(seen.aiv_us, 0) > known_or(seen.aic_us, 0)
    by_time = np.isnan(seen.aic_us) & np.isnan(seen.aiv_us)
    return np.where(by_time, by_name | (seen.aiv_on & ~seen.aic_on), longer).astype(bool)


def blocks_and_cores(table: Table, chip: Chip | None) -> tuple[Floats, Floats]:
    """Blocks of each row, and the chip's cores of the kind they are counted in; NaN = unknown."""
    block = table.numbers("block_dim").astype(np.float64)
    block = np.where(block > 0, block, np.nan)
    on_vector = table.strings("core").mask(VECTOR_CORES)
    cube = float(chip.cube_cores or np.nan) if chip else np.nan
    vector = float(chip.vector_cores or np.nan) if chip else np.nan
    return block, np.where(on_vector, vector, cube)


def _pipe_groups(seen: Counters, vector_side: Bools) -> dict[str, Floats]:
    cube, vec = seen.get("aic_mac"), np.fmax(seen.get("aiv_vec"), seen.get("aic_vec"))
    move_cube = np.fmax(seen.get("aic_mte2"), seen.get("aic_mte3"))
    move_vector = np.fmax(seen.get("aiv_mte2"), seen.get("aiv_mte3"))
    mte1, fixpipe = seen.get("aic_mte1"), seen.get("aic_fixpipe")
    mix = seen.aic_on & seen.aiv_on
    # the cube side of a MIX kernel waits for the vector side in its scalar unit: no work
    aic_scalar = np.where(mix, np.float32(np.nan), seen.get("aic_scalar"))
    vector_sum = known_or(vec, 0) + known_or(seen.get("aiv_mte2"), 0) + known_or(seen.get("aiv_mte3"), 0)
    cube_sum = known_or(np.fmax(cube, vec), 0) + known_or(np.fmax(move_cube, fixpipe), 0) + known_or(mte1, 0)
    return {
        "cube": cube,
        "vec": vec,
        "move_cube": move_cube,
        "move_vector": move_vector,
        "fixpipe": fixpipe,
        "mte1": mte1,
        "scalar": np.where(vector_side, seen.get("aiv_scalar"), aic_scalar),
        "pmax": largest([cube, vec, move_cube, move_vector, fixpipe, mte1]),
        "serial_sum": np.where(vector_side, vector_sum, cube_sum),
        "sum3": np.where(vector_side, vector_sum, np.float32(np.nan)),
    }


def _complete(seen: Counters) -> Bools:
    """Rows where every side that works has its computing and its movement pipe: only then can absence be told."""
    aic = ~np.isnan(np.fmax(seen.get("aic_mac"), seen.get("aic_vec"))) & ~np.isnan(seen.get("aic_mte2"))
    aiv = ~np.isnan(seen.get("aiv_vec")) & ~np.isnan(seen.get("aiv_mte2"))
    return (aic | ~seen.aic_on) & (aiv | ~seen.aiv_on) & (seen.aic_on | seen.aiv_on) & ~seen.flagged


def _no_mte(seen: Counters, moved: Floats, chip: Chip | None) -> Bools:
    """SIMT-like rows: more bytes than fit on chip, and no movement pipe and no cube took part."""
    pipes = [seen.get(pipe) for pipe in ("aic_mte2", "aic_mte3", "aic_fixpipe", "aiv_mte2", "aiv_mte3")]
    known = ~np.isnan(largest(pipes))
    total = np.sum([known_or(pipe, 0) for pipe in pipes], axis=0)
    enough = (moved >= ((chip.ub_bytes if chip else None) or UB_BYTES)) | np.isnan(moved)
    none: Bools = known & (total < NO_MTE) & enough & ~(seen.get("aic_mac") > 0)
    return none


def _effective(hbm_us: Floats, duration: Floats, block: Floats, cores: Floats) -> Floats:
    working = np.maximum(duration - HEAD_US, duration / 2)
    return ratio(hbm_us, working) / known_or(np.minimum(ratio(block, cores), 1.0), 1.0)


def _memory_columns(table: Table) -> dict[str, Floats]:
    """What the memory, conflict and stall groups tell, where one was collected."""
    usage = [table.numbers(n) / (100 if n.endswith("_pct") else 1) for n in _like(table, "bw_usage_rate")]
    waits = [table.numbers(n) for n in _like(table, "_wait_ratio", "_iq_full_ratio")]
    conflicts = [table.numbers(n) for n in _like(table, "bankgroup_cflt_ratio", "vec_bank_cflt_ratio")]
    caches = [table.numbers(n) for n in _like(table, "icache_miss_rate")]
    moved = [table.numbers(n) for n in _like(table, "gm_to_ub_datas_kb")]
    issued = [table.numbers(n) for n in _like(table, "aiv_mte2_instructions")]
    none = np.full(len(table), np.nan)
    return {
        "usage": largest(usage) if usage else none,
        "wait": largest(waits) if waits else none,
        "conflict": largest(conflicts) if conflicts else none,
        "icache": largest(caches) if caches else none,
        "packet": ratio(1024.0 * moved[0], issued[0]) if moved and issued else none,
    }


def _like(table: Table, *endings: str) -> list[str]:
    return [name for name in table.columns if any(ending in name for ending in endings)]


def occupancy(
    table: Table, duration: Floats, core_us: Floats, block: Floats, cores: Floats, vector_side: Bools, chip: Chip | None
) -> Floats:
    """Share of the chip's cores that worked, over the whole task: msprof's own figure, else cycles, else blocks."""
    told = table.numbers("cube_utilization_pct") / 100
    told = np.where((told > 0) & (told <= counters.RATIO_MAX) & ~vector_side, told, np.nan)
    mhz = chip.cube_mhz if chip and chip.cube_mhz else np.nan
    cycles = np.where(vector_side, table.numbers("aiv_total_cycles"), table.numbers("aic_total_cycles"))
    by_cycles = ratio(cycles, duration * mhz * cores)
    spread = ratio(block, np.ceil(ratio(block, cores)) * cores)
    by_blocks = ratio(core_us, duration) * spread
    by_cycles = np.where((by_cycles > 0) & (by_cycles <= counters.RATIO_MAX), by_cycles, by_blocks)
    return np.minimum(np.where(np.isnan(told), by_cycles, told), 1.0)
