"""What must hold for any operator table."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from made_ops import START_NS, profile, shapes

from npuscope.analysis.labels.applied import scores
from npuscope.analysis.summarize import summarize
from npuscope.parsers.table import Table

KINDS = (
    ("MatMulV2", "AI_CORE", shapes("512,1024;1024,2048", "512,2048")),
    ("Add", "AI_VECTOR_CORE", shapes("4096,1024;4096,1024", "4096,1024")),
    ("FlashAttentionScore", "MIX_AIC", shapes("64,128;64,128", "64,128")),
    ("TransData", "AI_VECTOR_CORE", shapes("2048,1001", "2048,1001", "FLOAT")),
    ("Sort", "AI_VECTOR_CORE", {}),
    ("MatMulV3", "AI_CORE", shapes("1,5120;5120,13824", "1,13824")),
    ("Transpose", "MIX_AIC", shapes("1024,1024", "1024,1024")),
    ("Unique", "AI_CPU", {}),
    ("hcom_allReduce_", "COMMUNICATION", {}),
)
SHARE = st.one_of(st.floats(0, 1, width=32), st.sampled_from([0.0, 0.5, 0.7, 0.75, 0.8, 0.88, 0.9, 1.0]), st.none())
SIDES = {"aic": ("mac", "scalar", "mte1", "mte2", "fixpipe"), "aiv": ("vec", "scalar", "mte2", "mte3")}
ROW = st.fixed_dictionaries(
    {
        "kind": st.integers(0, len(KINDS) - 1),
        "at": st.integers(0, 500_000),
        "ns": st.integers(100, 2_000_000),
        "core": st.floats(0.1, 1.0),
        "stream": st.integers(0, 3),
        "device": st.integers(0, 1),
        "block": st.integers(0, 96),
        "aic": st.tuples(*[SHARE] * 5),
        "aiv": st.tuples(*[SHARE] * 4),
    }
)
TABLES = st.lists(ROW, min_size=1, max_size=12, unique_by=lambda row: row["at"])
CHIPS = st.sampled_from(["910B3", "950PR_9589", "310P3", None])
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
PURE = ("memory", "compute", "access", "stall")
MOVEMENT = ("memory", "access")


def row(kind, us, block=0, core=1.0, aic=(0.0,) * 5, aiv=(0.0,) * 4):
    """A drawn row, for examples that once were counterexamples."""
    return {
        "kind": kind, "at": 0, "ns": round(us * 1000), "core": core, "stream": 0, "device": 0, "block": block,
        "aic": aic, "aiv": aiv,
    }  # fmt: skip


# 1600 GB/s: bound by operations; 400 GB/s: bound by bytes that arrive at 40 % of the peak
TURNED = row(0, 48.876, aic=(0.8, 0.0, 0.0, 0.8, 0.0), aiv=(0.99, 0.0, 0.0, 0.0))


def rows_of(drawn):
    for at, one in enumerate(drawn):
        kind, core, printed = KINDS[one["kind"]]
        us = one["ns"] / 1000
        made = {
            "name": f"op_{at}", "type": kind, "core": core, "start_ns": START_NS + one["at"] * 1000, "duration_us": us,
            "stream": one["stream"], "device": one["device"], "block_dim": one["block"], **printed,
        }  # fmt: skip
        for side, pipes in SIDES.items():
            works = core in (("AI_CORE", "MIX_AIC") if side == "aic" else ("AI_VECTOR_CORE", "MIX_AIC"))
            made[f"{side}_time_us"] = us * one["core"] if works else 0.0
            for pipe, share in zip(pipes, one[side]):
                made[f"{side}_{pipe}_ratio"] = (math.nan if share is None else share) if works else 0.0
        yield made


def seen(drawn, chip="910B3", **more):
    return summarize(profile(rows_of(drawn)), chip, **more)


def labels(summary):
    return dict(zip(summary.ops.strings("name").tolist(), summary.ops.strings("label").tolist()))


@QUICK
@given(TABLES)
def test_sums_and_bounds(drawn):
    summary = seen(drawn)
    totals, types, ops = summary.totals, summary.types, summary.ops
    assert totals.total_us == pytest.approx(sum(row["ns"] for row in drawn) / 1000)
    assert totals.busy_us <= totals.total_us + 1e-6
    assert totals.busy_us <= totals.span_us * len(totals.by_device) + 1e-6
    assert totals.idle_us >= 0 and 0 <= totals.communication_not_overlapped_us <= totals.communication_us + 1e-6
    assert int(types.numbers("count").sum()) == len(drawn) == int(summary.shapes.numbers("count").sum())
    assert sum(summary.label_us.values()) == pytest.approx(totals.total_us)
    for sent in (True, False):
        of_kind = types.strings("label").mask(("communication",)) == sent
        if of_kind.any():
            assert float(types.numbers("share_pct")[of_kind].sum()) == pytest.approx(100)
    over = ops.numbers("times_over_bound")
    assert not (over[~np.isnan(over)] <= 0).any()
    assert np.all((ops.numbers("bound_us") > 0) | np.isnan(ops.numbers("bound_us")))
    beyond = ops.numbers("bound_us") > ops.numbers("duration_us") / 0.95
    assert set(ops.strings("bound_kind").take(beyond).tolist()) <= {"hbm"}  # only L2 can beat a floor
    assert all(gap.us > 0 for gap in (*summary.gaps, *summary.device_gaps))


@QUICK
@given(TABLES, st.randoms(use_true_random=False))
def test_a_shuffled_file_gives_the_same_report(drawn, random):
    given_ = profile(rows_of(drawn))
    order = list(range(len(drawn)))
    random.shuffle(order)
    shuffled = dataclasses.replace(given_, ops=given_.ops.take(np.array(order)))
    one, other = summarize(given_, "910B3"), summarize(shuffled, "910B3")
    assert labels(one) == labels(other)
    assert (one.label, one.totals.busy_us, one.totals.idle_us) == (
        other.label,
        other.totals.busy_us,
        other.totals.idle_us,
    )
    assert sorted(gap.us for gap in one.gaps) == sorted(gap.us for gap in other.gaps)
    lines = [dict(zip(s.types.strings("type").tolist(), s.types.numbers("median_us").tolist())) for s in (one, other)]
    assert lines[0] == lines[1]


@QUICK
@given(TABLES, CHIPS, st.sampled_from([(1600.0, 400.0), (900.0, 800.0), (900.0, 50.0)]))
@example([TURNED], "910B3", (1600.0, 400.0))
def test_slower_memory_never_turns_memory_into_compute(drawn, chip, rates):
    """Nor into anything else: what waited for a fast memory waits for a slow one."""
    chip = None if chip == "310P3" and rates[0] > 967 else chip  # faster than its L2: a contradiction
    fast, slow = (labels(seen(drawn, chip, hbm_gbps=gbps)) for gbps in rates)
    assert not [name for name in fast if fast[name] == "memory" and slow[name] != "memory"]
    assert not [name for name in fast if fast[name] in MOVEMENT and slow[name] == "compute"]


@QUICK
@given(TABLES, CHIPS)
@example([TURNED], "910B3")
def test_memory_and_access_share_one_score(drawn, chip):
    """Whichever leads has all of it, so how a row moves does not decide whether movement is its limit."""
    faster, slower = (scores(seen(drawn, chip, hbm_gbps=gbps)) for gbps in (900.0, 90.0))
    assert np.array_equal(faster["compute"], slower["compute"])
    before, after = movement(faster), movement(slower)
    # without movement pipes it is judged by bytes: below 40 % strided, from 60 % on bandwidth, between them neither
    strided = np.isclose(before, 0.8) & ((after == 0) | (after >= 0.6))
    assert np.all((after >= before - 1e-6) | strided)


def movement(found):
    return np.maximum(found["memory"], found["access"])


PIPE_COLUMNS = [f"{side}_{pipe}_ratio" for side, pipes in SIDES.items() for pipe in pipes]


@QUICK
@given(TABLES, st.sampled_from(PIPE_COLUMNS), CHIPS)
def test_a_missing_column_makes_no_label(drawn, column, chip):
    """Without a pipe a label may become unknown, or rest on evidence that was there before; absence is no evidence."""
    whole = profile(rows_of(drawn))
    without = dataclasses.replace(whole, ops=Table({n: c for n, c in whole.ops.columns.items() if n != column}))
    before, after = summarize(whole, chip), summarize(without, chip)
    found = scores(before)
    peak = before.chip.hbm_gbps or math.nan  # bytes are evidence that pipes at rest outweigh
    by_bytes = before.ops.numbers("achieved_gbps") >= 0.6 * peak * (1 - 1e-6)
    for at, label in enumerate(after.ops.strings("label").tolist()):
        if label in MOVEMENT:
            assert movement(found)[at] > 0 or by_bytes[at]
        elif label in found:
            assert found[label][at] > 0


@QUICK
@given(TABLES, st.sampled_from([2, 4, 16]))
def test_time_scale_does_not_change_what_only_shares_tell(drawn, factor):
    """Without a chip and without gaps, labels rest on shares; long tasks keep the head cost out."""
    long = [{**row, "ns": row["ns"] + 300_000, "at": 10_000 * at} for at, row in enumerate(drawn)]
    one = labels(summarize(profile(rows_of(long))))
    other = labels(summarize(profile(rows_of([{**row, "ns": row["ns"] * factor} for row in long]))))
    kept = [name for name in one if one[name] in PURE and long[int(name[3:])]["core"] >= 0.8]
    assert {name: one[name] for name in kept} == {name: other[name] for name in kept}


@QUICK
@given(TABLES, st.sampled_from([2, 4, 16]))
def test_scaling_all_times_scales_only_times(drawn, factor):
    """Sums, spans and gaps follow; counts and shares stay."""
    one = summarize(profile(rows_of(drawn)))
    other = summarize(profile(rows_of([{**row, "ns": row["ns"] * factor, "at": row["at"] * factor} for row in drawn])))
    for name in ("total_us", "span_us", "busy_us", "idle_us", "communication_not_overlapped_us"):
        assert getattr(other.totals, name) == pytest.approx(factor * getattr(one.totals, name), abs=1e-6)
    kinds = [dict(zip(s.types.strings("type").tolist(), s.types.numbers("share_pct").tolist())) for s in (one, other)]
    assert kinds[0] == pytest.approx(kinds[1])
    assert len(one.gaps) == len(other.gaps)
