"""Operator rows -> what the rules look at (derived.py)."""

from __future__ import annotations

from typing import Any

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, known_or, largest, ratio
from npuscope.analysis.chips import Chip
from npuscope.analysis.labels import counters, metric_groups
from npuscope.analysis.labels.counters import Counters
from npuscope.analysis.labels.derived import Derived
from npuscope.analysis.thresholds import DEFAULTS, Thresholds
from npuscope.analysis.work.bounds import Bounds, WorkArrays
from npuscope.parsers.table import Table

UB_BYTES = 196_608  # unified buffer of one A2 vector core; less than this may never leave it
HEAD_US = 3.0  # fixed cost of one task: 2.7 to 2.9 us for a copy of one element on 910B [TRN]
MOVE_PIPES = ("aic_mte2", "aic_mte3", "aic_fixpipe", "aiv_mte2", "aiv_mte3")
VECTOR_CORES = ("AI_VECTOR_CORE", "MIX_AIV", "AIVECTOR", "AIV", "vector")
A2_FAMILIES = ("Ascend910B", "Ascend910_93")
SIMT_FAMILIES = ("Ascend950",)


def derive(
    table: Table,
    work: WorkArrays,
    limits: Bounds,
    chip: Chip | None,
    per_block: bool = False,
    thresholds: Thresholds = DEFAULTS,
    hbm_gbps: float | None = None,
    clock: float = 1.0,
) -> Derived:
    """Derived quantities of the rows of `table`, which has `launch_gap_us` and `waited_for` of gaps.py.

    per_block: core times are means over blocks (msprof op), not yet multiplied by the waves. clock: what core times
    have to be multiplied with (core_clock.py), NaN = unknown.
    """
    seen = counters.read(table)
    duration = np.where(table.numbers("duration_us") > 0, table.numbers("duration_us"), np.nan)
    vector_side = _vector_side(table, seen)
    block, cores = blocks_and_cores(table, chip)
    waves = np.ceil(ratio(block, cores)) if per_block else 1.0
    aic_us, aiv_us = (_possible(side_us * waves * clock, duration) for side_us in (seen.aic_us, seen.aiv_us))
    core_us = np.fmax(aic_us, aiv_us)
    core_us = np.where(core_us > 0, core_us, np.nan)
    return Derived(
        t=thresholds,
        D=duration,
        W=table.numbers("launch_gap_us"),
        waited=table.strings("waited_for").codes >= 0,
        Ta=aic_us,
        Tv=aiv_us,
        T=core_us,
        vector_side=vector_side,
        bounds=limits,
        bw_eff=_effective(limits.hbm_us, duration, block, cores),
        block=block,
        cores=cores,
        occupancy=occupancy(table, duration, core_us, block, cores, vector_side, chip),
        work=work,
        a2=chip is not None and chip.family in A2_FAMILIES,
        active=metric_groups.active(table, chip, cores, hbm_gbps),
        **_as_sampled(seen),
        **_movement(seen, work.bytes, chip, thresholds.no_mte),
        **_pipe_groups(seen, vector_side),
        **_other_groups(table),
    )


def _as_sampled(seen: Counters) -> dict[str, Any]:
    return {
        "pipes": seen.pipes,
        "names": seen.names,
        "mix": seen.aic_on & seen.aiv_on,
        "sampled": seen.sampled,
        "complete": _complete(seen),
        "flagged": seen.flagged,
        "broken": seen.broken,
    }


def _movement(seen: Counters, moved: Floats, chip: Chip | None, least: float) -> dict[str, Any]:
    return {
        "movers": _all_movers(seen),
        "no_mte": _no_mte(seen, moved, chip, least),
        "vec_may_move": _vec_may_move(seen, moved, chip, least),
    }


def _other_groups(table: Table) -> dict[str, Any]:
    return {
        "usage": metric_groups.usage(table),
        "packets": metric_groups.packets(table),
        "hit": metric_groups.hit(table),
        "traffic": metric_groups.traffic(table),
        "conflicts": metric_groups.conflicts(table),
        "waits": metric_groups.waits(table),
        "queues": metric_groups.queues(table),
        "mixtures": metric_groups.mixtures(table),
        "icache": metric_groups.icache(table),
        "simt": metric_groups.plain(table, "aiv_vec_simt_vf_ratio"),
        "spread": metric_groups.plain(table, "block_spread"),
        "memory_bound": metric_groups.plain(table, "memory_bound"),
        "counted_flops": metric_groups.plain(table, "aic_cube_fops"),
    }


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


