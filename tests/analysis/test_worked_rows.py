"""Rows whose label somebody published, and what we say of them.

The numbers are those of public files and pages: msprof-analyze's test tables (1 to 7, 16 to 18), the Ascend C best
practices (1, 2, 14), MindSDK Rec's tuning pages (15), mindstudio-agent's skills (12, 13), ascend-msprof-skill (9 to 11,
19), vllm-ascend issue 4167 (20), triton-ascend issue 298 (21), PTOAS issue 1496 (22). Where a printed number is missing
it is filled so that it decides nothing.
"""

from __future__ import annotations

import made_ops
import pytest
from made_ops import look, op, shapes

from npuscope.analysis.labels.label import explain

A2 = "910B3"


def label(row, chip=A2, before=(), **more):
    summary = look(*before, row, chip=chip, **more)
    return explain(summary, len(before))


MATMUL = shapes("81920,4096;8192,512", "4096,512", "DT_BF16")


def matmul_8192():
    """1: MatMulV2, block 16 of 20. The page: MTE2 is the longest pipeline at 95 %."""
    return op(
        us=185.5, block_dim=16, **MATMUL, **made_ops.cube(us=183.87, share_of=1, mac=0.824, mte1=0.648, mte2=0.964)
    )


def test_matmul_that_waits_for_its_tiles():
    verdict = label(matmul_8192())
    assert (verdict.label, verdict.detail) == ("memory", "tiling")
    assert ("aic_mte2_ratio", 0.964, 0.8) in [(e.metric, e.value, e.threshold) for e in verdict.evidence]
    row = look(matmul_8192(), chip=A2).ops.row(0)
    assert row["bound_us"] == row["cube_bound_us"]
    assert row["cube_bound_us"] == pytest.approx(116.5, abs=0.05)  # 34.36 GFLOP at 294.9 TFLOPS, with the smaller K


def test_matmul_near_the_cube_but_bound_by_movement():
    """2: MatMulV3 K = 8192. mac 0.744 and 70 % of the peak, but mte2 leads."""
    row = op(us=501.2, **shapes("1536,8192;8192,4096", "1536,4096", "DT_BF16"))
    verdict = label({**row, **made_ops.cube(us=478.7, share_of=1, mac=0.744, mte1=0.6, mte2=0.944)})
    assert (verdict.label, verdict.detail) == ("memory", "tiling")


def test_matmul_with_an_inner_axis_off_the_tile():
    """3: inner axis 15365. The vendor's test: not divisible by 256."""
    row = op(us=521.3, **shapes("1536,15365;15365,4096", "1536,4096", "DT_BF16"))
    verdict = label({**row, **made_ops.cube(us=499.2, share_of=1, mac=0.714, mte1=0.6, mte2=0.945)})
    assert (verdict.label, verdict.detail) == ("access", "unaligned")


def mix(us, core, **shares):
    row = op(
        us=us, core="MIX_AIC", type="FlashAttentionScore", **shapes("4096,2,512;4096,2,512", "4096,2,512", "DT_BF16")
    )
    return {
        **row,
        "aic_time_us": core,
        "aiv_time_us": core,
        **{f"{name}_ratio": value for name, value in shares.items()},
    }


def test_attention_bound_by_movement_is_less_sure_for_its_two_sides():
    """4: FlashAttentionScore: the vendor says mte2-bound."""
    shares = {
        "aic_mte2": 0.872,
        "aic_fixpipe": 0.59,
        "aic_mac": 0.352,
        "aic_scalar": 0.962,
        "aiv_vec": 0.625,
        "aiv_mte2": 0.3,
    }
    verdict = label(mix(410.2, 366.1, **shares))
    assert (verdict.label, verdict.confidence) == ("memory", "low")  # no floor: its layout is not printed
    assert "doubt.mix" in [reason.key for reason in verdict.reasons]


def test_attention_backward_has_no_leading_pipe():
    """5: FlashAttentionScoreGrad: the vendor says no bound, room to improve."""
    shares = {
        "aic_mac": 0.455,
        "aic_mte2": 0.525,
        "aic_fixpipe": 0.525,
        "aic_mte1": 0.3,
        "aiv_vec": 0.422,
        "aiv_mte2": 0.3,
        "aiv_mte3": 0.2,
    }
    assert label(mix(762.2, 755.7, **shares)).label == "stall"


def test_add_bound_by_bandwidth():
    """6: Add bf16 512,2,4096 twice: the vendor says mte2 bound."""
    tensor = "512,2,4096"
    row = op(
        us=26.8, type="Add", core="AI_VECTOR_CORE", block_dim=40, **shapes(f"{tensor};{tensor}", tensor, "DT_BF16")
    )
    row |= made_ops.vector(us=24.2, share_of=1, vec=0.247, mte2=0.842, mte3=0.132)
    verdict = label(row)
    assert (verdict.label, verdict.detail, verdict.confidence) == ("memory", "hbm", "high")
    seen = look(row, chip=A2).ops.row(0)
    assert seen["bound_us"] == pytest.approx(15.7, abs=0.05)
    assert seen["times_over_bound"] == pytest.approx(1.7, abs=0.05)


