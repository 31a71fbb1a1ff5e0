"""What lies beside a run's operators and is read with them: host calls, fused operators, memory, L2 rates, tasks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.discovery import msprof as discovery_msprof
from npuscope.parsers.discovery import torch as discovery_torch
from npuscope.parsers.discovery.files import Fact, Folder
from npuscope.parsers.discovery.msprof import DEVICE, newest_export
from npuscope.parsers.msprof.checks import low_frequency
from npuscope.parsers.msprof.collectives import communication, communication_tables
from npuscope.parsers.msprof.step_files import file_steps
from npuscope.parsers.msprof.tables import api_statistic, fusion_op, l2_cache, operator_memory, task_time
from npuscope.parsers.msprof.traces import host_events
from npuscope.parsers.msprof.traces.host_events import Traced
from npuscope.parsers.profile import UNKNOWN, Profile, Run
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Numbers, Table

MOST_BYTES = 8 << 20  # a larger one is shown when it is asked for, not read with every profile
# of what is read in flat memory, an entry after the other: about a second without msgspec
MOST_STREAMED_BYTES = 64_000_000
HOST_CALLS = "host_calls"  # of sources: where they are from, if not from api_statistic
HOST_EVENTS, TRACE_CALLS, TRACE_STEPS = "host_events", "trace_calls", "trace"
STREAMED = (host_events.PATTERN, communication.PATTERN, communication.MATRIX_PATTERN)
# kinds of tables, and the files each may be in: the first that is there counts
EXTRAS: Sequence[tuple[str, Reader]] = (
    ("api_statistic", api_statistic), ("fusion_op", fusion_op), ("operator_memory", operator_memory),
    ("communication", communication_tables.OPERATORS), ("communication", communication_tables.DB_OPERATORS),
    ("packets", communication_tables.PACKETS), ("packets", communication_tables.DB_PACKETS),
    ("links", communication_tables.LINKS), ("links", communication_tables.DB_LINKS),
)  # fmt: skip
L2_COLUMNS = {"l2_hit_rate_pct": "hit_rate_pct", "l2_victim_rate_pct": "victim_rate_pct"}
_OF_NO_INTEREST = ("call-before-start", "invalid-trace")  # told where the table itself is shown
_FIRST_UNSURE = ("Ascend310P", "Ascend910")  # there the first operator's rates mean nothing, by the documentation
_CORES = {
    "KERNEL_AICORE": "AI_CORE", "KERNEL_AIVEC": "AI_VECTOR_CORE", "KERNEL_AICPU": "AI_CPU",
    "KERNEL_MIX_AIC": "MIX_AIC", "KERNEL_MIX_AIV": "MIX_AIV",
    **{core: core for core in ("AI_CORE", "AI_VECTOR_CORE", "AI_CPU", "MIX_AIC", "MIX_AIV")},
}  # fmt: skip


class Read(Protocol):
    """What a reader gives."""

    @property
    def table(self) -> Table: ...

    @property
    def problems(self) -> tuple[Problem, ...]: ...


class Reader(Protocol):
    """A kind of table: the names of its files, and how one is read."""

    @property
    def PATTERN(self) -> re.Pattern[str]: ...  # noqa: N802

    @property
    def read(self) -> Callable[[str], Read]: ...


@dataclass(frozen=True)
class Extras:
    """The tables by kind, and what was odd about their files."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def is_read(name: str, size: int, most: int | None = MOST_STREAMED_BYTES) -> bool:
    """Whether a file of this name and size is read with its run. `most` = bytes of a trace or of the JSON files of
    collectives, None = any number of them.
    """
    if any(pattern.fullmatch(name) for pattern in STREAMED):
        return most is None or size <= most
    return size <= MOST_BYTES and any(reader.PATTERN.fullmatch(name) for _, reader in EXTRAS)


