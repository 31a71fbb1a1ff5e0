"""Bytes and operations from shapes: the worked values, and every reason for having none."""

from __future__ import annotations

import pytest

from npuscope.analysis.work.estimate import work_of
from npuscope.analysis.work.families import family_of, plain_type

GFLOP = 1e9


def work(kind, inputs, outputs, dtype="FLOAT16", formats="ND", out_format="ND"):
    def per(printed, one):
        return ";".join([one] * len(printed.split(";")))

    return work_of((kind, inputs, per(inputs, dtype), per(inputs, formats), outputs, per(outputs, dtype), out_format))


@pytest.mark.parametrize(
    ("kind", "inputs", "outputs", "gflop"),
    [
        ("MatMulV3", "4096,12288;12288,4608", "4096,4608", 463.8564),
        ("MatMulV2", "1,5120;5120,13824", "1,13824", 0.141558),
        ("MatMulV2", "5120,1;13824,5120", "1,13824", 0.141558),  # both transposed: the output tells
        ("BatchMatMulV2", "8,128,64;8,64,256", "8,128,256", 0.0335544),
        ("BatchMatMul", "4,128,512;512,256", "4,128,256", 0.134218),  # the right side is shared
        ("MatMulV2", "512,512;512,256", "4,128,256", 0.134218),  # the left side is flattened
        ("MatMulV2", "256,128;128,512;512", "256,512", 0.0335544),  # with a bias
    ],
)
def test_matmul_operations(kind, inputs, outputs, gflop):
    found = work(kind, inputs, outputs)
    assert found.flops / GFLOP == pytest.approx(gflop, rel=1e-4)
    assert (found.unit, found.consistent) == ("cube_fp16", True)


def test_matmul_in_blocks_of_nz():
    plain = work("MatMulV2", "4096,5120;5120,13824", "4096,13824")
    blocks = work(
        "MatMulV2", "320,256,16,16;864,320,16,16", "864,256,16,16", formats="FRACTAL_NZ", out_format="FRACTAL_NZ"
    )
    assert blocks.flops == plain.flops
    assert blocks.bytes == plain.bytes


def test_printed_shapes_that_contradict_each_other():
    found = work("MatMulV2", "81920,4096;8192,512", "4096,512", "DT_BF16")
    assert found.flops == 2 * 4096 * 512 * 8192
    assert not found.consistent
    assert found.bytes == 2 * (4096 * 8192 + 8192 * 512 + 4096 * 512)


def test_int8_and_weight_only():
    assert (
        work_of(("QuantBatchMatmulV3", "16,64;64,32", "INT8;INT8", None, "16,32", "FLOAT16", None)).unit == "cube_int8"
    )
    only_weights = work_of(("WeightQuantBatchMatmulV2", "16,64;64,32", "FLOAT16;INT4", None, "16,32", "FLOAT16", None))
    assert only_weights.unit == "cube_fp16"
    assert only_weights.bytes == 16 * 64 * 2 + 64 * 32 / 2 + 16 * 32 * 2


@pytest.mark.parametrize(
    ("kind", "inputs", "outputs", "moved", "flops"),
    [
        ("Add", "512,2,4096;512,2,4096", "512,2,4096", 25_165_824, 4_194_304),
        ("Cast", "1024", "1024", 4096, 1024),
        ("Gelu", "1024", "1024", 4096, 4096),
        ("Transpose", "1024,64", "64,1024", 262_144, 0),
        ("StridedSliceD", "1024,1024", "16,1024", 65_536, 0),  # reads what it returns, not its whole input
        ("GatherV2", "50000,1024;32", "32,1024", 131_136, 0),
        ("ZerosLike", "1024", "1024", 2048, 0),  # does not read
        ("ReduceSumD", "1024,64", "1024,1", 133_120, 65_536),
        ("SoftmaxV2", "8,64", "8,64", 2048, 2560),
        ("RmsNorm", "1024,2560;2560", "1024,2560", 10_490_880, 15_728_640),
    ],
)
def test_vector_operators(kind, inputs, outputs, moved, flops):
    found = work(kind, inputs, outputs)
    assert (found.bytes, found.flops) == (moved, flops)