def test_scalar_add_after_a_long_wait():
    """7: Add of one number, 1.38 us, 31.5 us after its predecessor."""
    before = op(us=5.0, name="before")
    row = op(at_us=36.5, us=1.38, type="Add", core="AI_VECTOR_CORE", block_dim=1, **shapes(";", "1", "FLOAT"))
    verdict = label({**row, **made_ops.vector(us=0.88, share_of=1, scalar=0.30, mte2=0.20)}, before=[before])
    assert (verdict.label, verdict.detail, verdict.confidence) == ("launch", "gap", "high")
    assert [(e.metric, e.value) for e in verdict.evidence][:2] == [("duration(us)", 1.38), ("gap_before_us", 31.5)]


def test_memory_bound_of_the_vendor_misleads_for_a_scalar_kernel():
    """8: add_custom, 9.87 of 82.11 us on the core, memory_bound 16.97: we say scalar, and that 72 us lie outside."""
    row = op(us=82.11, type="add_custom", block_dim=8, aic_time_us=9.87, memory_bound=16.97)
    row |= {"aic_scalar_ratio": 0.899, "aic_mte2_ratio": 0.389, "aic_vec_ratio": 0.023, "aic_mac_ratio": 0.0}
    verdict = label(row, chip=None)
    assert (verdict.label, verdict.detail) == ("stall", "scalar")
    assert ("outside_core_us", pytest.approx(72.24)) in [(e.metric, e.value) for e in verdict.evidence]


def test_the_side_with_little_time_does_not_speak():
    """9: MIX_AIC of 42 ms: aic 12.8 us beside aiv 38 332 us, aiv scalar 0.995."""
    row = op(us=42399.12, core="MIX_AIC", type="kernel", block_dim=256, aic_time_us=12.778, aiv_time_us=38332.239)
    row |= {"aic_mac_ratio": 0.0, "aic_scalar_ratio": 0.841, "aic_mte2_ratio": 0.002}
    row |= {"aiv_vec_ratio": 0.0, "aiv_scalar_ratio": 0.995, "aiv_mte2_ratio": 0.0, "aiv_mte3_ratio": 0.0}
    verdict = label(row, chip=None)
    assert (verdict.label, verdict.detail, verdict.confidence) == ("stall", "scalar", "high")


def test_short_scalar_kernel_is_told_with_low_confidence():
    """10: a vector kernel of 8 us, scalar 0.97."""
    row = op(us=8.7, type="kernel", core="AI_VECTOR_CORE", block_dim=3)
    verdict = label({**row, **made_ops.vector(us=7.9, share_of=1, scalar=0.97, mte2=0.50, vec=0.06)}, chip=None)
    assert (verdict.label, verdict.detail, verdict.confidence) == ("stall", "scalar", "low")


def test_small_unaligned_copies_on_950():
    """12: mte2 0.9 with 1.3 % of the bandwidth: the page says movement method, not bandwidth."""
    row = op(us=900.0, type="add_custom", core="AI_VECTOR_CORE", block_dim=8, aiv_gm_to_ub_bw_usage_rate_pct=1.3)
    row |= made_ops.vector(us=880, share_of=1, mte2=0.90, vec=0.06)
    assert label(row, chip="950PR_9589").label == "access"


def test_the_same_after_larger_copies():
    """13: 43 % of the bandwidth: bound by memory; the page says still not compute bound."""
    row = op(us=21.6, type="add_custom", core="AI_VECTOR_CORE", block_dim=8, aiv_gm_to_ub_bw_usage_rate_pct=43.0)
    verdict = label({**row, **made_ops.vector(us=21, share_of=1, mte2=0.935, vec=0.205)}, chip="950PR_9589")
    assert (verdict.label, verdict.runner_up) == ("memory", "access")


def test_matmul_on_four_cores():
    """14: 4096x5120x4096 on 4 blocks, 11.2 ms: the page says bandwidth bottleneck; cores came first (18 times)."""
    row = op(us=11200, block_dim=4, **shapes("4096,5120;5120,4096", "4096,4096"))
    verdict = label({**row, **made_ops.cube(us=11000, share_of=1, mac=0.3, mte2=0.92)})
    assert (verdict.label, verdict.detail) == ("memory", "few-cores")
    assert verdict.advice[0].key == "advice.all-cores.framework"


