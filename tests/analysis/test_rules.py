"""The rules at their edges: thresholds, ties, missing counters, and what is said about each label."""

from __future__ import annotations

import math

import numpy as np
import pytest
from made_ops import cube, look, op, profile, shapes, vector

from npuscope.analysis.labels.judge import DETAILS, RULES
from npuscope.analysis.labels.label import explain
from npuscope.analysis.summarize import summarize
from npuscope.tui import text
from npuscope.tui.text import has, told

VECTOR = {"core": "AI_VECTOR_CORE", "block_dim": 40, "type": "Sort"}  # a type whose shapes tell nothing


def verdict_of(*rows, chip=None, **more):
    return explain(look(*rows, chip=chip, **more), len(rows) - 1)


@pytest.mark.parametrize(
    ("counters", "label", "detail"),
    [
        (cube(mac=0.81), "compute", "cube"),
        (cube(mac=0.79), "stall", "latency"),
        (cube(mte2=0.81), "memory", None),
        (cube(mte2=0.79, mac=0.40), "stall", "latency"),
        (cube(mte2=0.79, mac=0.39), "memory", None),  # twice as long as the cube, which waits for it
        (cube(mte2=0.69, mac=0.10), "stall", "latency"),
        (cube(scalar=0.85), "stall", "scalar"),
        (cube(scalar=0.60), "stall", "scalar"),  # half the time, and twice every other pipe
        (cube(fixpipe=0.90), "memory", "write-out"),
        (cube(fixpipe=0.79), "stall", "latency"),  # 0.75 alone may be waiting
        (cube(mac=0.90, fixpipe=0.92), "compute", "cube"),  # so it is beside a busy cube
        (cube(mac=0.40, mte2=0.35, mte1=0.25), "stall", "serial"),  # they add up to the time
        (cube(mac=0.30, mte2=0.20) | {"aic_icache_miss_rate": 0.2}, "stall", "fetch"),
        (cube(mac=0.92, mte2=0.95), "compute", "cube"),  # a busy cube wins unless mte2 leads by 0.05
        (cube(mac=0.90, mte2=0.98), "memory", None),
    ],
)
def test_cube_side(counters, label, detail):
    verdict = verdict_of(op(**counters))
    assert (verdict.label, verdict.detail) == (label, detail)


@pytest.mark.parametrize(
    ("counters", "label", "detail"),
    [
        (vector(vec=0.72), "compute", "vector"),
        (vector(mte2=0.71), "memory", None),
        (vector(mte3=0.75), "memory", None),
        (vector(mte2=0.69, vec=0.0, mte3=0.05), "stall", "latency"),
        (vector(mte2=0.65, vec=0.30, mte3=0.30), "memory", "balanced"),
        (vector(mte2=0.50, vec=0.20, mte3=0.30), "stall", "serial"),
        (vector(vec=0.3) | {"aiv_vec_wait_ratio": 0.4}, "stall", "waits"),
        (vector(scalar=0.95, vec=0.05), "stall", "scalar"),
    ],
)
def test_vector_side(counters, label, detail):
    verdict = verdict_of(op(**VECTOR, **counters))
    assert (verdict.label, verdict.detail) == (label, detail)


def mix(aic_us, aiv_us, aic_scalar, aiv_scalar):
    """A MIX kernel in which no pipe fills the time, with these scalar units."""
    both = cube(us=aic_us, mac=0.3, scalar=aic_scalar), vector(us=aiv_us, vec=0.4, scalar=aiv_scalar)
    times = {"aic_time_us": aic_us, "aiv_time_us": aiv_us}
    return op(core="MIX_AIC", type="FlashAttentionScore", **{**both[0], **both[1], **times})


@pytest.mark.parametrize("times", [(90.0, 80.0), (80.0, 90.0)])
def test_the_waiting_scalar_unit_of_a_mix_kernel_is_told_as_no_evidence(times):
    """The rule leaves it out, so the busiest pipe that is named is one that the rule compared."""
    row = mix(*times, aic_scalar=0.92, aiv_scalar=0.2)
    verdict = verdict_of(row)
    assert verdict.label == "stall" and verdict.detail != "scalar"
    told_of = {one.text.key: (one.metric.rpartition(":")[2], one.value) for one in verdict.evidence}
    assert told_of["evidence.top"] == ("aiv_vec_ratio", pytest.approx(0.4))
    assert told_of["evidence.scalar-waits"] == ("aic_scalar_ratio", pytest.approx(0.92))


