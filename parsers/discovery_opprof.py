"""OPPROF_* folders of `msprof op`: flat, per operator, per device; any folder with OpBasicInfo*.csv is one."""

from __future__ import annotations

import re

from npuscope.parsers.discovery_files import (
    QUIET_S,
    Folder,
    State,
    changed,
    is_young,
    make_run,
    no_permission,
    permission_problem,
    settling,
    unreadable,
)
from npuscope.parsers.profile import Run
from npuscope.parsers.say import say

BASIC_INFO = re.compile(r"OpBasicInfo(?:_\d+)?.*\.csv")
GROUPS = (
    "PipeUtilization", "ArithmeticUtilization", "Memory", "MemoryL0", "MemoryUB", "L2Cache", "ResourceConflictRatio",
)  # fmt: skip
METRICS = re.compile(rf"(?:OpBasicInfo|{'|'.join(GROUPS)})(?:_\d+)?\.csv")
_ANY = re.compile(r".+")
_LEVELS = 3
KIND = "msprof_op"


def look_at_opprof(folder: Folder, now: float) -> Run:
    """The run of a folder that holds OpBasicInfo*.csv."""
    if folder.error is not None:
        return unreadable(folder.path, KIND, folder.error)
    files = [*folder.facts(BASIC_INFO)]
    files += [one for one in folder.facts(METRICS) if one not in files]
    closed = next((one for one in files if not one.readable), None)
    problems = [permission_problem(str(folder.path / one.file)) for one in files if not one.readable]
    if closed is not None:
        state = no_permission(str(folder.path / closed.file))
    elif settling(files, now):
        state = State("exporting", say("profiles.reason.being-written", file=files[-1].name))
    elif not any(one.size for one in files if BASIC_INFO.fullmatch(one.name)):
        state = State("empty", say("profiles.reason.zero-bytes", file=files[0].name))
    elif not any(one.name.startswith("PipeUtilization") and one.size for one in files):
        state = State("partial", say("profiles.reason.no-pipe-utilization"), COLLECT)
    else:
        state = State("ready")
    return make_run(folder.path, KIND, state, files, problems=problems)


COLLECT = "msprof op --aic-metrics=Default --output=. ./YOUR_PROGRAM"


def look_at_bare_opprof(folder: Folder, now: float) -> Run | None:
    """An OPPROF_* folder without OpBasicInfo of its own; None when folders below have it (then they are the runs)."""
    if folder.error is not None:
        return unreadable(folder.path, KIND, folder.error)
    if _below(folder, _LEVELS):
        return None
    newest = max((one.changed_at for one in folder.facts(_ANY)), default=changed(folder.path))
    if is_young(newest, now, QUIET_S):
        state = State("collecting", say("profiles.reason.collecting"))
    elif "simulator" in folder.entries:
        state = State("partial", say("profiles.reason.simulator"), COLLECT)
    elif not folder.entries:
        state = State("empty", say("profiles.reason.empty-folder"), COLLECT)
    else:
        state = State("partial", say("profiles.reason.no-basic-info"), COLLECT)
    return make_run(folder.path, KIND, state, changed_at=newest)


def _below(folder: Folder, levels: int) -> bool:
    if folder.has(BASIC_INFO):
        return True
    return levels > 0 and any(_below(folder.sub(name), levels - 1) for name in folder.folders())
