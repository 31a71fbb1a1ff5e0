"""Bytes and operations worked out by hand, a row for each kind of operator, in the spellings that profiles print."""

from __future__ import annotations

import pytest

from npuscope.analysis.work.estimate import work_of
from npuscope.analysis.work.families import family_of
from npuscope.analysis.work.shapes import layout_name

KIB, MIB = 1024, 1024 * 1024


def work(kind, inputs, dtypes, outputs, out_dtypes, formats=None, out_formats=None):
    return work_of((kind, inputs, dtypes, formats, outputs, out_dtypes, out_formats))


@pytest.mark.parametrize(
    ("kind", "inputs", "dtypes", "outputs", "out_dtypes", "moved", "flops"),
    [
        # elementwise, with a broadcast row and with a scalar
        ("Add", "4099,7168;7168", "DT_BF16;DT_BF16", "4099,7168", "DT_BF16", (2 * 4099 + 1) * 7168 * 2, 4099 * 7168),
        ("Mul", "4096,4096;", "FLOAT;FLOAT", "4096,4096", "FLOAT", 2 * 4096 * 4096 * 4 + 4, 4096 * 4096),
        ("Cast", "1024,4,6400", "FLOAT16", "1024,4,6400", "FLOAT", 26_214_400 * 6, 26_214_400),
        ("LogicalNot", "8,8", "BOOL", "8,8", "BOOL", 128, 64),
        # a list of tensors in, a list out: 2 x 10 in, 10 out, and the scalar
        ("ForeachAddList", "2,3;4;2,3;4;", "FLOAT;FLOAT;FLOAT;FLOAT;FLOAT", "6;4", "FLOAT;FLOAT", 31 * 4, 10),
        ("ForeachMulScalar", "2,3;4;", "FLOAT;FLOAT;FLOAT", "6;4", "FLOAT;FLOAT", 21 * 4, 10),
        ("SwiGlu", "16,8192", "DT_BF16", "16,4096", "DT_BF16", 16 * 12288 * 2, 4 * 16 * 4096),
        # reductions; the one result of the last two is a scalar, printed as ""
        ("ReduceSumD", "1024,64", "FLOAT", "1024,1", "FLOAT", 65 * 1024 * 4, 65_536),
        ("ArgMaxV2", "32,1000;", "FLOAT;INT64", "32", "INT32", 128_000 + 8 + 128, 32_000),
        ("BiasAddGrad", "32,84", "FLOAT", "84", "FLOAT", 33 * 84 * 4, 2688),
        ("ReduceSumD", "75497472", "FLOAT", "", "FLOAT", 75_497_473 * 4, 75_497_472),
        ("LpNormV2", "220233216", "FLOAT", "", "FLOAT", 220_233_217 * 4, 220_233_216),
        # softmax, norms
        ("SoftmaxV2", "1,151936", "FLOAT", "1,151936", "FLOAT", 151_936 * 8, 5 * 151_936),
        ("ScaledMaskedSoftmax", "4,3,64,64;1,1,64,64", "FLOAT16;BOOL", "4,3,64,64", "FLOAT16",
         2 * 12 * 4096 * 2 + 4096, 5 * 12 * 4096),
        ("LayerNormV3", "8,1024;1024;1024", "FLOAT16;FLOAT16;FLOAT16", "8,1024;8,1;8,1", "FLOAT16;FLOAT;FLOAT",
         (8 + 2 + 8) * 2048 + 64, 6 * 8192),
        ("AddRmsNormDynamicQuant", "1,7168;1,7168;7168;7168", "DT_BF16;DT_BF16;DT_BF16;DT_BF16",
         "1,7168;1,7168;1,7168;1;1", "INT8;INT8;DT_BF16;FLOAT;FLOAT", 5 * 14_336 + 2 * 7168 + 8, 6 * 7168),
        # quantisation
        ("AscendQuantV2", "1,7168;7168;7168", "DT_BF16;DT_BF16;DT_BF16", "1,7168", "INT8", 3 * 14_336 + 7168, 7168),
        ("DynamicQuant", "4099,7168", "DT_BF16", "4099,7168;4099", "INT8;FLOAT",
         4099 * 7168 * 3 + 4099 * 4, 4099 * 7168),
        # experts: which ones a token goes to
        ("MoeGatingTopK", "513,256;256", "DT_BF16;DT_BF16", "513,8;513,8;513,256", "DT_BF16;INT32;FLOAT",
         514 * 512 + 513 * (16 + 32 + 1024), 513 * 256),
        # rotary positions
        ("InterleaveRope", "4099,16,1,64;4099,1,1,64;4099,1,1,64", "DT_BF16;DT_BF16;DT_BF16", "4099,16,1,64",
         "DT_BF16", 4099 * 64 * 2 * (16 + 2 + 16), 4099 * 1024),
    ],
)  # fmt: skip
def test_passes_over_the_elements(kind, inputs, dtypes, outputs, out_dtypes, moved, flops):
    found = work(kind, inputs, dtypes, outputs, out_dtypes)
    assert (found.bytes, found.flops) == (moved, flops)


