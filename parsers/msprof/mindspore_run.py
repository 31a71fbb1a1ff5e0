"""One rank of a `profiler/` folder of MindSpore up to 2.2: its files put together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.discovery.mindspore import DETAIL, TYPES
from npuscope.parsers.msprof import mindspore_raw
from npuscope.parsers.profile import FileStep, Run
from npuscope.parsers.say import ParseError, Problem
from npuscope.parsers.table import Table

STEPS_SOURCE = "step_trace_raw"


@dataclass
class MindsporeParts:
    """What was read of one rank."""

    operators: list[CsvTable] = field(default_factory=list)
    statistics: list[CsvTable] = field(default_factory=list)
    steps: tuple[FileStep, ...] = ()
    extras: Mapping[str, Table] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def is_raw(run: Run) -> bool:
    """Whether a run is one of these."""
    names = [Path(file).name for file in run.files]
    return any(pattern.fullmatch(name) for name in names for pattern in (DETAIL, TYPES))


def read(run: Run) -> MindsporeParts:
    """Everything the rank has; what cannot be read is a problem."""
    folder = Path(run.path) if Path(run.path).is_dir() else Path(run.path).parent
    found = MindsporeParts()
    tables: dict[str, CsvTable] = {}
    for kind, (pattern, reader) in mindspore_raw.FILES.items():
        for file in run.files:
            if pattern.fullmatch(Path(file).name):
                try:
                    tables[kind] = reader(str(folder / file))
                except ParseError as error:
                    found.problems.append(error.problem)
    if "mindspore_operators" in tables:
        about = tables.get("mindspore_framework")
        found.operators.append(mindspore_raw.as_operators(tables["mindspore_operators"], about))
        found.problems += about.problems if about is not None else ()
    if "mindspore_types" in tables:
        found.statistics.append(tables["mindspore_types"])
    if "mindspore_steps" in tables:
        found.steps = mindspore_raw.file_steps(tables["mindspore_steps"])
    if "mindspore_aicpu" in tables:
        found.extras = {"aicpu": tables["mindspore_aicpu"].table}
    return found
