"""The list of runs without a screen: order, filter, comparison, columns, cells, words."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from npuscope.parsers.profile import Metadata, Run
from npuscope.parsers.say import Problem, say
from npuscope.parsers.table import Strings, Table
from npuscope.sources.inside import Inside
from npuscope.tui import text
from npuscope.tui.filtering import FilterError
from npuscope.tui.runs import columns as runcolumns
from npuscope.tui.runs import view as runview
from npuscope.tui.runs.columns import layout
from npuscope.tui.runs.desk import program_of
from npuscope.tui.runs.headlines import work_of
from npuscope.tui.runs.view import RunView, below, change_pct, wanted_of
from npuscope.tui.runs.words import Line, Place, answer_of, detail_of, name_in_words, watched_in_words, where
from npuscope.tui.session import Headline
from npuscope.tui.widgets.rundetail import allotted
from npuscope.tui.wrapping import wrap

DAY = time.mktime((2026, 1, 2, 0, 0, 0, 0, 0, -1))


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    text.set_language("en")
    yield
    text.set_language("en")


def run(name: str, at: float = 0.0, kind: str = "msprof", state: str = "ready", **more: object) -> Run:
    return Run(path=f"/p/{name}", name=name, kind=kind, state=state, started_at=DAY + at, **more)  # type: ignore[arg-type]


def view_of(runs: list[Run], **totals: float | Headline) -> RunView:
    known = {
        name: total if isinstance(total, Headline) else Headline(total, 100, "memory", 50.0, 70.0, "Ascend910B3")
        for name, total in totals.items()
    }
    view = RunView(lambda one: known.get(one.name))
    view.take(runs)
    return view


def names(view: RunView) -> list[str]:
    return [one.name for one in view.shown]


# ---- order, filter, cursor


def test_newest_first_by_the_stamp_in_the_name_whatever_the_order_found():
    runs = [run("b", 2), run("c", 3), run("a", 1)]
    assert names(view_of(runs)) == ["c", "b", "a"]


def test_a_run_without_a_stamp_stands_where_it_was_last_changed():
    late = Run(path="/p/x", name="x", kind="csv", state="ready", changed_at=DAY + 2.5)
    assert names(view_of([run("b", 2), run("c", 3), late])) == ["c", "x", "b"]


def test_unknown_values_stand_last_in_both_directions():
    view = view_of([run("a", 1), run("b", 2), run("c", 3)], a=10.0, c=30.0)
    view.sort("total")
    assert names(view) == ["c", "a", "b"]
    view.sort("total")
    assert names(view) == ["a", "c", "b"]


def test_states_sort_by_how_much_they_want_attention():
    view = view_of([run("a", 1), run("b", 2, state="exporting"), run("c", 3, state="damaged")])
    view.sort("state")
    assert names(view) == ["b", "a", "c"]


@pytest.mark.parametrize(
    "written, left",
    [
        ("", ["c", "b", "a"]),
        ("B", ["b"]),
        ("kind=torch", ["c"]),
        ("state!=ready", ["c"]),
        ("total>15", ["b"]),
        ("label=mem & total<15", ["a"]),
        ("total>", ["c", "b", "a"]),
    ],
)
def test_filters(written: str, left: list[str]):
    view = view_of([run("a", 1), run("b", 2), run("c", 3, "torch_npu", "collected")], a=10.0, b=20.0)
    try:
        view.filter(written)
    except FilterError:
        assert written == "total>"
    assert names(view) == left


def test_a_name_is_searched_below_the_root_only():
    view = view_of([run("a"), run("node3/b")])
    view.roots = ("/p",)
    view.filter("node3")
    assert names(view) == ["node3/b"]
    view.filter("p/")
    assert names(view) == []


@pytest.mark.parametrize(
    "path, roots, rest", [("/a/b/c", ("/a",), "b/c"), ("/a/b/c", ("/a", "/a/b/"), "c"), ("/x", ("/a",), "/x")]
)
def test_below(path, roots, rest):
    assert below(path, roots) == rest


@given(st.lists(st.integers(0, 500), max_size=60), st.integers(1, 20), st.lists(st.integers(-30, 30), max_size=20))
def test_the_window_always_holds_the_cursor(stamps: list[int], height: int, moves: list[int]):
    view = view_of([run(f"r{number}", at) for number, at in enumerate(stamps)])
    for step in moves:
        view.move(step)
        window = view.window(height)
        assert len(window) == min(height, len(stamps))
        if stamps:
            assert view.run in window


@given(st.permutations(range(8)), st.integers(0, 7))
def test_the_cursor_stays_on_its_run_whatever_comes(order: list[int], at: int):
    runs = [run(f"r{number}", number) for number in range(8)]
    view = view_of(runs)
    view.move(at)
    before = view.run
    view.take([runs[number] for number in order] + [run("new", 99)])
    assert view.run == before


# ---- what a run is compared with


def test_a_change_is_told_against_the_run_before_of_the_same_kind_and_rank():
    runs = [run("a", 1), run("b", 2, "torch_npu"), run("c", 3), run("d", 4, state="collected"), run("e", 5)]
    view = view_of(runs, a=100.0, c=82.0, e=82.5)
    assert view.before(runs[4]) is runs[2] and view.before(runs[2]) is runs[0]
    assert view.before(runs[0]) is None and view.before(runs[1]) is None
    assert view.change_pct(runs[2]) == pytest.approx(-18.0)
    ranked = view_of([run("a", 1, rank=0), run("b", 2, rank=1)], a=1.0, b=2.0)
    assert ranked.change_pct(ranked.shown[0]) is None


def placed(path: str, at: float) -> Run:
    return Run(path=path, name=path.rpartition("/")[2], kind="msprof_op", state="ready", started_at=DAY + at)


def test_a_run_of_several_of_one_name_is_set_against_its_namesake_of_the_same_kernel():
    rounds = [
        placed(f"/p/{kernel}/round_00{number}/msprof/shape_{shape}", 100 * number + 10 * at + shape)
        for number in (1, 2, 3)
        for at, kernel in enumerate(("Cummin", "Cumsum"))
        for shape in (0, 1)
    ]
    works = {run.path: Headline(10.0 + at, 1, "memory", work=(f"{run.path.split('/')[2]} ?",))
             for at, run in enumerate(rounds)}  # fmt: skip
    view = RunView(lambda one: works.get(one.path))
    view.take(rounds)
    for run in rounds[4:]:
        number = int(run.path.split("/")[3][-1])
        earlier = run.path.replace(f"round_00{number}", f"round_00{number - 1}")
        assert view.before(run).path == earlier
        assert view.change_pct(run) == pytest.approx(100 * (works[run.path].total_us / works[earlier].total_us - 1))
    last = detail_of(view, rounds[-1], Place())
    assert any("Cumsum/round_002/msprof/shape_1" in line.text for line in last if line.label == "change")


def test_a_namesake_of_another_kernel_gives_way_to_the_run_before():
    runs = [placed("/p/Diag/round_002", 1), placed("/p/Addr/round_001", 2), placed("/p/Addr/round_002", 3)]
    works: dict[str, Headline] = {}
    view = RunView(lambda one: works.get(one.path))
    view.take(runs)
    assert view.before(runs[2]) is runs[0]  # still unread: it is read next
    assert runs[0] in wanted_of(view, ())
    works.update({run.path: Headline(3.0 + at, 1, "memory", work=(f"{run.path.split('/')[2]} ?",))
                  for at, run in enumerate(runs)})  # fmt: skip
    assert view.before(runs[2]) is runs[1] and view.change_pct(runs[2]) == pytest.approx(25.0)


@pytest.mark.parametrize(
    "now, before, change",
    [
        (Headline(110.0, 100, "memory"), Headline(100.0, 100, "memory"), 10.0),
        (Headline(110.0, 100, "memory"), Headline(100.0, 81, "memory"), 10.0),
        (Headline(110.0, 100, "memory"), Headline(100.0, 79, "memory"), None),
        (Headline(110.0, 1, "memory", chip="A"), Headline(100.0, 1, "memory", chip="B"), None),
        (Headline(110.0, 1, "memory"), Headline(0.0, 1, "memory"), None),
        (Headline(math.nan, 0, "unknown"), Headline(100.0, 1, "memory"), None),
        (Headline(110.0, 1, "memory"), None, None),
        (Headline(0.0, 0, "unknown"), Headline(100.0, 1, "memory"), None),
        (Headline(900.0, 9, "memory", work=("Add 8,8",)), Headline(100.0, 9, "memory", work=("Add 8,8",)), 800.0),
        (Headline(900.0, 9, "memory", work=("Add 8,8",)), Headline(100.0, 9, "memory", work=("Add 9,9",)), None),
        (Headline(450.0, 9, "memory", work=("quant ?",)), Headline(100.0, 9, "memory", work=("quant ?",)), 350.0),
        (Headline(900.0, 9, "memory", work=("quant ?",)), Headline(100.0, 9, "memory", work=("quant ?",)), None),
        (
            Headline(90.0, 9, "memory", work=("a ?", "b ?", "c ?")),
            Headline(100.0, 9, "memory", work=("b ?", "d ?")),
            None,
        ),
        (Headline(90.0, 9, "memory", work=("a ?", "b ?")), Headline(100.0, 9, "memory", work=("b ?",)), -10.0),
        (Headline(90.0, 9, "memory", work=("a ?",)), Headline(100.0, 9, "memory"), -10.0),
    ],
)
def test_only_what_can_be_compared_is_compared(now, before, change):
    assert change_pct(now, before) == (None if change is None else pytest.approx(change))


def test_the_work_of_a_run_is_its_leading_operators_with_their_shapes():
    shapes = Table({
        "type": Strings.of(["MatMulV2", "quant", None]),
        "input_shapes": Strings.of(["8,8;8,8", None, None]),
        "total_us": np.array([9.0, 2.0, 1.0]),
    })  # fmt: skip
    assert work_of(shapes) == ("MatMulV2 8,8;8,8", "quant ?", " ?")
    assert work_of(shapes, most=1) == ("MatMulV2 8,8;8,8",)


def test_what_is_read_first_is_the_run_at_the_cursor_then_the_window_and_what_it_is_compared_with():
    runs = [run(f"r{number}", number) for number in range(20)]
    view = view_of(runs, r18=1.0)
    view.move(2)
    wanted = [one.name for one in wanted_of(view, view.window(3))]
    assert wanted == ["r17", "r19", "r16"]


# ---- columns and cells


@pytest.mark.parametrize("dated", [False, True])
@pytest.mark.parametrize("ranked", [False, True])
def test_columns_never_overlap_and_name_state_and_total_never_drop(dated: bool, ranked: bool):
    for width in range(80, 201):
        placed = layout(width, dated, ranked)
        for left, right in zip(placed, placed[1:]):
            assert left.x + left.width <= right.x
        assert placed[-1].x + placed[-1].width < width
        assert {"time", "run", "state", "total", "core", "label"} <= {one.column for one in placed}
        assert placed[1].width >= 18


def test_columns_give_way_in_their_order():
    assert [one.column for one in layout(120, False)] == [
        "time",
        "run",
        "kind",
        "state",
        "chip",
        "rank",
        "ops",
        "total",
        "core",
        "label",
        "change",
    ]
    gone = []
    for width in range(120, 99, -1):
        gone += [
            name for name in ("kind", "chip", "rank") if name not in gone + [o.column for o in layout(width, True)]
        ]
    assert gone == ["kind", "chip", "rank"]


def test_the_day_stands_beside_the_time_as_soon_as_one_run_is_not_of_today():
    today, old = run("a", 10), run("b", -5 * 86_400)
    now = DAY + 3600
    assert not runcolumns.is_dated([today], now) and runcolumns.is_dated([today, old], now)
    assert runcolumns.time_cell(today, False, now) == "00:00:10"
    assert runcolumns.time_cell(today, True, now) == "01-02 00:00"
    assert runcolumns.time_cell(old, True, now) == "2025-12-28"


def test_a_run_of_which_nothing_tells_when_it_was_has_a_dash_and_dates_no_others():
    timeless = replace(run("a", 10), started_at=None, changed_at=0.0)
    now = DAY + 3600
    assert not runcolumns.is_dated([timeless], now)
    assert runcolumns.time_cell(timeless, False, now) == runcolumns.time_cell(timeless, True, now) == "–"


@pytest.mark.parametrize(
    "name, short",
    [
        ("PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP", "PROF_000001_20260102030405006"),
        ("PROF_000001_20260102030405006", "PROF_000001_20260102030405006"),
        ("node_1_2026_ascend_pt", "node_1_2026_ascend_pt"),
    ],
)
def test_short_name(name, short):
    assert runcolumns.short_name(name) == short


@pytest.mark.parametrize(
    "place, width, cell",
    [
        ("", 10, "rank_0_ascend_pt"),
        ("level2/rank_0_ascend_pt", 30, "level2/rank_0_ascend_pt"),
        ("level2/rank_0_ascend_pt", 20, "…l2/rank_0_ascend_pt"),
        ("数据/算子_ascend_pt", 15, "…算子_ascend_pt"),
        ("round_003/msprof/rank_0", 23, "round_003/msprof/rank_0"),
        ("round_003/msprof/rank_0", 20, "round_003/…/rank_0"),
    ],
)
def test_a_name_that_several_runs_bear_is_told_with_its_folder(place, width, cell):
    one = Run(path="/p/level2/rank_0_ascend_pt", name="rank_0_ascend_pt", kind="torch_npu", state="ready")
    assert runcolumns.name_cell(one, place, width, "…") == cell
    assert not place or cell_len(cell) <= width


def test_namesakes_are_told_apart_by_as_many_folders_as_it_takes():
    paths = [f"/p/round_{n}/msprof/shape_{m}" for n in (1, 2) for m in (1, 2)] + ["/p/level1/x", "/p/level2/x", "/p/y"]
    runs = [Run(path=path, name=path.rpartition("/")[2], kind="msprof_op", state="ready") for path in paths]
    told_apart = runview.told_apart(runs)
    assert [told_apart.get(path) for path in paths] == [
        "round_1/msprof/shape_1", "round_1/msprof/shape_2", "round_2/msprof/shape_1", "round_2/msprof/shape_2",
        "level1/x", "level2/x", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "value, width, cell",
    [(0, 6, "0"), (9632, 5, "9632"), (12480, 6, "12 480"), (12480, 5, "12480"), (1_000_000, 5, "1000k")],
)
def test_count_cell(value, width, cell):
    assert runcolumns.count_cell(value, width) == cell


@pytest.mark.parametrize(
    "us, unit, cell",
    [
        (18_210.0, ("ms", 1000.0, 2), "18.21"),
        (1_204_000.0, ("ms", 1000.0, 2), "1204.0"),
        (3000.0, ("us", 1.0, 1), "3000"),
        (100.0, ("ms", 1000.0, 2), "0.10"),
        (42.0, ("ms", 1000.0, 2), "0.04"),
        (9.96, ("ms", 1000.0, 2), "9.96 us"),
        (4.4, ("ms", 1000.0, 2), "4.40 us"),
        (4.4, ("s", 1e6, 2), "4.40 us"),
        (9_996.0, ("s", 1e6, 2), "10.00 ms"),
        (0.001, ("ms", 1000.0, 2), "<0.01 us"),
        (4.4, ("us", 1.0, 1), "4.4"),
        (0.0, ("ms", 1000.0, 2), "0.00"),
    ],
)
def test_total_cell(us, unit, cell):
    assert runcolumns.total_cell(us, unit) == cell
    room = [placed.width for width in (80, 120) for placed in layout(width, False) if placed.column == "total"]
    assert len(cell) <= min(room)


@pytest.mark.parametrize(
    "pct, width, cell, token",
    [
        (None, 8, "", "dim"),
        (-4.1, 8, "▼-4.1 %", "ok"),
        (8.72, 8, "▲+8.7 %", "bad"),
        (0.2, 8, "+0.2 %", "dim"),
        (-0.001, 8, "0.0 %", "dim"),
        (-18.0, 8, "▼-18.0 %", "ok"),
        (1204.0, 8, "▲+1204 %", "bad"),
        (-4.1, 5, "-4.1", "ok"),
        (184.0, 5, "+184", "bad"),
    ],
)
def test_change_cell(pct, width, cell, token):
    assert runcolumns.change_cell(pct, width, "▲", "▼") == (cell, token)


# ---- words


def test_where():
    assert where(("/w/prof",), "/w") == "./prof"
    assert where(("/w",), "/w") == "./"
    assert where(("/data/prof",), "/w") == "/data/prof"
    assert where(("/wide",), "/w") == "/wide"
    assert where(("/a", "/b"), "/w") == "2 folders"


@pytest.mark.parametrize(
    "how, words",
    [
        ("events", "watched by events"),
        ("events, polling (nfs4)", "polled (nfs4 sends no events)"),
        ("polling (inotify limit)", "polled (inotify limit reached)"),
        ("", ""),
    ],
)
def test_how_folders_are_watched(how, words):
    assert watched_in_words(how) == words


def test_a_number_names_a_run_only_where_it_is_the_only_one_of_that_number():
    first, second = run("PROF_000001_20260102030405006_ABCDEFGHIJ"), run("PROF_000002_20260102030405006_ABCDEFGHIJ")
    other = run("PROF_000001_20260103030405006_KLMNOPQRST")
    assert name_in_words(first, [first, second]) == "PROF_000001"
    assert name_in_words(first, [first, other]) == "PROF_000001_20260102030405006"


def test_the_answer_says_less_in_a_narrow_window_and_never_more_than_fits():
    long = "PROF_000001_2026010203040{}006_ABCDEFGHIJ"
    view = view_of([run(long.format(1), 1), run(long.format(2), 2)])
    known = Headline(18_210.0, 9, "memory", aicore_pct=71.0)
    view.headline = lambda one: known if one.name == long.format(2) else Headline(18_990.0, 9, "memory")
    for width in range(80, 161):
        answer = answer_of(view, True, "/data/" + "x" * 60, width)
        assert cell_len(answer.first) <= width - 4 and cell_len(answer.second) <= width - 4
        assert answer.first.startswith("2 runs") and "18.21 ms" in answer.second
    assert answer_of(view, True, "./", 160).second.endswith(", 4.1 % faster than the run before it.")


def test_an_empty_list_says_whether_it_was_looked_for_at_all():
    view = view_of([])
    assert answer_of(view, False, "./", 80).first == "Looking for profiles in ./"
    assert answer_of(view, True, "./", 80).first == "No profile in ./ yet."


def collected(command: str | None = "msprof --export=on --output=/p/a") -> Run:
    return run("a", state="collected", reason=say("profiles.reason.not-exported"), next_command=command)


def test_the_pane_of_raw_data_counts_what_is_there():
    inside = Inside(
        ("device_0", "host"), 38, 214_000_000, metadata=Metadata(family="Ascend910B", aic_metrics="PipeUtilization")
    )
    lines = detail_of(view_of([collected()]), collected(), Place(inside, "msprof", True))
    assert lines == [
        Line("there", "device_0, host: 214 MB in 38 files (Ascend910B, PipeUtilization)"),
        Line("lacks", "the raw data was collected, but not exported yet"),
        Line("do", "msprof --export=on --output=/p/a", "bright"),
        Line("", "x runs it here, after asking (msprof is on this box); y copies it"),
    ]


def test_the_pane_of_a_run_says_what_it_holds_and_how_it_changed():
    runs = [
        run("a", 1, files=("t.csv",)),
        run("b", 2, files=("t.csv", "u.csv", "v.csv", "w.csv"), size_bytes=1_000_000),
    ]
    view = view_of(runs, a=100.0, b=Headline(50.0, 100, "stall", 60.0, 33.3))
    assert [(line.label, line.text) for line in detail_of(view, runs[1], Place())] == [
        ("there", "t.csv, u.csv, v.csv and 1 more, 1.00 MB"),
        ("holds", "100 operators, 50.00 us, AI Core 33 %, stall-bound for 60 % of the time"),
        ("change", "50.0 % faster against a, the run of this kind before it (one run each: 3 to 5 tell more)"),
        ("do", "enter shows its operators"),
    ]


def test_a_run_without_operators_is_not_a_run_of_zero():
    nothing = run("a", state="partial", reason=say("profiles.reason.no-op-summary"), next_command="msprof --export=on")
    view = view_of([nothing], a=Headline(0.0, 0, "unknown"))
    assert runcolumns.reason_short(nothing, view.headline(nothing)) == "no operator table"
    assert runcolumns.reason_short(run("b"), Headline(0.0, 0, "unknown")) == "no operators in it"
    assert [line.text for line in detail_of(view, nothing, Place()) if line.label == "do"] == ["msprof --export=on"]
    assert view.value(nothing, "total") is None


def test_the_pane_of_a_run_that_may_not_be_read_gives_the_hint():
    problem = Problem("permission", say("profiles.problem.permission", path="/p/a"), say("profiles.hint.permission"))
    closed = run("a", state="unreadable", reason=say("profiles.reason.permission", path="/p/a"), problems=(problem,))
    lines = detail_of(view_of([closed]), closed, Place())
    assert lines[-1] == Line("do", "ask its owner for read permission, or copy the folder")


@pytest.mark.parametrize(
    "command, program",
    [
        ("msprof --export=on --output='/a b'", "msprof"),
        ("python3 -c 'import x'", "python3"),
        ("msprof op --output=. ./YOUR_PROGRAM", ""),
        (None, ""),
    ],
)
def test_only_a_command_that_is_complete_can_be_run(command, program):
    assert program_of(collected(command)) == program


# ---- the pane's lines


@given(st.text(max_size=200), st.integers(2, 60))
def test_wrapping_loses_nothing_and_never_goes_beyond_the_width(sentence: str, width: int):
    sentence = text.clean(sentence)
    pieces = list(wrap(sentence, width))
    assert all(cell_len(piece) <= width for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(sentence.split())


@pytest.mark.parametrize(
    "sentence, width, pieces",
    [
        ("one two three", 8, ["one two", "three"]),
        ("onetwothree", 4, ["onet", "woth", "ree"]),
        ("it is 60 % of all", 8, ["it is", "60 % of", "all"]),
        ("访存瓶颈，切分", 8, ["访存瓶", "颈，切分"]),
        ("搬运 mte2 忙", 8, ["搬运", "mte2 忙"]),
        ("", 8, [""]),
    ],
)
def test_lines_break_at_blanks_and_between_chinese_signs(sentence, width, pieces):
    assert list(wrap(sentence, width)) == pieces


@given(
    st.lists(st.tuples(st.text("ab ", max_size=80), st.sampled_from(["text", "bright"])), max_size=6),
    st.integers(1, 8),
)
def test_lines_share_the_pane_and_the_command_goes_first(texts: list[tuple[str, str]], height: int):
    lines = [Line("", words, token) for words, token in texts]
    given_lines = allotted(lines, 10, height)
    assert sum(len(pieces) for pieces in given_lines) <= height
    assert all(pieces for pieces in given_lines)
    if len(lines) <= height:
        assert len(given_lines) == len(lines)


def test_a_command_is_never_cut_while_there_is_room():
    lines = [Line("there", "x" * 30), Line("do", "y" * 25, "bright"), Line("", "z" * 30)]
    there, command, last = allotted(lines, 10, 5)
    assert command == ["y" * 10, "y" * 10, "y" * 5]
    assert len(there) == len(last) == 1