def with_extras(profile: Profile, most: int | None = MOST_STREAMED_BYTES, progress: Progress | None = None) -> Profile:
    """The profile with what lies beside its operators: L2 rates joined to them, further tables, steps. `most` as in
    `is_read`; `progress` is that of a trace.
    """
    run = profile.run
    rates, sources, problems = l2_rates(run, profile.ops, profile.metadata.family)
    found = read_extras(run, most)
    traced = read_trace(run, most, progress)
    mhz = host_events.clocks(traced, profile.ops)
    if mhz is not None:
        rates, sources = {**rates, "freq_mhz": mhz}, {**sources, "freq_mhz": f"{traced.file}:AI Core Freq"}
        problems = [*problems, *low_frequency(profile.ops.extended({"freq_mhz": mhz}))]
    if len(traced.calls):
        sources = {**sources, TRACE_CALLS: f"{traced.file}:CANN"}
    of_trace = {HOST_EVENTS: traced.events, TRACE_CALLS: traced.calls}
    steps, source = file_steps(run)
    if not steps and traced.steps:
        steps, source = traced.steps, TRACE_STEPS
    return replace(
        profile,
        ops=profile.ops.extended(rates) if rates else profile.ops,
        sources={**profile.sources, **sources},
        problems=(*profile.problems, *problems, *found.problems, *traced.problems),
        file_steps=steps,
        steps_source=source,
        extras={**found.tables, **{kind: table for kind, table in of_trace.items() if len(table)}},
    )


def read_extras(run: Run, most: int | None = MOST_STREAMED_BYTES) -> Extras:
    """The tables of EXTRAS that the run has, as far as they are small and whole."""
    tables: dict[str, Table] = {}
    problems: list[Problem] = []
    places = _places(run)
    for kind, reader in EXTRAS:
        for path in _newest(places, reader.PATTERN, most, problems) if kind not in tables else ():
            try:
                found = reader.read(str(path))
            except ParseError as error:
                fresh = error.problem.code not in _OF_NO_INTEREST and error.problem not in problems
                problems += [error.problem] if fresh else []
            else:
                problems += (problem for problem in found.problems if problem.code not in _OF_NO_INTEREST)
                tables.setdefault(kind, found.table)
    return Extras(tables, tuple(problems))


def read_trace(run: Run, most: int | None = MOST_STREAMED_BYTES, progress: Progress | None = None) -> Traced:
    """What the newest timeline of a run tells of the host; nothing where there is none, or none that is read."""
    problems: list[Problem] = []
    paths = _newest(_places(run), host_events.PATTERN, most, problems)
    if not paths:
        return Traced(problems=tuple(problems))
    try:
        found = host_events.read([str(path) for path in paths], progress)
    except ParseError as error:
        return Traced(problems=(error.problem,) if error.problem.code not in _OF_NO_INTEREST else ())
    return replace(found, problems=tuple(one for one in found.problems if one.code not in _OF_NO_INTEREST))


def read_tasks(run: Run) -> CsvTable | None:
    """The kernels of task_time as a table of operators without counters: of an export without op_summary.

    None where there is no such file, or no named kernel in it. Raises ParseError.
    """
    for path in _newest(_places(run), task_time.PATTERN):
        found = task_time.read(str(path))
        if {"core", "start_ns", "duration_us"} <= found.table.columns.keys():
            kernels = _kernels(found)
            if len(kernels.table):
                return kernels
    return None


def _kernels(found: CsvTable) -> CsvTable:
    table = found.table
    named = table.strings("name").codes >= 0
    wanted = table.strings("core").mask(_CORES)
    rows = np.flatnonzero(named & wanted & (table.numbers("duration_us") >= 0))
    kernels = table.take(rows)
    core = kernels.strings("core")
    spelled = type(core)(core.codes, tuple(_CORES.get(value, value) for value in core.values))
    kept = {name: column for name, column in kernels.columns.items() if name != "end_ns"}
    kept["block_dim"] = np.full(len(kernels), UNKNOWN, dtype=np.int64)
    text = say("files.problem.task-time", file=Path(found.path).name)
    problem = Problem("no-op-summary", text, say("files.hint.task-time"), found.path)
    return CsvTable(found.path, Table({**kept, "core": spelled}), found.columns, found.rows_skipped,
                    (*found.problems, problem))  # fmt: skip


def l2_rates(run: Run, ops: Table, family: str | None) -> tuple[dict[str, Numbers], dict[str, str], list[Problem]]:
    """L2 rates in percent for the rows of `ops`: columns of L2_COLUMNS, their sources, problems. {} without a file.

    A row is the same task as one of the file when stream, task and name are; task numbers wrap, so of several the
    first belongs to the first. Where one of the two has more of them than the other no one can tell.
    """
    places = _places(run)
    if not len(ops) or len(places) != 1 or not {"stream", "task_id"} <= ops.columns.keys():
        return {}, {}, []
    for path in _newest(places, l2_cache.PATTERN):
        try:
            found = l2_cache.read(str(path))
        except ParseError as error:
            return {}, {}, [error.problem]
        columns = _joined(ops, found.table, family in _FIRST_UNSURE)
        heads = {column.name: column.header for column in found.columns}
        sources = {name: f"{path.name}:{heads.get(L2_COLUMNS[name])}" for name in columns}
        return columns, sources, list(found.problems)
    return {}, {}, []


