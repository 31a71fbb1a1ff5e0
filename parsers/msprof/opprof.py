"""A folder of `msprof op`: OpBasicInfo.csv and the metric files beside it become one operator row.

The metric files have a row per block and core. Times, ratios, rates and bandwidths become means over those rows (the
ratio of a pipe is its time over the core's time: in MIX kernels the printed one has another base); cycles, bytes and
other counts become sums, as in op_summary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from npuscope.parsers.columns import Column
from npuscope.parsers.csv_table import CsvTable, read_csv
from npuscope.parsers.csv_text import refusal
from npuscope.parsers.discovery_opprof import BASIC_INFO as PATTERN
from npuscope.parsers.discovery_opprof import GROUPS
from npuscope.parsers.profile import UNKNOWN
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Column as TableColumn
from npuscope.parsers.table import Numbers, Strings, Table

_CORES = {"vector": "AI_VECTOR_CORE", "cube": "AI_CORE", "mix": "MIX_AIC", "aicore": "AI_CORE", "aicpu": "AI_CPU"}
_SUMMED = re.compile(r"(_total_cycles|_datas_kb|_instructions|_number|_fops|_flops|_hit|_miss_allocate|_victim|_miss)$")
_PIPE_RATIO = re.compile(r"(ai[cv])_(mac|vec|scalar|mte1|mte2|mte3|fixpipe)_ratio$")


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


def read_folder(folder: Path, files: Sequence[str]) -> tuple[Table, dict[str, str], int, list[Problem]]:
    """Table, sources, rows left out and problems of one operator's folder. Raises ParseError without OpBasicInfo."""
    named = [file for file in sorted(files) if PATTERN.fullmatch(Path(file).name)]
    if not named:
        raise refusal(str(folder / "OpBasicInfo.csv"), FileNotFoundError())
    basic = read(str(folder / named[-1]))
    table, sources, skipped, problems = basic.table, basic.sources, basic.rows_skipped, list(basic.problems)
    missing = []
    for group in GROUPS:
        of_group = [file for file in sorted(files) if re.fullmatch(rf"{group}(?:_\d+)?\.csv", Path(file).name)]
        metrics = _metrics(folder / of_group[-1], problems) if of_group else None
        if metrics is None:
            missing.append(f"{group}.csv")
        elif len(table) == 1:
            skipped += metrics.rows_skipped
            extra = {name: values for name, values in _reduced(metrics.table).items() if name not in table}
            table = table.extended(extra)
            sources |= {name: metrics.sources[name] for name in extra}
    if missing:
        text = say("profiles.problem.missing-files", files=", ".join(missing))
        problems.append(Problem("missing-files", text, say("profiles.hint.missing-files"), str(folder)))
    return table, sources, skipped, problems


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
    numbers = {name: column for name, column in table.columns.items() if not isinstance(column, Strings)}
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
