"""Operator tables made in a line or two: every column that is not named keeps a quiet default."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from npuscope.analysis.summarize import summarize
from npuscope.analysis.summary import Summary
from npuscope.parsers.profile import FLOAT_COLUMNS, INTEGER_COLUMNS, TEXT_COLUMNS, Metadata, Profile, Run
from npuscope.parsers.table import Strings, Table

START_NS = 1_760_000_000_000_000_000


def op(at_us: float = 0.0, us: float = 100.0, **more: Any) -> dict[str, Any]:
    """One operator that starts `at_us` after the others' origin. Unnamed columns: one device, one stream, 20 blocks."""
    row: dict[str, Any] = {
        "name": "MatMulV2_0", "type": "MatMulV2", "core": "AI_CORE", "start_ns": START_NS + round(at_us * 1000),
        "duration_us": us, "device": 0, "stream": 2, "task_id": 1, "block_dim": 20,
    }  # fmt: skip
    return {**row, **more}


def cube(share_of: float = 0.95, us: float = 100.0, **shares: float) -> dict[str, float]:
    """Counters of a cube operator: mac, mte1, mte2, fixpipe, scalar; core time = share_of * us."""
    quiet = dict.fromkeys(("mac", "mte1", "mte2", "fixpipe", "scalar"), 0.1)
    return _side("aic", share_of * us, {**quiet, **shares}) | {"aiv_time_us": 0.0}


def vector(share_of: float = 0.95, us: float = 100.0, **shares: float) -> dict[str, float]:
    """Counters of a vector operator: vec, mte2, mte3, scalar."""
    quiet = dict.fromkeys(("vec", "mte2", "mte3", "scalar"), 0.1)
    return _side("aiv", share_of * us, {**quiet, **shares}) | {"aic_time_us": 0.0}


def _side(side: str, us: float, shares: Mapping[str, float]) -> dict[str, float]:
    return {f"{side}_time_us": us, **{f"{side}_{pipe}_ratio": share for pipe, share in shares.items()}}


def shapes(inputs: str, outputs: str, dtype: str = "FLOAT16") -> dict[str, str]:
    """Shape columns, all tensors of one dtype, ND."""
    sides = (("input", inputs), ("output", outputs))
    found = {}
    for side, printed in sides:
        count = len(printed.split(";"))
        found |= {f"{side}_shapes": printed, f"{side}_dtypes": ";".join([dtype] * count)}
        found[f"{side}_formats"] = ";".join(["ND"] * count)
    return found


def table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """Rows as the parsers give them."""
    rows = list(rows)
    names = dict.fromkeys(name for row in rows for name in row)
    columns: dict[str, Any] = {}
    for name in names:
        if name in TEXT_COLUMNS:
            columns[name] = Strings.of(row.get(name) for row in rows)
        elif name in INTEGER_COLUMNS:
            columns[name] = np.array([row.get(name, -1) for row in rows], dtype=np.int64)
        else:
            kind = np.float64 if name in FLOAT_COLUMNS else np.float32
            columns[name] = np.array([row.get(name, math.nan) for row in rows], dtype=kind)
    return Table(columns)


def profile(rows: Iterable[Mapping[str, Any]], kind: str = "msprof", **metadata: Any) -> Profile:
    """A profile of these rows; its counters are spelled as in an op_summary."""
    ops = table(rows)
    sources = {name: f"op_summary.csv:{name.replace('_us', '(us)')}" for name in ops.columns}
    return Profile(Run("/made/PROF_1", "PROF_1", kind, "ready"), ops, metadata=Metadata(**metadata), sources=sources)


def look(*rows: Mapping[str, Any], chip: str | None = None, hbm_gbps: float | None = None, **more: Any) -> Summary:
    """The summary of these rows."""
    return summarize(profile(rows, **more), chip, hbm_gbps)
