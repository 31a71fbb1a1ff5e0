"""Which rank is late, by what, and who only waits: made jobs and real ones."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_ranks import rank

from npuscope.analysis.ranks.compare import compare
from npuscope.analysis.ranks.jobs import ranges
from npuscope.analysis.ranks.times import OPERATORS, read_cluster, read_rank
from npuscope.parsers.discovery.runs import look_at
from npuscope.tui import text
from npuscope.tui.ranks import words as rankwords

FIXTURES = Path(__file__).parent.parent / "fixtures" / "ranks"


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


def codes(table):
    return {line.times.rank: line.code for line in table.lines}


def late(table):
    return {line.times.rank: round(line.late_by_pct, 1) for line in table.lines if line.late_by_pct is not None}


SLOW_CARD = (
    rank(0, (80_000, 26_500, 1500)),
    rank(1, (81_000, 25_500, 1500)),
    rank(2, (80_500, 26_000, 1500)),
    rank(3, (104_000, 2500, 1500)),
)


def test_who_computes_longer_is_late_and_the_others_wait():
    table = compare(SLOW_CARD)
    assert table.verdict.kind == "compute" and table.verdict.late[0].times.rank == 3
    assert late(table) == {3: 29.2}
    assert codes(table) == {0: "wait", 1: "wait", 2: "wait", 3: "compute"}
    assert (table.used, table.mean_computing_us, table.missing) == (4, 86_375.0, ())
    assert rankwords.verdict(table) == ("Rank 3 is late by computing: 104.0 ms, the others 80.50 ms (+29.2 %).")
    assert rankwords.reason(table.lines[0]) == "waits for rank 3: 24.0 ms more in communication"
    assert rankwords.second(table) == ("3 others wait for it, 23.0 ms to 24.0 ms longer in communication.",)


def test_the_longest_communication_makes_nobody_late():
    table = compare([rank(0, (80_000, 50_000, 1500)), rank(1, (80_100, 20_000, 1500)), rank(2, (80_050, 20_000, 1500))])
    assert table.verdict.kind == "even" and late(table) == {} and set(codes(table).values()) == {""}
    assert "No rank is late" in rankwords.verdict(table)


def test_who_is_idle_longer_and_does_not_wait_is_late_by_its_host():
    table = compare([rank(0, (80_000, 3000, 24_500)), *(rank(n, (80_000, 26_000, 1500)) for n in (1, 2, 3))])
    assert table.verdict.kind == "free" and table.verdict.late[0].times.rank == 0
    assert late(table) == {0: pytest.approx(1533.3)}
    assert rankwords.reason(table.lines[0]) == "host/free: idle 23.0 ms longer"
    assert codes(table) == {0: "free", 1: "wait", 2: "wait", 3: "wait"}


def test_free_time_of_a_rank_that_waits_too_is_nobodys_fault():
    table = compare([rank(0, (80_000, 30_000, 24_500)), *(rank(n, (80_000, 26_000, 1500)) for n in (1, 2, 3))])
    assert table.verdict.kind == "even"


@pytest.mark.parametrize(
    ("excess", "is_late"),
    [(4_900, False), (5_100, True)],
)
def test_five_percent_above_the_median_is_late(excess, is_late):
    table = compare([rank(0, (100_000 + excess, 1000, 0)), *(rank(n, (100_000, 6000, 0)) for n in (1, 2, 3))])
    assert bool(table.verdict.late) is is_late


def test_what_is_nothing_of_the_step_is_not_late():
    few = [rank(n, (1000 + (200 if n == 0 else 0), 99_000, 0)) for n in range(4)]
    assert compare(few).verdict.kind == "even"
    idle = [rank(n, (90_000, 9000, 1000 if n else 1600)) for n in range(4)]
    assert compare(idle).verdict.kind == "even"


def test_no_free_time_at_the_others_leaves_the_percentage_unknown():
    table = compare([rank(0, (80_000, 0, 9000)), rank(1, (80_000, 9000, 0)), rank(2, (80_000, 9000, 0))])
    assert table.verdict.kind == "free" and table.verdict.late[0].late_by_pct is None
    assert table.verdict.late[0].late_by_us == 9000
    assert "–" not in rankwords.verdict(table)


def test_two_late_ranks_are_both_named_the_later_first():
    slow = {5: 130_000, 6: 150_000}
    table = compare([rank(n, (slow.get(n, 100_000), 50_000 - slow.get(n, 0) / 4, 0)) for n in range(8)])
    assert [line.times.rank for line in table.verdict.late] == [6, 5]
    assert rankwords.second(table)[0] == "Late too: rank 5."


def test_ranks_without_times_are_left_out_of_the_mean_and_told():
    nothing = dataclasses.replace(rank(2), state="collected")
    table = compare([SLOW_CARD[0], SLOW_CARD[1], nothing, SLOW_CARD[3]])
    assert table.used == 3 and table.mean_computing_us == pytest.approx(265_000 / 3)
    line = table.lines[2]
    assert (line.times.computing_us, line.times.state, line.code) == (None, "collected", "")
    assert late(table) == {3: pytest.approx(29.2)}


def test_holes_are_named_up_to_the_size_of_the_world():
    assert compare([rank(0, (1, 1, 1)), rank(3, (1, 1, 1))]).missing == (1, 2)
    told = [rank(n, (1, 1, 1), world_size=6) for n in (0, 3)]
    table = compare(told)
    assert (table.world_size, table.missing) == (6, (1, 2, 4, 5))
    assert rankwords.missing(table) == "Ranks 1-2, 4-5 are missing: no profile of them is here."
    assert compare([rank(None, (1, 1, 1))]).missing == ()


def test_one_rank_or_none_is_no_comparison():
    assert compare([rank(0, (1, 1, 1))]).verdict.kind == "one"
    assert compare([rank(0)]).verdict.kind == "none"
    assert compare([]).verdict.kind == "none" and compare([]).mean_computing_us is None


def test_only_steps_that_all_have_are_compared_and_how_often_it_is_late():
    steps = [(100.0, 50.0, 0.0)] * 3
    slow = [(130.0, 20.0, 0.0), (131.0, 19.0, 0.0), (100.0, 50.0, 0.0), (900.0, 20.0, 0.0)]
    table = compare([rank(0, *steps), rank(1, *steps), rank(2, *slow)])
    assert [problem.code for problem in table.problems] == ["steps-differ"]
    assert late(table) == {2: pytest.approx(20.3, abs=0.1)}
    assert table.verdict.steps == (2, 3)
    assert "It is the latest in 2 of 3 steps." in rankwords.second(table)


def test_without_a_common_step_sums_are_compared_and_said_so():
    table = compare([rank(0, (100, 0, 0)), rank(1, (100, 0, 0), first=7)])
    assert table.verdict.kind == "even"
    assert "no step is in every rank" in text.told(table.problems[0].message)


def test_times_of_operators_are_not_mixed_with_those_of_step_tables():
    odd = dataclasses.replace(rank(3, (150_000, 0, 0)), source=OPERATORS)
    table = compare([rank(0, (100_000, 0, 0)), rank(1, (100_000, 0, 0)), odd])
    assert table.verdict.kind == "even" and table.used == 2
    assert [problem.code for problem in table.problems] == ["no-step-table"]
    assert compare([odd, dataclasses.replace(rank(1, (100_000, 0, 0)), source=OPERATORS)]).used == 2
    unlike = compare([rank(0, (100_000, 0, 0)), odd])
    assert (unlike.verdict.kind, unlike.used, unlike.verdict.late) == ("one", 1, ())
    assert unlike.verdict.text.key == "ranks.verdict.unlike"


def test_unknown_ranks_are_called_by_their_device():
    table = compare([dataclasses.replace(times, rank=None) for times in SLOW_CARD])
    assert rankwords.verdict(table).startswith("Device 3 is late by computing")
    assert rankwords.reason(table.lines[0]).startswith("waits for device 3")


def real(name):
    return [read_rank(look_at(FIXTURES / name / f"rank_{n}_ascend_pt", 0.0))[0] for n in range(4)]


def test_uneven_pipeline_stages_are_no_slow_card():
    table = compare(real("four_ranks"))
    assert table.verdict.kind == "stages" and table.verdict.text.params["ranks"] == "2-3"
    assert table.verdict.text.params["pct"] == pytest.approx(73.4, abs=0.1)
    assert codes(table) == {0: "free", 1: "wait", 2: "", 3: ""}
    assert table.lines[1].waits_stage == 1
    assert "no card is slow" in rankwords.second(table)[0]
    assert table.lines[2].times.device == 4


def test_the_cluster_table_of_an_analysis():
    table = compare(read_cluster(str(FIXTURES / "cluster_eight" / "cluster_step_trace_time.csv")))
    assert [line.times.rank for line in table.verdict.late] == [1, 6, 3]
    assert table.verdict.kind == "free" and late(table)[1] == pytest.approx(34.1)
    sixteen = compare(read_cluster(str(FIXTURES / "cluster_sixteen" / "cluster_step_trace_time.csv")))
    assert sixteen.verdict.late[0].times.rank == 13
    assert {line.times.pipeline_stage for line in sixteen.lines} == {0, 1}


@pytest.mark.parametrize(
    ("numbers", "said"), [((), ""), ((3,), "3"), ((2, 0, 1, 5), "0-2, 5"), ((None, 4, 6), "4, 6"), ((1, 1), "1")]
)
def test_ranks_in_few_words(numbers, said):
    assert ranges(numbers) == said


TIMES = st.floats(min_value=0, max_value=1e9)


@given(parts=st.lists(st.tuples(TIMES, TIMES, TIMES), min_size=2, max_size=9))
def test_nobody_at_or_below_the_median_is_late_and_waiting_needs_a_late_one(parts):
    table = compare([rank(number, *[own]) for number, own in enumerate(parts)])
    assert len(table.lines) == len(parts)
    for line in table.verdict.late:
        own = line.times.computing_us if line.code == "compute" else line.times.free_us
        assert own > line.median_us and line.late_by_us > 0
    if not table.verdict.late:
        assert not table.waiting
    for lang in text.LANGUAGES:
        text.set_language(lang)
        assert rankwords.verdict(table) and "ranks." not in rankwords.verdict(table)
        assert all("ranks." not in rankwords.reason(line) for line in table.lines)


@given(parts=st.lists(st.tuples(TIMES, TIMES, TIMES), min_size=2, max_size=6), shift=st.randoms())
def test_the_order_of_the_folders_changes_nothing(parts, shift):
    ranks = [rank(number, *[own]) for number, own in enumerate(parts)]
    shuffled = ranks[:]
    shift.shuffle(shuffled)
    assert compare(shuffled) == compare(ranks)