def test_the_lighter_side_of_a_mix_kernel_has_no_scalar_evidence():
    verdict = verdict_of(mix(90.0, 80.0, aic_scalar=0.3, aiv_scalar=0.9))
    keys = {one.text.key: one.metric for one in verdict.evidence}
    assert keys["evidence.top"] == "aiv_vec_ratio" and "evidence.scalar-waits" not in keys


def test_a_tie_names_both_and_costs_confidence():
    clear, tied = verdict_of(op(**cube(mac=0.95, mte2=0.82))), verdict_of(op(**cube(mac=0.95, mte2=0.92)))
    assert (clear.label, clear.runner_up) == ("compute", None)
    assert (tied.label, tied.runner_up) == ("compute", "memory")
    assert "doubt.tie" in [reason.key for reason in tied.reasons]


def add(us, mte2=0.9, block=40, chip="910B3", last=1024, **more):
    row = op(
        us=us, **{**VECTOR, "type": "Add", "block_dim": block}, **shapes(f"8192,{last};8192,{last}", f"8192,{last}")
    )
    return verdict_of({**row, **vector(us=us, mte2=mte2), **more}, chip=chip)


def test_far_below_the_bandwidth_with_all_cores_is_the_wrong_way_to_move():
    """50.3 MB: 31.5 us at 1.6 TB/s."""
    assert (add(40.0).label, add(40.0).runner_up) == ("memory", None)
    assert (add(75.0).label, add(75.0).runner_up) == ("memory", "access")  # 44 %: both stand
    assert (add(300.0).label, add(300.0).detail) == ("access", "slow")


def test_on_few_cores_a_low_bandwidth_is_no_access_pattern():
    verdict = add(1300.0, block=1)
    assert (verdict.label, verdict.detail) == ("memory", "few-cores")


def test_small_packets_decide_alone():
    row = op(us=500, **VECTOR, aiv_gm_to_ub_datas_kb=1000.0, aiv_mte2_instructions=4000.0, **vector(us=500, mte2=0.9))
    verdict = verdict_of(row)
    assert (verdict.label, verdict.detail) == ("access", "packets")
    assert ("bytes_per_instruction", 256.0) in [(e.metric, e.value) for e in verdict.evidence]


@pytest.mark.parametrize(("chip", "label"), [("910B3", "access"), ("950PR_9589", "memory")])
def test_ragged_rows_cost_on_a2(chip, label):
    row = op(us=40.0, **{**VECTOR, "type": "SoftmaxV2", "block_dim": 64}, **shapes("8192,1001", "8192,1001"))
    assert verdict_of({**row, **vector(us=38.0, mte2=0.92)}, chip=chip).label == label


def test_bank_conflicts_do_not_make_a_moving_row_an_access_pattern():
    assert add(40.0, aiv_vec_bankgroup_cflt_ratio=0.2).label == "memory"


SIMT = {
    "aiv_time_us": 33.6,
    "aiv_vec_ratio": 0.988,
    "aiv_scalar_ratio": 0.012,
    "aiv_mte2_ratio": 0.0,
    "aiv_mte3_ratio": 0.0,
}


def test_a_kernel_without_mte_is_judged_by_its_bytes():
    """950: a plain copy shows vec 0.91 at 84 % of HBM peak, a strided transpose 0.99 at 14 %."""
    kernel = {"core": "AI_VECTOR_CORE", "block_dim": 64, **SIMT}
    copy = op(us=12.5, type="TensorMove", **shapes("2097152", "2097152", "FLOAT"), **kernel)
    transpose = op(us=36.3, type="Transpose", **shapes("1024,1024", "1024,1024", "FLOAT"), **kernel)
    other = op(us=36.3, type="Sort", **kernel)
    assert verdict_of(copy, chip="950PR_9589").label == "memory"
    assert (verdict_of(transpose, chip="950PR_9589").label, verdict_of(transpose, chip="950PR_9589").detail) == (
        "access",
        "strided",
    )
    unknown = verdict_of(other, chip="950PR_9589")
    assert (unknown.label, unknown.evidence[0].text.key) == ("unknown", "evidence.simt")


def test_time_outside_the_cores_counts_before_a_busy_unit():
    """vec 0.97 of 893 us in a task of 1780 us: the rest is not the vector unit's."""
    verdict = verdict_of(op(us=1780, **VECTOR, **vector(us=893, share_of=1, vec=0.97, mte2=0.1)))
    assert (verdict.label, verdict.detail) == ("stall", "head")