def _joined(ops: Table, cache: Table, first_unsure: bool) -> dict[str, Numbers]:
    rates = {new: cache.numbers(old) for new, old in L2_COLUMNS.items() if old in cache}
    rates = {new: values for new, values in rates.items() if np.isfinite(values).any()}
    if not rates or not len(cache):
        return {}
    rows, places = matched(*_keys(ops, cache))
    found = {}
    for name, values in rates.items():
        if first_unsure:
            values = np.concatenate(([np.nan], values[1:]))
        joined = np.full(len(ops), np.nan, dtype=np.float32)
        joined[rows] = values[places]
        found[name] = joined
    return found


def _keys(ops: Table, cache: Table) -> tuple[NDArray[Any], NDArray[Any]]:
    """A row of whole numbers for each task of both, equal where the tasks are."""
    names: dict[str, int] = {}
    coded = []
    for table in (ops, cache):
        texts = table.strings("name")
        codes = np.array([*(names.setdefault(text, len(names)) for text in texts.values), UNKNOWN])[texts.codes]
        coded.append([codes, table.numbers("stream"), table.numbers("task_id")])
    if "device" in ops and "device" in cache:
        for table, columns in zip((ops, cache), coded):
            columns.append(table.numbers("device"))
    one, other = (np.stack([column.astype(np.int64) for column in columns], axis=1) for columns in coded)
    return one, other


def matched(one: NDArray[Any], other: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of both that are the same: the first of a key is the first of it, of keys that both have as often."""
    _, codes = np.unique(np.concatenate([one, other]), axis=0, return_inverse=True)
    codes = codes.reshape(-1)
    mine, theirs = codes[: len(one)], codes[len(one) :]
    size = int(codes.max()) + 1 if len(codes) else 0
    as_often = np.bincount(mine, minlength=size) == np.bincount(theirs, minlength=size)
    ordered = [np.argsort(own, kind="stable") for own in (mine, theirs)]
    rows, places = (order[as_often[own[order]]] for own, order in zip((mine, theirs), ordered))
    return rows, places


def _places(run: Run) -> list[Folder]:
    """The folders in which a run's summary files lie; none for a run that is a single file."""
    folder = Folder.of(Path(run.path))
    if run.kind in ("torch_npu", "mindspore"):
        return [folder.sub(discovery_torch.OUTPUT)]
    if run.kind != "msprof":
        return []
    output = folder.sub(discovery_msprof.OUTPUT)
    devices = [folder.sub(name).sub("summary") for name in folder.folders() if DEVICE.fullmatch(name)]
    return [output] if output.entries else [place for place in devices if place.entries]


def _newest(
    places: Sequence[Folder], pattern: re.Pattern[str], most: int | None = None, problems: list[Problem] | None = None
) -> list[Path]:
    """The newest export of a kind of file with all its slices, if it is there and not too large; of one folder only.

    Of what would be read were it smaller, a problem is added.
    """
    streamed = pattern in STREAMED
    for place in places:
        facts: list[Fact] = [one for one in place.facts(pattern) if one.size and (streamed or one.size <= MOST_BYTES)]
        if not facts:
            continue
        newest = newest_export(facts, pattern if streamed else _ANY)
        size = sum(one.size for one in newest)
        if streamed and most is not None and size > most:
            problem = _left_out(place.path / newest[0].file, size, most)
            if problems is not None and problem not in problems:
                problems.append(problem)
            return []
        return [place.path / one.file for one in newest] if streamed else [place.path / newest[0].file]
    return []


def _left_out(path: Path, size: int, most: int) -> Problem:
    key = "trace" if host_events.PATTERN.fullmatch(path.name) else "collectives"
    text = say(f"profiles.problem.left-out.{key}", file=path.name, size=size, most=most)
    return Problem("left-out", text, say("profiles.hint.left-out"), str(path))


_ANY = re.compile(r".+")
