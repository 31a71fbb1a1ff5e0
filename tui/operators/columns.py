"""The operator table's columns: where each stands at which width, what gives way, and how a cell is written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from npuscope.parsers.table import Strings, Table
from npuscope.tui import numbers
from npuscope.tui.text import has, t

BAR = "bar"
NAMES = ("type", "name")


@dataclass(frozen=True)
class Placed:
    """A column on the screen: the table column it shows, its field, and whether it is the 80-column form."""

    column: str
    x: int
    width: int
    short: bool = False

    @property
    def left(self) -> bool:
        """Text is left-aligned, numbers right."""
        return self.column in (*NAMES, "label", "core", BAR, "input_shapes", "output_shapes")


# column, gap before it, width: in the order on the screen
_WIDE = (("count", 1, 5), ("total_us", 1, 9), ("share_pct", 1, 4), (BAR, 1, 6), ("median_us", 1, 9),
         ("move_us", 1, 7), ("aicore_pct", 1, 9), ("label", 2, 18), ("bound_us", 0, 8),
         ("times_over_bound", 1, 3), ("saving_us", 1, 7))  # fmt: skip
_SMALL = (("count", 0, 5), ("total_us", 1, 9), ("share_pct", 1, 4), ("median_us", 1, 6), ("aicore_pct", 1, 5),
          ("label", 1, 15), ("times_over_bound", 1, 3), ("saving_us", 1, 4))  # fmt: skip
_SHAPES = (("input_shapes", 1, 24), ("count", 1, 5), ("total_us", 1, 9), ("share_pct", 1, 4), ("median_us", 1, 9),
           ("label", 2, 18), ("bound_us", 0, 8), ("times_over_bound", 1, 3), ("saving_us", 1, 7))  # fmt: skip
_SHAPES_SMALL = (("input_shapes", 1, 12), ("count", 1, 5), ("total_us", 1, 8), ("share_pct", 1, 4),
                 ("label", 1, 15), ("times_over_bound", 1, 3), ("saving_us", 1, 4))  # fmt: skip
_INSTANCE = (("since_us", 1, 9), ("duration_us", 1, 9), ("share_pct", 1, 4), ("wait_us", 1, 7), ("block_dim", 1, 5),
             ("move_us", 1, 7), ("aicore_pct", 1, 9), ("label", 2, 18), ("bound_us", 0, 8),
             ("times_over_bound", 1, 3), ("saving_us", 1, 7))  # fmt: skip
_INSTANCE_SMALL = (("since_us", 1, 9), ("duration_us", 1, 8), ("wait_us", 1, 6), ("aicore_pct", 1, 5), ("label", 1, 15),
                   ("times_over_bound", 1, 3), ("saving_us", 1, 4))  # fmt: skip
_DROPS = (
    BAR,
    "bound_us",
    "move_us",
    "wait_us",
    "aicore_pct",
    "median_us",
    "count",
    "since_us",
    "share_pct",
    "times_over_bound",
)
WIDER = 132  # from here on there are more columns, as far as they fit; the share bar gives way to them
# column, gap before it, width, the column it stands behind; what matters most first
_EXTRA = (("core", 1, 5, "count"), ("max_us", 1, 7, "median_us"), ("kernel_us", 1, 9, "move_us"),
          ("other_us", 1, 8, "kernel_us"), ("scalar_ratio", 1, 5, "aicore_pct"), ("wait_us", 1, 7, "scalar_ratio"),
          ("min_us", 1, 7, "median_us"), ("input_shapes", 1, 26, "wait_us"))  # fmt: skip
_BASES = {"types": (_WIDE, _SMALL), "shapes": (_SHAPES, _SHAPES_SMALL), "instances": (_INSTANCE, _INSTANCE_SMALL)}
# shown when scrolling sideways, and offered by the column chooser
_INDICATORS = ("kernel_us", "move_us", "other_us", "aicore_pct", "scalar_ratio", "icache_miss_rate")
MORE = {
    "types": (*_INDICATORS, "core", "median_us", "max_us", "min_us", "mean_us", "mean_without_first_us", "first_us",
              "wait_us", "bound_us", "step_gain_us", "shapes", "block_dim", "achieved_gbps", "achieved_tflops",
              "input_shapes"),
    "shapes": (*_INDICATORS, "core", "median_us", "max_us", "min_us", "mean_us", "first_us", "wait_us", "bound_us",
               "step_gain_us", "block_dim", "achieved_gbps", "achieved_tflops", "input_shapes", "output_shapes"),
    "instances": (*_INDICATORS[:-1], "type", "core", "device", "stream", "task_id", "step", "wait_us", "block_dim",
                  "bound_us", "step_gain_us", "freq_mhz", "achieved_gbps", "achieved_tflops", "input_shapes",
                  "output_shapes"),
}  # fmt: skip
MORE_WIDTHS: Mapping[str, int] = {"core": 5, "input_shapes": 30, "output_shapes": 30, "type": 20, "device": 6,
    "stream": 6, "step": 5, "shapes": 6, "block_dim": 5, "scalar_ratio": 5, "icache_miss_rate": 6,
    "aicore_pct": 9, "kernel_us": 9, "median_us": 9,
    "mean_without_first_us": 9}  # fmt: skip


def layout(level: str, width: int, chosen: tuple[str, ...] = (), shift: int = 0) -> list[Placed]:
    """Columns from left to right at a screen width.

    `chosen` columns are added behind the name; `shift` leaves out that many columns behind the name, so that those cut
    at the right edge come into view.
    """
    small = width < 100
    name = "name" if level == "instances" else "type"
    name_width = 19 if small else 20
    base = list(_BASES[level][1 if small else 0])
    room = width - 3 - name_width
    if width >= WIDER and level == "types":
        base = _widened(base, room)
    known = {column for column, _, _ in base}
    added = [(column, 1, MORE_WIDTHS.get(column, 8)) for column in chosen if column not in known]
    base = added + base
    if shift:
        rest = [(column, 1, MORE_WIDTHS.get(column, 8)) for column in MORE[level] if column not in known]
        base = (base + rest)[shift:]
    else:
        base = _dropped(base, room)
    spare = width - 2 - (2 + name_width + sum(gap + wide for _, gap, wide in base))
    if spare > 0 and not shift:
        name_width += min(spare, 24)
    placed = [Placed(name, 2, name_width, small)]
    x = 2 + name_width
    for column, gap, wide in base:
        if x + gap + wide > width - 1:
            break
        placed.append(Placed(column, x + gap, wide, small))
        x += gap + wide
    return placed


def _widened(base: list[tuple[str, int, int]], room: int) -> list[tuple[str, int, int]]:
    bar = next(gap + wide for name, gap, wide in base if name == BAR)
    for column, gap, wide, after in _EXTRA:
        if sum(gap + wide for _, gap, wide in base) + gap + wide - bar > room:
            break
        base.insert([name for name, _, _ in base].index(after) + 1, (column, gap, wide))
    return base


def _dropped(base: list[tuple[str, int, int]], room: int) -> list[tuple[str, int, int]]:
    for name in _DROPS:
        if sum(gap + wide for _, gap, wide in base) <= room:
            break
        base = [entry for entry in base if entry[0] != name]
    return base


def units(table: Table) -> dict[str, tuple[str, float, int]]:
    """One unit per time column, by its largest value, so that no column mixes us and ms; savings share total's unit."""
    chosen = {}
    for column in table.columns:
        if column.endswith("_us") and not isinstance(table.columns[column], Strings):
            values = table.numbers(column)
            largest = float(np.fmax.reduce(values)) if len(values) else math.nan
            chosen[column] = numbers.time_unit(None if math.isnan(largest) else largest)
    for total in ("total_us", "duration_us"):
        if total in chosen:
            chosen.update((gain, chosen[total]) for gain in ("saving_us", "step_gain_us") if gain in chosen)
            break
    return chosen


