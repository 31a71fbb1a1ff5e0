"""A collective that stands in the table twice, as itself and as the kernel that carries it, counts once."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from made_ops import op, profile

from npuscope.analysis.summarize import summarize
from npuscope.cli.reporting.as_json import type_documents
from npuscope.parsers.msprof.row_checks import CARRIED, check_rows
from npuscope.tui.operators.levels import level_table
from npuscope.tui.runs.headlines import of_summary


def run_of(*rows):
    made = profile(rows)
    return summarize(dataclasses.replace(made, ops=check_rows(made.ops)[0]))


def collective():
    sent = {"type": "hcom_allReduce_", "core": "COMMUNICATION"}
    twin = {**sent, "name": "AivKernel", "block_dim": 16}
    return (
        op(0, 100.0, name="hcom_allReduce__0", **{**sent, "block_dim": 0}),
        op(0.1, 60.0, **twin),
        op(60.2, 39.0, **twin),
        op(110, 50.0, name="Add_0", type="Add"),
    )


def test_one_denominator():
    """150 us of work in rows of 249 us: what the sentence, the lines and the labels say is of the 150."""
    summary = run_of(*collective())
    assert summary.totals.total_us == pytest.approx(249.0) and summary.totals.once_us == pytest.approx(150.0)
    assert summary.triage.where[0].params["us"] == pytest.approx(150.0)
    for lines in (summary.types, summary.shapes):
        assert lines.numbers("total_us").sum() == pytest.approx(sum(summary.label_us.values())) == pytest.approx(150.0)
        assert lines.numbers("count").sum() == 2
    headline = of_summary(summary)
    assert headline.total_us == pytest.approx(150.0)
    assert sum(level_table(summary, "types").numbers("share_pct")) == pytest.approx(100.0)
    shares = level_table(summary, "instances").numbers("share_pct")
    assert np.isnan(shares).tolist() == [False, True, True, False] and np.nansum(shares) == pytest.approx(100.0)


def test_nothing_overlaps_by_it_and_a_remark_tells_it():
    summary = run_of(*collective())
    told = {problem.code: problem.message.params for problem in summary.problems}
    assert "overlap" not in told
    assert told["carried"] == {"n": 2, "us": pytest.approx(99.0), "total_us": pytest.approx(249.0)}


def test_documents_keep_all_rows():
    summary = run_of(*collective())
    types = type_documents(summary, 10)
    assert sum(one["total_us"] for one in types) == pytest.approx(summary.totals.total_us)
    assert sum(one["count"] for one in types) == 4
    assert types[0]["mean_us"] == pytest.approx(199 / 3)


def test_shares_and_labels_count_it_once():
    sent = {"type": "hcom_allReduce_", "core": "COMMUNICATION"}
    rows = [
        op(0, 100.0, name="hcom_allReduce__123_0_1", **sent),
        op(0.1, 99.0, name="aiv_all_reduce_910b_aiv_kernel_0", **sent),
        op(200, 50.0, name="hcom_allReduce__123_1_1", **sent),
        op(300, 50.0, name="Add_0", type="Add"),
    ]
    made = profile(rows)
    table, _ = check_rows(made.ops)
    assert table.numbers(CARRIED).tolist() == [0, 1, 0, 0]
    summary = summarize(made.__class__(**{**made.__dict__, "ops": table}))
    assert summary.label_us["communication"] == pytest.approx(150.0)
    types = dict(zip(summary.types.strings("type").tolist(), range(len(summary.types))))
    assert float(summary.types.numbers("share_pct")[types["hcom_allReduce_"]]) == pytest.approx(100.0)
    assert sum(summary.label_us.values()) == pytest.approx(200.0)
