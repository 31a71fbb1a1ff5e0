"""What a read operator table must be told about: impossible counters, missing counters, several devices."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.columns import is_counter
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.say import Problem, say
from npuscope.parsers.table import Numbers, Strings, Table

RATIO_MAX = 1.05
LOW_FREQUENCY = 0.9
# of the highest clock in the run: 5 % below it is a drop (frequency_threshold of msprof-analyze's advisor)
FALLEN = 0.95


def counters(table: Table) -> list[str]:
    """The counter columns of a table."""
    return [name for name, column in table.columns.items() if is_counter(name) and not isinstance(column, Strings)]


def check_operators(table: Table, sources: Mapping[str, str]) -> list[Problem]:
    """Problems that lie in the values of an operator table."""
    if not len(table):
        return []
    return [*_out_of_range(table, sources), *_no_counters(table), *_devices(table), *low_frequency(table)]


def impossible(name: str, values: Numbers) -> NDArray[np.bool_]:
    """Rows where a counter cannot be: infinite, below 0, or a ratio above 1.05. Values stay as read."""
    wrong: NDArray[np.bool_] = np.isinf(values) | (values < 0)
    if name.endswith("_ratio"):
        wrong |= values > RATIO_MAX
    return wrong


def _out_of_range(table: Table, sources: Mapping[str, str]) -> list[Problem]:
    found = []
    names = table.strings("name")
    for name in [*counters(table), "duration_us"]:
        values = table.numbers(name)
        rows = np.flatnonzero(impossible(name, values))
        if not len(rows):
            continue
        file, _, header = sources.get(name, name).rpartition(":")
        text = say(
            "profiles.problem.out-of-range",
            column=header or name,
            rows=len(rows),
            value=float(values[rows[0]]),
            name=names[int(rows[0])],
        )
        found.append(Problem("out-of-range", text, say("profiles.hint.out-of-range"), file or None))
    return found


def _no_counters(table: Table) -> list[Problem]:
    if any(not np.isnan(table.numbers(name)).all() for name in counters(table)):
        return []
    return [Problem("no-pmu", say("profiles.problem.no-pmu"), say("profiles.hint.no-pmu"))]


def _devices(table: Table) -> list[Problem]:
    devices = devices_of(table)
    if len(devices) < 2:
        return []
    listed = ", ".join(map(str, devices))
    return [Problem("mixed-devices", say("profiles.problem.mixed-devices", count=len(devices), devices=listed))]


def devices_of(table: Table) -> tuple[int, ...]:
    """The device ids in a table, ascending."""
    column = table.columns.get("device")
    if column is None or isinstance(column, Strings):
        return ()
    return tuple(int(device) for device in np.unique(column) if device != UNKNOWN)


def low_frequency(table: Table) -> list[Problem]:
    """A remark where operators ran below the rated clock, or below the highest that was seen."""
    if "freq_mhz" not in table:
        return []
    if "rated_freq_mhz" not in table:
        return _clock_fell(table)
    current, rated = table.numbers("freq_mhz"), table.numbers("rated_freq_mhz")
    low = np.flatnonzero((current > 0) & (current < LOW_FREQUENCY * rated))
    if not len(low):
        return []
    now, full = float(current[low[0]]), float(rated[low[0]])
    text = say("profiles.problem.low-frequency", freq=now, rated=full, pct=100 * now / full)
    return [Problem("low-frequency", text, say("profiles.hint.low-frequency"))]


def _clock_fell(table: Table) -> list[Problem]:
    """Where the rated clock is not told: operators that ran well below the highest clock of their run."""
    clock, us = table.numbers("freq_mhz"), np.nan_to_num(table.numbers("duration_us"))
    known = clock > 0
    if not known.any():
        return []
    highest = float(clock[known].max())
    low = known & (clock < FALLEN * highest)
    if not low.any():
        return []
    text = say(
        "profiles.problem.clock-fell",
        rows=int(low.sum()),
        least=float(clock[low].min()),
        most=highest,
        pct=100 * float(us[low].sum() / max(us[known].sum(), 1e-9)),
    )
    return [Problem("low-frequency", text, say("profiles.hint.low-frequency"))]
