"""Findings from what lies beside the operators: communication files, host calls, timelines, steps, devices."""

from __future__ import annotations

import dataclasses
import json
import sqlite3

import pytest
from made_ops import op, profile, vector

from npuscope.analysis.summarize import summarize
from npuscope.parsers.msprof.collectives import communication_tables
from npuscope.parsers.msprof.tables.record_tables import table_of
from npuscope.parsers.msprof.traces import host_events
from npuscope.tui.text import has, told

VECTOR = {"core": "AI_VECTOR_CORE", "block_dim": 40}
SENT = {"core": "COMMUNICATION", "type": "hcom_allReduce_", "stream": 9}
SORTS = [op(100.0 * n, 100.0, type="Sort", **VECTOR) for n in range(4)]
RUN = [*SORTS, op(400, 600.0, **SENT)]  # 1 ms, 600 us of it communication alone


def found(code, rows=RUN, **extras):
    summary = summarize(dataclasses.replace(profile(rows), extras=extras), "910B3")
    one = next((one for one in summary.findings if one.code == code), None)
    for said in (one.title, one.evidence, one.advice) if one is not None else ():
        assert has(said.key), said.key
        assert "{" not in told(said)
    return one


def sent(elapsed=600.0, wait=0.0, transport="HCCS"):
    columns = {"name": str, "transport": str, "elapsed_us": float, "wait_us": float}
    row = {"name": "hcom_allReduce__1_0", "transport": transport, "elapsed_us": elapsed, "wait_us": wait}
    return table_of([row], columns)


def test_communication_that_waits_for_others():
    one = found("communication-waits", communication=sent(wait=150.0))
    assert (one.saving_us, one.severity) == (pytest.approx(150.0), "medium")
    assert one.title.params["pct"] == pytest.approx(25.0)
    assert found("communication-waits", communication=sent(wait=120.0)) is None  # 20 %: not over
    assert found("communication-waits") is None


def test_what_waits_cannot_hide_behind_computing():
    assert found("communication-exposed").saving_us == pytest.approx(400.0)  # all that computes
    assert found("communication-exposed", communication=sent(wait=500.0)).saving_us == pytest.approx(100.0)


def test_an_rdma_collective_that_was_sent_again():
    assert found("rdma-retransmission", communication=sent(4.5e6, transport="RDMA")).title.params["count"] == 1
    assert found("rdma-retransmission", communication=sent(3.9e6, transport="RDMA")) is None
    assert found("rdma-retransmission", communication=sent(4.5e6)) is None


def packets(*rows, transport="HCCS"):
    columns = {"name": str, "transport": str, "bytes": float, "count": float, "total_us": float}
    names = ("bytes", "count", "total_us")
    return table_of([{"name": "a", "transport": transport, **dict(zip(names, row))} for row in rows], columns)


def test_small_packets_between_chips():
    """Three of ten under 16 MB, 200 us of the millisecond."""
    one = found("small-collectives", packets=packets((8e6, 3, 200.0), (64e6, 7, 300.0)))
    assert (one.title.params["pct"], one.title.params["us"]) == (pytest.approx(30.0), pytest.approx(200.0))
    assert one.evidence.params["gbps"] == pytest.approx(3 * 8e6 / 200e3)
    assert one.saving_us is None
    assert found("small-collectives", packets=packets((8e6, 2, 200.0), (64e6, 8, 300.0))) is None  # 20 %
    assert found("small-collectives", packets=packets((16e6, 10, 200.0))) is None
    assert found("small-collectives", packets=packets((8e6, 9, 10.0), (64e6, 1, 300.0))) is None  # 1 % of the run
    assert found("small-collectives", packets=packets((8e6, 9, 200.0), transport="RDMA")) is None
    assert found("small-collectives", packets=packets((0.9e6, 9, 200.0), transport="RDMA")) is not None


def test_packets_that_are_no_multiple_of_512_bytes():
    one = found("unaligned-collectives", packets=packets((20_000_001.0, 3, 200.0), (20_480_000.0, 7, 300.0)))
    assert one.title.params["pct"] == pytest.approx(30.0)
    assert found("unaligned-collectives", packets=packets((20_480_000.0, 9, 200.0), (96.0, 9, 100.0))) is None


def links(*sizes, us=1000.0):
    columns = {"group": str, "transport": str, "source": int, "target": int, "size_mb": float, "total_us": float}
    rows = [
        {"group": "g", "transport": "HCCS", "source": 0, "target": at + 1, "size_mb": mb, "total_us": us}
        for at, mb in enumerate(sizes)
    ]
    return table_of(rows, columns)


