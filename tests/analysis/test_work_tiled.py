"""Bytes and operations of convolutions, attention and grouped products, and what a range of work does to the floor."""

from __future__ import annotations

import math

import pytest
from made_ops import look, op, shapes

from npuscope.analysis.work.estimate import work_of

HALF = "FLOAT16"


def work(kind, inputs, outputs, dtypes=HALF, formats="ND", out_dtypes=HALF, out_formats="ND"):
    def per(printed, one):
        return one if ";" in one else ";".join([one] * len(printed.split(";")))

    return work_of(
        (kind, inputs, per(inputs, dtypes), per(inputs, formats), outputs, per(outputs, out_dtypes),
         per(outputs, out_formats))
    )  # fmt: skip


# ResNet's 3 x 3: 32 images of 56 x 56, 64 channels in and out, 2 * 32*56*56 * 64 * 64*9
CONV = 2 * 32 * 56 * 56 * 64 * 64 * 9


@pytest.mark.parametrize(
    ("inputs", "outputs", "formats", "out_format"),
    [
        ("32,64,56,56;64,64,3,3", "32,64,56,56", "NCHW;NCHW", "NCHW"),
        ("32,56,56,64;64,64,3,3", "32,56,56,64", "NHWC;NCHW", "NHWC"),
        ("32,4,56,56,16;36,4,16,16", "32,4,56,56,16", "NC1HWC0;FRACTAL_Z", "NC1HWC0"),  # 4*3*3, 64/16, 16, 16
        ("32,4,56,56,16;36,4,16,16;64", "32,4,56,56,16", "NC1HWC0;FRACTAL_Z;ND", "NC1HWC0"),  # with a bias
    ],
)
def test_convolution_in_any_layout(inputs, outputs, formats, out_format):
    found = work("Conv2D", inputs, outputs, formats=formats, out_formats=out_format)
    assert (found.flops, found.unit) == (CONV, "cube_fp16")
    assert found.bytes >= 2 * (2 * 32 * 64 * 56 * 56 + 64 * 64 * 9)


def test_padded_channels_are_computed_too():
    """3 channels in a block of 16: the cube multiplies the padding as well."""
    plain = work("Conv2D", "32,3,224,224;64,3,7,7", "32,64,112,112", formats="NCHW;NCHW", out_formats="NCHW")
    blocks = work(
        "Conv2D", "32,1,224,224,16;49,4,16,16", "32,4,112,112,16", formats="NC1HWC0;FRACTAL_Z", out_formats="NC1HWC0"
    )
    assert blocks.flops == pytest.approx(plain.flops * 16 / 3)


def test_gradients_of_a_convolution_do_as_much():
    formats = "FRACTAL_Z;NC1HWC0"
    of_input = work(
        "Conv2DBackpropInputD", "36,4,16,16;32,4,56,56,16", "32,4,56,56,16", formats=formats, out_formats="NC1HWC0"
    )
    of_filter = work(
        "Conv2DBackpropFilterD", "32,4,56,56,16;32,4,56,56,16", "36,4,16,16", formats="NC1HWC0",
        out_dtypes="FLOAT", out_formats="FRACTAL_Z",
    )  # fmt: skip
    assert of_input.flops == of_filter.flops == CONV
    assert of_filter.unit == "cube_fp16"


def test_the_shape_input_of_a_gradient_is_no_tensor():
    found = work(
        "Conv2DBackpropInput", "4;64,64,3,3;32,64,56,56", "32,64,56,56", dtypes="INT32;FLOAT16;FLOAT16",
        formats="ND;NCHW;NCHW", out_formats="NCHW",
    )  # fmt: skip
    assert (found.flops, found.unit) == (CONV, "cube_fp16")


def test_depthwise():
    plain = work("DepthwiseConv2D", "8,32,28,28;32,1,3,3", "8,32,28,28", formats="NCHW;NCHW", out_formats="NCHW")
    assert plain.flops == 2 * 8 * 28 * 28 * 32 * 9
    blocks = work(
        "DepthwiseConv2D", "8,2,28,28,16;9,2,16,16", "8,2,28,28,16", formats="NC1HWC0;FRACTAL_Z", out_formats="NC1HWC0"
    )
    assert (blocks.flops, blocks.why.key) == (None, "work.depthwise")
    assert blocks.bytes is not None


