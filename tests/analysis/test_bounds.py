"""Lower bounds, and estimates that a measurement refutes."""

from __future__ import annotations

import math

import pytest
from made_ops import look, op, shapes

from npuscope.analysis.first_look.triage import largest_untold

SQUARE = shapes("8192,8192;8192,8192", "8192,8192")


def row_of(us, **more):
    return look(op(us=us, **{**SQUARE, **more}), chip="910B3").ops.row(0)


def test_larger_of_bytes_and_operations():
    row = row_of(5000.0)
    assert row["bound_kind"] == "cube"
    assert row["bound_us"] == pytest.approx(2 * 8192**3 / 294.9e6, rel=1e-6)
    assert row["times_over_bound"] == pytest.approx(5000 / row["bound_us"])
    assert row["saving_us"] == pytest.approx(5000 - row["bound_us"])
    assert row["achieved_tflops"] == pytest.approx(2 * 8192**3 / 5000e6)


def test_bytes_of_a_vector_operator():
    row = row_of(300.0, **shapes("8192,8192;8192,8192", "8192,8192"), type="Add")
    assert row["bound_kind"] == "hbm"
    assert row["bound_us"] == pytest.approx(3 * 8192 * 8192 * 2 / 1.6e6)
    assert row["achieved_gbps"] == pytest.approx(3 * 8192 * 8192 * 2 / 300e3)


def test_faster_than_hbm_is_l2_and_no_fault():
    row = row_of(150.0, type="Add")
    assert row["times_over_bound"] < 0.95
    assert row["saving_us"] == 0
    assert row["label"] == "memory"
    assert row["detail"] == "l2"


@pytest.mark.parametrize(("us", "kind"), [(50.0, "Add"), (2000.0, "MatMulV2")])
def test_faster_than_l2_or_the_unit_is_a_wrong_estimate(us, kind):
    row = row_of(us, type=kind)
    assert math.isnan(row["bound_us"])
    assert math.isnan(row["times_over_bound"])


def test_float_matmul_has_only_its_bytes():
    row = row_of(5000.0, **shapes("8192,8192;8192,8192", "8192,8192", "FLOAT"))
    assert row["bound_kind"] == "hbm"


def test_types_add_up_what_their_calls_could_save():
    summary = look(
        op(0, 300.0, type="Add", **SQUARE),
        op(400, 500.0, type="Add", **SQUARE),
        op(1000, 50.0, type="Sort"),
        chip="910B3",
    )
    line = summary.types.row(0)
    assert (line["count"], line["bound_count"]) == (2, 2)
    assert line["bound_us"] == pytest.approx(251.658, abs=0.001)
    assert line["bound_total_us"] == pytest.approx(2 * 251.658, abs=0.002)
    assert line["saving_us"] == pytest.approx(800 - 2 * 251.658, abs=0.002)
    assert line["times_over_bound"] == pytest.approx(800 / (2 * 251.658), rel=1e-5)
    assert math.isnan(summary.types.row(1)["bound_us"])


def test_no_floor_is_shorter_than_a_task():
    """A row of 7168 halves into 8: 129 kB are 0.08 us of HBM. 200 times over that said nothing."""
    small = op(us=16.8, type="PadV3", core="AI_VECTOR_CORE", **shapes("1,7168", "8,7168"))
    row = look(small, chip="910B3").ops.row(0)
    assert (row["bound_us"], row["bound_kind"]) == (1.0, "start")
    assert row["times_over_bound"] == pytest.approx(16.8)
    assert row["saving_us"] == pytest.approx(15.8)


def test_a_task_under_the_shortest_keeps_the_floor_of_its_work():
    row = look(op(us=0.8, type="Cast", core="AI_VECTOR_CORE", **shapes("1024", "1024")), chip="910B3").ops.row(0)
    assert row["bound_us"] == pytest.approx(4096 / 1.6e6)
    assert row["bound_kind"] == "hbm"


@pytest.mark.parametrize(
    "more",
    [
        {"type": "MatMulV2", **shapes("4096,4096;4096,4096", "4096,4096", "FLOAT")},  # the peak of FLOAT is not known
        {"type": "FlashAttentionScore", **shapes("8192,2,640;8192,2,640;8192,2,640", "8192,2,640")},  # which layout?
    ],
    ids=["peak", "operations"],
)
def test_bytes_alone_are_no_floor_to_save_against_for_the_cube(more):
    summary = look(op(us=7000.0, **more), chip="910B3")
    for row in (summary.ops.row(0), summary.types.row(0)):
        assert row["bound_us"] > 0
        assert math.isnan(row["saving_us"])
        assert math.isnan(row["step_gain_us"])


def test_experts_faster_than_all_their_tokens_claim_no_saving():
    """Half of the 8192 rows are padding, say: 70 % of the time that all need. Which it is stands in no shape."""
    all_us = 2 * 8192 * 4096 * 4096 / 294.9e6
    made = shapes("8192,4096;8,4096,4096", "8192,4096")
    full = look(op(us=1.5 * all_us, type="GroupedMatmul", **made), chip="910B3").ops.row(0)
    assert full["saving_us"] == pytest.approx(0.5 * all_us)
    part = look(op(us=0.7 * all_us, type="GroupedMatmul", **made), chip="910B3").ops.row(0)
    assert part["bound_us"] < all_us
    assert math.isnan(part["saving_us"])


def test_the_answer_does_not_call_a_run_near_its_floor_whose_largest_operator_has_none():
    """98 % of the time is a product of floats, of which only the bytes are known; the rest could give back 1 %."""
    product, add = shapes("4096,4096;4096,4096", "4096,4096", "FLOAT"), shapes("4096,4096;4096,4096", "4096,4096")
    summary = look(op(0, 7000.0, **product), op(7000, 100.0, type="Add", core="AI_VECTOR_CORE", **add), chip="910B3")
    assert largest_untold(summary) == 0
    known = look(op(0, 900.0, **shapes("4096,4096;4096,4096", "4096,4096")), chip="910B3")
    assert largest_untold(known) is None