def test_a_link_slower_than_the_others():
    """7.9 GB/s beside 10: under 80 %."""
    one = found("slow-link", links=links(10.0, 10.0, 7.9))
    assert (one.title.params["target"], one.title.params["gbps"]) == (3, pytest.approx(7.9))
    assert one.saving_us == pytest.approx(210.0)
    assert found("slow-link", links=links(10.0, 10.0, 8.0)) is None
    assert found("slow-link", links=links(10.0, 7.0)) is None  # two: which of them is odd?
    assert found("slow-link", links=links(10.0, 10.0, 0.9)) is None  # carried little


def calls(name, count, total_us=100.0, longest_us=50.0):
    columns = {"name": str, "count": int, "total_us": float, "max_us": float}
    rows = [{"name": "launch", "count": 100, "total_us": 500.0, "max_us": 9.0}]
    return table_of([*rows, {"name": name, "count": count, "total_us": total_us, "max_us": longest_us}], columns)


@pytest.mark.parametrize(
    ("code", "over", "below"),
    [
        ("host-sync", calls("aclrtSynchronizeStream", 51), calls("aclrtSynchronizeStream", 50)),
        ("op-compile", calls("aclopCompileAndExecuteV2", 21), calls("aclopCompileAndExecuteV2", 20)),
        ("host-memory", calls("aclrtFree", 9, 10_001.0), calls("aclrtFree", 9, 10_000.0)),
    ],
)
def test_calls_of_the_host(code, over, below):
    one = found(code, api_statistic=over)
    assert one.title.params["us"] == over.numbers("total_us")[1]
    assert one.saving_us is None
    assert found(code, api_statistic=below) is None
    assert found(code) is None
    assert found(code, SORTS[:2], api_statistic=over) is None  # an operator tried out, and its set-up


