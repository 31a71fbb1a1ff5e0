"""OPPROF_* folders of `msprof op`: flat, per operator, per device, of the simulator.

A folder with OpBasicInfo*.csv is one launch and a run of its own wherever it is named; an OPPROF_* folder is one run
with all the launches below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from npuscope.parsers.discovery.files import (
    QUIET_S,
    Fact,
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
from npuscope.parsers.opprof_launches import BASIC_INFO, CORE, GROUPS, INSTRUCTIONS, METRICS, SIMULATOR
from npuscope.parsers.profile import Run
from npuscope.parsers.say import say

__all__ = ["BASIC_INFO", "COLLECT", "GROUPS", "SIMULATOR", "look_at_bare_opprof", "look_at_opprof", "look_at_simulator"]

COLLECT = "msprof op --aic-metrics=Default --output=. ./YOUR_PROGRAM"
KIND = "msprof_op"
MAX_LAUNCHES = 5000  # the most that one collection can hold
_BINARY = re.compile(r"visualize_data\.bin")
_ANY = re.compile(r".+")
_LEVELS = 3
_INSIDE = ("dump",)


def look_at_opprof(folder: Folder, now: float) -> Run:
    """The run of a folder that holds OpBasicInfo*.csv."""
    if folder.error is not None:
        return unreadable(folder.path, KIND, folder.error)
    return _run(folder, _metrics(folder, ""), folder.facts(_BINARY), now)


def look_at_bare_opprof(folder: Folder, now: float) -> Run:
    """An OPPROF_* folder without OpBasicInfo of its own: the launches below it, else the reason why there are none."""
    if folder.error is not None:
        return unreadable(folder.path, KIND, folder.error)
    files: list[Fact] = []
    binaries: list[Fact] = []
    for number, (launch, prefix) in enumerate(_launches(folder, "", _LEVELS)):
        if number == MAX_LAUNCHES:
            break
        files += _metrics(launch, prefix)
        binaries += launch.facts(_BINARY, prefix)
    if files:
        return _run(folder, files, binaries, now)
    simulated = list(_simulated(folder, "", _LEVELS))
    if simulated:
        return _simulation(folder, simulated, now)
    return _without_launch(folder, now)


def look_at_simulator(folder: Folder, now: float) -> Run | None:
    """The run of a folder of any name with a simulator's output in it; None when it is none."""
    files = list(_simulated(folder, "", 0))
    return _simulation(folder, files, now) if files else None


def _metrics(launch: Folder, prefix: str) -> list[Fact]:
    files = launch.facts(BASIC_INFO, prefix)
    return [*files, *(one for one in launch.facts(METRICS, prefix) if one not in files)]


def _launches(folder: Folder, prefix: str, levels: int) -> Iterator[tuple[Folder, str]]:
    if folder.has(BASIC_INFO):
        yield folder, prefix
    elif levels > 0:
        for name in folder.folders():
            if name not in _INSIDE:
                yield from _launches(folder.sub(name), f"{prefix}{name}/", levels - 1)


def _simulated(folder: Folder, prefix: str, levels: int) -> Iterator[Fact]:
    if SIMULATOR in folder.entries:
        simulator = folder.sub(SIMULATOR)
        for name in simulator.folders():
            if CORE.fullmatch(name):
                yield from simulator.sub(name).facts(INSTRUCTIONS, f"{prefix}{SIMULATOR}/{name}/")
    elif levels > 0:
        for name in folder.folders():
            if name not in _INSIDE:
                yield from _simulated(folder.sub(name), f"{prefix}{name}/", levels - 1)


def _run(folder: Folder, files: Sequence[Fact], binaries: Sequence[Fact], now: float) -> Run:
    """The binaries are written last: until they stand still the launch is being written."""
    basic = [one for one in files if BASIC_INFO.fullmatch(one.name)]
    closed = [one for one in files if not one.readable]
    problems = [permission_problem(str(folder.path / one.file)) for one in closed]
    if closed and (len(basic) == 1 or not any(one.readable for one in basic)):
        state = no_permission(str(folder.path / closed[0].file))
    elif settling([*files, *binaries], now):
        youngest = max([*files, *binaries], key=lambda one: one.changed_at)
        state = State("exporting", say("profiles.reason.being-written", file=youngest.name))
    elif not any(one.size for one in basic):
        state = State("empty", say("profiles.reason.zero-bytes", file=basic[0].name))
    elif not any(one.name.startswith("PipeUtilization") and one.size for one in files):
        state = State("partial", say("profiles.reason.no-pipe-utilization"), COLLECT)
    else:
        state = State("ready")
    return make_run(folder.path, KIND, state, files, problems=problems, beside=binaries)


def _simulation(folder: Folder, files: Sequence[Fact], now: float) -> Run:
    if settling(files, now):
        state = State("exporting", say("profiles.reason.being-written", file=files[-1].name))
    else:
        state = State("partial", say("profiles.reason.simulator"), COLLECT)
    return make_run(folder.path, KIND, state, files)


def _without_launch(folder: Folder, now: float) -> Run:
    newest = max((one.changed_at for one in folder.facts(_ANY)), default=changed(folder.path))
    if is_young(newest, now, QUIET_S):
        state = State("collecting", say("profiles.reason.collecting"))
    elif SIMULATOR in folder.entries:
        state = State("partial", say("profiles.reason.simulator"), COLLECT)
    elif not folder.entries:
        state = State("empty", say("profiles.reason.empty-folder"), COLLECT)
    else:
        state = State("partial", say("profiles.reason.no-basic-info"), COLLECT)
    return make_run(folder.path, KIND, state, changed_at=newest)
