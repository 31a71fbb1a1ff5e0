"""Every header spelling of every generation -> one column name, and what a cell of it means.

The names are those of profile.py. A counter this file does not know still gets a name by rule: side, lower case, unit
as a suffix. Columns that no screen uses (Context ID, Model Name, ...) have no name and are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from npuscope.parsers.profile import BLOCK_COLUMNS, FLOAT_COLUMNS, INTEGER_COLUMNS, TEXT_COLUMNS, UNKNOWN

MISSING = frozenset({"", "N/A", "NA"})
TEXT, SHAPE, INTEGER, START, FLOAT, COUNTER = "text", "shape", "integer", "start", "float", "counter"

_NAMES = {
    "op name": "name", "name": "name",
    "op type": "type", "type": "type",
    "task type": "core", "accelerator core": "core", "core type": "core",
    "op state": "op_state", "hf32 eligible": "hf32_eligible",
    "input shapes": "input_shapes", "input data types": "input_dtypes", "input formats": "input_formats",
    "output shapes": "output_shapes", "output data types": "output_dtypes", "output formats": "output_formats",
    "task start time": "start_ns", "start time": "start_ns",
    "task duration": "duration_us", "duration": "duration_us",
    "task wait time": "wait_us", "wait time": "wait_us",
    "device id": "device", "stream id": "stream", "task id": "task_id", "model id": "model_id", "step id": "step",
    "block dim": "block_dim", "block num": "block_dim",
    "mix block dim": "mix_block_dim", "mix block num": "mix_block_dim",
    "block id": "block", "sub block id": "sub_block",
    "current freq": "freq_mhz", "rated freq": "rated_freq_mhz",
    "count": "count", "total time": "total_us", "min time": "min_us", "avg time": "mean_us", "max time": "max_us",
}  # fmt: skip
_REQUIRED = "duration_us"
_STATISTIC_COLUMNS = ("total_us", "min_us", "mean_us", "max_us")
_NO_COLUMN = frozenset({"context id", "model name", "infer id", "pid", "ratio", "graph id", "batch id"})

_UNITS = {"us": "_us", "gb/s": "_gbps", "mb/s": "_mbps", "kb": "_kb", "mb": "_mb", "%": "_pct", "mhz": "_mhz"}
_TIME_SCALES = {"ns": 0.001, "ms": 1000.0, "s": 1_000_000.0}
_WITHOUT_SIDE = frozenset({"cube_utilization", "memory_bound"})
_COUNTERS = ("cube_utilization_pct", "memory_bound")
_WHOLE_NAMES = {
    "aicore_time": "aic_time",
    "total_time": "aic_time",
    "aic_total_time": "aic_time",
    "aiv_total_time": "aiv_time",
}
_COUNTER_START = re.compile(
    r"(mac|vec|scalar|mte\d|fixpipe|cube|vector|icache|ub|l0[abc]|l1|l2|main_mem|total_cycles|0x)"
)
_COUNTER_END = re.compile(
    r"_(time|ratio|rate|bw|cycles|fops|flops|datas|hit|miss|victim|allocate|number|instructions)$"
)
_BOTH_SIDES = re.compile(r"^(?!ai[cv]_).*(_datas|_usage_rate)$")  # of `msprof op`: the whole block, whatever its cores
_EXECUTION = re.compile(r"_exe_(time|ratio)$")
_CUBE_AS_MAC = re.compile(r"^(aic_)cube(_(?:fp16_|int8_|fp_|int_)?(?:time|ratio))$")
_PARTS = re.compile(r"\(([^()]*)\)")
_EXPONENT = re.compile(r"[eE]")


@dataclass(frozen=True)
class Column:
    """One column of a file: its place, its spelling there, its name and how its cells are read.

    required: a row without a number there is no row (an operator without a duration).
    """

    index: int
    header: str
    name: str
    kind: str
    scale: float = 1.0
    required: bool = False


def plain_cell(text: str) -> str:
    """A cell without the quotes, tabs, CRs and blanks that exporters leave around it."""
    return text.strip(" \t\r\n\ufeff").strip('"').strip(" \t\r\n")


@lru_cache(maxsize=4096)
def name_of(header: str) -> tuple[str, float] | None:
    """The column's name and the factor that brings its numbers to the name's unit; None = not used."""
    text = plain_cell(header).casefold()
    units = [unit.strip() for unit in _PARTS.findall(text)]
    words = " ".join(_PARTS.sub("", text).split())
    scale = next((_TIME_SCALES[unit] for unit in units if unit in _TIME_SCALES), 1.0)
    spaced = words.replace("_", " ")
    if spaced in _NAMES:
        return _NAMES[spaced], scale
    if spaced in _NO_COLUMN or not words:
        return None
    return _counter(words.replace(" ", "_"), units, scale)


def _counter(words: str, units: Sequence[str], scale: float) -> tuple[str, float] | None:
    base = _EXECUTION.sub(r"_\1", words)
    suffix = "".join(_UNITS[unit] for unit in units if unit in _UNITS)
    if scale != 1.0 or base.endswith("_time"):
        suffix = "_us"
    base = _WHOLE_NAMES.get(base, base)
    if base in _WITHOUT_SIDE or _BOTH_SIDES.search(base):
        return base + ("_pct" if base == "cube_utilization" else suffix), scale
    if not base.startswith(("aic_", "aiv_")):
        if not (_COUNTER_START.match(base) or _COUNTER_END.search(base)):
            return None
        base = f"aic_{base}"
    return _CUBE_AS_MAC.sub(r"\1mac\2", base) + suffix, scale


def kind_of(name: str) -> str:
    """How the cells of a named column are read."""
    if name == "start_ns":
        return START
    if name in TEXT_COLUMNS or name == BLOCK_COLUMNS[1]:
        return SHAPE if name.endswith(("_shapes", "_dtypes", "_formats")) else TEXT
    if name in INTEGER_COLUMNS or name in ("count", BLOCK_COLUMNS[0]):
        return INTEGER
    return FLOAT if name in FLOAT_COLUMNS or name in _STATISTIC_COLUMNS else COUNTER


def is_counter(name: str) -> bool:
    """Whether a number column is a hardware counter."""
    return name.startswith(("aic_", "aiv_")) or name.endswith(("_datas_kb", "_usage_rate_pct")) or name in _COUNTERS


def columns_of(header: Iterable[str]) -> tuple[Column, ...]:
    """The used columns of a header; of two that mean the same the first counts."""
    found: dict[str, Column] = {}
    for index, text in enumerate(header):
        named = name_of(text)
        if named is not None and named[0] not in found:
            name, scale = named
            found[name] = Column(index, plain_cell(text), name, kind_of(name), scale, name == _REQUIRED)
    return tuple(found.values())


def is_operator_table(columns: Iterable[Column]) -> bool:
    """Whether these are the columns of a table of operator instances."""
    return {"name", "start_ns", "duration_us"} <= {column.name for column in columns}


def text_cell(text: str) -> str | None:
    """A text cell's value; None = unknown. Missing is spelled in upper case only: an operator may be called "na"."""
    text = text.strip()
    return None if text in MISSING else text


