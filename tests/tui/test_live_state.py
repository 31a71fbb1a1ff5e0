"""What a reading does to what is known: cut tables, profiling, failures, another box."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npuscope.parsers.profile import Run
from npuscope.parsers.readings import Chip, NpuProcess, Reading, SourceInfo
from npuscope.parsers.say import Problem, Say, say
from npuscope.tui.live.merge import merged, without_profiled
from npuscope.tui.live.notes import notes_of
from npuscope.tui.live.state import late_of, state_of
from npuscope.tui.session import Session

AT = 1_000_000.0
CUT = Problem("truncated", say("smi.cut-after", npu=2, chip=0), Say("smi.hint-cut"))
SILENT = Problem("timeout", say("smi.timeout", us=1e7), Say("smi.hint-timeout"))


def reading(at: float, *values: int | None, problems: tuple[Problem, ...] = (), **more: object) -> Reading:
    chips = tuple(Chip(n, 0, "910B3", "OK", aicore_pct=value) for n, value in enumerate(values))
    return Reading(at, 0.3, SourceInfo("made"), 1.0, chips, problems=problems, **more)  # type: ignore[arg-type]


def collecting(at: float) -> Run:
    return Run("/p/PROF_1", "PROF_1", "msprof", "collecting", started_at=at - 20, changed_at=at)


def test_a_cut_table_keeps_the_chips_it_does_not_list():
    session = Session()
    session.take_reading(reading(AT, *range(8)))
    session.take_reading(reading(AT + 1, 70, 71, 72, problems=(CUT,)))
    state = state_of(session)
    assert [chip.aicore_pct for chip in state.chips] == [70, 71, 72, 3, 4, 5, 6, 7]
    assert state.stale == {(n, 0): AT for n in range(3, 8)}
    session.take_reading(reading(AT + 2, *range(8)))
    assert state_of(session).stale == {}


def test_the_history_of_a_chip_that_was_not_listed_has_a_gap():
    session = Session()
    session.take_reading(reading(AT, 10, 10))
    session.take_reading(reading(AT + 1, 10, problems=(CUT,)))
    assert session.history.samples((1, 0), "aicore", 10, AT + 1) == [(AT, 10.0), (AT + 1, None)]


def test_a_cut_table_that_is_the_first_one_invents_no_chip():
    session = Session()
    session.take_reading(reading(AT, 70, 71, problems=(CUT,)))
    assert len(state_of(session).chips) == 2


def test_a_chip_that_a_whole_table_no_longer_lists_stays_and_is_gone():
    session = Session()
    session.take_reading(reading(AT, 10, 20, 30))
    session.take_reading(reading(AT + 1, 11, problems=(CUT,)))
    assert state_of(session).gone == {}
    session.take_reading(reading(AT + 2, 12, 22))
    session.take_reading(reading(AT + 3, 13, 23))
    session.take_reading(reading(AT + 4, 14, problems=(SILENT,)))
    state = state_of(session)
    assert (state.gone, state.stale) == ({(2, 0): AT + 2}, {(1, 0): AT + 3})
    assert [chip.aicore_pct for chip in state.chips] == [14, 23, None]
    assert [chip.npu_id for chip in state.present] == [0, 1]
    assert [hint.code for hint in state.hints] == ["chip-gone"]
    session.take_reading(reading(AT + 5, 1, 2, 3))
    state = state_of(session)
    assert (state.gone, state.hints, len(state.present)) == ({}, (), 3)


def test_the_note_of_a_gone_chip_wants_a_look():
    session = Session()
    session.take_reading(reading(AT, 10, 20))
    session.take_reading(reading(AT + 1, 10))
    notes = notes_of(state_of(session))
    assert notes[(1, 0)].warn and notes[(1, 0)].key == "live.note.chip-gone"


def test_chips_keep_their_order_when_one_is_missing_for_a_while():
    known = merged({}, reading(AT, 1, 2, 3))
    last = replace(reading(AT + 1), chips=(Chip(2, 0, "910B3", "OK"), Chip(9, 0, "910B3", "OK")), problems=(CUT,))
    assert list(merged(known, last)) == [(0, 0), (1, 0), (2, 0), (9, 0)]


def test_a_failure_keeps_the_values_and_counts_their_age():
    session = Session()
    session.take_reading(reading(AT, 50))
    session.take_reading(reading(AT + 1, problems=(SILENT,)))
    ended, at = session.arrived
    assert ended == AT + 1.3
    state = state_of(session, monotonic=at + 11)
    assert (state.problem, state.reading.taken_at) == (SILENT, AT)
    assert round(state.age_s, 1) == 12.3
    assert state.hints == ()
    session.take_reading(reading(AT + 40, 60))
    state = state_of(session)
    assert (state.problem, state.age_s, state.chips[0].aicore_pct) == (None, 0.0, 60)


@pytest.mark.parametrize(
    ("waited", "late"),
    [(0.0, 0.0), (1.9, 0.0), (2.0, 2.0), (4.6, 2.0), (4.8, 5.0), (9.6, 5.0), (9.8, 10.0), (99.8, 100.0)],
)
def test_an_overdue_reading_has_an_age_in_steps(waited: float, late: float):
    session = Session()
    session.take_reading(reading(AT, 50))
    assert state_of(session, monotonic=session.arrived[1] + waited).late_s == late


def test_a_long_period_and_a_slow_call_are_waited_for():
    session = Session()
    session.take_reading(replace(reading(AT, 50), period_s=30.0))
    at = session.arrived[1]
    assert (late_of(session, at + 59), late_of(session, at + 61)) == (0.0, 60.0)
    session.take_reading(replace(reading(AT + 60, 50), elapsed_s=9.0))
    at = session.arrived[1]
    assert (late_of(session, at + 17), late_of(session, at + 19)) == (0.0, 25.0)


def test_0_while_a_profile_is_collected_is_no_reading():
    session = Session()
    session.take_runs([collecting(AT)])
    session.take_reading(reading(AT + 1, 0, 97))
    state = state_of(session)
    assert [chip.aicore_pct for chip in state.chips] == [None, 97]
    assert [hint.code for hint in state.hints if hint.npu_id == 0] == ["profiling-conflict"]
    assert session.history.samples((0, 0), "aicore", 5, AT + 1) == [(AT + 1, None)]


def test_a_profile_that_stopped_growing_long_ago_is_not_being_collected():
    session = Session()
    session.take_runs([collecting(AT - 61)])
    session.take_reading(reading(AT, 0))
    assert state_of(session).chips[0].aicore_pct == 0


def test_without_a_profile_nothing_is_touched():
    said = reading(AT, 0, 5)
    assert without_profiled(said, profiling=False) is said
    assert without_profiled(reading(AT, 3, None), profiling=True).chips[0].aicore_pct == 3


def test_chips_that_stopped_together_know_since_when():
    session = Session()
    rows = tuple(NpuProcess(n, 0, 500 + n, "python3", 61_440) for n in (0, 1))
    for second in range(60):
        busy = 95 if second < 40 else 0
        session.take_reading(reading(AT + second, busy, busy, 90, processes=rows))
    state = state_of(session)
    assert state.hints[0].code == "sudden-stop"
    assert state.stopped == {(0, 0): AT + 40, (1, 0): AT + 40}


def test_another_box_starts_from_nothing():
    session = Session()
    session.take_reading(reading(AT, 50))
    session.another_box(("/elsewhere",))
    state = state_of(session)
    assert (state.reading, state.chips) == (None, ())