@pytest.mark.parametrize(
    ("kind", "inputs", "dtypes", "outputs", "out_dtypes", "moved"),
    [
        ("Transpose", "1024,4;2", "FLOAT;INT32", "4,1024", "FLOAT", 2 * 16 * KIB + 8),
        ("ConcatD", "4096,64;4096,64", "FLOAT;FLOAT", "4096,128", "FLOAT", 4 * MIB),
        ("SplitVD", "4096,128", "FLOAT", "4096,64;4096,64", "FLOAT;FLOAT", 4 * MIB),
        ("PadV3", "1,7168;4;", "DT_BF16;INT32;DT_BF16", "8,7168", "DT_BF16", 9 * 14_336 + 16 + 2),
        ("BroadcastTo", "1,1024;2", "INT64;INT64", "4,1024", "INT64", 5 * 8 * KIB + 16),
        ("TensorMove", "6291456", "FLOAT", "6291456", "FLOAT", 48 * MIB),
        # a part of the input is read: as much as comes out
        ("Slice", "4099,16,256;3;3", "DT_BF16;INT64;INT64", "4099,16,128", "DT_BF16", 2 * 4099 * 16 * 128 * 2),
        ("StridedSliceD", "1024,1024", "FLOAT16", "16,1024", "FLOAT16", 64 * KIB),
        # a view that repeats one row 1024 times reads that row
        ("AsStrided", "1,4096;2;2;", "FLOAT16;INT64;INT64;INT64", "1024,4096", "FLOAT16", 8 * MIB + 8 * KIB),
        # written, not read
        ("ZerosLike", "544404480", "FLOAT16", "544404480", "FLOAT16", 1_088_808_960),
        ("Range", ";;", "INT64;INT64;INT64", "4096", "INT64", 32 * KIB),
        # rows of a table: what comes out, twice, and the indices; never the table of 2.4 GB
        ("GatherV2", "151936,4096;16;", "FLOAT;INT64;INT64", "16,4096", "FLOAT", 512 * KIB + 128 + 8),
        ("Index", "163840,64;1;2;4099", "DT_BF16;INT64;INT64;INT64", "4099,64", "DT_BF16",
         2 * 4099 * 128 + (1 + 2 + 4099) * 8),
        ("Embedding", "4,1024;4096", "FLOAT16;INT64", "4096,1024", "FLOAT16", 8 * KIB + 8 * MIB + 32 * KIB),
        ("GatherElements", "8,1024;8,16", "FLOAT;INT64", "8,16", "FLOAT", 2 * 512 + 1024),
        # rows written into a table: indices and updates read, as much written; in either order of the inputs
        ("ScatterUpdate", "50000,1024;32;32,1024", "FLOAT16;INT64;FLOAT16", "50000,1024", "FLOAT16",
         2 * 64 * KIB + 256),
        ("ScatterNdAdd", "50000,1024;32,1;32,1024", "FLOAT;INT32;FLOAT", None, None, 2 * 128 * KIB + 128),
        ("IndexPutV2", "4096,151936;4096;2;2;4096;4096", "FLOAT;FLOAT;INT64;INT64;INT64;INT64", "4096,151936",
         "FLOAT", 2 * 16 * KIB + 32 + 64 * KIB),
        ("EmbeddingDenseGradV2", "1,4096,1024;4096;4096", "FLOAT;INT32;INT32", "151936,1024", "FLOAT",
         2 * 16 * MIB + 32 * KIB),
        ("Assign", "64,64;64,64", "FLOAT;FLOAT", "64,64", "FLOAT", 2 * 16 * KIB),
        ("ViewCopy", "1024,4096;2;2;1;16,4096;2;2;1", "FLOAT;INT64;INT64;INT64;FLOAT;INT64;INT64;INT64",
         "1024,4096", "FLOAT", 2 * 256 * KIB),
    ],
)  # fmt: skip
def test_movement_counts_what_is_touched(kind, inputs, dtypes, outputs, out_dtypes, moved):
    found = work(kind, inputs, dtypes, outputs, out_dtypes)
    assert (found.bytes, found.flops) == (moved, 0)


