"""Sum, union, span, idle and gaps, in integer nanoseconds, per device and stream."""

from __future__ import annotations

import numpy as np
import pytest
from made_ops import START_NS, look, op

from npuscope.analysis.times.timeline import _ended_before, _holders


def two_streams():
    return [
        op(0, 20.0, stream=2),
        op(12.5, 8.0, stream=9, name="side", wait_us=-7.5),
        op(22, 3.0, stream=2, name="add", wait_us=2.0),
    ]


def test_overlap_is_counted_once():
    totals = look(*two_streams()).totals
    assert (totals.total_us, totals.busy_us, totals.span_us, totals.idle_us) == (31.0, 23.5, 25.0, 1.5)
    assert totals.wait_us == 2.0


def test_gaps_are_of_a_stream_and_idle_of_the_device():
    summary = look(*two_streams())
    assert [(gap.us, gap.stream, gap.after, gap.before) for gap in summary.gaps] == [(2.0, 2, "MatMulV2_0", "add")]
    assert [(gap.us, gap.stream, gap.after) for gap in summary.device_gaps] == [(1.5, None, "side")]
    row = summary.ops.row(2)
    assert (row["gap_us"], row["launch_gap_us"]) == (2.0, 1.5)


def test_devices_do_not_share_time():
    summary = look(op(0, 10.0), op(0, 20.0, device=1), op(30, 10.0), op(60, 20.0, device=1))
    totals = summary.totals
    assert {key: (d.total_us, d.span_us, d.busy_us, d.idle_us, d.rows) for key, d in totals.by_device.items()} == {
        0: (20.0, 40.0, 20.0, 20.0, 2),
        1: (40.0, 80.0, 40.0, 40.0, 2),
    }
    assert (totals.span_us, totals.busy_us, totals.idle_us) == (80.0, 60.0, 60.0)
    assert [(gap.device, gap.us) for gap in summary.gaps] == [(1, 40.0), (0, 20.0)]


def test_communication_that_nothing_covers():
    comm = {"type": "hcom_allReduce_", "core": "COMMUNICATION", "stream": 9}
    totals = look(op(0, 10.0), op(5, 15.0, **comm), op(30, 5.0, **comm)).totals
    assert (totals.computing_us, totals.communication_us, totals.communication_not_overlapped_us) == (10.0, 20.0, 15.0)


def test_the_ai_cpu_half_of_a_collective_hides_no_communication():
    sent = op(10, 20.0, name="hcom_allReduce__1", type="hcom_allReduce_", core="COMMUNICATION", stream=9)
    half = op(5, 60.0, name="allreduceAicpuKernel", type="allreduceAicpuKernel", core="AI_CPU", stream=41)
    totals = look(op(0, 15.0), half, sent).totals
    assert (totals.communication_us, totals.communication_not_overlapped_us) == (20.0, 15.0)


def half_a_run():
    """15 us of a kernel, 60 of the AI CPU half of a collective and its 20, 25 of a fused kernel."""
    return look(
        op(0, 15.0, aic_time_us=14.0, aic_mac_ratio=0.9, cube_utilization_pct=90.0),
        op(5, 60.0, name="allreduceAicpuKernel", type="allreduceAicpuKernel", core="AI_CPU", stream=41),
        op(10, 20.0, name="hcom_allReduce__1", type="hcom_allReduce_", core="COMMUNICATION", stream=9),
        op(70, 25.0, name="Dispatch_0", type="DispatchFFNCombine", core="MIX_AIC", aic_time_us=24.0,
           aic_mac_ratio=0.5, cube_utilization_pct=80.0),
    )  # fmt: skip


def test_the_ai_cpu_half_of_a_collective_computes_nothing():
    summary = half_a_run()
    lines = dict(zip(summary.types.strings("type").tolist(), summary.types.numbers("share_pct").tolist()))
    assert summary.totals.computing_us == 40.0
    assert (lines["MatMulV2"], lines["DispatchFFNCombine"], lines["hcom_allReduce_"]) == (37.5, 62.5, 100.0)
    assert np.isnan(lines["allreduceAicpuKernel"])
    assert summary.totals.aicore_pct == pytest.approx((15 * 90 + 25 * 80) / 40)


