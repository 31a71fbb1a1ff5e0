"""Collectives that move slower beside kernels: by which numbers, and where it is another matter."""

from __future__ import annotations

import dataclasses
import json

import pytest
from made_ops import START_NS, op, profile

from npuscope.analysis.summarize import summarize
from npuscope.parsers.msprof.collectives import communication_tables
from npuscope.parsers.msprof.tables.record_tables import table_of
from npuscope.tui.text import has, told

VECTOR = {"core": "AI_VECTOR_CORE", "block_dim": 40}
BESIDE, FREE = 200.0, 1200.0  # us: kernels compute from 0 to 1000 us
RUN = [op(250.0 * n, 250.0, type="Sort", **VECTOR) for n in range(4)]
KINDS = {
    "name": str, "start_us": float, "elapsed_us": float, "wait_us": float, "sdma_mb": float, "sdma_us": float,
}  # fmt: skip


def sent(at_us, gbps, elapsed_us=400.0, wait_us=0.0, mb=8.0, name="hcom_allReduce__1_0"):
    """One collective whose links took mb / gbps each for itself."""
    cells = (name, START_NS / 1e3 + at_us, elapsed_us, wait_us, mb, mb * 1e3 / gbps)
    return dict(zip(KINDS, cells))


def found(*collectives, rows=RUN, without=()):
    kinds = {name: kind for name, kind in KINDS.items() if name not in without}
    extras = {"communication": table_of(list(collectives), kinds)} if collectives else {}
    summary = summarize(dataclasses.replace(profile(rows), extras=extras), "910B3")
    one = next((one for one in summary.findings if one.code == "communication-contention"), None)
    for said in (one.title, one.evidence, one.advice) if one is not None else ():
        assert has(said.key) and "{" not in told(said)
    return one


def test_slower_beside_kernels_than_without():
    """Two of three beside: 16 MB in 800 + 1000 us are 8.89 GB/s; half of 400 us and 3/5 of 400 us are lost to 20."""
    one = found(sent(BESIDE, 10.0), sent(BESIDE + 400, 8.0), sent(FREE, 20.0))
    assert one.title.params == {"count": 2, "gbps": pytest.approx(16 / 1.8)}
    assert (one.evidence.params["gbps"], one.evidence.params["alone_gbps"]) == (pytest.approx(8.0), pytest.approx(20.0))
    assert (one.evidence.params["beside"], one.evidence.params["limit"]) == (2, pytest.approx(14.4))
    assert one.severity == "high" and one.saving_us is None  # 440 us of a millisecond


def test_where_all_run_beside_kernels():
    assert found(sent(BESIDE, 14.3)).evidence.key == "finding.contention.evidence.all"
    assert found(sent(BESIDE, 14.4)) is None  # 0.8 of 18 GB/s: not under


def test_what_is_no_contention():
    assert found(sent(FREE, 8.0)) is None  # with nothing beside it
    assert found(sent(BESIDE, 10.0), sent(FREE, 12.5)) is None  # as slow without kernels: 80 % of it
    assert found(sent(BESIDE, 10.0), sent(FREE, 12.6)) is not None
    assert found(sent(BESIDE, 10.0, mb=0.9)) is None  # too little to say anything about a wire
    assert found(sent(BESIDE, 10.0, elapsed_us=20.0)) is None  # 9 us of a millisecond


def test_where_it_waits_is_not_told_so_it_counts_at_its_worst():
    """Of 400 us it moves in 300; with kernels beside it for 250 us, 150 us of moving at least ran beside them."""
    assert found(sent(749.0, 10.0, wait_us=100.0)) is not None
    assert found(sent(750.0, 10.0, wait_us=100.0)) is None


def test_kernels_with_pauses_and_beside_each_other():
    apart = [op(200.0 * n, 101.0, type="Sort", **VECTOR) for n in range(5)]
    assert found(sent(0.0, 10.0, elapsed_us=800.0), rows=apart) is not None  # 404 of 800 us
    shorter = [{**row, "duration_us": 100.0} for row in apart]
    assert found(sent(0.0, 10.0, elapsed_us=800.0), rows=shorter) is None
    twice = [*shorter, *[{**row, "stream": 3} for row in shorter]]
    assert found(sent(0.0, 10.0, elapsed_us=800.0), rows=twice) is None


def test_silent_where_it_is_not_told():
    assert found() is None
    for name in ("start_us", "elapsed_us", "wait_us", "sdma_mb", "sdma_us"):
        assert found(sent(BESIDE, 10.0), without=(name,)) is None
    assert found(sent(BESIDE, 10.0), rows=[*RUN[:3], {**RUN[3], "device": 1}]) is None  # of which device?
    assert found(sent(BESIDE, 10.0), rows=[{**row, "start_ns": -1} for row in RUN]) is None


def test_what_the_copy_engine_moved_is_read(tmp_path):
    """Its own line is the sum of the wires it serves; without one, these are added up."""
    wire = {"Transit Size(MB)": 24.0, "Transit Time(ms)": 2.0}
    times = {"Start Timestamp(us)": 1000.5, "Elapse Time(ms)": 1.0, "Wait Time(ms)": 0.0}
    entries = {
        f"hcom_{number}@7": {"Communication Time Info": times, "Communication Bandwidth Info": wires}
        for number, wires in enumerate((
            {"HCCS": wire, "SDMA": wire}, {"HCCS": wire, "PCIE": wire}, {"RDMA": wire},
            {"HCCS": {**wire, "Transit Time(ms)": 0}},
        ))
    }  # fmt: skip
    path = tmp_path / "communication.json"
    path.write_text(json.dumps({"step1": {"collective": entries}}))
    rows = communication_tables.OPERATORS.read(str(path)).table
    assert rows.numbers("start_us").tolist() == [1000.5] * 4
    assert rows.numbers("sdma_mb")[:2].tolist() == [24.0, 48.0]
    assert rows.numbers("sdma_us")[:2].tolist() == [2000.0, 4000.0]
    assert all(value != value for value in rows.numbers("sdma_mb")[2:].tolist())
