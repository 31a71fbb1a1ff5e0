"""A folder of `msprof op`: OpBasicInfo.csv and the metric files beside it become one operator row for each launch.

The metric files have a row per block and core. Times, ratios, rates and bandwidths become means over those rows (the
ratio of a pipe is its time over the core's time: in MIX kernels the printed one has another base); cycles, bytes and
other counts become sums, as in op_summary. The rows themselves are kept as the cores of the launch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from npuscope.parsers.columns import Column
from npuscope.parsers.csv_table import CsvTable, read_csv
from npuscope.parsers.csv_text import refusal
from npuscope.parsers.msprof import info
from npuscope.parsers.msprof.opprof import cores as opprof_cores
from npuscope.parsers.msprof.opprof import visualize
from npuscope.parsers.msprof.opprof.vendor_log import Reported
from npuscope.parsers.msprof.wholeness import lacking_blocks
from npuscope.parsers.opprof_launches import BASIC_INFO as PATTERN
from npuscope.parsers.opprof_launches import GROUPS, Launch
from npuscope.parsers.profile import BLOCK_COLUMNS, UNKNOWN, VendorText
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Column as TableColumn
from npuscope.parsers.table import Numbers, Strings, Table

_CORES = {"vector": "AI_VECTOR_CORE", "cube": "AI_CORE", "mix": "MIX_AIC", "aicore": "AI_CORE", "aicpu": "AI_CPU"}
_SUMMED = re.compile(r"(_total_cycles|_datas_kb|_instructions|_number|_fops|_flops|_hit|_miss_allocate|_victim|_miss)$")
_PIPE_RATIO = re.compile(r"(ai[cv])_(mac|vec|scalar|mte1|mte2|mte3|fixpipe)_ratio$")
_SAME_US = 2e-6  # a log prints six decimals


@dataclass
class LaunchTable:
    """One launch as read. `cores` and `said` speak of row `first` of ops."""

    first: int
    table: Table
    sources: dict[str, str]
    skipped: int
    problems: list[Problem]
    missing: tuple[str, ...] = ()
    cores: Table | None = None
    said: list[VendorText] = field(default_factory=list)
    chip: str | None = None


def read(path: str) -> CsvTable:
    """OpBasicInfo*.csv: one row per operator, without counters. Raises ParseError."""
    basic = read_csv(path, _is_basic_info)
    rows = len(basic.table)
    kinds = basic.table.strings("type").tolist()
    columns: dict[str, TableColumn] = {
        **basic.table.columns,
        "type": Strings(np.full(rows, UNKNOWN, dtype=np.int32), ()),
        "core": Strings.of(None if kind is None else _CORES.get(kind.casefold(), kind) for kind in kinds),
        "start_ns": np.full(rows, UNKNOWN, dtype=np.int64),
    }
    return CsvTable(path, Table(columns), basic.columns, basic.rows_skipped, basic.problems)


def read_launch(run: Path, launch: Launch, first: int, reported: Iterable[Reported] = ()) -> LaunchTable:
    """One launch, its row being `first` of ops; `reported` = what logs say. Raises ParseError without OpBasicInfo."""
    folder = run / launch.folder
    named = [file for file in launch.files if PATTERN.fullmatch(file)]
    if not named:
        raise refusal(str(folder / "OpBasicInfo.csv"), FileNotFoundError())
    basic = read(str(folder / named[-1]))
    found = LaunchTable(
        first, basic.table, basic.sources, basic.rows_skipped, list(basic.problems), chip=info.soc_of(folder)
    )
    _add_metrics(folder, launch.files, found)
    if len(found.table) == 1:
        _add_viewer(folder, found)
        _add_logs(reported, found)
    _add_place(launch, found)
    return found


def _add_metrics(folder: Path, files: Sequence[str], found: LaunchTable) -> None:
    missing = []
    for group in GROUPS:
        of_group = [file for file in files if re.fullmatch(rf"{group}(?:_\d+)?\.csv", file)]
        metrics = _metrics(folder / of_group[-1], found.problems) if of_group else None
        if metrics is None:
            missing.append(f"{group}.csv")
        elif len(found.table) == 1:
            found.skipped += metrics.rows_skipped
            if group == GROUPS[0]:  # the pipes are measured on every block
                found.problems += lacking_blocks(folder / of_group[-1], metrics.table, found.table)
            extra = {name: values for name, values in _reduced(metrics.table).items() if name not in found.table}
            found.table = found.table.extended(extra)
            sources = metrics.sources
            found.sources |= {name: sources[name] for name in extra}
            if found.cores is None:
                found.cores = opprof_cores.cores_of(metrics.table, found.first)
    found.missing = tuple(missing)


def _add_viewer(folder: Path, found: LaunchTable) -> None:
    """The vendor's advice, and what else the tables do not tell."""
    path = folder / visualize.NAME
    if not path.exists():
        return
    try:
        seen = visualize.read(str(path))
    except ParseError as error:
        found.problems.append(error.problem)
        return
    found.said += [VendorText(found.first, one.text, one.kind, one.blocks, visualize.NAME) for one in seen.advice]
    found.chip = found.chip or seen.soc
    if found.cores is None and seen.blocks is not None:
        found.cores = opprof_cores.cores_by_time(seen.blocks, found.first)


