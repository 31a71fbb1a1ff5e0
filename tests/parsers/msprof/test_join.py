"""Runs of one program with different metric groups become one; anything else is refused with the first difference."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.joined import joined_run
from npuscope.parsers.msprof.join import join
from npuscope.parsers.msprof.reader import read_profile
from npuscope.parsers.profile import Metadata, Profile, Run, VendorText
from npuscope.parsers.say import ParseError, Problem, say
from npuscope.parsers.table import Strings, Table
from npuscope.tui import text

FIXTURES = Path(__file__).parents[2] / "fixtures" / "msprof"
LATER = time.time() + 3600
Call = tuple[str, str, str]  # type, name, shapes


def profile(name: str, calls: list[Call], **more: object) -> Profile:
    columns = {
        "type": Strings.of(kind for kind, _, _ in calls),
        "name": Strings.of(call for _, call, _ in calls),
        "input_shapes": Strings.of(shapes for _, _, shapes in calls),
        "start_ns": np.arange(len(calls), dtype=np.int64) * 1000,
        "duration_us": np.full(len(calls), 10.0),
        **more,
    }
    run = Run(f"/data/{name}", name, "msprof", "ready", signature=name)
    sources = {column: f"{name}.csv:{column}" for column in columns}
    return Profile(run, Table(columns), sources=sources, metadata=Metadata(chip="Ascend910B3"))


def plain(table: Table) -> list[dict[str, object]]:
    return [
        {name: None if value != value else value for name, value in table.row(row).items()} for row in range(len(table))
    ]


def refusal(*profiles: Profile) -> Problem:
    with pytest.raises(ParseError) as raised:
        join(profiles)
    return raised.value.problem


CALLS = [("MatMul", "mm1", "16,16"), ("Add", "add1", "16"), ("MatMul", "mm2", "32,16"), ("Add", "add2", "16")]
FIRST = profile("PROF_000001_a", CALLS, aic_scalar_ratio=np.array([0.9, np.nan, 0.8, np.nan], np.float32))
SECOND = profile("PROF_000002_b", CALLS, aiv_vec_bank_cflt_ratio=np.array([0, 0.1, 0, 0.2], np.float32))


def test_every_operator_gets_the_counters_of_both():
    joined = join([FIRST, SECOND])
    assert joined.ops.numbers("aic_scalar_ratio")[0] == pytest.approx(0.9)
    assert joined.ops.numbers("aiv_vec_bank_cflt_ratio").tolist() == pytest.approx([0, 0.1, 0, 0.2])
    assert joined.metadata.aic_metrics == "PipeUtilization, ResourceConflictRatio"
    assert joined.sources["aiv_vec_bank_cflt_ratio"] == "PROF_000002_b.csv:aiv_vec_bank_cflt_ratio"
    assert joined.sources["duration_us"] == "PROF_000001_a.csv:duration_us"


def test_calls_are_matched_within_their_type_and_rows_stay_those_of_the_first_run():
    other = SECOND.ops.take(np.array([1, 0, 3, 2]))  # another order of types: two streams
    other = other.extended({"start_ns": np.arange(4, dtype=np.int64) * 1000})
    joined = join([FIRST, dataclasses.replace(SECOND, ops=other)])
    assert joined.ops.strings("name").tolist() == ["mm1", "add1", "mm2", "add2"]
    assert joined.ops.numbers("aiv_vec_bank_cflt_ratio").tolist() == pytest.approx([0, 0.1, 0, 0.2])


def test_rows_are_taken_by_their_start_not_by_their_place():
    shuffled = np.array([2, 3, 0, 1])
    joined = join([FIRST, dataclasses.replace(SECOND, ops=SECOND.ops.take(shuffled))])
    assert joined.ops.numbers("aiv_vec_bank_cflt_ratio").tolist() == pytest.approx([0, 0.1, 0, 0.2])


def test_the_joined_run():
    run = join([FIRST, SECOND]).run
    assert (run.path, run.name) == ("/data/PROF_000001_a + /data/PROF_000002_b", "PROF_000001 + PROF_000002")
    assert run.signature not in (FIRST.run.signature, SECOND.run.signature)
    assert joined_run([FIRST.run, SECOND.run]) == run
    partial = dataclasses.replace(SECOND.run, state="partial")
    assert joined_run([FIRST.run, partial]).state == "partial"


def test_one_run_stays_what_it_is():
    assert join([FIRST]) is FIRST


def test_a_counter_that_is_empty_in_the_first_run_is_filled():
    empty = profile("a", CALLS, aic_mac_ratio=np.full(4, np.nan, np.float32))
    full = profile("b", CALLS, aic_mac_ratio=np.full(4, 0.5, np.float32))
    assert join([empty, full]).ops.numbers("aic_mac_ratio").tolist() == [0.5] * 4
    assert join([full, empty]).ops.numbers("aic_mac_ratio").tolist() == [0.5] * 4


def test_durations_are_those_of_the_first_run_and_a_large_difference_is_told():
    slow = dataclasses.replace(SECOND, ops=SECOND.ops.extended({"duration_us": np.array([10.0, 13.0, 11.0, 13.0])}))
    joined = join([FIRST, slow])
    assert joined.ops.numbers("duration_us").tolist() == [10.0] * 4
    (problem,) = joined.problems
    text.set_language("en")
    said = text.told(problem.message)
    assert (problem.code, problem.message.params["type"], problem.message.params["types"]) == ("join-apart", "Add", 1)
    assert "13.0 us" in said and "10.0 us" in said and "+30.0 %" in said
    near = dataclasses.replace(SECOND, ops=SECOND.ops.extended({"duration_us": np.full(4, 11.9)}))
    assert join([FIRST, near]).problems == ()


def test_problems_of_both_stand_once_and_counters_that_came_lack_no_longer():
    no_counters = Problem("no-pmu", say("profiles.problem.no-pmu"))
    low = Problem("low-frequency", say("profiles.problem.low-frequency", freq=800.0, rated=1800.0, pct=44.4))
    bare = dataclasses.replace(profile("a", CALLS), problems=(no_counters, low))
    joined = join([bare, dataclasses.replace(SECOND, problems=(low,))])
    assert joined.problems == (low,)
    assert join([bare, bare]).problems == (no_counters, low)


def test_cores_and_vendor_words_follow_their_rows():
    cores = Table({"op": np.array([0, 0, 1]), "block": np.array([0, 1, 0]), "time_us": np.array([1.0, 2.0, 3.0])})
    said = (VendorText(0, "said of add1"), VendorText(1, "said of mm1"))
    other = dataclasses.replace(
        profile("b", [CALLS[1], CALLS[0]]), cores=cores, vendor_verdict=said, metadata=Metadata()
    )
    joined = join([profile("a", CALLS[:2]), other])
    assert joined.cores.numbers("op").tolist() == [1, 1, 0]
    assert joined.vendor_verdict == (VendorText(1, "said of add1"), VendorText(0, "said of mm1"))
    assert join([joined, joined]).vendor_verdict == joined.vendor_verdict


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        (CALLS[:3], ("Row 4", "Add", "2 calls against 1")),
        ([*CALLS, ("Add", "add3", "16")], ("Row 5 of PROF_000002_b", "Add", "3 calls against 2")),
        ([*CALLS[:3], ("Mul", "mul", "16")], ("Row 4", "2 calls against 1")),
        ([*CALLS[:2], ("MatMul", "mm2", "32,32"), CALLS[3]], ("Row 3", "32,16", "32,32")),
        ([*CALLS[:1], ("Add", "other", "16"), *CALLS[2:]], ("Row 2", "add1", "other")),
        ([CALLS[2], CALLS[1], CALLS[0], CALLS[3]], ("Row 1", "mm1", "mm2")),
        ([], ("PROF_000002_b has no operators",)),
    ],
)
def test_runs_of_different_programs_are_refused_with_the_first_difference(calls, words):
    problem = refusal(FIRST, profile("PROF_000002_b", calls))
    text.set_language("en")
    assert problem.code == "join"
    assert [word for word in words if word not in text.told(problem.message)] == []
    assert text.told(problem.hint)


@pytest.mark.parametrize("more_in_first", [True, False])
def test_one_more_call_in_between_is_named_not_the_calls_that_it_shifts(more_in_first):
    one = profile("a", CALLS)
    two = profile("b", [*CALLS[:1], ("Add", "add0", "16"), *CALLS[1:]])
    problem = refusal(two, one) if more_in_first else refusal(one, two)
    assert problem.message.key == "opprof.join.count"
    assert {name: problem.message.params[name] for name in ("row", "run", "other", "here", "there")} == {
        "row": 2, "run": "b", "other": "a", "here": 3, "there": 2,
    }  # fmt: skip


def test_another_number_of_devices_is_said():
    one = profile("a", CALLS, device=np.array([0, 0, 0, 0]))
    two = profile("b", [*CALLS, *CALLS], device=np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    assert refusal(one, two).message == say("opprof.join.devices", run="a", other="b", here=1, there=2)


def test_runs_whose_short_names_are_equal_keep_their_whole_names():
    runs = [Run(f"/d/{name}", name, "msprof", "ready") for name in ("PROF_000001_1_A", "PROF_000001_2_B")]
    assert joined_run(runs).name == "PROF_000001_1_A + PROF_000001_2_B"


def test_collectives_bear_other_names_in_each_run():
    calls = [("hcom_allReduce_", "hcom_allReduce__360_0_73", "N/A"), *CALLS]
    other = [("hcom_allReduce_", "hcom_allReduce__586_0_73", "N/A"), *CALLS]
    cores = Strings.of(["COMMUNICATION", *["AI_CORE"] * 4])
    assert len(join([profile("a", calls, core=cores), profile("b", other, core=cores)]).ops) == 5
    assert refusal(profile("a", calls), profile("b", other)).code == "join"


def test_another_chip_is_refused():
    other = dataclasses.replace(SECOND, metadata=Metadata(chip="Ascend910B4"))
    problem = refusal(FIRST, other)
    assert problem.message.params["there"] == "Ascend910B4"
    family = dataclasses.replace(SECOND, metadata=Metadata(family="Ascend910B"))
    assert join([FIRST, family]).metadata.chip == "Ascend910B3"


def test_devices_are_matched_in_their_order():
    calls = [CALLS[0], CALLS[0]]
    one = profile("a", calls, device=np.array([0, 1]), aic_mac_ratio=np.array([0.1, 0.2], np.float32))
    two = profile("b", calls, device=np.array([7, 4]), aic_mte1_ratio=np.array([0.7, 0.4], np.float32))
    assert join([one, two]).ops.numbers("aic_mte1_ratio").tolist() == pytest.approx([0.4, 0.7])


def test_real_runs_without_shared_calls_are_refused():
    names = ("pipe_utilization_crlf.csv", "arithmetic_2023.csv")
    assert refusal(*(read_profile(look_at(FIXTURES / name, LATER)) for name in names)).code == "join"


REAL = ("pipe_utilization_crlf.csv", "OPPROF_20260522170000_SEVERALLAUNCHESX", "level0_na_types.csv", "mix_cann85.csv")


@pytest.mark.parametrize("name", REAL)
def test_a_real_run_joined_with_itself_changes_nothing(name):
    one = read_profile(look_at(FIXTURES / name, LATER))
    check_unchanged(join([one, one, one]), one)


def check_unchanged(joined: Profile, one: Profile) -> None:
    assert list(joined.ops.columns) == list(one.ops.columns)
    assert plain(joined.ops) == plain(one.ops)
    assert (joined.problems, joined.vendor_verdict, joined.sources) == (one.problems, one.vendor_verdict, one.sources)
    assert (joined.cores is None) == (one.cores is None)
    if one.cores is not None:
        assert plain(joined.cores) == plain(one.cores)


CALL = st.tuples(st.sampled_from(["A", "B", "C"]), st.sampled_from(["x", "y", "z"]), st.sampled_from(["1", "2;3"]))


@settings(max_examples=150, deadline=None)
@given(calls=st.lists(CALL, min_size=1, max_size=12))
def test_a_run_joined_with_itself_changes_nothing(calls):
    one = profile("a", calls, aic_mac_ratio=np.linspace(0, 1, len(calls)).astype(np.float32))
    check_unchanged(join([one, one]), one)


@settings(max_examples=200, deadline=None)
@given(calls=st.lists(CALL, min_size=1, max_size=12), data=st.data())
def test_a_shuffled_second_run_is_refused_unless_no_type_saw_another_order(calls, data):
    shuffled = data.draw(st.permutations(calls))
    marks = np.arange(len(calls), dtype=np.float32)
    one, other = profile("a", calls), profile("b", shuffled, aic_mac_ratio=marks)
    alike = all([c for c in calls if c[0] == kind] == [c for c in shuffled if c[0] == kind] for kind in "ABC")
    if not alike:
        theirs = {kind: iter([call for call in shuffled if call[0] == kind]) for kind in "ABC"}
        first = next(row for row, call in enumerate(calls, 1) if call != next(theirs[call[0]]))
        assert refusal(one, other).message.params["row"] == first
        return
    joined = join([one, other])
    marked = [shuffled[int(mark)] for mark in joined.ops.numbers("aic_mac_ratio")]
    assert marked == calls
