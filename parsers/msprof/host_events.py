"""What a timeline shows of the host that no table does: how often and how long, by kind of event; and the clock.

Kinds: gc (the interpreter's garbage collection), data_loader, sync_batch_norm, sync (waiting for the device), compile
(operators compiled while the program runs), memory (device memory taken and given back), launch.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from npuscope.parsers.msprof import timeline
from npuscope.parsers.msprof.communication_tables import Found, Reader
from npuscope.parsers.msprof.record_tables import table_of
from npuscope.parsers.msprof.timeline import Timeline

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
_PATTERN = re.compile(r"trace_view(?:_\d+)?\.json|msprof(?:_\d+)*\.json")


def kind_of(name: str) -> str | None:
    """The kind of an event by its name, or of a call in api_statistic."""
    return next((kind for kind, pattern in KINDS.items() if pattern.fullmatch(name)), None)


def events(trace: Timeline) -> Found:
    """kind name count total_us max_us mean_mhz max_mhz, a name a row; the clock (frequency) has megahertz instead of
    times.
    """
    names = trace.events.strings("name")
    us = np.nan_to_num(trace.events.numbers("duration_us").astype(np.float64))
    rows: list[dict[str, object]] = []
    for code, name in enumerate(names.values):
        kind = kind_of(name)
        own = us[names.codes == code] if kind is not None else us[:0]
        if len(own):
            total, longest = float(own.sum()), float(own.max())
            rows.append({"kind": kind, "name": name, "count": len(own), "total_us": total, "max_us": longest})
    mhz = trace.frequency.numbers("freq_mhz")
    mhz = mhz[mhz > 0]
    if len(mhz):
        mean, highest = float(mhz.mean()), float(mhz.max())
        rows.append({"kind": FREQUENCY, "count": len(mhz), "mean_mhz": mean, "max_mhz": highest})
    numbers = ("total_us", "max_us", "mean_mhz", "max_mhz")
    return Found(table_of(rows, {"kind": str, "name": str, "count": int, **dict.fromkeys(numbers, float)}))


def read(path: str) -> Found:
    """The host's events of a trace, and its clock. Raises ParseError."""
    return events(timeline.read(path))


EVENTS = Reader(_PATTERN, read)
