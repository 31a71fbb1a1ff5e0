"""Operators whose limit somebody published: rows of tests/fixtures/labels as operator tables of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from made_ops import op, shapes, table

from npuscope.analysis.summarize import summarize
from npuscope.analysis.thresholds import DEFAULTS, Thresholds
from npuscope.parsers.columns import name_of
from npuscope.parsers.profile import Profile, Run

FOLDER = Path(__file__).parents[1] / "fixtures" / "labels"
PARTS = {
    "a2": "Ascend910B3", "a3": "Ascend910_9382", "950": "Ascend950PR_9589", "310b": "Ascend310B1",
    "910b4-1": "Ascend910B4-1",
}  # fmt: skip
DTYPES = {"float16": "FLOAT16", "bfloat16": "DT_BF16", "float32": "FLOAT", "int8": "INT8", "int32": "INT32"}
COUNTED = ("_us", "_ratio", "_rate", "_rate_pct", "_cycles", "_gbps")
COLUMN = re.compile(r"\w+(\(us\)|_ratio|_rate|_cycles|\(GB/s\))")  # notes of a source stand beside its columns
SIZES = {"FLOAT": 4, "INT32": 4, "INT8": 1}


def rows_of(name: str) -> list[dict[str, Any]]:
    """The rows of one file."""
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def labels_of(rows: Iterable[dict[str, Any]], thresholds: Thresholds = DEFAULTS) -> dict[str, tuple[str, str]]:
    """Label and confidence of each row, by its id. Rows of one part stand one after the other, without gaps."""
    by_part: dict[str | None, list[dict[str, Any]]] = {}
    for row in rows:
        by_part.setdefault(_part(row), []).append(row)
    found = {}
    for part, some in by_part.items():
        ops = summarize(_profile(some), part, thresholds=thresholds).ops
        told = zip(ops.strings("name").tolist(), ops.strings("label").tolist(), ops.strings("confidence").tolist())
        found.update({str(name): (str(label), str(sure)) for name, label, sure in told})
    return found


def _profile(rows: Iterable[dict[str, Any]]) -> Profile:
    made, at_us = [], 0.0
    for row in rows:
        us = row["duration_us"]
        made.append({
            **op(at_us, float("nan") if us is None else us, block_dim=row["block_dim"] or 0),
            "name": row["id"], "type": row["op"], "core": _core(row), **_shapes(row), **_counters(row),
        })  # fmt: skip
        at_us += us or 0.0
    ops = table(made)
    sources = {name: f"op_summary.csv:{name}" for name in ops.columns}
    return Profile(Run("/made/PROF_1", "PROF_1", "msprof", "ready"), ops, sources=sources)


def agrees(row: dict[str, Any], label: str) -> bool:
    """Whether a label is the published one, or one that its source leaves open."""
    return label in (row["label"], *row["also_acceptable"])


def _part(row: dict[str, Any]) -> str | None:
    chip = row["chip"]
    return None if chip == "unk" else PARTS.get(chip.lower(), chip)


def _core(row: dict[str, Any]) -> str:
    if row.get("task_type"):
        return str(row["task_type"])
    sides = {name[:3] for name in row["columns"]}
    return "MIX_AIC" if {"aic", "aiv"} <= sides else "AI_VECTOR_CORE" if "aiv" in sides else "AI_CORE"


def _counters(row: dict[str, Any]) -> dict[str, float]:
    found = {}
    for header, value in row["columns"].items():
        named = name_of(header) if COLUMN.fullmatch(header) else None
        if named is not None and named[0].endswith(COUNTED):
            found[named[0]] = value * named[1]
    return found


def _shapes(row: dict[str, Any]) -> dict[str, str]:
    """As the source prints them; where it tells the bytes only, two equal tensors of that size; else none."""
    dtype, text = DTYPES.get((row["dtypes"] or "").split(" ")[0]), row["shapes"] or ""
    if dtype is None:
        return {}
    sides = [side.strip().replace("x", ",") for side in text.split("->")]
    if len(sides) == 2 and all(re.fullmatch(r"[0-9,;]+", side) for side in sides):
        return shapes(sides[0], sides[1], dtype)
    cube = re.fullmatch(r"(\d+)x(\d+)x(\d+)", text)
    told = row.get("derived_not_in_source", {})
    if cube and told.get("flops"):
        m, k, n = cube.groups()
        return shapes(f"{m},{k};{k},{n}", f"{m},{n}", dtype)
    if told.get("bytes"):
        half = str(told["bytes"] // 2 // SIZES.get(dtype, 2))
        return shapes(half, half, dtype)
    return {}