def trace(tmp_path, *slices, mhz=()):
    head = [
        {"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "Python"}},
        {"ph": "M", "name": "process_name", "pid": 2, "args": {"name": "AI Core Freq"}},
    ]
    events = [{"ph": "X", "pid": 1, "tid": 1, "name": name, "ts": f"{at}.000", "dur": us} for name, at, us in slices]
    clock = [{"ph": "C", "pid": 2, "name": "AI Core Freq", "ts": f"{at}.000", "args": {"MHz": f}} for at, f in mhz]
    path = tmp_path / "trace_view.json"
    path.write_text(json.dumps([*head, *events, *clock]), encoding="utf-8")
    return host_events.read([str(path)]).events


LOADER = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


@pytest.mark.parametrize(
    ("code", "name", "over", "below"),
    [("garbage-collection", "GC", 1001.0, 1000.0), ("data-loader", LOADER, 10_001.0, 10_000.0)],
)
def test_events_of_a_timeline(tmp_path, code, name, over, below):
    one = found(code, host_events=trace(tmp_path, (name, 100, 10.0), (name, 900, over), ("aten::add", 9, 5e4)))
    assert (one.title.params["count"], one.evidence.params["us"]) == (2, over)
    assert found(code, host_events=trace(tmp_path, (name, 900, below))) is None


def test_batch_norms_that_wait_for_all_ranks(tmp_path):
    events = [("SyncBatchNorm", at, 5.0) for at in range(21)]
    assert found("sync-batchnorm", host_events=trace(tmp_path, *events)).title.params["count"] == 21
    assert found("sync-batchnorm", host_events=trace(tmp_path, *events[1:])) is None


def test_a_clock_below_the_chips_own(tmp_path):
    """By each row: 10 % lower, half of the time is computing's; or by the timeline."""
    row = op(0, 100.0, freq_mhz=1620.0, rated_freq_mhz=1800.0, type="Sort", **VECTOR, **vector(vec=0.95))
    one = found("low-frequency", [row])
    assert (one.saving_us, one.evidence.params["pct"]) == (pytest.approx(10.0), pytest.approx(10.0))
    assert found("low-frequency", [{**row, "freq_mhz": 1720.0}]) is None  # 4.4 %
    faster = op(200, 100.0, freq_mhz=1800.0, type="Sort", **VECTOR)
    unrated = found("low-frequency", [{**row, "rated_freq_mhz": float("nan")}, faster])
    assert unrated.evidence.params["pct"] == pytest.approx(10.0)
    clock = trace(tmp_path, mhz=[(1, 1800), (2, 800)])
    timed = found("low-frequency", [{**row, "freq_mhz": float("nan")}], host_events=clock)
    assert timed.title.params == {"freq": 1300.0, "rated": 1800.0}
    assert found("low-frequency", host_events=trace(tmp_path, mhz=[(1, 1800), (2, 1750)])) is None


def test_steps_that_vary():
    def steps(*took):
        rows, at = [], 0.0
        for number, us in enumerate(took):
            rows += [op(at, us / 2, step=number, type="Sort", **VECTOR), op(at + us / 2, us / 2, step=number, **VECTOR)]
            at += us
        return rows

    one = found("unsteady-steps", steps(900, 100, 100, 100, 100, 200))  # the first one warms up
    assert (one.evidence.params["step"], one.saving_us) == (5, pytest.approx(100.0))
    assert found("unsteady-steps", steps(900, 100, 100, 100, 100, 150)) is None  # 18 %
    assert found("unsteady-steps", steps(900, 100, 100, 100, 200)) is None  # four are few


def test_a_device_that_computes_longer():
    def devices(second):
        same = [op(200.0 * n, 100.0, device=0, type="Sort", **VECTOR) for n in range(4)]
        return same + [op(200.0 * n, second, device=1, type="Sort", **VECTOR) for n in range(4)]

    one = found("late-device", devices(106.0))
    assert (one.title.params["device"], one.saving_us) == (1, pytest.approx(24.0))
    assert found("late-device", devices(104.0)) is None
    assert found("late-device", devices(106.0)[:-1]) is None  # another number of kernels: another program


def test_communication_files_as_tables(tmp_path):
    """Sizes are 10^6 bytes; what is repeated in samples and sums counts once."""
    times = {"Elapse Time(ms)": 0.6, "Wait Time(ms)": 0.15, "Transit Time(ms)": 0.4}
    wires = {"HCCS": {"Transit Size(MB)": 24.0, "Size Distribution": {"8.0": [3, 0.2], "odd": [1, 1], "9.0": "x"}}}
    entry = {"Communication Time Info": times, "Communication Bandwidth Info": wires}
    path = tmp_path / "communication.json"
    path.write_text(json.dumps({"step1": {"collective": {"hcom_allReduce__1_0@77": entry, "Total Op Info": entry}}}))
    operators, sizes = (
        kind.read(str(path)).table for kind in (communication_tables.OPERATORS, communication_tables.PACKETS)
    )
    assert (operators.row(0)["name"], operators.row(0)["wait_us"], operators.row(0)["transport"]) == (
        "hcom_allReduce__1_0", pytest.approx(150.0), "HCCS",
    )  # fmt: skip
    assert len(sizes) == 1 and (sizes.row(0)["bytes"], sizes.row(0)["count"], sizes.row(0)["total_us"]) == (
        8e6,
        3,
        200.0,
    )
    told_twice = {"0-1": {"Transport Type": "HCCS", "Transit Size(MB)": 5.0, "Transit Time(ms)": 1.0}}
    matrix = tmp_path / "communication_matrix.json"
    matrix.write_text(
        json.dumps({"step1": {"collective": {"allreduce-top1@7": told_twice, "allreduce-total@7": told_twice}}})
    )
    found_links = communication_tables.LINKS.read(str(matrix)).table
    assert len(found_links) == 1 and (found_links.row(0)["size_mb"], found_links.row(0)["total_us"]) == (5.0, 1000.0)


def test_communication_of_a_database_export(tmp_path):
    path = tmp_path / "analysis.db"
    with sqlite3.connect(path) as made:
        made.execute(
            "CREATE TABLE CommAnalyzerBandwidth (hccl_op_name, group_name, transport_type, transit_size, package_size,"
            " count, total_duration, step, type)"
        )
        made.execute("INSERT INTO CommAnalyzerBandwidth VALUES ('a', 'g', 'HCCS', 24.0, 8.0, 3, 0.2, 'step1', 'x')")
        made.execute("INSERT INTO CommAnalyzerBandwidth VALUES ('a', 'g', 'SDMA', 24.0, 0, 0, 0, 'step1', 'x')")
        made.execute("CREATE TABLE CommAnalyzerTime (hccl_op_name, group_name, elapse_time, wait_time, step, type)")
        made.execute("INSERT INTO CommAnalyzerTime VALUES ('a', 'g', 0.6, 0.15, 'step1', 'x')")
        made.execute("CREATE TABLE CommAnalyzerMatrix (hccl_op_name, group_name, src_rank, dst_rank, transport_type,"
                     " transit_size, transit_time)")  # fmt: skip
        for operator in ("allreduce-top1", "allreduce-total"):
            made.execute("INSERT INTO CommAnalyzerMatrix VALUES (?, 'g', '0', '1', 'HCCS', 5.0, 1.0)", (operator,))
    made.close()
    operators, sizes, wires = (
        kind.read(str(path)).table
        for kind in (communication_tables.DB_OPERATORS, communication_tables.DB_PACKETS, communication_tables.DB_LINKS)
    )
    assert [operators.row(0)[name] for name in ("name", "elapsed_us", "wait_us")] == ["a", 600.0, 150.0]
    assert len(sizes) == 1 and sizes.row(0)["bytes"] == 8e6 and sizes.row(0)["count"] == 3
    assert len(wires) == 1 and wires.row(0)["size_mb"] == 5.0
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as empty:
        empty.execute("CREATE TABLE StepTraceTime (step)")
    empty.close()
    assert len(communication_tables.DB_OPERATORS.read(str(other)).table) == 0
