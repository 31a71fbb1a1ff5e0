"""Halves of the cores of a launch: where they differ, and where that says nothing."""

from __future__ import annotations

import dataclasses

import pytest
from made_ops import op, profile, vector

from npuscope.analysis.summarize import summarize
from npuscope.parsers.msprof.tables.record_tables import table_of
from npuscope.tui.text import has, told

VECTOR = {"core": "AI_VECTOR_CORE", "block_dim": 40}


def found(*us, side="aiv", task_us=120.0, spread=0.05, chip="910B3"):
    """The finding of one launch whose cores took these us in the order of their numbers."""
    row = op(us=task_us, type="Sort", block_spread=spread, blocks_measured=len(us), **{**VECTOR, **vector(mte2=0.5)})
    cores = [{"op": 0, "block": at, "sub_block": "x", "side": side, "time_us": one} for at, one in enumerate(us)]
    kinds = {"op": int, "block": int, "sub_block": str, "side": str, "time_us": float}
    made = dataclasses.replace(profile([row], kind="msprof_op"), cores=table_of(cores[::-1], kinds) if us else None)
    summary = summarize(made, chip)
    one = next((one for one in summary.findings if one.code == "core-halves"), None)
    for said in (one.title, one.evidence, one.advice) if one is not None else ():
        assert has(said.key) and "{" not in told(said)
    return one


def halves(first, second, count=20, scatter=0.0):
    """So many cores, half of each, every other one `scatter` us longer."""
    return [us + scatter * (at % 2) for us in (first, second) for at in range(count // 2)]


def test_the_half_that_is_slower():
    one = found(*halves(97.0, 100.0))
    assert one.title.params == {"count": 1, "pct": pytest.approx(3.0)}
    assert one.evidence.key == "finding.halves.second"
    assert (one.evidence.params["slow_us"], one.evidence.params["fast_us"]) == (100.0, pytest.approx(97.0))
    assert one.saving_us is None and one.ops == ("Sort",)
    assert found(*halves(100.0, 97.0)).evidence.key == "finding.halves.first"


def test_the_middle_of_an_odd_number_is_in_neither_half():
    one = found(*[97.0] * 5, 500.0, *[100.0] * 5)
    assert one.evidence.params["cores"] == 11
    assert one.title.params["pct"] == pytest.approx(3.0)


def test_what_is_no_half():
    assert found(*halves(98.0, 100.0)) is None  # 2 %: not over
    assert found(*halves(97.9, 100.0)) is not None
    assert found(*halves(97.0, 100.0, count=6)) is None
    assert found(*halves(97.0, 100.0, count=8)) is not None
    assert found(*halves(97.0, 100.0), task_us=20.0) is None  # not worth tuning
    assert found(*[97.0, 100.0] * 10) is None  # every other one: no half


def test_cores_that_scatter_more_than_their_halves_differ():
    """Ten each of 0 and s us: a mean's standard error is s / 6, that of a difference 0.2357 s; three are 0.7071 s."""
    assert found(*halves(97.0, 100.0, scatter=4.3)) is None
    assert found(*halves(97.0, 100.0, scatter=4.2)) is not None


def test_silent_where_blocks_are_unequal_or_outnumber_the_cores():
    assert found(*halves(80.0, 100.0), spread=0.2) is None
    assert found(*halves(97.0, 100.0, count=42)) is None  # two waves on 40 cores
    assert found(*halves(97.0, 100.0, count=42), chip=None) is not None
    assert found(*halves(97.0, 100.0, count=22), side="aic") is None  # 20 cube cores
    assert found() is None
