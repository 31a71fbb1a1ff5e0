"""One table or one database that was opened by itself -> its Profile."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof.assembled import Parts, assembled, of_nothing
from npuscope.parsers.msprof.databases import msprof_db
from npuscope.parsers.msprof.databases.adds import with_database, with_host_calls
from npuscope.parsers.msprof.extras import with_extras
from npuscope.parsers.msprof.folder_reader import metadata_of
from npuscope.parsers.msprof.tables import op_statistic, op_summary
from npuscope.parsers.profile import Metadata, Profile, Run
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, say


def read_single(run: Run, progress: Progress | None, most: int | None) -> Profile:
    """The profile of a run of kind csv or db; `most` as in read_profile. Raises ParseError when it may not be read."""
    try:
        return _of_table(run, progress) if run.kind == "csv" else _of_database(run, progress, most)
    except ParseError as error:
        return of_nothing(run, error.problem)


def _of_table(run: Run, progress: Progress | None) -> Profile:
    found = Parts(list(run.problems))
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
    return assembled(run, found, Metadata(started_at=run.started_at))


def _of_database(run: Run, progress: Progress | None, most: int | None) -> Profile:
    """A database with what lies beside it in the run it is part of."""
    database = msprof_db.read(run.path, progress)
    found = Parts(list(run.problems), [database.operators], database=database)
    owner = _owner(run)
    if owner is None:
        return with_host_calls(assembled(run, found, with_database(Metadata(), database)), database)
    profile = assembled(run, found, with_database(metadata_of(owner), database))
    beside = with_extras(dataclasses.replace(profile, run=owner), most)
    return with_host_calls(dataclasses.replace(beside, run=profile.run), database)


def _owner(run: Run) -> Run | None:
    """The run of a profiler in whose folder, or folder of exports, a file lies."""
    for folder in list(Path(run.path).absolute().parents)[:2]:
        found = look_at(folder, math.inf)  # whether it is still being written does not matter here
        if found is not None:
            return found if found.kind in ("msprof", "torch_npu", "mindspore") else None
    return None
