"""What a timeline shows of the host that no table does: how often and how long, by kind of event; and the clock.

Kinds: gc (the interpreter's garbage collection), data_loader, sync_batch_norm, sync (waiting for the device), compile
(operators compiled while the program runs), memory (device memory taken and given back), launch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.msprof.databases.db_frequency import last_before
from npuscope.parsers.msprof.tables.api_statistic import LONGEST_US
from npuscope.parsers.msprof.tables.record_tables import table_of
from npuscope.parsers.msprof.traces.trace_tally import Tally, tally
from npuscope.parsers.profile import UNKNOWN, FileStep
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import Problem
from npuscope.parsers.table import Table

KINDS: Mapping[str, re.Pattern[str]] = {
    "gc": re.compile(r"GC"),
    "data_loader": re.compile(r"enumerate\(DataLoader\)#.*"),
    "sync_batch_norm": re.compile(r"SyncBatchNorm(?:Backward)?"),
    "sync": re.compile(r"(?:AscendCL@)?(?:aclrtSynchronize\w*|aclrtSubscribeReport\w*Sync)"),
    "compile": re.compile(r"(?:AscendCL@)?aclopCompileAndExecute\w*"),
    "memory": re.compile(r"(?:AscendCL@)?(?:aclMallocMemInner|aclrt(?:Malloc|Free)(?!Host)\w*)"),
    "launch": re.compile(r"(?:Node@)?launch"),
}
FREQUENCY = "frequency"
PATTERN = re.compile(r"trace_view(?:_\d+)?\.json|msprof(?:_slice_(?P<slice>\d+))?(?:_\d+)*\.json")
CANN = "CANN"
LEVELS: Mapping[str, str] = {
    "AscendCL": "acl", "Model": "model", "Node": "node", "Communication": "communication", "Runtime": "runtime",
}  # fmt: skip


def kind_of(name: str) -> str | None:
    """The kind of an event by its name, or of a call in api_statistic."""
    return next((kind for kind, pattern in KINDS.items() if pattern.fullmatch(name)), None)


@dataclass(frozen=True)
class Traced:
    """What a timeline tells besides what it shows: `events` and `calls` of the host (tables of those functions), the
    marks of steps, and `clock`, the changes of the only chip's clock in order (start_ns, freq_mhz) up to `last_ns`.
    """

    events: Table = field(default_factory=lambda: Table({}))
    calls: Table = field(default_factory=lambda: Table({}))
    steps: tuple[FileStep, ...] = ()
    clock: Table = field(default_factory=lambda: Table({}))
    last_ns: int = UNKNOWN
    file: str = ""
    problems: tuple[Problem, ...] = ()


def read(paths: Sequence[str], progress: Progress | None = None) -> Traced:
    """A trace, or all parts of one. Raises ParseError."""
    return replace(traced(tally(paths, progress)), file=Path(paths[0]).name)


def traced(trace: Tally) -> Traced:
    """The same of a trace that was read."""
    steps = trace.steps()
    marks = tuple(
        FileStep(step, us, None, start + round(us * 1000))
        for step, start, us in zip(*(steps.numbers(name).tolist() for name in ("step", "start_ns", "duration_us")))
    )
    last_ns = int(trace.table.numbers("last_ns").max(initial=UNKNOWN))
    return Traced(events(trace), calls(trace), marks, _clock(trace), last_ns, problems=trace.problems)


def _clock(trace: Tally) -> Table:
    """Of several chips nothing tells which is whose."""
    if trace.clocks != 1:
        return Table({})
    known = trace.frequency.take(np.flatnonzero(trace.frequency.numbers("freq_mhz") > 0))
    return known.take(np.argsort(known.numbers("start_ns"), kind="stable"))


def clocks(trace: Traced, ops: Table) -> NDArray[np.float64] | None:
    """MHz at the start of each operator that starts within the timeline; None where it tells of none."""
    device, start = ops.numbers("device"), ops.numbers("start_ns")
    changed = trace.clock.numbers("start_ns")
    if not len(changed) or len(np.unique(device)) > 1 or (ops.numbers("freq_mhz") > 0).any():
        return None
    rows = np.flatnonzero((start >= changed[0]) & (start <= trace.last_ns))
    found = np.full(len(ops), np.nan)
    found[rows] = last_before(start[rows], changed, trace.clock.numbers("freq_mhz"))
    return found if len(rows) else None


def events(trace: Tally) -> Table:
    """kind name count total_us max_us mean_mhz max_mhz, a name a row; the clock (frequency) has megahertz instead of
    times.
    """
    rows: dict[str, dict[str, Any]] = {}
    for name, count, total, longest in _told(trace, ("count", "total_us", "max_us")):
        kind = kind_of(name)
        if kind is not None:
            row = rows.setdefault(name, {"kind": kind, "name": name, "count": 0, "total_us": 0.0, "max_us": 0.0})
            row.update(count=row["count"] + count, total_us=row["total_us"] + total, max_us=max(row["max_us"], longest))
    found = list(rows.values())
    mhz = trace.frequency.numbers("freq_mhz")
    mhz = mhz[mhz > 0]
    if len(mhz):
        mean, highest = float(mhz.mean()), float(mhz.max())
        found.append({"kind": FREQUENCY, "count": len(mhz), "mean_mhz": mean, "max_mhz": highest})
    numbers = ("total_us", "max_us", "mean_mhz", "max_mhz")
    return table_of(found, {"kind": str, "name": str, "count": int, **dict.fromkeys(numbers, float)})


def _told(trace: Tally, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    columns = (trace.table.numbers(name).tolist() for name in names)
    return zip((name or "" for name in trace.table.strings("name").tolist()), *columns)


def calls(trace: Tally) -> Table:
    """Calls of CANN as api_statistic has them: level name count total_us mean_us min_us max_us.

    They stand in the lanes of CANN as Level@call, in older files under the name of their level. The total of a name
    with a call of more than an hour is unknown, as in api_statistic: it had no beginning.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    processes = trace.table.strings("process").tolist()
    told = _told(trace, ("count", "total_us", "min_us", "max_us"))
    for process, (text, count, total, least, most) in zip(processes, told):
        level, mark, name = text.partition("@")
        if process in LEVELS and not mark:
            level, name = process, text
        if level not in LEVELS or process not in (CANN, *LEVELS):
            continue
        row = rows.setdefault((level, name), {"level": LEVELS[level], "name": name, "min_us": least, "max_us": most})
        row.update(
            count=row.get("count", 0) + count,
            total_us=row.get("total_us", 0.0) + total,
            min_us=min(row["min_us"], least),
            max_us=max(row["max_us"], most),
        )
    found = [
        {**row, "mean_us": row["total_us"] / row["count"]} if row["max_us"] <= LONGEST_US else {**row, "total_us": None}
        for row in rows.values()
    ]
    numbers = ("total_us", "mean_us", "min_us", "max_us")
    return table_of(found, {"level": str, "name": str, "count": int, **dict.fromkeys(numbers, float)})