@pytest.mark.parametrize(
    ("before", "layout", "after", "out_layout", "moved"),
    [
        # 3 channels become a block of 16
        ("2,3,224,224", "NCHW", "2,1,224,224,16", "NC1HWC0", 2 * 224 * 224 * (3 + 16) * 2),
        ("32,64,55,55", "NCHW", "32,4,55,55,16", "NC1HWC0:1", 2 * 32 * 64 * 55 * 55 * 2),
        # 100 x 70 in blocks of 16 x 16 is 112 x 80
        ("100,70", "ND", "5,7,16,16", "FRACTAL_NZ", (7000 + 8960) * 2),
    ],
)
def test_a_change_of_layout_moves_the_padding_too(before, layout, after, out_layout, moved):
    assert work("TransData", before, "FLOAT16", after, "FLOAT16", layout, out_layout).bytes == moved


@pytest.mark.parametrize(
    ("kind", "inputs", "outputs", "out_dtypes", "tensors"),
    [
        ("ApplyAdamW", "1000;1000;1000;;;;;;;;1000", "1000;1000;1000", "FLOAT;FLOAT;FLOAT", 7),
        ("ApplyAdamWV2", "1000;1000;1000;1000;1", None, None, 7),  # nothing is printed of what it writes
        ("ApplyAdamWV2", "1000;1000;1000;1000;1;1000", None, None, 9),  # with the largest moments
        ("ApplyMomentumD", "10,100;10,100;;10,100;", "10,100;10,100", "FLOAT;FLOAT", 5),
        ("ApplyMomentum", "10,100;10,100;;10,100;", "10,100", "FLOAT", 5),  # prints the weights only
        ("ApplyGradientDescent", "1000;;1000", "1000", "FLOAT", 3),
    ],
)
def test_an_optimizer_reads_all_and_writes_all_but_the_gradient(kind, inputs, outputs, out_dtypes, tensors):
    parts = inputs.split(";")
    found = work(kind, inputs, ";".join(["FLOAT"] * len(parts)), outputs, out_dtypes)
    small = sum(4 for part in parts if part in ("", "1"))
    assert found.bytes == tensors * 4000 + small
    assert found.flops == 4 * 1000


def test_the_gradient_of_an_optimizer_may_be_of_a_smaller_type():
    found = work("ApplyAdamWV2", "1000;1000;1000;1000;1", "FLOAT;FLOAT;FLOAT;DT_BF16;INT64", None, None)
    assert found.bytes == 3 * 4000 + 2000 + 8 + 3 * 4000


def test_an_optimizer_of_one_tensor_is_none():
    assert work("ApplyAdamW", "1000;1", "FLOAT;FLOAT", "1000", "FLOAT").why.key == "work.in-place"


def test_sparse_optimizers_touch_rows_that_no_shape_tells():
    assert family_of("SparseApplyAdagrad") == "in-place"


