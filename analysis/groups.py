"""Rows gathered: one line per (type, core), one per type with one set of shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from npuscope.analysis.arrays import Bools, Floats, Ints, first_rows, grouped, ratio, stable_order, sums, totalled
from npuscope.analysis.labels import counters, metric_groups
from npuscope.analysis.labels.verdict import LABELS
from npuscope.analysis.times.carried import counted_us
from npuscope.analysis.times.timeline import start_order, times
from npuscope.parsers.msprof.row_checks import CARRIED
from npuscope.parsers.table import Numbers, Strings, Table

SHAPE_TEXT = ("input_shapes", "output_shapes", "input_dtypes", "input_formats")
# of each a mean over the calls where it is known, and their sum under the second name
AVERAGED = {
    "bound_us": "bound_total_us", "bytes": "bytes_total", "flops": "flops_total", "kernel_us": "kernel_total_us",
    "move_us": "move_total_us", "other_us": "other_total_us", "wait_us": "wait_total_us", "bound_least_us": None,
    "cube_bound_us": None, "vector_bound_us": None,
}  # fmt: skip


@dataclass(frozen=True)
class Grouping:
    """Rows of `ops` by group: `group` per row, `rows` = one of each group, groups ordered by time, largest first."""

    group: Ints
    rows: Ints
    count: int

    @classmethod
    def by(cls, columns: list[Ints], duration: Floats) -> Grouping:
        """Groups of rows equal in all columns."""
        group, count = grouped(columns)
        total = totalled(group, count, np.nan_to_num(duration))
        order = np.lexsort((first_rows(group, count), -total))
        place = np.empty(count, dtype=np.int64)
        place[order] = np.arange(count)
        group = place[group]
        return cls(group, first_rows(group, count), count)


def type_column(table: Table) -> Strings:
    """The type of each row; at level 0 there is none and the operator's name is the group."""
    kind, name = table.strings("type"), table.strings("name")
    without = kind.codes < 0
    if not without.any():
        return kind
    values = dict.fromkeys(kind.values)
    values.update(dict.fromkeys(name.values[code] for code in np.unique(name.codes[without]).tolist() if code >= 0))
    place = {value: index for index, value in enumerate(values)}
    renamed = np.array([*(place.get(value, -1) for value in name.values), -1], dtype=np.int32)
    return Strings(np.where(without, renamed[name.codes], kind.codes).astype(np.int32), tuple(values))


def shapes_grouping(ops: Table) -> Grouping:
    """One group per (type, core, shapes, dtypes, formats, block dim)."""
    columns = [ops.strings(name).codes for name in ("type", "core", *SHAPE_TEXT, "output_dtypes", "output_formats")]
    block = np.nan_to_num(ops.numbers("block_dim"), nan=-1).astype(np.int64)
    return Grouping.by([*columns, block], counted_us(ops))


def types_grouping(ops: Table) -> Grouping:
    """One group per (type, core)."""
    return Grouping.by([ops.strings("type").codes, ops.strings("core").codes], counted_us(ops))


@dataclass(frozen=True)
class Rows:
    """What lines are gathered from. `communication`, `computing`: which rows are; `by_duration` = rows, the shortest
    first.
    """

    ops: Table
    communication: Bools
    computing: Bools
    by_duration: Ints

    @classmethod
    def of(cls, ops: Table, communication: Bools, computing: Bools) -> Rows:
        """Rows that have their results."""
        return cls(ops, communication, computing, np.argsort(np.nan_to_num(ops.numbers("duration_us")), kind="stable"))


def gather(rows: Rows, groups: Grouping, text: tuple[str, ...]) -> Table:
    """The lines of `groups`: text of one row, numbers of all. Shares are of all computing (or communication); what
    is neither has none.
    """
    ops, communication, computing = rows.ops, rows.communication, rows.computing
    duration = np.nan_to_num(ops.numbers("duration_us"))
    total = totalled(groups.group, groups.count, duration)
    sent, works = (which[groups.rows] if groups.count else which[:0] for which in (communication, computing))
    counted = counted_us(ops)
    whole = np.where(sent, counted[communication].sum(), np.where(works, counted[computing].sum(), np.nan))
    columns = {name: ops.strings(name).take(groups.rows) for name in text}
    numbers: dict[str, Numbers] = {
        "total_us": total,
        "share_pct": ratio(100 * totalled(groups.group, groups.count, counted), whole),
    }
    numbers.update(_spread(rows, groups, duration, total))
    numbers.update(_told_once(ops, groups, counted, numbers))
    for name in ("saving_us", "step_gain_us"):
        numbers[name] = sums(groups.group, groups.count, ops.numbers(name))
    for name, total_name in AVERAGED.items():
        numbers.update(_averaged(groups, name, total_name, ops.numbers(name)))
    numbers.update(_achieved(ops, groups, duration, numbers))
    for name in ("aicore_pct", "scalar_ratio"):
        numbers[name] = _weighted(groups, ops.numbers(name), duration)
    misses = [name for name in ops.columns if name.endswith("icache_miss_rate")]
    if misses:
        numbers["icache_miss_rate"] = _weighted(groups, metric_groups.icache(ops), duration)
    for stem in counters.stems(ops):
        numbers[f"{stem}_ratio"] = _weighted(groups, counters.share(ops, stem), duration)
    return Table({**columns, **numbers, "block_dim": ops.numbers("block_dim")[groups.rows]})