def head(placed: Placed, unit: str) -> str:
    """What stands over the column."""
    short = f"head.{placed.column}.short"
    key = short if placed.short and has(short) else f"head.{placed.column}"
    return t(key, unit=unit)


Cell = tuple[str, str]  # text, token


def number_cell(column: str, value: float, unit: tuple[str, float, int], width: int = 99) -> str:
    """A number of the table as text; where its decimals find no room they go first, never a digit before them."""
    text = _number_cell(column, value, unit)
    while len(text) > width and "." in text:
        decimals = len(text.partition(".")[2]) - 1
        text = f"{float(text.lstrip('<')):.{decimals}f}"
    if len(text) > width and _WRITERS.get(column, numbers.count) is numbers.count and not column.endswith("_us"):
        return numbers.count_in(value, width)
    return text


def _number_cell(column: str, value: float, unit: tuple[str, float, int]) -> str:
    if column.endswith("_us"):
        if math.isnan(value):
            return numbers.DASH
        decimals = 0 if unit[0] == "us" and abs(value) >= 1000 and column != "total_us" else unit[2]
        return numbers.fixed(value / unit[1], decimals)
    writer = _WRITERS.get(column, numbers.count)
    return writer(None if value == -1 and column in _INTEGERS else value)


_INTEGERS = ("device", "stream", "task_id", "step", "block_dim", "mix_block_dim")
_WRITERS: Mapping[str, Callable[[float | None], str]] = {
    "share_pct": lambda value: numbers.fixed(value, 1),
    "aicore_pct": lambda value: numbers.fixed(value, 0),
    "times_over_bound": numbers.times_over,
    "achieved_gbps": lambda value: numbers.fixed(value, 0),
    "achieved_tflops": lambda value: numbers.fixed(value, 1),
    "freq_mhz": lambda value: numbers.fixed(value, 0),
    "scalar_ratio": lambda value: numbers.fixed(value, 2),
    "icache_miss_rate": lambda value: numbers.fixed(value, 2),
}