def test_short_tasks_that_are_mostly_head():
    half = verdict_of(op(us=20.0, **VECTOR, **vector(us=6.0, share_of=1, vec=0.3)))
    assert (half.label, half.detail) == ("launch", "head")
    tiny = op(us=3.0, **{**VECTOR, "type": "Add"}, **shapes("64;64", "64"), **vector(us=2.8, share_of=1))
    assert verdict_of(tiny, chip="910B3").label == "launch"
    assert verdict_of(tiny).label != "launch"  # without a chip its floor is unknown


def test_many_blocks_cost_their_start():
    """512 blocks on 64 cores, mean 2.3 us of 23.7 us; 64 blocks were 21 % faster, the vendor says scheduling."""
    row = op(
        us=23.7, core="AI_VECTOR_CORE", block_dim=512, type="Transpose", **shapes("1024,1024", "1024,1024", "FLOAT")
    )
    verdict = verdict_of(
        {**row, "aiv_time_us": 2.29, "aiv_vec_ratio": 0.638, "aiv_scalar_ratio": 0.085}, chip="950PR_9589"
    )
    assert (verdict.label, verdict.detail) == ("launch", "blocks")
    assert "advice.fewer-blocks" in [advice.key for advice in verdict.advice]


def test_of_msprof_op_the_block_means_are_multiplied_by_the_waves():
    """Mean 2.9 us in 128 blocks on 64 cores is 5.8 us of 10 us."""
    row = op(us=10.0, core="AI_VECTOR_CORE", block_dim=128, type="Unique", **vector(us=2.896, share_of=1, vec=0.3))
    assert verdict_of(row, chip="950PR_9589", kind="msprof_op").label == "stall"
    assert verdict_of(row, chip="950PR_9589").label == "launch"


@pytest.mark.parametrize(
    ("counters", "evidence"),
    [
        ({}, "evidence.not-collected"),
        ({"aiv_time_us": 95.0, "aiv_vec_bank_cflt_ratio": 0.1}, "evidence.other-group"),
        ({"aic_time_us": 95.0, "aic_mac_ratio": 0.3}, "evidence.incomplete"),
        (cube(mac=1.37, mte2=0.3), "evidence.flagged"),
        (cube(mac=0.3, mte2=-0.02), "evidence.flagged"),
        (cube(mac=math.inf, mte2=0.3), "evidence.flagged"),
    ],
)
def test_unknown_says_why_and_how_to_know(counters, evidence):
    verdict = verdict_of(op(**counters))
    assert (verdict.label, verdict.confidence, verdict.evidence[0].text.key) == ("unknown", "low", evidence)
    assert "--aic-metrics=PipeUtilization" in verdict.advice[0].params["command"]


def test_a_row_without_counters_among_others_is_told_apart():
    verdict = verdict_of(op(**cube(mac=0.9)), op(200, 8_550_000.5, name="FlashAttentionScore_0"))
    assert verdict.evidence[0].text.key == "evidence.not-valid"


def test_what_is_known_decides_although_another_counter_is_impossible():
    verdict = verdict_of(op(**cube(mac=1.37, mte2=0.86)))
    assert (verdict.label, verdict.confidence) == ("memory", "low")


def test_a_lost_block_count_leaves_the_shares():
    row = op(
        **{**VECTOR, "block_dim": 0},
        aiv_time_us=0.0,
        aiv_total_cycles=1_770_157.0,
        aiv_vec_ratio=0.1,
        aiv_mte2_ratio=0.8,
    )
    assert verdict_of(row).label == "memory"
    assert math.isnan(look(row).ops.row(0)["kernel_us"])


def test_a_core_time_longer_than_its_task_is_not_believed():
    row = op(
        us=39.4, core="MIX_AIC", block_dim=1, type="Sort", aic_time_us=343.5, aic_mac_ratio=0.1, aic_mte2_ratio=0.1,
        aic_fixpipe_ratio=0.1,
    )  # fmt: skip
    assert math.isnan(look(row).ops.row(0)["kernel_us"])
    assert verdict_of(row).label == "stall"


def test_a_pipe_without_a_share_has_one_by_its_time():
    verdict = verdict_of(op(us=27.11, aic_scalar_time_us=26.27))
    assert (verdict.label, verdict.evidence[0].value) == ("stall", pytest.approx(0.969, abs=0.001))


