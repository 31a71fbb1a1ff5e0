"""A run -> its Profile: which files to open, joined into one operator table, with everything odd said."""

from __future__ import annotations

import dataclasses
import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from npuscope.parsers import archives
from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.csv_text import refusal
from npuscope.parsers.discovery.files import Folder
from npuscope.parsers.discovery.msprof import has_device_data
from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof import devices, info, join, mindspore_run, quick
from npuscope.parsers.msprof.archive_reader import read_archived
from npuscope.parsers.msprof.checks import check_operators, counters, devices_of
from npuscope.parsers.msprof.databases import msprof_db
from npuscope.parsers.msprof.extras import HOST_CALLS, MOST_STREAMED_BYTES, TRACE_CALLS, read_tasks, with_extras
from npuscope.parsers.msprof.metric_groups import groups_of
from npuscope.parsers.msprof.opprof import run as opprof_run
from npuscope.parsers.msprof.row_checks import check_rows
from npuscope.parsers.msprof.start_checks import check_starts
from npuscope.parsers.msprof.tables import kernel_details, op_statistic, op_summary
from npuscope.parsers.msprof.traces.trace import check_trace
from npuscope.parsers.msprof.wholeness import settled
from npuscope.parsers.profile import Metadata, Profile, Run
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Table, concatenate

Progress = Callable[[float], None]
_STATES = {"locked": "exporting", "permission": "unreadable", "empty-file": "empty"}
_TABLES = (op_summary.PATTERN, kernel_details.PATTERN)


def read_profile(run: Run, progress: Progress | None = None, most: int | None = MOST_STREAMED_BYTES) -> Profile:
    """Read a run's files. Raises ParseError when it may not be read. `most` = bytes of a timeline, or of a JSON file of
    collectives, that is read with the rest; None = however large it is.

    The profile's `run` tells the state after reading: a table without a row is `empty`, or `partial` when the
    statistic of its types is there; what is no table, or cut in its bones, is `damaged`. Then there are no operators.
    Where a table's last line is cut, or it holds less than other files tell of, a ready run is `partial` too.
    """
    return settled(_read(run, progress, most))


def _read(run: Run, progress: Progress | None, most: int | None) -> Profile:
    if run.parts:
        return _of_parts(run, progress, most)
    if archives.inside(run.path) is not None:
        return read_archived(run, read_profile, progress, most)
    if run.state == "unreadable":
        raise ParseError(run.problems[0] if run.problems else refusal(run.path, PermissionError()).problem)
    if run.kind in ("csv", "db"):
        try:
            return _of_file(run, progress) if run.kind == "csv" else _of_database(run, progress, most)
        except ParseError as error:
            return _of_nothing(run, error.problem)
    folder = Path(run.path)
    if run.kind == "msprof_op":
        return _of_opprof(run, progress)
    if run.kind == "mindspore" and mindspore_run.is_raw(run):
        return _of_mindspore_raw(run)
    found = _Parts(list(run.problems))
    tables = progress if most is not None or progress is None else _share(progress, 0, 2)
    _read_tables(folder, run, found, tables)
    if not any(len(part.table) for part in found.tables):
        _read_databases(folder, run, found, tables)
    if not any(len(part.table) for part in found.tables):
        run = _read_tasks(run, found)
    if not any(len(part.table) for part in found.tables):
        _read_statistics(folder, run, found)
    if run.kind in ("torch_npu", "mindspore"):
        trace = check_trace(folder / "ASCEND_PROFILER_OUTPUT" / "trace_view.json")
        found.problems += [trace] if trace is not None else []
    if run.kind == "msprof" and run.state != "ready" and not has_device_data(Folder.of(folder)):
        found.problems.append(Problem("no-device-data", say("profiles.problem.no-device-data"), file=run.path))
    trace_progress = _share(progress, 1, 2) if most is None and progress is not None else None
    metadata = _with_database(_metadata(folder, run), found.database)
    whole = with_extras(_assembled(run, found, metadata), most, trace_progress)
    if run.kind == "msprof":
        whole = devices.with_lacking(whole, Folder.of(folder))
    return _with_host_calls(whole, found.database)


def _of_parts(run: Run, progress: Progress | None, most: int | None) -> Profile:
    """Several runs of one program as one. Raises ParseError when they are not, or one may not be read."""
    found = []
    for number, part in enumerate(run.parts):
        share = None if progress is None else _share(progress, number, len(run.parts))
        found.append(read_profile(part, share, most))
    return join.join(found)