def test_an_unknown_layout_leaves_the_operations_open():
    assert work("Conv2D", "8,8,8,8;8,8,3,3", "8,8,8,8").why.key == "work.layout"


# batch 2, 4 heads of 128, 4096 long: 2 * 2*4*4096*4096 * (128 + 128)
ATTENTION = 2 * 2 * 4 * 4096 * 4096 * 256
MAXIMA = "2,4,4096,8;2,4,4096,8;"


@pytest.mark.parametrize(
    "tensor",
    ["4096,2,512", "2,4096,512", "2,4096,4,128", "2,4,4096,128"],
    ids=["SBH", "BSH", "BSND", "BNSD"],
)
def test_attention_in_any_layout(tensor):
    """The layout follows from softmax_max (B, N, S, 8); the mask is not printed, a causal one halves the work."""
    found = work(
        "FlashAttentionScore", f"{tensor};{tensor};{tensor}", f"{MAXIMA};{tensor}", dtypes="DT_BF16",
        out_dtypes="FLOAT;FLOAT;;DT_BF16",
    )  # fmt: skip
    assert (found.flops, found.flops_least, found.unit) == (ATTENTION, ATTENTION / 2, "cube_fp16")


def test_attention_with_fewer_keys_and_key_heads():
    """4096 queries of 8 heads over 1024 keys of 2 heads."""
    found = work(
        "FlashAttentionScore", "1,8,4096,128;1,2,1024,128;1,2,1024,128", "1,8,4096,8;1,8,4096,8;;1,8,4096,128",
        out_dtypes="FLOAT;FLOAT;;FLOAT16",
    )  # fmt: skip
    assert found.flops == 2 * 8 * 4096 * 1024 * 256


def test_attention_backward_is_two_and_a_half_times_the_forward():
    tensor = "4096,2,512"
    found = work(
        "FlashAttentionScoreGrad", f"{tensor};{tensor};{tensor};{tensor};2,4,4096,8;2,4,4096,8", tensor,
        dtypes="DT_BF16;DT_BF16;DT_BF16;DT_BF16;FLOAT;FLOAT",
    )  # fmt: skip
    assert found.flops == 2.5 * ATTENTION


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ("8192,4,128;8192,4,128;8192,4,128", "8192,4,8;8192,4,8;8192,4,128"),  # TND: lengths are not printed
        ("2,2,512;2,3,512;2,3,512", "2,4,2,8;2,4,2,8;2,2,512"),  # BSH and SBH both fit
        ("2,64,512;2,64,512;2,64,512", "2,64,512"),  # no softmax_max
    ],
)
def test_attention_whose_layout_is_open(inputs, outputs):
    found = work("FlashAttentionScore", inputs, outputs)
    assert (found.flops, found.why.key) == (None, "work.attention")


@pytest.mark.parametrize("kind", ["FusedInferAttentionScore", "IncreFlashAttention", "PagedAttentionOperation"])
def test_attention_over_a_cache_has_no_floor(kind):
    assert work(kind, "1,8,128;1,8,128", "1,8,128").why.key == "work.cached"


def test_experts():
    """512 tokens, 64 experts of 2048 x 1024: weights of at most every expert, at least of one."""
    found = work("GroupedMatmul", "512,2048;64,2048,1024", "512,1024")
    of_one, rest = 2048 * 1024 * 2, 512 * 2048 * 2 + 512 * 1024 * 2
    assert found.flops == 2 * 512 * 2048 * 1024
    assert (found.bytes, found.bytes_least) == (rest + 64 * of_one, rest + of_one)
    few = work("GroupedMatmul", "8,2048;64,2048,1024", "8,1024")
    assert few.bytes == 8 * 2048 * 2 + 8 * 1024 * 2 + 8 * of_one  # 8 tokens reach at most 8 experts


def test_experts_transposed_quantised_and_gated():
    turned = work("GroupedMatmul", "512,2048;64,1024,2048", "512,1024")
    assert turned.flops == 2 * 512 * 2048 * 1024
    gated = work(
        "GroupedMatmulSwigluQuant", "512,2048;64,2048,1024;64,1024", "512,512;512",
        dtypes="INT8;INT8;FLOAT", out_dtypes="INT8;FLOAT",
    )  # fmt: skip
    assert (gated.flops, gated.unit) == (2 * 512 * 2048 * 1024, "cube_int8")


def test_pairs_of_products():
    found = work("GroupedMatmul", "16,64;32,64;64,8;64,24", "16,8;32,24")
    assert found.flops == 2 * (16 * 64 * 8 + 32 * 64 * 24)