def test_tiny_moves_of_every_core():
    """15: 2 x 20000 int64 in 1.05 ms: the page says definitely abnormal."""
    row = op(us=1060, type="Add", core="AI_VECTOR_CORE", block_dim=48, **shapes("20000;20000", "20000", "INT64"))
    verdict = label({**row, **made_ops.vector(us=1055, share_of=1, mte2=0.99, vec=0.01)}, chip="910B2")
    assert verdict.label == "access"


def test_matmul_bound_by_the_cube():
    """16: 4096x12288x4608 fp16: mac 0.893, 86 % of the peak."""
    row = op(us=1478.2, block_dim=24, **shapes("4096,12288;12288,4608", "4096,4608"))
    row |= {"aic_time_us": 1457.0, "aiv_time_us": 0.0, "aic_mac_fp16_ratio": 0.893, "aic_mac_int8_ratio": 0.0}
    verdict = label(row, chip="910B1")
    assert (verdict.label, verdict.detail, verdict.confidence) == ("compute", "cube", "high")
    assert ("peak_share_pct", pytest.approx(86.3, abs=0.1)) in [(e.metric, e.value) for e in verdict.evidence]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (op(us=197.5, type="Cast", core="AI_CPU"), "ai_cpu"),  # 17
        (op(us=308927, type="hcom_broadcast_", core="HCCL"), "communication"),  # 18
        (op(us=100, type="hcom_allReduce_", core="COMMUNICATION"), "communication"),
        (op(us=2558, type="reduce_scatter", name="reduce_scatterAicpuKernel", core="AI_CPU"), "other"),
        (op(us=395, type="DSAStatelessGenBitMask", core="DSA_SQE"), "other"),
        (op(us=500, type="AllGatherMatmul", core="MIX_AIC", **made_ops.cube(mac=0.9)), "other"),
    ],
)
def test_what_is_no_core_kernel_gets_no_pipe_verdict(row, expected):
    assert label(row).label == expected


def test_small_tilelang_matmul():
    """19: cube 0.10, mte2 0.26 of 52 us: the authors point at PipeBarrier<PIPE_ALL>."""
    row = op(us=52.4, type="matmul_add", block_dim=32)
    verdict = label({**row, **made_ops.cube(us=50, share_of=1, mac=0.102, mte2=0.263)}, chip=None)
    assert verdict.label == "stall"


def test_decode_matmul_by_shapes_alone():
    """20: 5120 x 13824 weights in 110 us, no counters: the user says MTE2 bound; so do the bytes, less surely."""
    row = op(us=110, block_dim=24, **shapes("1,5120;5120,13824", "1,13824", "DT_BF16"))
    verdict = label(row, chip="910B2")
    assert (verdict.label, verdict.confidence) == ("memory", "low")
    assert look(row, chip="910B2").ops.row(0)["times_over_bound"] == pytest.approx(1.24, abs=0.01)


def test_short_streaming_kernel_on_two_cores():
    """11: 6.1 of 9.2 us, mte2 0.25, L2 hits 1.7 %. Of a kernel like it the vendor says latency bound, by pipelines."""
    row = op(us=9.2, type="kernel", core="AI_VECTOR_CORE", block_dim=2, aiv_total_read_hit_rate_pct=1.7)
    row |= made_ops.vector(us=6.1, share_of=1, vec=0.035, mte2=0.247, mte3=0.05, scalar=0.1)
    verdict = label(row)
    assert (verdict.label, verdict.confidence) == ("stall", "low")


def test_host_that_is_slower_than_the_kernel():
    """21: mse_loss 1024x1024, many short kernels: the maintainers say host overhead. Their row has no numbers."""
    before = op(us=4.0, name="before", type="MseLoss", core="AI_VECTOR_CORE")
    row = op(at_us=64.0, us=4.0, type="MseLoss", core="AI_VECTOR_CORE", **shapes("1024,1024;1024,1024", "1", "FLOAT"))
    verdict = label({**row, **made_ops.vector(us=3.5, share_of=1, mte2=0.8)}, before=[before])
    assert (verdict.label, verdict.detail) == ("launch", "gap")


def test_scalar_work_beside_a_busy_cube_does_not_change_the_class():
    """22: GEMM 8192^3 in 6953 us, 5179 us elsewhere; the author: scalar instructions. Comparing cycles of two versions
    shows that; of one run alone the cube is busy, so we say compute and show the scalar unit's share beside it.
    """
    row = op(us=6953, block_dim=24, **shapes("8192,8192;8192,8192", "8192,8192", "DT_BF16"))
    row |= made_ops.cube(us=6900, share_of=1, mac=0.82, mte2=0.6, scalar=0.6)
    verdict = label(row, chip="910B1")
    assert verdict.label == "compute"
    assert look(row, chip="910B1").ops.row(0)["scalar_ratio"] == pytest.approx(0.6)