def shape_cell(text: str) -> str | None:
    """A cell of shapes, dtypes or formats: as text, and without the quotes that are part of the cell.

    "" = nothing between these quotes: the one tensor of that side is a scalar, which is not unknown.
    """
    return "" if text.strip() == '""' else text_cell(plain_cell(text))


def number_cell(text: str) -> float:
    """A number; NaN = unknown or not a number."""
    try:
        return float(text)
    except ValueError:
        text = plain_cell(text)
    try:
        return float(text)
    except ValueError:
        return math.nan


def integer_cell(text: str) -> int:
    """A whole number (also "7.0"); UNKNOWN when there is none or it does not fit 64 bits."""
    try:
        value = int(text)
    except ValueError:
        number = number_cell(text)
        value = int(number) if math.isfinite(number) else UNKNOWN
    return value if -(2**63) <= value < 2**63 else UNKNOWN


def start_cell(text: str, scale: float = 1.0) -> int:
    """Microseconds with decimals as integer nanoseconds, never through a float64; UNKNOWN when missing or rounded."""
    whole, _, decimals = text.strip().partition(".")
    if len(whole) < 17 and whole.isdecimal() and scale == 1.0 and len(decimals) == 3 and decimals.isdecimal():
        found = int(whole) * 1000 + int(decimals)
        return found if found < 2**63 else UNKNOWN
    text = plain_cell(text)
    if text in MISSING or is_rounded(text):
        return UNKNOWN
    try:
        value = Decimal(text) * 1000 * Decimal(str(scale))
        whole_ns = int(value.to_integral_value()) if value.is_finite() else UNKNOWN
    except InvalidOperation:
        return UNKNOWN
    return whole_ns if 0 <= whole_ns < 2**63 else UNKNOWN


def is_rounded(text: str) -> bool:
    """Whether a start time was re-saved in exponent form (1.76E+15): its digits are gone."""
    return bool(_EXPONENT.search(text)) and not math.isnan(number_cell(text))