def test_four_bit_weights_stand_eight_to_an_int32():
    """16 x 4096 activations, 4096 x 1024 weights printed as 4096 x 128."""
    found = work("WeightQuantBatchMatmulV2", "16,4096;4096,128", "FLOAT16;INT32", "16,1024", "FLOAT16")
    assert found.flops == 2 * 16 * 4096 * 1024
    assert found.bytes == 16 * 4096 * 2 + 4096 * 1024 / 2 + 16 * 1024 * 2
    assert (found.unit, found.consistent) == ("cube_fp16", True)


def test_experts_of_four_bits():
    """512 tokens, 8 experts of 2048 x 1024, printed as 8 x 2048 x 128."""
    found = work("GroupedMatmul", "512,2048;8,2048,128", "INT8;INT32", "512,1024", "FLOAT16")
    assert found.flops == 2 * 512 * 2048 * 1024
    assert found.bytes == 512 * 2048 + 8 * 2048 * 512 + 512 * 1024 * 2
    assert found.unit == "cube_int8"


def test_quantised_product_with_scales_and_bias():
    found = work(
        "QuantBatchMatmulV3", "4099,7168;7168,2112;2112;;;4099", "INT8;INT8;FLOAT;;;FLOAT", "4099,2112", "DT_BF16"
    )
    assert found.flops == 2 * 4099 * 7168 * 2112
    assert found.bytes == 4099 * 7168 + 7168 * 2112 + 2112 * 4 + 4099 * 4 + 4099 * 2112 * 2
    assert found.unit == "cube_int8"


def test_int8_in_blocks_of_nz_are_32_wide():
    """64 x 512 times 512 x 96: weights are 512/16 blocks of rows by 96/32 blocks of columns."""
    found = work("QuantBatchMatmulV3", "64,512;3,32,16,32", "INT8;INT8", "64,96", "FLOAT16", "ND;FRACTAL_NZ", "ND")
    assert found.flops == 2 * 64 * 512 * 96


def test_experts_in_blocks_of_nz():
    found = work("GroupedMatmul", "512,2048;4,32,128,16,32", "INT8;INT8", "512,1024", "FLOAT16", "ND;FRACTAL_NZ", "ND")
    assert found.flops == 2 * 512 * 2048 * 1024


# 2 images of 16 x 13 x 13 blocks in, 24 blocks out, 3 x 3: as many positions as the result has, times the weights
CONV = 2 * (2 * 13 * 13) * (9 * 24 * 16) * (16 * 16)


@pytest.mark.parametrize(
    ("kind", "inputs", "formats", "outputs", "out_format"),
    [
        ("Conv2D", "2,16,13,13,16;144,24,16,16", "NC1HWC0;FracZ", "2,24,13,13,16", "NC1HWC0"),
        ("Conv2DBackpropInput", "2,24,13,13,16;144,24,16,16", "NC1HWC0;FRAC_Z", "2,16,13,13,16", "NC1HWC0"),
        ("Conv2DBackpropInputD", "144,24,16,16;2,24,13,13,16", "FRACTAL_Z;NC1HWC0", "2,16,13,13,16", "NC1HWC0"),
        ("Conv2DBackpropFilter", "2,24,13,13,16;2,16,13,13,16", "NC1HWC0;NC1HWC0", "144,24,16,16", "FracZ"),
        ("Conv2DBackpropFilterD", "2,16,13,13,16;2,24,13,13,16", "NC1HWC0:1;NC1HWC0:1", "144,24,16,16", "FRACTAL_Z:1"),
    ],
)
def test_convolution_and_gradients_as_frameworks_print_them(kind, inputs, formats, outputs, out_format):
    found = work(kind, inputs, "FLOAT16;FLOAT16", outputs, "FLOAT16", formats, out_format)
    assert found.flops == CONV


