"""Rows that mean something else than they seem to: collectives written twice, impossible block counts, core times."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.say import Problem, say
from npuscope.parsers.table import Column, Numbers, Strings, Table

Mask = NDArray[np.bool_]

CARRIED = "carried"  # the column: 1 = a kernel that does the work of a collective's row, its time is in that row
MOST_AICPU_BLOCKS = 1024  # an AI CPU operator runs on a handful of CPUs: what is written above this is garbage
CORE_TIME_MAX = 1.02  # core time over the task's own: what rounding and two clocks explain
BROKEN = 100.0  # above this nothing explains it: the counters of the row are garbage
BLOCKS_WRONG = 1.5  # above this the block count is wrong; below it whole waves of blocks explain it

_COMMUNICATION = ("COMMUNICATION", "HCCL")
_CARRIER = re.compile(r"(?:.*_)?aiv_?kernel(?:_.*)?", re.IGNORECASE)
_INSIDE_NS = 1000  # how much of a carrier may stick out of its collective


def check_rows(table: Table) -> tuple[Table, list[Problem]]:
    """The table with what its rows are found to mean, and the problems to tell."""
    if not len(table):
        return table, []
    more: dict[str, Column] = {}
    problems: list[Problem] = []
    carried = carriers(table)
    if carried.any():
        more[CARRIED] = carried.astype(np.int8)
    garbage = _garbage_blocks(table)
    if garbage.any():
        problems.append(_garbage_problem(table, garbage))
        more.update(_without_blocks(table, garbage))
    return table.extended(more), [*problems, *_core_times(table)]


def carriers(table: Table) -> Mask:
    """Rows of kernels that carry a collective which has a row of its own: same type and device, inside its time."""
    names, types = table.strings("name"), table.strings("type")
    sent = table.strings("core").mask(_COMMUNICATION)
    found = np.zeros(len(table), dtype=bool)
    kernels = sent & _named(names, _CARRIER)
    starts, durations = table.numbers("start_ns"), table.numbers("duration_us")
    if not kernels.any() or starts.dtype.kind != "i":
        return found
    ends = starts + np.nan_to_num(durations * 1000).astype(np.int64)
    device = table.numbers("device") if "device" in table else np.full(len(table), UNKNOWN)
    whole = sent & ~kernels & (starts >= 0)
    for key in {(int(types.codes[row]), int(device[row])) for row in np.flatnonzero(kernels & (starts >= 0))}:
        own = (types.codes == key[0]) & (device == key[1])
        outer, inner = np.flatnonzero(whole & own), np.flatnonzero(kernels & own & (starts >= 0))
        if len(outer):
            found[inner] = _inside(starts[inner], ends[inner], starts[outer], ends[outer])
    return found


def _inside(starts: Numbers, ends: Numbers, outer_starts: Numbers, outer_ends: Numbers) -> Mask:
    """Whether each interval lies within the last outer one that begins before it."""
    order = np.argsort(outer_starts, kind="stable")
    place = np.searchsorted(outer_starts[order], starts + _INSIDE_NS, side="right") - 1
    last = outer_ends[order][np.maximum(place, 0)]
    within: Mask = (place >= 0) & (ends <= last + _INSIDE_NS)
    return within


def _named(texts: Strings, pattern: re.Pattern[str]) -> Mask:
    hits = np.array([*(bool(pattern.fullmatch(text)) for text in texts.values), False], dtype=bool)
    return hits[texts.codes]


def _garbage_blocks(table: Table) -> Mask:
    found = np.zeros(len(table), dtype=bool)
    on_cpu = table.strings("core").mask(("AI_CPU", "AICPU"))
    for name in ("block_dim", "mix_block_dim"):
        if name in table:
            found |= on_cpu & (table.numbers(name) > MOST_AICPU_BLOCKS)
    return found


def _garbage_problem(table: Table, garbage: Mask) -> Problem:
    first = int(np.flatnonzero(garbage)[0])
    text = say(
        "files.problem.garbage-block-dim",
        rows=int(garbage.sum()),
        name=table.strings("name")[first],
        blocks=int(table.numbers("block_dim")[first]),
    )
    return Problem("garbage-block-dim", text)


def _without_blocks(table: Table, garbage: Mask) -> Mapping[str, Column]:
    return {
        name: np.where(garbage, UNKNOWN, table.numbers(name))
        for name in ("block_dim", "mix_block_dim")
        if name in table
    }


def _core_times(table: Table) -> list[Problem]:
    """Core times above the task's own, by what explains them."""
    duration = table.numbers("duration_us")
    known = [name for name in ("aic_time_us", "aiv_time_us") if name in table]
    if not known or "launch" in table:  # msprof op measures each block on its own
        return []
    core = np.fmax.reduce([table.numbers(name).astype(np.float64) for name in known])
    over = np.isfinite(core) & (core > CORE_TIME_MAX * np.where(duration > 0, duration, np.inf))
    if not over.any():
        return []
    broken = over & (core > BROKEN * duration)
    wrong = over & (core > BLOCKS_WRONG * duration)
    named = (("broken", broken), ("blocks", wrong & ~broken), ("waves", over & ~wrong))
    return [_core_time_problem(table, core, which, rows) for which, rows in named if rows.any()]


def _core_time_problem(table: Table, core: Numbers, which: str, rows: Mask) -> Problem:
    places = np.flatnonzero(rows)
    worst = int(places[np.argmax(core[places] / table.numbers("duration_us")[places])])
    text = say(
        "files.problem.core-time-above-duration",
        rows=len(places),
        of=len(table),
        name=table.strings("name")[worst],
        core_us=float(core[worst]),
        us=float(table.numbers("duration_us")[worst]),
    )
    return Problem("core-time-above-duration", text, say(f"files.hint.core-time.{which}"))
