"""Axes that do not fit the cube's tiles: which operators, and where it is told already or does not matter."""

from __future__ import annotations

import pytest
from made_ops import cube, look, op, shapes, vector

from npuscope.tui.text import has, told

FITS = shapes("512,512;512,512", "512,512")
OFF = shapes("512,320;320,512", "512,512")


def product(us=100.0, at_us=0.0, shape=OFF, **more):
    return op(at_us, us, **{**cube(mac=0.9, us=us), **shape, **more})


def attention(tensor, maxima, us=100.0, **more):
    shape = shapes(";".join([tensor] * 3), f"{maxima};{tensor}", "FLOAT16")
    both = {**vector(us=us), **cube(mac=0.6, us=us)}
    return op(200.0, us, name="fa", type="FlashAttentionScore", **{**both, "core": "MIX_AIC", **shape, **more})


def found(*rows, chip="910B3"):
    one = next((one for one in look(*rows, chip=chip).findings if one.code == "shape-affinity"), None)
    for said in (one.title, one.evidence, one.advice) if one is not None else ():
        assert has(said.key) and "{" not in told(said)
    return one


def test_inner_axes_of_a_product():
    one = found(product(), product(at_us=200.0, us=60.0), product(at_us=400.0, shape=FITS))
    assert one.title.params == {"count": 2, "us": pytest.approx(160.0)}
    told_of = {name: one.evidence.params[name] for name in ("type", "axis", "tile")}
    assert told_of == {"type": "MatMulV2", "axis": 320, "tile": 256}
    assert (one.severity, one.saving_us, one.ops) == ("low", None, ("MatMulV2",))
    assert found(product(shape=FITS)) is None
    assert found(product(shape=shapes("512,512;512,1", "512,1"))) is None  # a vector has no inner axis to fit


@pytest.mark.parametrize(
    ("tensor", "maxima", "axis"),
    [
        ("2,4,4096,128", "2,4,4096,8", None),
        ("2,4,4096,64", "2,4,4096,8", 64),
        ("2,4,4000,128", "2,4,4000,8", 4000),
        ("4096,2,512", "2,4,4096,8", None),
    ],
)
def test_head_size_and_length_of_attention(tensor, maxima, axis):
    one = found(attention(tensor, maxima))
    assert axis == (None if one is None else one.evidence.params["axis"])
    assert one is None or one.evidence.params["tile"] == 128


def test_both_are_one_finding():
    one = found(product(), attention("2,4,4096,64", "2,4,4096,8", us=300.0))
    assert one.title.params == {"count": 2, "us": pytest.approx(400.0)}
    assert (one.evidence.params["type"], one.ops) == ("FlashAttentionScore", ("FlashAttentionScore", "MatMulV2"))


def test_where_it_is_told_already_or_does_not_matter():
    assert found(product(us=20.0)) is None  # not worth tuning
    assert found(product(us=21.0)) is not None
    assert found(product(), chip="Ascend950PR_9579") is None
    assert found(product(), chip=None) is not None
    assert found(product(us=21.0), product(at_us=200.0, us=1100.0, shape=FITS)) is None  # 1.9 % of the run
    unaligned = product(shape=shapes("512,327;327,512", "512,512"), aic_mac_ratio=0.1, aic_mte2_ratio=0.95)
    assert look(unaligned, chip="910B3").ops.row(0)["detail"] == "unaligned"
    assert found(unaligned) is None


def test_silent_where_the_operands_do_not_agree():
    assert found(product(shape=shapes("512,320;300,512", "512,512"))) is None


def test_silent_without_shapes():
    for name in ("input_shapes", "output_shapes", "input_dtypes"):
        assert found({key: value for key, value in product().items() if key != name}) is None