def _spread(rows: Rows, groups: Grouping, duration: Floats, total: Floats) -> dict[str, Numbers]:
    """count, mean, median, min, max, and the first call by start."""
    count = np.bincount(groups.group, minlength=groups.count)
    order = rows.by_duration[stable_order(groups.group[rows.by_duration])]
    ends = np.cumsum(count)
    begins = ends - count
    ordered = duration[order]
    start, end, known = times(rows.ops)
    first = first_rows(groups.group, groups.count, start_order(start, end))
    first_us = np.where(known[first], duration[first], np.nan) if groups.count else duration[:0]
    return {
        "count": count,
        "mean_us": ratio(total, count.astype(np.float64)),
        "median_us": (ordered[begins + (count - 1) // 2] + ordered[begins + count // 2]) / 2,
        "min_us": ordered[begins],
        "max_us": ordered[ends - 1],
        "first_us": first_us,
        "mean_without_first_us": ratio(total - first_us, (count - 1).astype(np.float64)),
    }


def _told_once(ops: Table, groups: Grouping, counted: Floats, numbers: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """count, total_us and mean_us without the rows that another row tells, and these by themselves."""
    if CARRIED not in ops:
        return {}
    total = totalled(groups.group, groups.count, counted)
    carried = np.bincount(groups.group[ops.numbers(CARRIED) == 1], minlength=groups.count)
    count = numbers["count"] - carried
    return {
        "count": count,
        "total_us": total,
        "mean_us": ratio(total, count.astype(np.float64)),
        "carried_count": carried,
        "carried_us": numbers["total_us"] - total,
    }


def _averaged(groups: Grouping, name: str, total_name: str | None, values: Floats) -> dict[str, Floats]:
    values = np.maximum(values, 0) if name == "wait_us" else values
    total = sums(groups.group, groups.count, values)
    known = totalled(groups.group, groups.count, ~np.isnan(values))
    return {name: ratio(total, known), **({total_name: total} if total_name else {})}


def _achieved(ops: Table, groups: Grouping, duration: Floats, numbers: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """Rates and times over the bound, over the calls where they are known."""
    bounded = ~np.isnan(ops.numbers("bound_us"))
    bounded_us = totalled(groups.group, groups.count, np.where(bounded, duration, 0.0))

    def rate(amount: str, achieved: str, per_us: float) -> Floats:
        told = ~np.isnan(ops.numbers(achieved))
        done, us = (
            totalled(groups.group, groups.count, np.where(told, one, 0.0)) for one in (ops.numbers(amount), duration)
        )
        return ratio(np.where(us > 0, done, np.nan), us * per_us)

    return {
        "times_over_bound": ratio(bounded_us, numbers["bound_total_us"]),
        "achieved_gbps": rate("bytes", "achieved_gbps", 1e3),
        "achieved_tflops": rate("flops", "achieved_tflops", 1e6),
        "bound_count": totalled(groups.group, groups.count, bounded).astype(np.int64),
    }


def _weighted(groups: Grouping, values: Floats, duration: Floats) -> Floats:
    """Mean of the known values weighted by time."""
    weight = np.where(np.isnan(values), 0.0, duration)
    total = totalled(groups.group, groups.count, np.nan_to_num(values) * weight)
    return ratio(total, totalled(groups.group, groups.count, weight))


@dataclass(frozen=True)
class GroupLabels:
    """Per group the label with the most time and, where the group is mixed, the next one (else -1), as indexes into
    LABELS, their shares of the time (0..1), and a typical row of the leading label.
    """

    label: Ints
    second: Ints
    share: Floats
    second_share: Floats
    row: Ints


def group_labels(rows: Rows, groups: Grouping, label: Ints, named: float) -> GroupLabels:
    """What each group's rows are labelled; a group is mixed when no label has this share of its time."""
    weight = np.maximum(np.nan_to_num(rows.ops.numbers("duration_us")), 1e-6)
    size = groups.count * len(LABELS)
    by_label = totalled(groups.group * len(LABELS) + label, size, weight).reshape(-1, len(LABELS))
    order = np.argsort(-by_label, axis=1, kind="stable")
    lines = np.arange(groups.count)
    leading, following = order[:, 0], order[:, 1]
    whole = by_label.sum(axis=1)
    share = ratio(by_label[lines, leading], whole)
    mixed = share < named
    second = np.where(mixed & (by_label[lines, following] > 0), following, -1)
    row = _typical(rows.by_duration, groups, label == leading[groups.group], weight)
    return GroupLabels(leading, second, share, ratio(by_label[lines, following], whole), row)


def _typical(by_duration: Ints, groups: Grouping, inside: Bools, weight: Floats) -> Ints:
    """Of each group the row at the middle of its time, among the rows `inside`, by duration."""
    rows = by_duration[inside[by_duration]]
    rows = rows[stable_order(groups.group[rows])]
    group, running = groups.group[rows], np.cumsum(weight[rows])
    begin = np.searchsorted(group, np.arange(groups.count), side="left")
    end = np.searchsorted(group, np.arange(groups.count), side="right")
    before = np.concatenate(([0.0], running))[begin]
    middle = (before + running[end - 1]) / 2 if len(running) else before
    return rows[np.minimum(np.searchsorted(running, middle, side="left"), np.maximum(end - 1, 0))]
