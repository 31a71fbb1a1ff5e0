"""What the metric groups besides PipeUtilization tell of a row: bandwidth, packets, cache, conflicts, waits."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from npuscope.analysis.arrays import Floats, largest, ratio
from npuscope.analysis.chips import Chip
from npuscope.parsers.table import Strings, Table

GIB = 1.073741824  # "GB/s" of every counter is 2^30 bytes a second [MSP]
KIB = 1024.0
_USAGE = re.compile(
    r"^(ai[cv]_)?(gm_to_(l1|ub)|(l1|l0c|ub)_to_gm)_bw_usage_rate(_pct)?$"
)  # routes that reach the memory
_WAIT = re.compile(r"^ai[cv]_\w+_wait_ratio$")
_STALL_TIME = re.compile(r"^(ai[cv])_scalar_(wait|wait_ib|stall_by_ub|(mte[123]|cube|vector)_stall)_time_us$")
_QUEUE = re.compile(r"^ai[cv]_\w+_iq_full_ratio$")
_CONFLICT = re.compile(r"^ai[cv]_vec_(bankgroup|bank|resc|total|mte)_cflt_ratio$")
_MIXTURE = re.compile(r"^ai[cv]_(mac|vec)_(fp32|fp16|fp|int8|int16|int32|int|misc|vf|sfu|simt_vf)_ratio$")
_HIT_RATE = re.compile(r"^(ai[cv]_(total_)?read|l2)_hit_rate_pct$")
# bytes of a route and the instructions of the pipe that moves them
_PACKETS = {
    "aiv_mte2": ("gm_to_ub_datas_kb", "aiv_mte2_instructions"),
    "aiv_mte3": ("ub_to_gm_datas_kb", "aiv_mte3_instructions"),
    "aic_mte2": ("gm_to_l1_datas_kb", "aic_mte2_instructions"),
}
MOVERS = ("aic_mte2", "aic_mte3", "aiv_mte2", "aiv_mte3")


def usage(table: Table) -> Floats:
    """The largest share, 0..1, of a memory route's bandwidth."""
    found = [_numbers(table, name) / (100 if name.endswith("_pct") else 1) for name in named(table, _USAGE)]
    return largest(found) if found else _unknown(table)


def active(table: Table, chip: Chip | None, cores: Floats, hbm_gbps: float | None) -> Floats:
    """Share of HBM peak if all cores moved as fast as these do while their busier movement pipe is active."""
    peak = hbm_gbps or (chip.hbm_gbps if chip else None)
    names = [f"{pipe}_active_bw_gbps" for pipe in MOVERS if f"{pipe}_active_bw_gbps" in table]
    if not names or not peak:
        return _unknown(table)
    fastest = largest([np.where(table.numbers(n) > 0, table.numbers(n), np.nan) for n in names])
    return fastest * GIB * cores / peak


def packets(table: Table) -> dict[str, Floats]:
    """Bytes an instruction, by pipe; unknown where the pipe moved nothing."""
    found = {}
    for pipe, (moved, issued) in _PACKETS.items():
        name = next((n for n in (moved, f"{pipe[:3]}_{moved}") if n in table), None)
        if name is not None and issued in table:
            size = ratio(KIB * _numbers(table, name), _numbers(table, issued))
            found[pipe] = np.where(size > 0, size, np.nan)
    return found


def hit(table: Table) -> Floats:
    """L2 read hits, 0..1: as printed, else from hits and misses."""
    printed = [_numbers(table, name) / 100 for name in named(table, _HIT_RATE)]
    if printed:
        return largest(printed)
    hits, misses = (_sum(table, re.compile(rf"^ai[cv]_(r0_|r1_)?read_cache_{end}$")) for end in ("hit", r"miss\w*"))
    if hits is None or misses is None:
        hits, misses = (_sum(table, re.compile(rf"^ai[cv]_read_local_l2_{end}$")) for end in ("hit", "miss"))
    return _unknown(table) if hits is None or misses is None else ratio(hits, hits + misses)


def traffic(table: Table) -> Floats:
    """Bytes read from and written to the memory, as counted."""
    counted = _sum(table, re.compile(r"^(read|write)_main_memory_datas_kb$"))
    return _unknown(table) if counted is None else KIB * counted


def waits(table: Table) -> dict[str, Floats]:
    """Share of its side's time that a pipe waits, by column: wait ratios, and stall times over core time."""
    found = {name: _numbers(table, name) for name in named(table, _WAIT)}
    for name in named(table, _STALL_TIME):
        found[name] = ratio(_numbers(table, name), _numbers(table, f"{name[:3]}_time_us"))
    return found


def queues(table: Table) -> dict[str, Floats]:
    """Share of the time that an instruction queue is full, by column."""
    return {name: _numbers(table, name) for name in named(table, _QUEUE)}


def conflicts(table: Table) -> dict[str, Floats]:
    """Shares of vector time lost to bank and resource conflicts, by column."""
    return {name: _numbers(table, name) for name in named(table, _CONFLICT)}


def mixtures(table: Table) -> dict[str, Floats]:
    """Shares of its time that a computing unit works in each number type, by column."""
    return {name: _numbers(table, name) for name in named(table, _MIXTURE)}


def icache(table: Table) -> Floats:
    """Instruction cache misses, 0..1."""
    found = [_numbers(table, name) for name in table.columns if name.endswith("icache_miss_rate")]
    return largest(found) if found else _unknown(table)


def plain(table: Table, name: str) -> Floats:
    """A column where it is there and its values are possible."""
    return _numbers(table, name) if name in table else _unknown(table)


def named(table: Table, pattern: re.Pattern[str]) -> list[str]:
    """Number columns whose names match."""
    return [n for n, column in table.columns.items() if pattern.match(n) and not isinstance(column, Strings)]


def _numbers(table: Table, name: str) -> Floats:
    values = table.numbers(name)
    return np.where((values >= 0) & np.isfinite(values), values, np.nan)


def _sum(table: Table, pattern: re.Pattern[str]) -> Floats | None:
    names = named(table, pattern)
    return _added(_numbers(table, name) for name in names) if names else None


def _added(columns: Iterable[Floats]) -> Floats:
    """Sum of the known values; NaN where none is known."""
    stacked = np.stack([values.astype(np.float64) for values in columns])
    return np.where(np.isnan(stacked).all(axis=0), np.nan, np.nansum(stacked, axis=0))


def _unknown(table: Table) -> Floats:
    return np.full(len(table), np.nan, dtype=np.float32)