def attention(us, **more):
    tensor, bf = "4096,2,512", "DT_BF16"
    return op(
        us=us, type="FlashAttentionScore", core="MIX_AIC", input_shapes=f"{tensor};{tensor};{tensor}",
        input_dtypes=f"{bf};{bf};{bf}", input_formats="ND;ND;ND", output_shapes=f"{MAXIMA};{tensor}",
        output_dtypes=f"FLOAT;FLOAT;;{bf}", output_formats="ND;ND;ND;ND", **more,
    )  # fmt: skip


DENSE = ATTENTION / 294.9e6


def test_a_range_is_held_against_its_upper_end_and_shows_the_lower():
    row = look(attention(410.2), chip="910B3").ops.row(0)
    assert row["bound_us"] == pytest.approx(DENSE)  # 233 us
    assert row["bound_least_us"] == pytest.approx(DENSE / 2, rel=1e-5)
    assert row["saving_us"] == pytest.approx(410.2 - DENSE)


def test_faster_than_the_upper_end_it_was_sparse():
    row = look(attention(200.0), chip="910B3").ops.row(0)
    assert row["bound_us"] == pytest.approx(DENSE / 2)
    assert math.isnan(row["bound_least_us"])
    assert math.isnan(look(attention(50.0), chip="910B3").ops.row(0)["bound_us"])  # faster than any mask allows


def test_a_cube_that_was_not_busy_that_long_did_less():
    """mac 0.352 of 366 us is 129 us: not the 233 us of the dense product. The vendor's row, x 3.5 if causal."""
    row = look(attention(410.2, aic_time_us=366.1, aic_mac_ratio=0.352), chip="910B3").ops.row(0)
    assert row["times_over_bound"] == pytest.approx(3.52, abs=0.01)


def test_what_does_not_run_on_a_core_has_no_floor():
    """Its bytes and peaks are of the cores; an AI CPU operator stood at a thousand times the floor."""
    gather = op(us=500.0, type="GatherV2", core="AI_CPU", input_shapes="64;8", input_dtypes="FLOAT;INT64",
                output_shapes="8", output_dtypes="FLOAT")  # fmt: skip
    summary = look(gather, chip="910B3")
    row, line = summary.ops.row(0), summary.types.row(0)
    for name in ("bound_us", "times_over_bound", "saving_us", "bytes", "flops", "achieved_gbps", "step_gain_us"):
        assert math.isnan(row[name]) and math.isnan(line[name]), name
    assert summary.type_verdicts[0].no_floor.key == "work.not-core"


def test_an_estimate_that_was_beaten_is_no_rate():
    """137.4 GFLOP in 300 us would be 458 TFLOP/s of 294.9; the other call counts alone. Its bytes are possible."""
    made = shapes("4096,4096;4096,4096", "4096,4096")
    beaten, sound = (op(at, us, **made, aic_time_us=us) for at, us in ((0, 300.0), (400, 500.0)))
    summary = look(beaten, sound, chip="910B3")
    row, line = summary.ops.row(0), summary.types.row(0)
    assert math.isnan(row["achieved_tflops"]) and math.isnan(row["bound_us"])
    assert row["achieved_gbps"] == pytest.approx(100.663296 / 0.3, rel=1e-5)
    assert line["achieved_tflops"] == pytest.approx(274.878, rel=1e-5)


@pytest.mark.parametrize(
    ("row", "chip", "key"),
    [
        ({"input_shapes": "-1,64", "input_dtypes": "FLOAT"}, "910B3", "work.dynamic"),
        ({}, "910B3", "work.no-shape"),
        ({"type": "Unique2", "input_shapes": "64", "input_dtypes": "FLOAT"}, "910B3", "work.estimate"),
        ({"input_shapes": "64", "input_dtypes": "FLOAT"}, None, "work.no-chip"),
        ({"input_shapes": "4194304", "input_dtypes": "FLOAT", "duration_us": 1.0}, "910B3", "work.faster"),
    ],
)
def test_no_floor_says_why(row, chip, key):
    shapes = {"output_shapes": row.get("input_shapes"), "output_dtypes": "FLOAT"} if row else {}
    made = op(**{"type": "Add", "core": "AI_VECTOR_CORE", **shapes, **row})
    assert look(made, chip=chip).type_verdicts[0].no_floor.key == key