def test_gradient_of_weights_of_a_strided_convolution_in_either_order():
    """227 x 227 in, 55 x 55 out: the operations are those of the smaller image, whichever stands first."""
    for inputs in ("2,6,55,55,16;2,1,227,227,16", "2,1,227,227,16;2,6,55,55,16"):
        found = work("Conv2DBackpropFilter", inputs, "FLOAT16;FLOAT16", "121,6,16,16", "FLOAT",
                     "NC1HWC0;NC1HWC0", "FRACTAL_Z")  # fmt: skip
        assert found.flops == 2 * (2 * 55 * 55) * (121 * 6 * 16 * 16)


def test_the_mask_of_a_pooling_is_not_counted():
    """It has a bit for each position of the window; what is printed of it is padded by blocks."""
    images, pooled = 32 * 4 * 55 * 55 * 16, 32 * 4 * 27 * 27 * 16
    back = work("MaxPoolGradWithArgmaxV1", "32,4,55,55,16;32,4,27,27,16;32,64,9,9,47,16", "FLOAT;FLOAT;UINT16",
                "32,4,55,55,16", "FLOAT")  # fmt: skip
    assert back.bytes == 4 * (2 * images + pooled)
    forth = work("MaxPoolWithArgmaxV1", "32,4,55,55,16", "FLOAT", "32,4,27,27,16;32,64,9,9,47,16", "FLOAT;UINT16")
    assert forth.bytes == 4 * (images + pooled)


@pytest.mark.parametrize(
    ("kind", "query", "cache", "output"),
    [
        # one query a request over pages of 128: 16 requests, 12550 pages
        ("FusedInferAttentionScore", "16,4,128", "12550,128,128", "16,4,128;"),
        ("PagedAttentionMaskOperation", "16,32,128", "4096,128,8,128", "16,32,128"),
        ("IncreFlashAttention", "4,1,4096", "4,8192,4096", "4,1,4096"),
        ("PromptFlashAttention", "1,512,4096", "1,512,4096", "1,512,4096"),
    ],
)
def test_decoding_over_a_cache_says_why_it_has_no_floor(kind, query, cache, output):
    """How much of the cache is read stands in no shape."""
    dtypes = ";".join(["DT_BF16"] * (output.count(";") + 1))
    found = work(kind, f"{query};{cache};{cache}", "DT_BF16;DT_BF16;DT_BF16", output, dtypes)
    assert (found.bytes, found.flops, found.why.key) == (None, None, "work.cached")


def test_a_type_that_is_not_covered_is_an_estimate_in_words_only():
    found = work("muls_add_kernel", "4099,7168;4099,7168", "DT_BF16;DT_BF16", "4099,7168", "DT_BF16")
    assert (found.bytes, found.flops) == (None, None)
    assert found.why.key == "work.estimate"
    assert found.why.params["bytes"] == 3 * 4099 * 7168 * 2


def test_a_type_that_is_not_covered_and_reads_more_than_it_writes_has_no_estimate():
    """Weights of experts, a part of a table: what of it is read is not known."""
    assert work("DispatchFFNCombine", "1,7168;16,7168,4096", "DT_BF16;INT8", "1,7168", "DT_BF16").why.key == "work.type"


def test_an_empty_cell_is_a_scalar_and_a_missing_one_is_not():
    assert work("ReduceSumD", "1024", "FLOAT", "", "FLOAT").bytes == 4100
    assert work("ReduceSumD", "1024", "FLOAT", None, "FLOAT").why.key == "work.no-shape"
    assert work("ReduceSumD", "1024", "FLOAT", "", None).why.key == "work.no-dtype"


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("FORMAT_ND", "ND"), ("", "ND"), ("NC1HWC0:1", "NC1HWC0"), ("FORMAT_NC1HWC0", "NC1HWC0"),
        ("FracZ", "FRACTAL_Z"), ("FRAC_Z", "FRACTAL_Z"), ("FRACTAL_Z:32", "FRACTAL_Z"), ("FRAC_NZ", "FRACTAL_NZ"),
        ("DefaultFormat", "DEFAULT"), ("DEFAULT", "DEFAULT"),
    ],
)  # fmt: skip
def test_layouts_as_frameworks_spell_them(printed, name):
    assert layout_name(printed) == name