def test_evidence_names_the_column_as_the_file_does():
    given = profile([op(**cube(mte2=0.9))], kind="csv")
    sources = {**given.sources, "aic_mte2_ratio": "kernel_details.csv:aic_mte2_ratio"}
    summary = summarize(type(given)(given.run, given.ops, sources=sources))
    assert explain(summary, 0).evidence[0].metric == "aic_mte2_ratio"
    assert summary.type_verdicts[0].lacks[0].command.startswith("torch_npu.profiler._ExperimentalConfig(")


def test_a_type_is_named_by_most_of_its_time_or_mixed():
    busy, waiting = cube(mac=0.9), cube(mac=0.2)
    named = look(*[op(200 * n, **(busy if n < 7 else waiting)) for n in range(10)])
    assert named.types.row(0)["label"] == "compute"
    mixed = look(*[op(200 * n, **(busy if n < 5 else waiting)) for n in range(9)])
    line, verdict = mixed.types.row(0), mixed.type_verdicts[0]
    assert (line["label"], verdict.detail, verdict.confidence) == ("mixed", None, "low")
    assert [e.text.key for e in verdict.evidence[:2]] == ["evidence.mixed.compute", "evidence.mixed.stall"]


def test_shapes_of_one_type_may_differ():
    small, large = shapes("64,64;64,64", "64,64"), shapes("4096,4096;4096,4096", "4096,4096")
    summary = look(op(0, 10.0, **small, **cube(mac=0.2, us=10)), op(50, 600.0, **large, **cube(mac=0.95, us=600)))
    assert summary.shapes.strings("label").tolist() == ["compute", "stall"]
    assert summary.types.row(0)["shapes"] == 2
    assert summary.ops.numbers("shape_row").tolist() == [1, 0]


@pytest.mark.parametrize("language", text.LANGUAGES)
def test_every_sub_label_has_its_words_and_fits_the_table(language):
    text.set_language(language)
    try:
        for detail in DETAILS:
            assert has(f"detail.{detail}.long")
            assert len(text.t(f"detail.{detail}")) <= 9
    finally:
        text.set_language("en")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.label)
def test_every_rule_speaks(rule):
    """Each label of a few typical rows comes with evidence and advice that the catalogue knows."""
    rows = {
        "memory": op(**cube(mte2=0.9)), "compute": op(**cube(mac=0.9)), "stall": op(**cube()),
        "launch": op(us=20.0, **VECTOR, **vector(us=6.0, share_of=1)),
        "access": op(**VECTOR, aiv_gm_to_ub_datas_kb=1.0, aiv_mte2_instructions=4.0, **vector(mte2=0.9)),
    }  # fmt: skip
    verdict = verdict_of(rows[rule.label])
    assert verdict.label == rule.label
    assert verdict.evidence and verdict.advice
    assert all(told(one.text) for one in verdict.evidence) and all(told(one) for one in verdict.advice)


def test_level_0_groups_by_name():
    summary = look(op(name="aclnnAdd_0", type=None, core=None), op(200, name="aclnnAdd_0", type=None, core=None))
    assert summary.types.strings("type").tolist() == ["aclnnAdd_0"]
    assert np.array_equal(summary.types.numbers("count"), [2])


@pytest.mark.parametrize(
    "counters",
    [
        {"aiv_time_us": 115e6, "aiv_mte2_ratio": 0.9, "aiv_vec_ratio": 0.1, "aiv_mte3_ratio": 0.1},  # 115 s in 218 us
        {"aiv_time_us": 200.0, "aiv_mte2_ratio": 0.9, "aiv_vec_ratio": 4.2e5, "aiv_mte3_ratio": 0.1},
        {"aiv_time_us": 200.0, "aiv_mte2_ratio": 91.0, "aiv_vec_ratio": 12.0, "aiv_mte3_ratio": 0.1},  # percent
    ],
)
def test_broken_counters_make_no_label(counters):
    """Not even by what looks possible beside them."""
    verdict = verdict_of(op(us=218.0, core="AI_VECTOR_CORE", type="Unique", **counters))
    assert (verdict.label, verdict.confidence) == ("unknown", "low")
    assert verdict.evidence[0].text.key == "evidence.broken"


def test_a_core_time_of_nothing_is_unknown():
    """FusedInferAttentionScore in a graph: no block count, core times 0, shares that are there."""
    row = op(us=33.0, core="MIX_AIC", type="FusedInferAttentionScore", block_dim=0, aic_time_us=0.0, aiv_time_us=0.0)
    seen = look(row | {"aic_mte2_ratio": 0.5, "aic_mac_ratio": 0.2}).ops.row(0)
    assert math.isnan(seen["kernel_us"]) and math.isnan(seen["other_us"])
