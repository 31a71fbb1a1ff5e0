"""What the simulator of `msprof op` left: per core its instructions and its trace. Its times are not those of a chip.

The time of the operator is that of the trace (first start to last end over all cores); without traces there is none,
and then no operator. A pipe's time is the sum of its instructions' running times, flags and barriers left out: these
wait, and hold their pipe in name only.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from npuscope.parsers.columns import number_cell
from npuscope.parsers.csv_text import ENCODINGS, LineFeed, inspect, refusal, rows
from npuscope.parsers.json_text import loads
from npuscope.parsers.msprof.opprof import cores as opprof_cores
from npuscope.parsers.msprof.opprof.folder import LaunchTable
from npuscope.parsers.opprof_launches import CORE, INSTRUCTIONS, SIMULATOR, Launch
from npuscope.parsers.profile import PIPES, UNKNOWN
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Column, Strings, Table

MAX_TRACE = 64 << 20
TRACE = "trace.json"
_PIPES = {"cube": "mac", "vector": "vec", "vec": "vec", "fixp": "fixpipe", "fix": "fixpipe"}
_WAITS = re.compile(r"(?:SET|WAIT)_(?:FLAG|EVENT).*|BAR(?:RIER)?(?:[._].*)?|PIPE_?BARRIER.*", re.IGNORECASE)
_NEEDED = ("pipe", "running_time(us)")


@dataclass(frozen=True)
class _Core:
    """One core: its number, name and side, first start and last end in us (NaN without a trace), busy us by pipe."""

    block: int
    name: str
    side: str
    start_us: float
    end_us: float
    busy_us: Mapping[str, float]


def read_launch(run: Path, launch: Launch, first: int) -> LaunchTable:
    """One simulated launch as row `first` of ops; without rows where the traces are missing."""
    folder = run / launch.folder
    problems: list[Problem] = []
    cores = list(_cores(folder, launch, problems))
    known = [core for core in cores if not math.isnan(core.end_us)]
    duration = max(core.end_us for core in known) - min(core.start_us for core in known) if known else math.nan
    if not duration > 0 or len(known) < len(cores):
        if cores:
            problems.append(Problem("simulator-no-trace", say("opprof.problem.no-trace"), file=str(folder)))
        return LaunchTable(first, Table({}), {}, 0, problems)
    problems.append(Problem("simulated", say("opprof.problem.simulated"), file=str(folder)))
    table = _table(known, first)
    ops = Table({
        "name": Strings.of([launch.operator or run.name]),
        "core": Strings.of([_kind(known)]),
        "start_ns": np.array([UNKNOWN], dtype=np.int64),
        "duration_us": np.array([duration]),
        "block_dim": np.array([len({core.block for core in known})], dtype=np.int64),
        "launch": np.array([launch.number], dtype=np.int64),
        "block_spread": np.array([opprof_cores.spread(table)]),
        "blocks_measured": np.array([opprof_cores.blocks_measured(table)], dtype=np.int64),
        **_counters(table),
    })  # fmt: skip
    place = launch.folder or SIMULATOR
    return LaunchTable(first, ops, dict.fromkeys(ops.columns, f"{place}:"), 0, problems, cores=table)


def _cores(folder: Path, launch: Launch, problems: list[Problem]) -> Iterator[_Core]:
    by_core: dict[str, str] = {}
    for file in launch.files:
        parts = file.split("/")
        if len(parts) == 3 and CORE.fullmatch(parts[1]) and INSTRUCTIONS.fullmatch(parts[2]):
            by_core[parts[1]] = file  # several exports: the last by name is the newest
    for name, file in sorted(by_core.items()):
        found = CORE.fullmatch(name)
        assert found is not None
        try:
            busy = _busy(str(folder / file))
        except ParseError as error:
            problems.append(error.problem)
            continue
        start, end = _span(folder / SIMULATOR / name / TRACE)
        side = "aiv" if found.group("side") == "vec" else "aic"
        yield _Core(int(found.group("core")), f"{found.group('side')}core{found.group('sub')}", side, start, end, busy)


def _busy(path: str) -> dict[str, float]:
    """us by pipe of one instruction table. Raises ParseError."""
    file = inspect(path)
    busy: dict[str, float] = {}
    try:
        with Path(path).open("rb") as handle:
            lines = rows(LineFeed(handle, ENCODINGS[1], file.start), path)
            header = [cell.strip().casefold() for cell in next(lines, [])]
            if not set(_NEEDED) <= set(header):
                shown = ", ".join(header[:4])[:80]
                text = say("profiles.problem.no-operator-table", file=Path(path).name, header=shown)
                raise ParseError(Problem("damaged", text, file=path))
            pipe, time = (header.index(name) for name in _NEEDED)
            for row in lines:
                if len(row) == len(header) and not _WAITS.fullmatch(row[0].strip()):
                    name = row[pipe].strip().casefold()
                    us = number_cell(row[time])
                    if us > 0 and math.isfinite(us):
                        busy[_PIPES.get(name, name)] = busy.get(_PIPES.get(name, name), 0.0) + us
    except (OSError, csv.Error) as error:
        raise refusal(path, error if isinstance(error, OSError) else OSError(str(error))) from None
    return busy


def _span(path: Path) -> tuple[float, float]:
    """First start and last end in us of a core's trace; NaN where there is none, or its unit is not known.

    Traces that name core and pipe are in us; older ones number them, and their unit is not the same everywhere.
    """
    try:
        if path.stat().st_size > MAX_TRACE:
            return math.nan, math.nan
        found = loads(path.read_text(encoding="utf-8-sig", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return math.nan, math.nan
    events = found.get("traceEvents") if isinstance(found, dict) else found
    spans = [span for event in events if (span := _event(event)) is not None] if isinstance(events, list) else []
    if not spans:
        return math.nan, math.nan
    return min(start for start, _ in spans), max(end for _, end in spans)


def _event(event: Any) -> tuple[float, float] | None:
    if not isinstance(event, dict) or event.get("ph") != "X" or not isinstance(event.get("pid"), str):
        return None
    start, took = event.get("ts"), event.get("dur")
    if not isinstance(start, (int, float)) or not isinstance(took, (int, float)) or not took >= 0 or not start >= 0:
        return None
    return float(start), float(start) + float(took)


def _table(cores: list[_Core], row: int) -> Table:
    time_us = np.array([core.end_us - core.start_us for core in cores])
    columns: dict[str, Column] = {
        "op": np.full(len(cores), row, dtype=np.int64),
        "block": np.array([core.block for core in cores], dtype=np.int64),
        "sub_block": Strings.of(core.name for core in cores),
        "side": Strings.of(core.side for core in cores),
        "time_us": time_us,
    }
    for pipe in PIPES:
        if any(pipe in core.busy_us for core in cores):
            busy = np.array([core.busy_us.get(pipe, 0.0) for core in cores])
            columns[f"{pipe}_ratio"] = np.where(
                (time_us > 0) & (busy <= time_us), busy / np.maximum(time_us, 1e-9), np.nan
            )
    return Table(columns)


def _counters(cores: Table) -> dict[str, Column]:
    """Means over the cores of a side, as of measured launches."""
    found: dict[str, Column] = {}
    for side in opprof_cores.SIDES:
        mine = cores.take(cores.strings("side").mask((side,)))
        if not len(mine):
            continue
        time_us = mine.numbers("time_us")
        found[f"{side}_time_us"] = np.array([time_us.mean()], dtype=np.float32)
        for pipe in PIPES:
            share = mine.numbers(f"{pipe}_ratio") if f"{pipe}_ratio" in mine else np.full(len(mine), np.nan)
            if not np.isnan(share).any():
                value = float((share * time_us).sum() / time_us.sum())
                found[f"{side}_{pipe}_ratio"] = np.array([value], dtype=np.float32)
    return found


def _kind(cores: list[_Core]) -> str:
    sides = {core.side for core in cores}
    return "MIX_AIC" if len(sides) > 1 else "AI_VECTOR_CORE" if sides == {"aiv"} else "AI_CORE"