def _add_logs(reported: Iterable[Reported], found: LaunchTable) -> None:
    name, us = found.table.strings("name")[0], float(found.table.numbers("duration_us")[0])
    known = {(one.kind, one.text) for one in found.said}
    for report in reported:
        if report.name != name or abs(report.duration_us - us) > _SAME_US:
            continue
        for one in report.advice:
            if (one.kind, one.text) not in known:
                known.add((one.kind, one.text))
                found.said.append(VendorText(found.first, one.text, one.kind, 0, report.file))


def _add_place(launch: Launch, found: LaunchTable) -> None:
    """Launch number, device, and what the cores tell of the whole."""
    rows, cores = len(found.table), found.cores
    columns: dict[str, TableColumn] = {"launch": np.full(rows, launch.number, dtype=np.int64)}
    if "device" not in found.table and launch.device != UNKNOWN:
        columns["device"] = np.full(rows, launch.device, dtype=np.int64)
    if cores is not None:
        columns["block_spread"] = np.full(rows, opprof_cores.spread(cores))
        columns["blocks_measured"] = np.full(rows, opprof_cores.blocks_measured(cores), dtype=np.int64)
        source = next((found.sources[f"{side}_time_us"] for side in opprof_cores.SIDES
                       if f"{side}_time_us" in found.sources), visualize.NAME)  # fmt: skip
        found.sources |= {"block_spread": source, "blocks_measured": source}
    if any(one.kind == "roofline" for one in found.said):
        verdict = next(one for one in found.said if one.kind == "roofline")
        columns["vendor_verdict"] = Strings.of([verdict.text])
        found.sources["vendor_verdict"] = f"{verdict.file}:"
    place = launch.folder or "."
    found.sources |= {name: f"{place}:" for name in ("launch", "device") if name in columns}
    found.table = found.table.extended(columns)


def _is_basic_info(columns: Sequence[Column]) -> bool:
    return {"name", "duration_us"} <= {column.name for column in columns}


def _metrics(path: Path, problems: list[Problem]) -> CsvTable | None:
    try:
        found = read_csv(str(path), lambda columns: bool(columns))
    except ParseError as error:
        problems.append(error.problem)
        return None
    problems += found.problems
    return found if len(found.table) else None


def _reduced(table: Table) -> dict[str, Numbers]:
    numbers = {
        name: column
        for name, column in table.columns.items()
        if not isinstance(column, Strings) and name not in BLOCK_COLUMNS
    }
    return {name: _one(name, column, numbers) for name, column in numbers.items()}


def _one(name: str, column: Numbers, numbers: Mapping[str, Numbers]) -> Numbers:
    known = column[~np.isnan(column)].astype(np.float64)
    if not len(known):
        value = np.nan
    elif _SUMMED.search(name):
        value = float(known.sum())
    else:
        pipe = _PIPE_RATIO.fullmatch(name)
        value = _share(pipe.group(1), pipe.group(2), numbers) if pipe else np.nan
        value = float(known.mean()) if np.isnan(value) else value
    return np.array([value], dtype=np.float32)


def _share(side: str, pipe: str, numbers: Mapping[str, Numbers]) -> float:
    core, busy = numbers.get(f"{side}_time_us"), numbers.get(f"{side}_{pipe}_time_us")
    if core is None or busy is None:
        return float("nan")
    both = ~np.isnan(core) & ~np.isnan(busy)
    total = float(core[both].astype(np.float64).sum())
    return float(busy[both].astype(np.float64).sum()) / total if total > 0 else float("nan")


def missing_problem(missing: Sequence[str], folder: Path) -> Problem:
    """Metric files that are not there."""
    text = say("profiles.problem.missing-files", files=", ".join(missing))
    return Problem("missing-files", text, say("profiles.hint.missing-files"), str(folder))
