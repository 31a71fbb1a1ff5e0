"""Every metric group is used: with it a row is told apart that its pipes alone leave open."""

from __future__ import annotations

import made_ops
import pytest
from made_ops import cube, op, shapes, vector

from npuscope.analysis.labels.label import explain

TENSOR = "4096,4096"
MOVES = op(us=100, core="AI_VECTOR_CORE", type="Unique", block_dim=48, **vector(mte2=0.95))
QUIET = op(us=100, core="AI_VECTOR_CORE", type="Unique", block_dim=48, **vector(vec=0.3, mte2=0.3, mte3=0.2))
COPY = op(us=150, core="AI_VECTOR_CORE", type="Transpose", block_dim=64, **shapes(TENSOR, TENSOR, "FLOAT"))
COPY |= vector(vec=0.66, mte2=0.01, mte3=0.01)
CUBE = op(us=500, block_dim=24, type="MatMulV2", **cube(us=500, mac=0.9))


def told(row, chip="910B2", kind="msprof"):
    verdict = explain(made_ops.look(row, chip=chip, kind=kind), 0)
    return (verdict.label, verdict.detail), [found.metric for found in verdict.evidence], verdict


@pytest.mark.parametrize(
    ("row", "chip", "more", "expected", "metric"),
    [
        # ResourceConflictRatio: waits and queues say why nothing is busy, conflicts why UB is the limit
        (QUIET, "910B2", {"aiv_vec_wait_ratio": 0.4}, ("stall", "waits"), "aiv_vec_wait_ratio"),
        (QUIET, "910B2", {"aic_vec_iq_full_ratio": 0.3}, ("stall", "waits"), "aic_vec_iq_full_ratio"),
        (COPY, "950PR_9589", {"aiv_vec_bank_cflt_ratio": 0.2}, ("access", "conflicts"), "vec_bank_conflict_ratio"),
        # Memory: the bandwidth of a route, and bytes an instruction
        (MOVES, "910B2", {"aiv_gm_to_ub_bw_usage_rate_pct": 3.0}, ("access", "slow"), "bw_usage_rate"),
        (MOVES, "910B2", {"aiv_gm_to_ub_bw_usage_rate_pct": 70.0}, ("memory", "hbm"), "bw_usage_rate"),
        (
            MOVES, "910B2", {"gm_to_ub_datas_kb": 12.5, "aiv_mte2_instructions": 100.0},
            ("access", "packets"), "bytes_per_instruction",
        ),
        # PipeUtilization's newer columns: scalar stalls, the rate of a pipe while it is active
        (QUIET, "910B2", {"aiv_scalar_mte2_stall_time_us": 40.0}, ("stall", "waits"), "aiv_scalar_mte2_stall_time(us)"),
        (MOVES, "910B2", {"aiv_mte2_active_bw_gbps": 2.0}, ("access", "slow"), "active_bw_share_pct"),
        (QUIET, "910B2", {"aiv_icache_miss_rate": 0.3}, ("stall", "fetch"), "icache_miss_rate"),
        # L2Cache
        (MOVES, "910B2", {"aiv_total_read_hit_rate_pct": 97.0}, ("memory", "l2"), "l2_read_hit_pct"),
        # per-core rows of msprof op
        (QUIET, "910B2", {"block_spread": 0.5}, ("stall", "imbalance"), "block_spread_pct"),
        # ArithmeticUtilization
        (CUBE, "910B2", {"aic_mac_int8_ratio": 0.9}, ("compute", "cube"), "aic_mac_int8_ratio"),
    ],
)  # fmt: skip
def test_group(row, chip, more, expected, metric):
    without, evidence, _ = told(row, chip)
    assert metric not in evidence
    found, evidence, _ = told({**row, **more}, chip)
    assert (found, metric in evidence) == (expected, True)
    assert found != without or metric.endswith("int8_ratio")  # number types are evidence, not another label


def test_the_vendors_own_verdicts_stand_beside_ours():
    _, _, verdict = told({**MOVES, "memory_bound": 9.5}, None)
    assert [said.key for said in verdict.vendor] == ["vendor.memory-bound"]
    assert verdict.label == "memory"


def test_ties_are_told_with_the_runner_up():
    row = op(us=100, core="AI_VECTOR_CORE", type="Unique", block_dim=48, **vector(vec=0.93, mte2=0.90))
    _, _, verdict = told(row)
    assert (verdict.label, verdict.runner_up) == ("compute", "memory")
    assert "doubt.tie" in [reason.key for reason in verdict.reasons]