def _pipe_groups(seen: Counters, vector_side: Bools) -> dict[str, Any]:
    cube, vec = seen.get("aic_mac"), np.fmax(seen.get("aiv_vec"), seen.get("aic_vec"))
    move_cube = np.fmax(seen.get("aic_mte2"), seen.get("aic_mte3"))
    aiv_mte2, aiv_mte3 = seen.get("aiv_mte2"), seen.get("aiv_mte3")
    move_vector = np.fmax(aiv_mte2, aiv_mte3)
    mte1, fixpipe = seen.get("aic_mte1"), seen.get("aic_fixpipe")
    mix = seen.aic_on & seen.aiv_on
    # the cube side of a MIX kernel waits for the vector side in its scalar unit: no work
    aic_scalar = np.where(mix, np.float32(np.nan), seen.get("aic_scalar"))
    vector_sum = known_or(vec, 0) + known_or(aiv_mte2, 0) + known_or(aiv_mte3, 0)
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
    """Rows where every side that works has its computing pipe and those that move in and out: only then can absence be
    told. Results leave a cube side by fixpipe, on older parts by mte3.
    """
    out = np.fmax(seen.get("aic_fixpipe"), seen.get("aic_mte3"))
    aic = ~np.isnan(np.fmax(seen.get("aic_mac"), seen.get("aic_vec")) + seen.get("aic_mte2") + out)
    aiv = ~np.isnan(seen.get("aiv_vec") + seen.get("aiv_mte2") + seen.get("aiv_mte3"))
    told: Bools = (aic | ~seen.aic_on) & (aiv | ~seen.aiv_on) & (seen.aic_on | seen.aiv_on) & ~seen.flagged
    return told


def _movers(seen: Counters) -> tuple[Floats, Bools]:
    """Share of all movement pipes together, unknown ones as 0, and rows where those of every working side are known."""
    aic = seen.get("aic_mte2") + np.fmax(seen.get("aic_fixpipe"), seen.get("aic_mte3"))
    aiv = seen.get("aiv_mte2") + seen.get("aiv_mte3")
    total = np.sum([known_or(seen.get(pipe), 0) for pipe in MOVE_PIPES], axis=0)
    known: Bools = (~np.isnan(aic) | ~seen.aic_on) & (~np.isnan(aiv) | ~seen.aiv_on) & (seen.aic_on | seen.aiv_on)
    return total, known


def _all_movers(seen: Counters) -> Floats:
    """Share of the movement pipes together, as far as they were sampled; unknown where none was."""
    sampled = largest([seen.get(pipe) for pipe in MOVE_PIPES])
    return np.where(np.isnan(sampled), np.nan, _movers(seen)[0])


def _no_mte(seen: Counters, moved: Floats, chip: Chip | None, least: float) -> Bools:
    """SIMT-like rows: more bytes than fit on chip, and no movement pipe and no cube took part."""
    total, known = _movers(seen)
    no_cube = (seen.get("aic_mac") <= 0) | ~seen.aic_on
    none: Bools = known & (total < least) & _leaves_chip(moved, chip) & no_cube
    return none


def _vec_may_move(seen: Counters, moved: Floats, chip: Chip | None, least: float) -> Bools:
    """Rows whose vector share may be movement: no movement pipe was seen at work, on a part whose vector cores reach
    the memory by themselves, or on an unknown one.
    """
    if chip is not None and chip.family not in SIMT_FAMILIES:
        return np.zeros(len(seen.flagged), dtype=bool)
    unseen: Bools = (_movers(seen)[0] < least) & _leaves_chip(moved, chip)
    return unseen


def _leaves_chip(moved: Floats, chip: Chip | None) -> Bools:
    enough: Bools = (moved >= ((chip.ub_bytes if chip else None) or UB_BYTES)) | np.isnan(moved)
    return enough


def _effective(hbm_us: Floats, duration: Floats, block: Floats, cores: Floats) -> Floats:
    working: Floats = np.maximum(duration - HEAD_US, duration / 2)
    return ratio(hbm_us, working) / known_or(np.minimum(ratio(block, cores), 1.0), 1.0)


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
