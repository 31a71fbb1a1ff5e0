"""step_trace_time.csv of the framework profilers: what each step was made of, one row a step.

The same rows stand in the table StepTraceTime of analysis.db (database export), and in cluster_step_trace_time.csv,
where a row names the rank it is of.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from npuscope.parsers.msprof.databases.db_file import columns_of, opened, select
from npuscope.parsers.msprof.tables.small_csv import MOST_ROWS, not_this_table, number, read_rows, whole
from npuscope.parsers.say import ParseError, Problem, say

PATTERN = re.compile(r"step_trace_time(?:_\d+)?\.csv")
CLUSTER_PATTERN = re.compile(r"cluster_step_trace_time\.csv")
CLUSTER_FOLDER = "cluster_analysis_output"
DB_PATTERN = re.compile(r"(?:analysis|communication_analyzer)\.db")
DB_TABLE = "StepTraceTime"

_TIMES = {
    "computing": "computing_us",
    "communication_not_overlapped": "not_overlapped_us",
    "overlapped": "overlapped_us",
    "communication": "communication_us",
    "free": "free_us",
    "stage": "stage_us",
    "bubble": "bubble_us",
    "communication_not_overlapped_and_exclude_receive": "without_receive_us",
    "preparing": "preparing_us",
}
_NEEDED = ("computing", "free", "stage")
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_SCALES = {"ns": 0.001, "ms": 1000.0, "s": 1_000_000.0}
_UNIT = re.compile(r"\((ns|us|ms|s)\)\s*$", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,9}")


def cluster_table(path: Path) -> Path | None:
    """The cluster table that a path is, or that lies in the folder or in its cluster_analysis_output."""
    if path.is_file():
        return path if CLUSTER_PATTERN.fullmatch(path.name) else None
    for folder in (path, path / CLUSTER_FOLDER):
        tables = [one for one in _listed(folder) if CLUSTER_PATTERN.fullmatch(one.name)]
        if tables:
            return tables[0]
    return None


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


@dataclass(frozen=True)
class StepTimes:
    """One step of one rank; times in us, None = not told. not_overlapped = communication that hid behind nothing.

    stage = the step's time; bubble = of it waiting to receive, preparing = before the first work; `rank` only where
    the row itself names it (cluster tables).
    """

    step: int | None = None
    device: int | None = None
    rank: int | None = None
    computing_us: float | None = None
    not_overlapped_us: float | None = None
    overlapped_us: float | None = None
    communication_us: float | None = None
    free_us: float | None = None
    stage_us: float | None = None
    bubble_us: float | None = None
    without_receive_us: float | None = None
    preparing_us: float | None = None


@dataclass(frozen=True)
class StepFile:
    """The steps of a file in its order. `stages` = the pipeline stages a cluster table names, as ranks."""

    steps: tuple[StepTimes, ...]
    stages: tuple[tuple[int, ...], ...] = ()
    problems: tuple[Problem, ...] = ()


def read(path: str) -> StepFile:
    """The steps of a csv. Raises ParseError."""
    table = read_rows(path)
    names = [_name(cell) for cell in table.header]
    if not set(_NEEDED) <= {name for name, _ in names}:
        raise not_this_table(path, table.header, "ranks.problem.no-step-table")
    found = _steps(names, table.rows)
    problems = [*table.problems]
    if found.left_out:
        text = say("ranks.problem.steps-left-out", file=Path(path).name, rows=found.left_out)
        problems.append(Problem("rows-skipped", text, None, path))
    return StepFile(tuple(found.steps), tuple(found.stages), tuple(problems))


def read_database(path: str) -> StepFile:
    """The steps of analysis.db. Raises ParseError; without that table there are no steps."""
    with opened(Path(path)) as connection:
        columns = columns_of(connection, DB_TABLE)
        if not {*_NEEDED} <= {_name(column)[0] for column in columns}:
            return StepFile(())
        rows = connection.execute(select(DB_TABLE, columns, MOST_ROWS))
        texts = [tuple("" if cell is None else str(cell) for cell in row) for row in _fetched(rows)]
    return StepFile(tuple(_steps([_name(column) for column in columns], texts).steps))


def _fetched(rows: Iterable[Any]) -> list[Any]:
    try:
        return list(rows)
    except sqlite3.OperationalError:  # text that is no UTF-8
        return []


def _name(header: str) -> tuple[str, float]:
    """`Communication(Not Overlapped)` -> communication_not_overlapped, and what brings its times to us."""
    unit = _UNIT.search(header)
    words = _UNIT.sub("", header).casefold()
    return _SEPARATORS.sub("_", words).strip("_"), _SCALES.get(unit.group(1).casefold(), 1.0) if unit else 1.0


class _Found:
    def __init__(self) -> None:
        self.steps: list[StepTimes] = []
        self.stages: list[tuple[int, ...]] = []
        self.left_out = 0


def _steps(names: Sequence[tuple[str, float]], rows: Iterable[Sequence[str]]) -> _Found:
    found = _Found()
    for row in rows:
        cells = {name: (text, scale) for (name, scale), text in zip(names, row)}
        kind = cells.get("type", ("rank", 1.0))[0]
        if kind != "rank":
            ranks = tuple(map(int, _NUMBER.findall(cells.get("index", ("", 1.0))[0])))
            if kind == "stage" and ranks and ranks not in found.stages:
                found.stages.append(ranks)
            continue
        step = _step(cells)
        if step.computing_us is None and step.stage_us is None:
            found.left_out += 1
        else:
            found.steps.append(step)
    return found


def _step(cells: dict[str, tuple[str, float]]) -> StepTimes:
    def integer(name: str) -> int | None:
        value = whole(cells[name][0]) if name in cells else None
        return value if value is not None and value >= 0 else None

    times = {_TIMES[name]: _scaled(*cell) for name, cell in cells.items() if name in _TIMES}
    return StepTimes(integer("step"), integer("device_id"), integer("index"), **times)


def _scaled(text: str, scale: float) -> float | None:
    value = number(text)
    return None if value is None else value * scale


def try_read(path: str) -> StepFile:
    """The same, with what went wrong as a problem: csv, or a database by its name."""
    try:
        return read_database(path) if path.endswith(".db") else read(path)
    except ParseError as error:
        return StepFile((), problems=(error.problem,))
