"""msprof op counts the bytes at the memory: a floor where no shape is printed, and a second opinion where one is."""

from __future__ import annotations

import math

import pytest
from made_ops import look, op, shapes, vector

from npuscope.analysis.labels.label import explain

COUNTED = {"read_main_memory_datas_kb": 100_000.0, "write_main_memory_datas_kb": 56_250.0}  # 160 MB: 100 us at 1.6 TB/s


def kernel(**more):
    return op(us=125, core="AI_VECTOR_CORE", type="my_kernel", block_dim=48, **vector(us=125, mte2=0.9), **more)


def seen(row):
    summary = look(row, chip="910B2", kind="msprof_op")
    return summary.ops.row(0), explain(summary, 0)


def test_counted_bytes_make_a_floor_and_say_so():
    row, verdict = seen(kernel(**COUNTED))
    assert row["bytes"] == 160e6
    assert row["bound_us"] == pytest.approx(100.0)
    assert verdict.no_floor is None
    assert [e.text.key for e in verdict.evidence if e.metric == "read+write_main_memory_datas"] == [
        "evidence.bytes-counted"
    ]
    assert (verdict.label, verdict.detail) == ("memory", "hbm")


def test_without_them_there_is_no_floor():
    row, verdict = seen(kernel())
    assert math.isnan(row["bound_us"]) and verdict.no_floor is not None


def test_shapes_go_before_and_both_are_shown():
    told = {**kernel(**COUNTED), "type": "Add", **shapes("10000000;10000000", "10000000")}
    row, verdict = seen(told)
    assert row["bytes"] == 60e6
    assert [e.text.params for e in verdict.evidence if e.text.key == "evidence.bytes-both"] == [
        {"bytes": 160e6, "shapes": 60e6}
    ]


def test_nobody_is_sent_to_msprof_op_from_within_it():
    head = op(us=400, core="AI_VECTOR_CORE", type="my_kernel", block_dim=48, **vector(us=150, share_of=1, vec=0.9))
    for kind, wanted in (("msprof", True), ("msprof_op", False)):
        verdict = explain(look(head, chip="910B2", kind=kind), 0)
        assert any(one.key.startswith("advice.per-core") for one in verdict.advice) == wanted
