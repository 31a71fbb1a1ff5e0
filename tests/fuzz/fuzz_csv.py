"""Targets over csv files: operator tables the exact and the fast way, totals by type, and every other kind."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import mutations
import numpy as np
from fuzz_target import FIXTURES, Target, one_file, seeds_of, together
from invariants import check_plain, check_problem, check_refusal, check_table, same_tables
from mutations import Input

from npuscope.parsers import csv_table
from npuscope.parsers.columns import is_operator_table
from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof import files, quick, reader, step_files
from npuscope.parsers.msprof.join import join
from npuscope.parsers.msprof.tables import csv_fast, op_statistic, op_summary
from npuscope.parsers.profile import Run
from npuscope.parsers.say import ParseError
from npuscope.parsers.table import Table

LATER = 4e9
MSPROF = FIXTURES / "msprof"
TABLES = seeds_of([
    *MSPROF.glob("*.csv"), *MSPROF.glob("**/op_summary*.csv"), *MSPROF.glob("**/kernel_details*.csv"),
])  # fmt: skip
OPERATORS = [(name, data) for name, data in TABLES if not name.startswith("op_statistic")]
STATISTICS = seeds_of(list(MSPROF.glob("**/op_statistic*.csv")))
OTHERS = seeds_of([
    *(FIXTURES / "files").glob("*.csv"), *(FIXTURES / "files").glob("*.txt"), *(FIXTURES / "ranks").glob("**/*.csv"),
    *MSPROF.glob("**/api_statistic*.csv"), *MSPROF.glob("**/step_trace*.csv"), *MSPROF.glob("OPPROF*/**/*.csv"),
])  # fmt: skip


def operators(path: Path, given: Input) -> None:
    """The exact way, the way of clean blocks (blocks so small that there are several), and their agreement."""
    try:
        exact = csv_table.read_csv(str(path), is_operator_table)
    except ParseError as error:
        check_refusal(error)
        return
    check_table(exact.table, counters=True)
    for problem in exact.problems:
        check_problem(problem)
    block = (512, 2048, 1 << 22)[given.choice % 3]
    with mock.patch.object(csv_table, "BLOCK_BYTES", block):
        fast = csv_table.read_csv(str(path), is_operator_table, csv_fast.read_block)
    same_tables(exact.table, fast.table)
    assert exact.rows_skipped == fast.rows_skipped
    assert [problem.code for problem in exact.problems] == [problem.code for problem in fast.problems]


def totals(path: Path, given: Input) -> None:
    """Totals by type before the details: of the same rows as the table itself."""
    run = Run(str(path), path.name, "csv", "ready", files=(path.name,))
    with mock.patch.object(quick, "BLOCK_BYTES", (512, 2048, 1 << 20)[given.choice % 3]):
        try:
            found = reader.quick_types(run)
        except ParseError as error:
            check_refusal(error)
            return
    check_table(found)
    ops = op_summary.read(str(path)).table if found.columns and len(found) else Table({})
    if len(ops):
        assert int(found.numbers("count").sum()) == len(ops)
        wanted = float(ops.numbers("duration_us").sum())
        assert np.isclose(float(found.numbers("total_us").sum()), wanted, rtol=1e-9, atol=1e-6)


def statistics(path: Path, given: Input) -> None:
    """op_statistic."""
    try:
        found = op_statistic.read(str(path))
    except ParseError as error:
        check_refusal(error)
        return
    check_table(found.table)


def sheets(path: Path, given: Input) -> None:
    """Every other kind, by its name, and by its columns under another name."""
    for place in (path, path.with_name(f"my copy.{path.suffix}")) if given.choice % 2 else (path,):
        if place != path:
            place.write_bytes(path.read_bytes())
        try:
            sight = files.read_file(str(place))
        except ParseError as error:
            check_refusal(error)
            continue
        check_table(sight.found.table, counters=sight.kind in files.OPERATOR_KINDS)
        for problem in sight.found.problems:
            check_problem(problem)
        check_plain(sight.found.sources)


def steps(path: Path, given: Input) -> None:
    """step_trace_time and step_trace as the steps of a run."""
    folder = path.parent / "host_1_20260102030405006_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / ("step_trace_time.csv" if "time" in path.name else "step_trace_20260102030500.csv")
    target.write_bytes(path.read_bytes())
    try:
        run = look_at(folder.parent, LATER)
        if run is not None:
            found, _ = step_files.file_steps(run)
            for step in found:
                check_plain([step.step, step.us, step.device, step.end_ns])
    except ParseError as error:
        check_refusal(error)
    finally:
        target.unlink()


def joined(path: Path, given: Input) -> None:
    """A run and a changed copy of it: one table, or a refusal in words."""
    _, whole = TABLES[given.seed % len(TABLES)]
    other = path.with_name("op_summary_20260102030405.csv")
    other.write_bytes(whole)
    try:
        runs = [look_at(place, LATER) for place in (other, path)]
        profiles = [reader.read_profile(run) for run in runs if run is not None]
        made = join(profiles if given.choice % 2 else profiles[::-1])
        check_table(made.ops, counters=True)
        for problem in made.problems:
            check_problem(problem)
    except ParseError as error:
        check_refusal(error)
    finally:
        other.unlink()


_STEPS = [one for one in OTHERS if one[0].startswith("step_trace")]
TARGETS: tuple[Target, ...] = (
    together(
        "operators",
        (
            one_file("operators", OPERATORS, mutations.CSV, operators),
            one_file("operators", OPERATORS, mutations.CSV, operators),
            one_file("totals", OPERATORS, mutations.CSV, totals),
            one_file("joined", OPERATORS, mutations.CSV, joined),
        ),
        "op_summary, kernel_details: exact and fast (pandas) way agree, totals by type agree, two runs joined",
    ),
    together(
        "sheets",
        (
            one_file("sheets", OTHERS, mutations.CSV, sheets),
            one_file("sheets", OTHERS, mutations.CSV, sheets),
            one_file("statistics", STATISTICS, mutations.CSV, statistics),
            one_file("steps", _STEPS, mutations.CSV, steps),
        ),
        "every other csv of the registry by name and by columns, op_statistic, step_trace as steps, MindSpore's own",
    ),
)
