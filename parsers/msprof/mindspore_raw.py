"""MindSpore up to 2.2: operators, types and steps of one rank out of the flat files of a `profiler/` folder.

Times stand there without units: operators in milliseconds, steps in ticks of 10 ns. An operator's row is the mean of
its executions and has no start; what the framework wrote about it (task, blocks, shapes) is joined by its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.discovery.mindspore import AICPU, DETAIL, FRAMEWORK, STEPS, TYPES
from npuscope.parsers.json_text import loads
from npuscope.parsers.msprof.tables.sheet import Sheet, read_sheet
from npuscope.parsers.profile import UNKNOWN, FileStep
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import Problem, say
from npuscope.parsers.table import Column, Strings, Table

TIMELINE = re.compile(r"output_timeline_data_\d{1,6}\.txt")
_MS, _TICK = 1000.0, 0.01  # in us
_NUMBER = re.compile(r"-op\d+$")
_DTYPES = {"FLOAT32": "FLOAT", "FLOAT64": "DOUBLE", "BFLOAT16": "DT_BF16", "UNKNOWN": "UNDEFINED"}

OPERATORS = Sheet(
    names={
        "full op name": "name", "full kernel name": "name", "full kernel time": "name", "execution frequency": "count",
    },
    needs=("name", "duration_us"),
    texts=frozenset({"name"}),
    unitless={"execution time": ("duration_us", _MS)},
)  # fmt: skip
KINDS = Sheet(
    names={"op type": "type", "kernel type": "type", "execution frequency": "count"},
    needs=("type", "total_us"),
    texts=frozenset({"type"}),
    unitless={"total time": ("total_us", _MS), "execution time": ("total_us", _MS), "percent": ("ratio_pct", 1.0)},
)
ABOUT = Sheet(
    names={
        "full op name": "name", "full kernel name": "name", "op name": "short_name", "kernel name": "kernel",
        "op type": "type", "kernel type": "type", "block dim": "block_dim",
    },
    needs=("name", "task_id"),
    texts=frozenset({"name", "short_name", "kernel", "type", "subgraph", "op_info"}),
)  # fmt: skip
ON_AICPU = Sheet(
    names={"kernel type": "name", "op type": "name"},
    needs=("name", "total_us"),
    texts=frozenset({"name"}),
    unitless={
        "total time": ("total_us", _MS), "dispatch time": ("dispatch_us", _MS),
        "execution time": ("execution_us", _MS), "run start": ("run_start_us", 1.0), "run end": ("run_end_us", 1.0),
    },
)  # fmt: skip
ITERATIONS = Sheet(
    names={"step num": "step"},
    needs=("step", "total_us"),
    unitless={
        word: (f"{word.replace(' ', '_')}_us", _TICK)
        for word in (
            "start point", "end point", "total", "fp point", "bp point", "iteration interval", "fp and bp", "tail",
        )
    },
    only=True,
)  # fmt: skip
INSTANCES = Sheet(
    names={"op name": "name", "start time": "start"},
    needs=("name", "start_ns", "duration_us"),
    texts=frozenset({"name"}),
    moments=frozenset({"start"}),
)


def operators(path: str, progress: Progress | None = None) -> CsvTable:
    """aicore_intermediate_<rank>_detail.csv: name duration_us [count]. Raises ParseError."""
    return read_sheet(path, OPERATORS, progress)


def types(path: str, progress: Progress | None = None) -> CsvTable:
    """aicore_intermediate_<rank>_type.csv: type total_us count ratio_pct. Raises ParseError."""
    return read_sheet(path, KINDS, progress)


def framework(path: str, progress: Progress | None = None) -> CsvTable:
    """framework_raw_<rank>.csv: task_id stream block_dim name type subgraph op_info (JSON). Raises ParseError."""
    return read_sheet(path, ABOUT, progress)


def aicpu(path: str, progress: Progress | None = None) -> CsvTable:
    """aicpu_intermediate_<rank>.csv: name total_us dispatch_us execution_us run_start_us run_end_us (since the start
    of the device). Raises ParseError.
    """
    return read_sheet(path, ON_AICPU, progress)


def steps(path: str, progress: Progress | None = None) -> CsvTable:
    """step_trace_raw_<rank>_detail_time.csv: step and its times in us; the last row (step 0, or none) is the mean. The
    streams' columns behind them, often a thousand, are left out. Raises ParseError.
    """
    return read_sheet(path, ITERATIONS, progress)


def instances(path: str, progress: Progress | None = None) -> CsvTable:
    """output_timeline_data_<rank>.txt: name stream start_ns (since the start of the device) duration_us.

    Raises ParseError.
    """
    return read_sheet(path, INSTANCES, progress)


def file_steps(found: CsvTable) -> tuple[FileStep, ...]:
    """The steps of `steps`, the mean left out."""
    numbers = (found.table.numbers(name) for name in ("step", "total_us", "start_point_us", "end_point_us"))
    return tuple(
        FileStep(int(step), float(us), None, round(end * 1000))
        for step, us, start, end in zip(*(column.tolist() for column in numbers))
        if step >= 0 and start > 0 and end > 0
    )


def as_operators(detail: CsvTable, about: CsvTable | None) -> CsvTable:
    """The rows of `operators` as a table of operator instances, with what the framework says of each."""
    names = detail.table.strings("name")
    rows = len(names)
    joined = _about(names, about)
    kinds = joined.pop("type", None)
    derived = [None if name is None else _NUMBER.sub("", name.rpartition("/")[2]) for name in names.tolist()]
    told = kinds.tolist() if isinstance(kinds, Strings) else [None] * rows
    columns: dict[str, Column] = {
        "name": names,
        "type": Strings.of(kind or other for kind, other in zip(told, derived)),
        "core": Strings.of(["AI_CORE"] * rows),
        **{name: np.full(rows, UNKNOWN, dtype=np.int64) for name in ("start_ns", "stream", "task_id", "block_dim")},
        "duration_us": detail.table.numbers("duration_us"),
        **joined,
    }
    timed = np.flatnonzero(detail.table.numbers("duration_us") >= 0)
    table = Table(columns).take(timed)
    skipped = detail.rows_skipped + rows - len(timed)
    return replace(detail, table=table, rows_skipped=skipped, problems=(*detail.problems, *_means(detail)))


def _means(detail: CsvTable) -> list[Problem]:
    text = say("files.problem.means", file=Path(detail.path).name, rows=len(detail.table))
    return [Problem("mean-times", text, say("files.hint.means"), detail.path)] if len(detail.table) else []


def _about(names: Strings, about: CsvTable | None) -> dict[str, Column]:
    """Columns of the framework's table in the order of `names`; of several entries of a name the first counts."""
    if about is None or not len(about.table):
        return {}
    first: dict[str | None, int] = {}
    for row, name in enumerate(about.table.strings("name").tolist()):
        first.setdefault(name, row)
    places = np.array([first.get(name, UNKNOWN) for name in names.tolist()], dtype=np.int64)
    found: dict[str, Column] = {
        name: _placed(about.table.columns[name], places)
        for name in ("type", "stream", "task_id", "block_dim")
        if name in about.table
    }
    described = _placed(about.table.strings("op_info"), places)
    if isinstance(described, Strings):
        found.update(_shapes(described))
    return found