def test_scalars_and_absent_inputs():
    found = work_of(("Fill", ";", "FLOAT;FLOAT", "ND;ND", "16", "FLOAT16", "ND"))
    assert found.bytes == 2 * 4 + 16 * 2
    optional = work_of(("Add", "1024;1024;;", "FLOAT;FLOAT;;", None, "1024", "FLOAT", None))
    assert optional.bytes == 3 * 4096


@pytest.mark.parametrize(
    ("shapes", "reason"),
    [
        (("Add", None, "FLOAT", None, "4", "FLOAT", None), "work.no-shape"),
        (("Add", "4", None, None, "4", "FLOAT", None), "work.no-dtype"),
        (("Add", "-1,128", "FLOAT", None, "-1,128", "FLOAT", None), "work.dynamic"),
        (("Add", "-2", "FLOAT", None, "-2", "FLOAT", None), "work.dynamic"),
        (("Add", "0,128", "FLOAT", None, "0,128", "FLOAT", None), "work.zero"),
        (("Add", "4", "DT_BF8", None, "4", "FLOAT", None), "work.dtype"),
        (("Add", "4", "FLOAT", None, "x", "FLOAT", None), "work.no-shape"),
        (("FlashAttentionScore", "4", "FLOAT", None, "4", "FLOAT", None), "work.no-shape"),
        (("IncreFlashAttention", "4", "FLOAT", None, "4", "FLOAT", None), "work.cached"),
        (("Unique2", "8", "FLOAT", None, "4", "FLOAT", None), "work.type"),
        (("MatmulAllReduce", "4", "FLOAT", None, "4", "FLOAT", None), "work.type"),
        (("ScatterUpdate", "4", "FLOAT", None, "4", "FLOAT", None), "work.in-place"),
        (("KvRmsNormRopeCache", "4", "FLOAT", None, "4", "FLOAT", None), "work.in-place"),
        (("ReshapeAndCache", "4", "FLOAT", None, "4", "FLOAT", None), "work.in-place"),
        (("Add", "4", "UNDEFINED", None, "4", "FLOAT", None), "work.dtype"),
        (("GroupedMatmul", "4,5;2,4,4", "FLOAT;FLOAT", None, "4,4", "FLOAT", None), "work.mismatch"),
        (("MatMulV2", "3,5;7,11", "FLOAT;FLOAT", None, "13,17", "FLOAT", None), "work.mismatch"),
    ],
)
def test_no_number_but_a_reason(shapes, reason):
    found = work_of(shapes)
    assert found.why.key == reason
    assert found.flops is None


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("AddCustom", "elementwise"), ("add_custom", "elementwise"), ("CastCustom_0a1b2c3d4e", "elementwise"),
        ("Matmul (basic API)", "matmul"), ("MatmulGelu", "matmul"), ("L2NormalizeCustom", "norm"),
        ("AddRmsNorm", "norm"),
        ("LayerNormV3", "norm"), ("SoftmaxGrad", "softmax"), ("TransData", "movement"), ("ConcatD", "movement"),
        ("MatmulAllReduce", ""), ("ApplyAdamW", "optimizer"), ("ReshapeAndCache", "in-place"), ("Sort", "once"),
        (None, ""), ("GroupedMatmulSwigluQuantV2", "grouped"), ("Conv2DBackpropFilterD", "conv-filter"),
        ("DepthwiseConv2D", "conv"), ("FlashAttentionScoreGrad", "attention-grad"), ("PagedAttentionMaskOp", "cached"),
        ("FusedInferAttentionScore", "cached"), ("ApplyRotaryPosEmb", "once"), ("BNTrainingUpdate", "once"),
    ],
)  # fmt: skip
def test_family_by_name(name, family):
    assert family_of(name) == family


def test_plain_type_leaves_the_operator():
    assert plain_type("aclnnAddCustomV2") == "add"
    assert plain_type("FusedInferAttentionScore_3b09a1b2c3") == "fusedinferattentionscore"


def test_alignment_is_judged_by_the_innermost_axis():
    assert work("Transpose", "1024,1001", "1001,1024").ragged
    assert not work("Transpose", "1024,1024", "1024,1024").ragged
    assert not work("Add", "1024,1001;1024,1001", "1024,1001").ragged  # contiguous: its rows do not matter
    assert work("MatMulV2", "256,320;320,512", "256,512").off_tile
