"""The few numbers one looks at first, and when they deserve attention: of a row, and of host and device together."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from npuscope.analysis.thresholds import DEFAULTS, Thresholds
from npuscope.parsers.say import Say, say
from npuscope.parsers.table import Table

TIMES_WRONG = 10.0  # the method: ten times the floor means that the movement path is wrong
HALF = 0.5  # of the total: kernel time "far under" it
NAMES = ("total", "kernel", "move", "other", "aicore", "issue", "icache")


@dataclass(frozen=True)
class Indicator:
    """One of NAMES: `us` a time of one call, or `share` 0..1; `attention` says why it stands out, if it does."""

    name: str
    us: float | None = None
    share: float | None = None
    attention: Say | None = None


def indicators(row: Mapping[str, Any], thresholds: Thresholds = DEFAULTS) -> tuple[Indicator, ...]:
    """Of a row of ops, shapes or types, in the order of NAMES; what is unknown is left out.

    total, kernel, move (movement pipes on the core), other (total less kernel), AI Core utilization, issue (share of
    the scalar unit that feeds the others) and instruction cache misses.
    """
    total = _number(row, "mean_us" if "mean_us" in row else "duration_us")
    if total is None:
        return ()
    kernel, move, other = (_number(row, name) for name in ("kernel_us", "move_us", "other_us"))
    times, occupied = _number(row, "times_over_bound"), _number(row, "aicore_pct")
    issue, misses = _number(row, "scalar_ratio"), _icache(row)
    wrong = times is not None and times >= TIMES_WRONG
    far = kernel is not None and kernel < HALF * total
    moves = move is not None and kernel and move > thresholds.move_cube * kernel
    found = [
        Indicator("total", total, None, say("indicator.total", times=times) if wrong else None),
        Indicator("kernel", kernel, _share(kernel, total), say("indicator.kernel") if far else None),
        Indicator("move", move, _share(move, total), say("indicator.move") if moves else None),
        Indicator("other", other, _share(other, total)),
        Indicator("aicore", None, None if occupied is None else occupied / 100, _low(occupied, thresholds)),
        Indicator("issue", None, issue, _high(issue, thresholds.scalar_leads, "indicator.issue")),
        Indicator("icache", None, misses, _high(misses, thresholds.icache, "indicator.icache")),
    ]
    return tuple(one for one in found if one.us is not None or one.share is not None)


def _number(row: Mapping[str, Any], name: str) -> float | None:
    value = row.get(name)
    return None if value is None or not math.isfinite(value) else float(value)


def _icache(row: Mapping[str, Any]) -> float | None:
    found = [_number(row, name) for name in row if name.endswith("icache_miss_rate")]
    return max((value for value in found if value is not None), default=None)


def _share(part: float | None, whole: float) -> float | None:
    return part / whole if part is not None and whole > 0 else None


def _low(occupied_pct: float | None, thresholds: Thresholds) -> Say | None:
    if occupied_pct is None or occupied_pct >= 100 * thresholds.room:
        return None
    return say("indicator.aicore", limit=100 * thresholds.room)


def _high(share: float | None, limit: float, key: str) -> Say | None:
    return say(key, limit=limit) if share is not None and share >= limit else None


# host calls of api_statistic by what they do; the others stand for none of the three stages
_COPY = re.compile(r"^aclrtMemcpy", re.I)
# parts of a call that has a line of its own: tiling and compilation, and the allocation within aclrtMalloc;
# collectives wait for other ranks on the host as well
_NEITHER = re.compile(r"Tiling$|^hcom_|^hccl|^opCompile$|^aclMallocMemInner$|^InferShape$", re.I)
_ONCE = re.compile(r"^(aclrt|acl)(Init|Finalize|SetDevice|ResetDevice|Create|Destroy|Free|Synchronize)", re.I)


@dataclass(frozen=True)
class Stages:
    """Host preparation (operator set-up, tiling, allocation), kernels and copies, in us.

    Host calls overlap with kernels and with each other, so shares are of the three together, not of the wall time. The
    direction of a copy is not told: `copy_us` holds the way in and the way back. `source` = file:table of the calls.
    """

    preparation_us: float
    kernel_us: float
    copy_us: float
    attention: Say | None = None
    source: str = "api_statistic"

    @property
    def preparation_share(self) -> float:
        """0..1 of the three together."""
        whole = self.preparation_us + self.kernel_us + self.copy_us
        return self.preparation_us / whole if whole else 0.0


def stages(kernel_us: float, api_statistic: Table | None, thresholds: Thresholds = DEFAULTS) -> Stages | None:
    """The three stages of a run, where its host calls were recorded: `api_statistic` has the columns level, name and
    total_us (parsers/msprof/tables/api_statistic.py). None without calls of the acl level. kernel_us = time on the
    device.
    """
    if api_statistic is None or not len(api_statistic):
        return None
    acl = np.flatnonzero(api_statistic.strings("level").mask(("acl", "ACL")))
    if not len(acl):
        return None
    names, us = api_statistic.strings("name"), np.nan_to_num(api_statistic.numbers("total_us"))
    copies = prepared = 0.0
    for row in acl.tolist():
        name = names[row] or ""
        if _COPY.match(name):
            copies += float(us[row])
        elif not (_ONCE.match(name) or _NEITHER.search(name)):
            prepared += float(us[row])
    found = Stages(prepared, kernel_us, copies)
    if found.preparation_share <= thresholds.preparation:
        return found
    over = say("indicator.preparation", pct=100 * found.preparation_share, limit=100 * thresholds.preparation)
    return Stages(prepared, kernel_us, copies, over)
