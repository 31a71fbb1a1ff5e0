"""A collective that stands in the table twice, as itself and as the kernel that carries it, counts once."""

from __future__ import annotations

import pytest
from made_ops import op, profile

from npuscope.analysis.summarize import summarize
from npuscope.parsers.msprof.row_checks import CARRIED, check_rows


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
