"""Core times whose clock is not the cores'. Cycles, times and shares: public runs of AscendCContest on a 310B board."""

from __future__ import annotations

import math

import pytest
from made_ops import op, profile

from npuscope.analysis.labels.label import explain
from npuscope.analysis.summarize import summarize

TOLD = {"family": "Ascend310B", "cube_cores": 1, "vector_cores": 1, "aic_freq_mhz": 1250.0}


def kernel(us, cycles, **shares):
    quiet = dict.fromkeys(("mac", "vec", "mte1", "mte2", "mte3", "fixpipe"), 0.0)
    found = {f"aic_{pipe}_ratio": share for pipe, share in {**quiet, **shares}.items()}
    core = {"block_dim": 1, "type": "MseLossGrad", "aic_time_us": cycles / 1250, "aic_total_cycles": float(cycles)}
    return op(us=us, **core, **found)


def test_long_tasks_show_the_clock_and_the_part():
    summary = summarize(profile([kernel(82.418, 40504, scalar=0.959, mte2=0.017)], **TOLD))
    assert (summary.chip.name, summary.chip.source) == ("Ascend310B4", "inferred")
    assert summary.ops.row(0)["kernel_us"] == pytest.approx(81.0, abs=0.1)  # 40504 cycles at 500 MHz, not 32.4
    verdict = explain(summary, 0)
    assert (verdict.label, verdict.detail) == ("stall", "scalar")
    assert "outside_core_us" not in [found.metric for found in verdict.evidence]
    assert [p.message.params["real_mhz"] for p in summary.problems if p.code == "core-clock"] == [500]


def test_short_tasks_do_not_show_it_so_their_core_time_is_unknown():
    summary = summarize(profile([kernel(10.313, 4448, scalar=0.593, vec=0.106, mte2=0.123, mte3=0.043)], **TOLD))
    assert math.isnan(summary.ops.row(0)["kernel_us"])
    assert summary.ops.row(0)["label"] == "stall"  # not the head of a launch: 3.56 of 10.3 us is no such time
    assert [p.message.key for p in summary.problems if p.code == "core-clock"] == ["problem.core-clock.unknown"]


def test_without_metadata_the_counters_names_tell_the_family():
    made = profile([kernel(82.418, 40504, scalar=0.959)])
    named = {**made.sources, "aic_vec_ratio": "op_summary.csv:vec_exe_ratio"}
    assert summarize(made.__class__(**{**made.__dict__, "sources": named})).chip.name == "Ascend310B4"


def test_a_clock_that_long_tasks_confirm_stays():
    told = {**TOLD, "aic_freq_mhz": 500.0}
    row = {**kernel(82.418, 40504, scalar=0.959), "aic_time_us": 81.0}
    summary = summarize(profile([row], **told))
    assert summary.ops.row(0)["kernel_us"] == pytest.approx(81.0)
    assert "core-clock" not in [problem.code for problem in summary.problems]


def test_other_families_are_never_touched_by_idle_cores():
    told = {"family": "Ascend910B", "cube_cores": 20, "vector_cores": 40, "aic_freq_mhz": 1800.0}
    row = op(us=100, aic_time_us=30.0, aic_total_cycles=30.0 * 1800 * 20, aic_mac_ratio=0.5)
    summary = summarize(profile([row], **told))
    assert summary.ops.row(0)["kernel_us"] == pytest.approx(30.0)
    assert "core-clock" not in [problem.code for problem in summary.problems]
