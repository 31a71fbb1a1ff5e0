"""A run -> its Profile: which reader a kind of run has."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from npuscope.parsers import archives
from npuscope.parsers.csv_text import refusal
from npuscope.parsers.msprof import join, mindspore_run, quick
from npuscope.parsers.msprof.archive_reader import read_archived
from npuscope.parsers.msprof.assembled import Parts, after_reading, assembled, completed
from npuscope.parsers.msprof.checks import check_operators
from npuscope.parsers.msprof.extras import MOST_STREAMED_BYTES
from npuscope.parsers.msprof.folder_reader import read_folder, table_files
from npuscope.parsers.msprof.opprof import run as opprof_run
from npuscope.parsers.msprof.single_reader import read_single
from npuscope.parsers.msprof.wholeness import settled
from npuscope.parsers.profile import Metadata, Profile, Run
from npuscope.parsers.progress import Progress, part_of
from npuscope.parsers.say import ParseError
from npuscope.parsers.table import Table


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
        return read_single(run, progress, most)
    if run.kind == "msprof_op":
        return _of_opprof(run, progress)
    if run.kind == "mindspore" and mindspore_run.is_raw(run):
        return _of_mindspore_raw(run)
    return read_folder(run, progress, most)


def _of_parts(run: Run, progress: Progress | None, most: int | None) -> Profile:
    """Several runs of one program as one. Raises ParseError when they are not, or one may not be read."""
    of = len(run.parts)
    return join.join([read_profile(part, part_of(progress, at, of), most) for at, part in enumerate(run.parts)])


def _of_opprof(run: Run, progress: Progress | None) -> Profile:
    if not run.files:
        return assembled(run, Parts(list(run.problems)), Metadata())
    found = opprof_run.read(run, progress)
    return Profile(
        run=after_reading(run, found.table, None, found.damage),
        ops=found.table,
        metadata=completed(Metadata(chip=found.chip), run, found.table, found.sources),
        sources=found.sources,
        rows_skipped=found.skipped,
        problems=(*run.problems, *found.problems, *check_operators(found.table, found.sources)),
        cores=found.cores,
        vendor_verdict=found.said,
    )


def _of_mindspore_raw(run: Run) -> Profile:
    found = mindspore_run.read(run)
    parts = Parts([*run.problems, *found.problems], found.operators, found.statistics)
    profile = assembled(run, parts, Metadata())
    source = mindspore_run.STEPS_SOURCE if found.steps else None
    return dataclasses.replace(profile, file_steps=found.steps, steps_source=source, extras=found.extras)


def quick_types(run: Run, progress: Progress | None = None) -> Table:
    """type core count total_us of a run, largest total first: for big files, before `read_profile`. Raises ParseError.

    Without a type the operator's name is the group. Rows that `read_profile` leaves out are left out here too.
    """
    if run.parts:
        return quick_types(run.parts[0], progress)
    paths = [run.path] if run.kind == "csv" else [str(Path(run.path) / file) for file in table_files(run)]
    totals = quick.Totals()
    try:
        if not paths:
            raise quick.OddFileError
        for number, path in enumerate(paths):
            quick.add_file(totals, path, part_of(progress, number, len(paths)))
    except (quick.OddFileError, ParseError):  # a folder may still have its totals
        totals = quick.Totals()
        profile = read_profile(run, progress)
        totals.add_profile(profile.ops, profile.statistic)
    return totals.table()
