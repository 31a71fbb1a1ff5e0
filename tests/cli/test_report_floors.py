"""What the report says of types without a floor, and of floors that nothing is saved against."""

from __future__ import annotations

from made_ops import look, op, shapes

from npuscope.cli.reporting.as_text import _types, no_floors
from npuscope.tui import text


def test_each_type_that_runs_on_a_core_says_why_it_has_no_floor():
    summary = look(
        op(0, 400.0, type="IncreFlashAttention", **shapes("16,4,128;12550,128,128", "16,4,128")),
        op(500, 300.0, type="Add", core="AI_VECTOR_CORE", **shapes("-1,64", "-1,64")),
        op(900, 200.0, type="hcom_allReduce_", core="HCCL"),
        op(1200, 100.0, type="MatMulV2", **shapes("1024,1024;1024,1024", "1024,1024")),
        op(1400, 90.0, type="BatchMatMulV2", **shapes("4,512,512;4,512,512", "4,512,512", "FLOAT")),
        chip="910B3",
    )
    assert list(no_floors(summary, 5)) == [
        "No floor for IncreFlashAttention: IncreFlashAttention reads a cache whose length stands in no shape.",
        "No floor for Add: dynamic shape -1,64.",
        "BatchMatMulV2: the floor is of its bytes alone, what its operations need is not known; no saving is claimed.",
    ]
    assert len(list(no_floors(summary, 1))) == 1


def test_what_floors_rest_on_is_told_only_beside_one():
    text.set_language("en")
    product = op(0.0, 100.0, type="MatMulV2", **shapes("1024,2560;2560,2560", "1024,2560"))
    none = op(0.0, 100.0, type="MatMulV2")
    told = ["\n".join(_types(look(one, chip="910B3"), 5)) for one in (product, none)]
    assert ["Floors by bytes" in one for one in told] == [True, False]
