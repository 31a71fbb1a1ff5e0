"""The newest profiles as texts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npuscope.parsers.profile import Run
from npuscope.tui import text
from npuscope.tui.live.runs import label, lines_of, marks, serial, short_name, total, wanted
from npuscope.tui.runs.view import RunView
from npuscope.tui.session import Headline, Session


@pytest.fixture(autouse=True)
def _english():
    text.set_language("en")


def run(number: int, state: str = "ready", at: float | None = None) -> Run:
    name = f"PROF_{number:06d}_20260102030405006_ABCDEFGHIJKLMNOP"
    return Run(f"/p/{name}", name, "msprof", state, started_at=number if at is None else at, signature=str(number))


def session(*runs: Run, **headlines: Headline) -> Session:
    made = Session()
    made.take_runs(runs)
    for one in runs:
        known = headlines.get(f"r{int(one.signature)}")
        if known is not None:
            made.headlines[one.path] = (one.signature, known)
    return made


FAST, SLOW = Headline(18_210.0, 1204, "memory", 45.0, 71.0), Headline(18_990.0, 1204, "mixed", None)


def test_the_change_is_against_the_run_before():
    newest, older = lines_of(session(run(2), run(1), r2=FAST, r1=SLOW), 2)
    assert newest.change_pct == pytest.approx(-4.107, abs=0.001)
    assert newest.before == "000001"
    assert older.change_pct is None


@pytest.mark.parametrize(
    "earlier",
    [
        Headline(18_990.0, 700, "mixed", work=("MatMulV2 1,2", "Add 1")),
        Headline(18_990.0, 1204, "mixed", chip="310P3"),
    ],
    ids=["fewer operators", "another chip"],
)
def test_no_change_is_told_where_the_profiles_screen_tells_none(earlier):
    now = Headline(18_210.0, 1204, "memory", 45.0, chip="910B3", work=("MatMulV2 1,2", "Add 1"))
    made = session(run(2), run(1), r2=now, r1=earlier)
    view = RunView(made.headline)
    view.take(made.runs)
    assert lines_of(made, 1)[0].change_pct is None
    assert view.change_pct(made.runs[0]) is None


def test_ranks_are_compared_with_their_own():
    runs = [replace(run(n), rank=n % 2) for n in (4, 3, 2, 1)]
    made = session(*runs, r4=FAST, r2=SLOW)
    assert lines_of(made, 1)[0].before == "000002"
    assert [one.signature for one in wanted(made, lines_of(made, 1))] == []


def test_a_run_of_a_name_that_others_bear_is_set_against_its_namesake():
    shapes = [
        replace(run(2 * turn + shape), path=f"/p/round_{turn}/msprof/shape_{shape}", name=f"shape_{shape}")
        for turn in (2, 1)
        for shape in (1, 0)
    ]
    lines = lines_of(session(*shapes, r5=FAST, r4=SLOW, r3=SLOW, r2=SLOW), 2)
    assert [line.before for line in lines] == ["round_1/msprof/shape_1", "round_1/msprof/shape_0"]
    assert [line.change_pct for line in lines] == [pytest.approx(-4.107, abs=0.001), 0.0]


@pytest.mark.parametrize("earlier", [Headline(float("nan"), 0, "unknown"), Headline(0.0, 0, "unknown"), None])
def test_no_change_against_what_is_not_known(earlier):
    known = {"r2": FAST} if earlier is None else {"r2": FAST, "r1": earlier}
    assert lines_of(session(run(2), run(1), **known), 1)[0].change_pct is None


def test_what_is_shown_and_one_more_is_asked_for_and_nothing_twice():
    made = session(run(5, "exporting"), run(4), run(3), run(2), run(1), r4=FAST)
    shown = lines_of(made, 3)
    assert [one.signature for one in wanted(made, shown)] == ["3", "2"]


def test_three_thousand_runs_ask_for_four():
    made = session(*(run(n) for n in range(3000, 0, -1)))
    assert len(wanted(made, lines_of(made, 3))) == 4


def test_names_in_few_cells():
    name = run(3).name
    assert short_name(name, 11) == "PROF_000003"
    assert short_name(name, 24) == "PROF_000003_20260102030…"
    assert short_name("run_20260102_ascend_pt", 11) == "run_20…d_pt"
    assert (serial(name), serial("run42_ascend_pt")) == ("000003", "run42_ascend_pt")


def test_totals_and_labels():
    assert total(FAST) == "18.21 ms"
    assert label(FAST) == ("memory 45 %", "memory")
    assert label(SLOW) == ("mixed", "mixed")


def test_marks_are_where_runs_began():
    assert marks([run(2, at=200.0), run(1, at=0.0)]) == [(200.0, "PROF_000002")]


@pytest.mark.parametrize(
    ("state", "token"),
    [("exporting", "accent"), ("collecting", "accent"), ("ready", "text"), ("collected", "warn"), ("damaged", "bad")],
)
def test_states_in_colour(state, token):
    assert lines_of(session(run(1, state)), 1)[0].state_token == token
