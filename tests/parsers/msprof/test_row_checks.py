"""Rows that mean something else than they seem to."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from npuscope.analysis.summarize import summarize
from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.msprof.reader import read_profile
from npuscope.parsers.msprof.row_checks import carriers, check_rows
from npuscope.parsers.table import Strings, Table

FIXTURES = Path(__file__).parents[2] / "fixtures" / "msprof"


def rows(*cells, **more):
    """(name, type, core, start us, duration us) each."""
    names, types, cores, starts, durations = zip(*cells)
    return Table({
        "name": Strings.of(names),
        "type": Strings.of(types),
        "core": Strings.of(cores),
        "start_ns": np.array([-1 if start is None else int(start * 1000) for start in starts], dtype=np.int64),
        "duration_us": np.array(durations, dtype=np.float64),
        **{name: np.array(values) for name, values in more.items()},
    })  # fmt: skip


def test_a_collective_and_the_kernels_that_carry_it_count_once():
    profile = read_profile(look_at(FIXTURES / "communication_twice.csv", time.time() + 3600))
    ops = profile.ops
    carried = ops.numbers("carried") == 1
    assert {ops.strings("name")[row] for row in np.flatnonzero(carried)} == {"AivKernel"}
    assert ops.numbers("duration_us")[carried].tolist() == [73.8, 5.92, 9.7]
    totals = summarize(profile).totals
    assert abs(totals.total_us - 185.88) < 1e-6
    assert abs(totals.communication_us - 91.58) < 1e-6
    assert abs(totals.computing_us - 4.88) < 1e-6


def test_only_a_kernel_inside_a_collective_of_its_type_and_device_is_carried():
    comm = "COMMUNICATION"
    table = rows(
        ("hcom_allReduce__1_0_1", "hcom_allReduce_", comm, 100, 50),
        ("AivKernel", "hcom_allReduce_", comm, 100, 20),  # inside
        ("AivKernel", "hcom_allReduce_", comm, 140, 30),  # longer than it
        ("AivKernel", "hcom_allGather_", comm, 110, 5),  # another type
        ("AivKernel", "hcom_allReduce_", comm, 90, 5),  # before
        ("AivKernel", "hcom_allReduce_", comm, None, 5),  # no start
        ("AivKernel", "hcom_allReduce_", comm, 120, 5),  # another device
        ("AivKernel", "MatMul", "AI_VECTOR_CORE", 120, 5),  # no communication
        ("hcom_allReduce__1_1_1", "hcom_allReduce_", comm, 120, 10),  # a collective itself
        device=[0, 0, 0, 0, 0, 0, 1, 0, 0],
    )
    assert np.flatnonzero(carriers(table)).tolist() == [1]


def test_impossible_block_counts_of_ai_cpu_rows_are_unknown():
    table = rows(
        ("allreduceAicpuKernel", "allreduceAicpuKernel", "AI_CPU", 0, 2558.19),
        ("Unique", "Unique", "AI_CPU", 3000, 10),
        ("MatMul", "MatMulV2", "AI_CORE", 4000, 10),
        block_dim=[35738, 4, 40000],
        mix_block_dim=[71476, 0, 0],
    )
    checked, problems = check_rows(table)
    assert checked.numbers("block_dim").tolist() == [-1, 4, 40000]
    assert checked.numbers("mix_block_dim").tolist() == [-1, 0, 0]
    (problem,) = problems
    assert problem.code == "garbage-block-dim"
    assert problem.message.params == {"rows": 1, "name": "allreduceAicpuKernel", "blocks": 35738}


def test_core_times_above_the_task_are_explained():
    table = rows(
        ("fine", "A", "AI_CORE", 0, 100),
        ("rounded", "A", "AI_CORE", 200, 100),
        ("waves", "A", "AI_VECTOR_CORE", 400, 89.1),
        ("mix", "A", "MIX_AIC", 600, 96.2),
        ("static graph", "FusedInferAttentionScore", "MIX_AIC", 800, 39.4),
        ("broken", "A", "AI_CORE", 900, 10),
        aic_time_us=[99.0, 101.0, 0.0, 20.0, 343.5, np.inf],
        aiv_time_us=[np.nan, np.nan, 98.0, 103.5, np.nan, np.nan],
    )
    checked, problems = check_rows(table)
    assert checked.numbers("aic_time_us").tolist()[4] == 343.5
    assert [problem.code for problem in problems] == ["core-time-above-duration"] * 2
    blocks, waves = problems
    assert blocks.hint.key == "files.hint.core-time.blocks"
    assert blocks.message.params == {"rows": 1, "of": 6, "name": "static graph", "core_us": 343.5, "us": 39.4}
    assert waves.hint.key == "files.hint.core-time.waves"
    assert (waves.message.params["rows"], waves.message.params["name"]) == (2, "waves")


def test_nothing_odd_changes_nothing():
    table = rows(("a", "A", "AI_CORE", 0, 100), ("b", "hcom_send_", "HCCL", 0, 100))
    checked, problems = check_rows(table)
    assert problems == []
    assert checked.columns.keys() == table.columns.keys()
    assert check_rows(Table({})) == (Table({}), [])