def _placed(column: Column, places: Any) -> Column:
    if isinstance(column, Strings):
        codes = np.append(column.codes, -1)[places]
        return Strings(codes.astype(np.int32), column.values)
    values: Column = np.append(column, UNKNOWN)[places]
    return values


def _shapes(described: Strings) -> dict[str, Column]:
    """Shapes, types and formats out of the framework's JSON, spelled as the operator tables spell them."""
    told = [_described(text) for text in described.values]
    return {
        f"{side}_{what}": Strings.of(
            told[code][f"{side}_{what}"] if code >= 0 else None for code in described.codes.tolist()
        )
        for side in ("input", "output")
        for what in ("shapes", "dtypes", "formats")
    }


def _described(text: str) -> Mapping[str, str | None]:
    try:
        found = loads(text)
    except (ValueError, RecursionError):
        found = {}
    sides: dict[str, str | None] = {}
    for side in ("input", "output"):
        tensors = _tensors(found, side)
        sides[f"{side}_shapes"] = ";".join(_shape(tensor.get("shape")) for tensor in tensors) or None
        sides[f"{side}_dtypes"] = ";".join(_dtype(tensor.get("data_type")) for tensor in tensors) or None
        sides[f"{side}_formats"] = ";".join(str(tensor.get("format", "")) for tensor in tensors) or None
    return sides


def _tensors(found: Any, side: str) -> Sequence[Mapping[str, Any]]:
    items = found.items() if isinstance(found, dict) else ()
    numbered = [
        (int(name.rpartition("_")[2]), tensor)
        for name, tensor in items
        if re.fullmatch(rf"{side}_\d{{1,4}}", name) and isinstance(tensor, dict)
    ]
    return [tensor for _, tensor in sorted(numbered, key=lambda pair: pair[0])]


def _shape(shape: Any) -> str:
    if isinstance(shape, list):
        return ",".join(map(str, shape))
    return shape.strip().strip('"').strip() if isinstance(shape, str) else ""


def _dtype(name: Any) -> str:
    word = name.replace("NUMBER_TYPE_", "").upper() if isinstance(name, str) else "UNKNOWN"
    return _DTYPES.get(word, word)


FILES = {
    "mindspore_operators": (DETAIL, operators), "mindspore_types": (TYPES, types),
    "mindspore_framework": (FRAMEWORK, framework), "mindspore_aicpu": (AICPU, aicpu),
    "mindspore_steps": (STEPS, steps), "mindspore_instances": (TIMELINE, instances),
}  # fmt: skip