def _of_nothing(run: Run, problem: Problem) -> Profile:
    if problem.code == "permission":
        raise ParseError(problem)
    if problem.code == "empty-file":
        problem = _zero_bytes(Path(run.path), run.name)
    return Profile(failed(run, problem), Table({}), problems=(*run.problems, problem))


def failed(run: Run, problem: Problem) -> Run:
    """The run with the state that follows from the problem that ended its reading."""
    state = _STATES.get(problem.code, "damaged")
    return dataclasses.replace(run, state=state, reason=problem.message)


def quick_types(run: Run, progress: Progress | None = None) -> Table:
    """type core count total_us of a run, largest total first: for big files, before `read_profile`. Raises ParseError.

    Without a type the operator's name is the group. Rows that `read_profile` leaves out are left out here too.
    """
    if run.parts:
        return quick_types(run.parts[0], progress)
    paths = [run.path] if run.kind == "csv" else [str(Path(run.path) / file) for file in _table_files(run)]
    totals = quick.Totals()
    try:
        if not paths:
            raise quick.OddFileError
        for number, path in enumerate(paths):
            quick.add_file(totals, path, None if progress is None else _share(progress, number, len(paths)))
    except (quick.OddFileError, ParseError):  # a folder may still have its totals
        totals = quick.Totals()
        profile = read_profile(run, progress)
        totals.add_profile(profile.ops, profile.statistic)
    return totals.table()


@dataclass
class _Parts:
    problems: list[Problem]
    tables: list[CsvTable] = field(default_factory=list)
    statistics: list[CsvTable] = field(default_factory=list)
    database: msprof_db.Database | None = None


def _of_file(run: Run, progress: Progress | None) -> Profile:
    found = _Parts(list(run.problems))
    try:
        found.tables.append(op_summary.read(run.path, progress))
    except ParseError as error:
        if error.problem.code != "no-operator-table":
            raise
        try:
            found.statistics.append(op_statistic.read(run.path))
        except ParseError:
            raise error from None
        run = dataclasses.replace(run, state="partial", reason=say("profiles.reason.statistic-alone"))
    return _assembled(run, found, Metadata(started_at=run.started_at))


def _of_database(run: Run, progress: Progress | None, most: int | None) -> Profile:
    """A database that was opened by itself, with what lies beside it in the run it is part of."""
    database = msprof_db.read(run.path, progress)
    found = _Parts(list(run.problems), [database.operators], database=database)
    owner = _owner(run)
    if owner is None:
        return _with_host_calls(_assembled(run, found, _with_database(Metadata(), database)), database)
    profile = _assembled(run, found, _with_database(_metadata(Path(owner.path), owner), database))
    beside = with_extras(dataclasses.replace(profile, run=owner), most)
    return _with_host_calls(dataclasses.replace(beside, run=profile.run), database)


def _owner(run: Run) -> Run | None:
    """The run of a profiler in whose folder, or folder of exports, a file lies."""
    for folder in list(Path(run.path).absolute().parents)[:2]:
        found = look_at(folder, math.inf)  # whether it is still being written does not matter here
        if found is not None:
            return found if found.kind in ("msprof", "torch_npu", "mindspore") else None
    return None


def _read_databases(folder: Path, run: Run, found: _Parts, progress: Progress | None) -> None:
    for file in run.files:
        if file.endswith(".db") and found.database is None:
            try:
                found.database = msprof_db.read(str(folder / file), progress)
                found.tables.append(found.database.operators)
            except ParseError as error:
                found.problems.append(error.problem)


def _with_host_calls(profile: Profile, database: msprof_db.Database | None) -> Profile:
    """The database's where no api_statistic lies beside it, else those that the timeline shows."""
    if "api_statistic" in profile.extras:
        return profile
    calls, source = (
        (None, "") if database is None else (database.host_calls, f"{Path(database.operators.path).name}:CANN_API")
    )
    if calls is None and TRACE_CALLS in profile.extras:
        calls, source = profile.extras[TRACE_CALLS], profile.sources.get(TRACE_CALLS, "")
    if calls is None:
        return profile
    extras = {**profile.extras, "api_statistic": calls}
    return dataclasses.replace(profile, extras=extras, sources={**profile.sources, HOST_CALLS: source})


def _with_database(metadata: Metadata, database: msprof_db.Database | None) -> Metadata:
    if database is None:
        return metadata
    return dataclasses.replace(
        metadata,
        chip=metadata.chip or database.chip,
        family=metadata.family or database.family,
        cann=metadata.cann or database.cann,
        rank=database.rank if metadata.rank is None else metadata.rank,
        devices=metadata.devices or database.devices,
    )


