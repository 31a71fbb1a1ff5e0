"""A folder of tables -> its Profile: operator tables, where none has a row a database, task_time, or type totals."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from npuscope.parsers.csv_text import refusal
from npuscope.parsers.discovery.files import Folder
from npuscope.parsers.discovery.msprof import has_device_data
from npuscope.parsers.msprof import devices, info
from npuscope.parsers.msprof.assembled import Parts, assembled, zero_bytes
from npuscope.parsers.msprof.databases import msprof_db
from npuscope.parsers.msprof.databases.adds import with_database, with_host_calls
from npuscope.parsers.msprof.extras import read_tasks, with_extras
from npuscope.parsers.msprof.tables import kernel_details, op_statistic, op_summary
from npuscope.parsers.msprof.traces.trace import check_trace
from npuscope.parsers.profile import Metadata, Profile, Run
from npuscope.parsers.progress import Progress, part_of
from npuscope.parsers.say import ParseError, Problem, say

_TABLES = (op_summary.PATTERN, kernel_details.PATTERN)


def read_folder(run: Run, progress: Progress | None, most: int | None) -> Profile:
    """The profile of a PROF or a framework's folder with all that lies beside its tables; `most` as in read_profile."""
    folder = Path(run.path)
    found = Parts(list(run.problems))
    run = _read_parts(folder, run, found, progress if most is not None else part_of(progress, 0, 2))
    if run.kind in ("torch_npu", "mindspore"):
        trace = check_trace(folder / "ASCEND_PROFILER_OUTPUT" / "trace_view.json")
        found.problems += [trace] if trace is not None else []
    if run.kind == "msprof" and run.state != "ready" and not has_device_data(Folder.of(folder)):
        found.problems.append(Problem("no-device-data", say("profiles.problem.no-device-data"), file=run.path))
    metadata = with_database(metadata_of(run), found.database)
    whole = with_extras(assembled(run, found, metadata), most, part_of(progress, 1, 2) if most is None else None)
    if run.kind == "msprof":
        whole = devices.with_lacking(whole, Folder.of(folder))
    return with_host_calls(whole, found.database)


def table_files(run: Run) -> list[str]:
    """The files of a run that hold its operators."""
    return [file for file in run.files if any(p.fullmatch(Path(file).name) for p in _TABLES)]


def metadata_of(run: Run) -> Metadata:
    """What the settings beside the tables of a run tell."""
    if run.kind == "msprof":
        return info.of_prof(Path(run.path))
    if run.kind in ("torch_npu", "mindspore"):
        return info.of_framework(Path(run.path))
    return Metadata()


def _read_parts(folder: Path, run: Run, found: Parts, progress: Progress | None) -> Run:
    """Fill the parts from the first of the sources that has a row; the run as it then is."""
    _read_tables(folder, run, found, progress)
    if not found.has_rows:
        _read_databases(folder, run, found, progress)
    if not found.has_rows:
        run = _read_tasks(run, found)
    if not found.has_rows:
        _read_statistics(folder, run, found)
    return run


def _read_tables(folder: Path, run: Run, found: Parts, progress: Progress | None) -> None:
    files = table_files(run)
    for number, file in enumerate(files):
        path = folder / file
        try:
            if path.stat().st_size == 0:
                found.problems.append(zero_bytes(path, file))
                continue
            table = op_summary.read(str(path), part_of(progress, number, len(files)))
            found.tables.append(devices.of_its_folder(table, file))
        except ParseError as error:
            found.problems.append(error.problem)
        except OSError as error:
            found.problems.append(refusal(str(path), error).problem)


def _read_databases(folder: Path, run: Run, found: Parts, progress: Progress | None) -> None:
    for file in run.files:
        if file.endswith(".db") and found.database is None:
            try:
                found.database = msprof_db.read(str(folder / file), progress)
                found.tables.append(found.database.operators)
            except ParseError as error:
                found.problems.append(error.problem)


def _read_tasks(run: Run, found: Parts) -> Run:
    """The kernels of task_time where no operator table gives any, and state and reason that then hold."""
    try:
        tasks = read_tasks(run)
    except ParseError as error:
        found.problems.append(error.problem)
        return run
    if tasks is None:
        return run
    found.tables.append(tasks)
    state = "partial" if run.state == "ready" else run.state  # an op_summary that is cut or damaged
    return dataclasses.replace(run, state=state, reason=say("files.problem.task-time", file=Path(tasks.path).name))


def _read_statistics(folder: Path, run: Run, found: Parts) -> None:
    for file in run.files:
        if not op_statistic.PATTERN.fullmatch(Path(file).name):
            continue
        try:
            found.statistics.append(op_statistic.read(str(folder / file)))
        except ParseError as error:
            found.problems.append(error.problem)