def test_what_has_no_class_is_told_and_has_a_next_step():
    summary = half_a_run()
    told = {one.key: one.params for one in summary.triage.where}
    assert told["triage.where.helper"] == {"us": 60.0, "name": "allreduceAicpuKernel"}
    assert told["triage.where.fused"] == {"us": 25.0, "name": "DispatchFFNCombine"}
    verdicts = dict(zip(summary.types.strings("type").tolist(), summary.type_verdicts))
    half, fused = verdicts["allreduceAicpuKernel"], verdicts["DispatchFFNCombine"]
    assert [one.key for one in half.advice] == ["advice.helper"] and half.no_floor.key == "work.not-core"
    assert half.evidence[0].text.key == "evidence.kind.helper"
    assert [one.key for one in fused.advice] == ["advice.fused"] and fused.no_floor.key == "work.fused"


def test_shares_are_of_their_own_kind():
    comm = {"type": "hcom_allReduce_", "core": "COMMUNICATION", "stream": 9}
    lines = look(op(0, 30.0), op(40, 10.0, type="Add"), op(60, 50.0, **comm)).types
    assert dict(zip(lines.strings("type").tolist(), lines.numbers("share_pct").tolist())) == {
        "hcom_allReduce_": 100.0,
        "MatMulV2": 75.0,
        "Add": 25.0,
    }


def test_lost_start_times_leave_only_the_sum():
    totals = look(op(0, 10.0, start_ns=-1), op(20, 10.0)).totals
    assert totals.total_us == 20.0
    assert (totals.span_us, totals.busy_us, totals.idle_us, totals.busy_pct) == (None, None, None, None)


def test_nanoseconds_of_today_are_not_rounded():
    first = look(op(0, 1.0), op(1.001, 1.0)).gaps[0]
    assert (first.us, first.start_ns) == (0.001, START_NS + 1000)


def test_a_task_inside_a_longer_one_leaves_no_gap():
    summary = look(op(0, 100.0, stream=1, name="Long_0"), op(10, 5.0, stream=1), op(104, 1.0, stream=1))
    assert [gap.us for gap in summary.gaps] == [4.0]
    assert (summary.gaps[0].row_before, summary.gaps[0].after) == (2, "Long_0")


def test_times_too_far_apart_to_shift_are_still_ordered():
    lane = np.array([0, 0, 0, 1, 1])
    start = np.array([0, 5, 30, 1, 2])
    end = np.array([20, 6, 31, 9, 3])
    near = _ended_before(lane, start, end)
    assert near[0].tolist() == [0, 20, 20, 1, 9]
    assert near[1].tolist() == [-1, 0, 0, -1, 3]
    assert _holders(lane, end).tolist() == [0, 0, 2, 3, 3]


def test_a_table_of_a_million_years_still_has_gaps():
    far = op(0, 1.0, start_ns=2**61, stream=4)
    summary = look(op(0, 10.0, start_ns=0), op(0, 10.0, start_ns=15_000), far)
    assert [gap.us for gap in summary.gaps] == [5.0]


def test_unknown_streams_of_collectives_are_not_one_stream():
    comm = {"type": "hcom_allReduce_", "core": "COMMUNICATION", "stream": -1}
    summary = look(op(0, 10.0), op(12, 5.0, **comm), op(100, 5.0, **comm), op(110, 5.0))
    assert [(gap.us, gap.stream) for gap in summary.gaps] == [(100.0, 2)]


def test_share_of_cores_is_told_when_it_is_known_for_most_of_the_time():
    known = look(op(0, 90.0, cube_utilization_pct=50.0, aic_time_us=80.0, aic_mac_ratio=0.5), op(100, 10.0)).totals
    assert known.aicore_pct == pytest.approx(50.0)
    assert (
        look(
            op(0, 50.0, cube_utilization_pct=50.0, aic_time_us=40.0, aic_mac_ratio=0.5), op(100, 50.0)
        ).totals.aicore_pct
        is None
    )