def _of_opprof(run: Run, progress: Progress | None) -> Profile:
    if not run.files:
        return _assembled(run, _Parts(list(run.problems)), Metadata())
    found = opprof_run.read(run, progress)
    return Profile(
        run=_settled(run, found.table, None, found.damage),
        ops=found.table,
        metadata=_completed(Metadata(chip=found.chip), run, found.table, found.sources),
        sources=found.sources,
        rows_skipped=found.skipped,
        problems=(*run.problems, *found.problems, *check_operators(found.table, found.sources)),
        cores=found.cores,
        vendor_verdict=found.said,
    )


def _of_mindspore_raw(run: Run) -> Profile:
    found = mindspore_run.read(run)
    parts = _Parts([*run.problems, *found.problems], found.operators, found.statistics)
    profile = _assembled(run, parts, Metadata())
    source = mindspore_run.STEPS_SOURCE if found.steps else None
    return dataclasses.replace(profile, file_steps=found.steps, steps_source=source, extras=found.extras)


def _read_tasks(run: Run, found: _Parts) -> Run:
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


def _read_tables(folder: Path, run: Run, found: _Parts, progress: Progress | None) -> None:
    files = _table_files(run)
    for number, file in enumerate(files):
        path = folder / file
        share = None if progress is None else _share(progress, number, len(files))
        try:
            if path.stat().st_size == 0:
                found.problems.append(_zero_bytes(path, file))
                continue
            found.tables.append(devices.of_its_folder(op_summary.read(str(path), share), file))
        except ParseError as error:
            found.problems.append(error.problem)
        except OSError as error:
            found.problems.append(refusal(str(path), error).problem)


def _table_files(run: Run) -> list[str]:
    return [file for file in run.files if any(p.fullmatch(Path(file).name) for p in _TABLES)]


def _share(progress: Progress, number: int, of: int) -> Progress:
    return lambda part: progress((number + part) / of)


def _zero_bytes(path: Path, file: str) -> Problem:
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:
        free = None
    text = say("profiles.problem.empty-file", file=file)
    return Problem("empty-file", text, say("profiles.hint.free-space", free=free), str(path))


def _read_statistics(folder: Path, run: Run, found: _Parts) -> None:
    for file in run.files:
        if not op_statistic.PATTERN.fullmatch(Path(file).name):
            continue
        try:
            found.statistics.append(op_statistic.read(str(folder / file)))
        except ParseError as error:
            found.problems.append(error.problem)


def _metadata(folder: Path, run: Run) -> Metadata:
    if run.kind == "msprof":
        return info.of_prof(folder)
    if run.kind in ("torch_npu", "mindspore"):
        return info.of_framework(folder)
    return Metadata()


def _assembled(run: Run, found: _Parts, metadata: Metadata) -> Profile:
    table, odd_rows = check_rows(concatenate([part.table for part in found.tables]))
    statistic = concatenate([part.table for part in found.statistics]) if found.statistics else None
    parts = [*found.tables, *found.statistics]
    sources = {name: source for part in reversed(parts) for name, source in part.sources.items()}
    problems = [*found.problems, *(problem for part in parts for problem in part.problems)]
    problems += [*check_operators(table, sources), *odd_rows, *check_starts(table)]
    if statistic is not None and len(statistic) and not len(table):
        problems.append(Problem("no-instances", say("profiles.problem.no-instances")))
    damage = found.problems[-1] if found.problems and not found.tables else None
    return Profile(
        run=_settled(run, table, statistic, damage),
        ops=table,
        statistic=statistic,
        metadata=_completed(metadata, run, table, sources),
        sources=sources,
        rows_skipped=sum(part.rows_skipped for part in parts),
        problems=tuple(problems),
    )


def _settled(run: Run, table: Table, statistic: Table | None, damage: Problem | None) -> Run:
    """The run with the state that reading has shown."""
    if run.state != "ready" or len(table):
        return run
    if statistic is not None and len(statistic):
        return dataclasses.replace(run, state="partial", reason=say("profiles.reason.statistic-alone"))
    if damage is not None:
        return failed(run, damage)
    return dataclasses.replace(run, state="empty", reason=say("profiles.reason.no-rows"))


def _completed(metadata: Metadata, run: Run, table: Table, sources: Mapping[str, str]) -> Metadata:
    return dataclasses.replace(
        metadata,
        started_at=run.started_at,
        rank=run.rank if run.rank is not None else metadata.rank,
        devices=devices_of(table) or metadata.devices,
        aic_metrics=metadata.aic_metrics or ", ".join(groups_of(counters(table), sources)) or None,
    )
