"""Steps, calls of an API, first launches, and patterns over several rows."""

from __future__ import annotations

import pytest
from made_ops import cube, look, op, shapes, vector

from npuscope.analysis.times.steps import complete
from npuscope.tui.text import told


def steps_of(*counts):
    rows = []
    for step, count in enumerate(counts, start=1):
        rows += [op(1000 * step + 5 * k, 4.0 + k, step=step, name=f"op_{k}") for k in range(count)]
    return rows


def test_a_cut_step_is_left_out_of_the_statistics():
    summary = look(*steps_of(1, 3, 3, 3), op(9000, 1.0))
    assert [(s.step, s.kernels, s.complete) for s in summary.steps] == [
        (1, 1, False),
        (2, 3, True),
        (3, 3, True),
        (4, 3, True),
    ]
    assert [(s.us, s.kernel_us) for s in summary.steps[1:]] == [(16.0, 15.0)] * 3
    assert (summary.step_median_us, summary.step_p99_us) == (16.0, 16.0)
    remark = next(problem for problem in summary.problems if problem.code == "incomplete-step")
    assert "step 1 has 1 of 3 kernels (incomplete)" in told(remark.message)


@pytest.mark.parametrize(
    ("kernels", "whole"),
    [
        ([3, 3, 3, 2], [True, True, True, False]),
        ([100, 98, 103, 97], [True, True, True, True]),  # steps that vary: a little less is no cut
        ([50, 98, 103, 97], [False, True, True, True]),
        ([3], [True]),
        ([1, 3], [False, True]),
        ([], []),
    ],
)
def test_only_outer_steps_can_be_cut(kernels, whole):
    assert complete(kernels) == whole


def test_no_step_column_no_steps():
    summary = look(op())
    assert (summary.steps, summary.step_median_us) == ((), None)


def api_rows(calls):
    kinds = (("TransData", 8.5), ("Custom", 50.0), ("Cast", 3.0))
    return [
        op(100 * n + 10 * k, us, name=f"aclnnCustom_{kind}Core_{kind}", type=kind)
        for n in range(calls)
        for k, (kind, us) in enumerate(kinds)
    ]


def test_one_call_is_all_its_kernels():
    summary = look(*api_rows(4), op(900, 10.0, name="plain_0"), op(920, 5.0, name="aclnn_x"))
    (api,) = summary.apis
    assert (api.api, api.kernels, api.calls, api.total_us, api.per_call_us) == ("aclnnCustom", 12, 4, 246.0, 61.5)
    assert api.side_pct == pytest.approx(18.699, abs=0.001)
    finding = next(finding for finding in summary.findings if finding.code == "side-kernels")
    assert "18.7" in told(finding.title) and "TransData/Cast" in told(finding.title)
    assert finding.saving_us == pytest.approx(46.0)


def test_an_api_that_only_converts_has_no_side():
    (api,) = look(*[op(10 * n, 3.0, name="aclnnCast_CastAiCore_Cast", type="Cast") for n in range(3)]).apis
    assert (api.calls, api.side_pct) == (3, 0.0)


def test_a_first_launch_that_took_longer_is_told_once():
    rows = [op(1000 * n, 500.0 if n == 0 else 20.0) for n in range(5)]
    (problem,) = [p for p in look(*rows).problems if p.code == "first-launch"]
    assert (problem.message.params["first_us"], problem.message.params["median_us"]) == (500.0, 20.0)
    line = look(*rows).types.row(0)
    assert (line["first_us"], line["mean_without_first_us"]) == (500.0, 20.0)
    assert not [p for p in look(*rows[1:]).problems if p.code == "first-launch"]


def test_first_is_by_time_not_by_row():
    assert look(op(500, 20.0), op(0, 90.0), op(900, 20.0)).types.row(0)["first_us"] == 90.0


def codes(summary):
    return [finding.code for finding in summary.findings]


def launch_rows(gap_us, count=50):
    return [
        op((2 + gap_us) * n, 2.0, type="Add", core="AI_VECTOR_CORE", block_dim=1, **vector(us=2.0))
        for n in range(count)
    ]


def test_a_storm_of_small_operators():
    summary = look(*launch_rows(30))
    assert summary.label == "launch"
    (finding,) = [f for f in summary.findings if f.code == "small-op-storm"]
    assert (finding.severity, finding.saving_us) == ("high", pytest.approx(49 * 24.0))
    assert "small-op-storm" not in codes(look(*launch_rows(1)))


def test_waiting_for_a_collective_is_not_the_hosts_fault():
    comm = op(0, 100.0, type="hcom_allReduce_", core="COMMUNICATION", stream=9)
    row = op(150, 2.0, name="after")
    summary = look(op(-10, 5.0), comm, row)
    assert summary.ops.row(2)["waited_for"] == "communication"
    assert summary.ops.row(2)["label"] != "launch"


def test_a_gap_that_another_stream_fills_is_no_launch_gap():
    summary = look(op(0, 5.0), op(5, 95.0, stream=9), op(101, 2.0, **cube(us=2.0)))
    assert summary.ops.row(2)["gap_us"] == 96.0
    assert summary.ops.row(2)["launch_gap_us"] == 1.0
    assert summary.ops.row(2)["label"] != "launch"


def test_conversions_ai_cpu_and_exposed_communication():
    rows = [op(0, 500.0, **cube(mac=0.9, us=500))]
    rows += [op(600 + 30 * n, 25.0, type="TransData") for n in range(4)]
    rows += [op(800, 200.0, type="Unique", core="AI_CPU")]
    rows += [op(1100, 300.0, type="hcom_allReduce_", core="HCCL", stream=9)]
    found = {finding.code: finding for finding in look(*rows).findings}
    assert set(found) == {"transdata-storm", "ai-cpu", "communication-exposed", "free-time"}
    assert found["transdata-storm"].saving_us == 100.0
    assert found["ai-cpu"].ops == ("Unique",)
    assert found["communication-exposed"].saving_us == 300.0


def test_blocks_that_leave_cores_idle():
    row = op(us=1000.0, block_dim=16, **shapes("4096,4096;4096,4096", "4096,4096"), **cube(mac=0.9, us=1000))
    (finding,) = [f for f in look(row, chip="910B3").findings if f.code == "low-block-dim"]
    assert finding.saving_us == pytest.approx(200.0)
    assert finding.evidence.params == {"name": "MatMulV2_0", "block": 16, "cores": 20}
    assert "low-block-dim" not in codes(look({**row, "block_dim": 20}, chip="910B3"))
    assert "low-block-dim" not in codes(look(row))  # no chip, no cores


def test_sum_beyond_the_wall_clock_is_said():
    assert [p.code for p in look(op(0, 100.0), op(50, 100.0, stream=3)).problems if p.code == "overlap"] == ["overlap"]
    assert not [p for p in look(op(0, 100.0), op(150, 100.0)).problems if p.code == "overlap"]
