"""Operators and the drill-down, driven by keys and mouse."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_profile import made_summary
from rich.cells import cell_len

from npuscope.analysis.summary import Finding, StepsSummary
from npuscope.parsers.say import Problem, say
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.export import screen_text
from npuscope.tui.launch import Options
from npuscope.tui.operators.answer import table_meta
from npuscope.tui.screens.findings import FindingsScreen
from npuscope.tui.screens.lists import GapsScreen
from npuscope.tui.screens.operator import OperatorScreen
from npuscope.tui.screens.operators import OperatorsScreen
from npuscope.tui.session import Part
from npuscope.tui.widgets.optable import OperatorTable


class OperatorsOnly(NpuscopeApp):
    """The application, starting on the Operators screen, with no feed."""

    FIRST = "operators"


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    return made_summary(tmp_path_factory.mktemp("profile"))


def make_app(theme="dark", ascii_only=False):
    return OperatorsOnly(Options(source=None, roots=()), theming.look(theme, ascii_only))


async def opened(app, pilot, summary):
    app.session.open(summary.profile.run).summary = summary
    app.tell(Part.SUMMARY)
    await pilot.pause()
    await pilot.pause()


async def press(pilot, *keys):
    for key in keys:
        await pilot.press(key)
    await pilot.pause()
    await pilot.pause()


def table(app):
    return app.screen.query_one(OperatorTable)


def selected(app):
    view = table(app).view
    column = "name" if table(app).level == "instances" else "type"
    return view.table.strings(column)[view.row]


async def test_types_come_largest_first_with_their_label(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        assert selected(app) == "MatMulV2"
        shown = screen_text(app)
        assert "495.0 us of operators" not in shown
        assert "522.0 us of operators" in shown
        line = next(line for line in shown.splitlines() if line.startswith("▌ MatMulV2"))
        assert "297.0" in line and "56.9" in line and "memory" in line
        assert "TransData[x]" in shown


async def test_before_a_profile_is_open_the_screen_says_what_to_do():
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "No profile is open." in screen_text(app)


JOINED = {
    "en": "Joined runs differ: MatMulV2 took 692 us in the first, 9.13 ms in the other.",
    "zh": "合并的运行不一致：MatMulV2 在第一个中用时 692 us，在另一个中用时 9.13 ms。",
}


@pytest.mark.parametrize("language", text.LANGUAGES)
async def test_joined_runs_that_took_other_times_are_told_of_before_all_else(summary, language):
    text.set_language(language)
    params = {"types": 1, "type": "MatMulV2", "run": "a", "other": "b", "here": 692.0, "there": 9130.0, "pct": 1219.4}
    apart = Problem("join-apart", say("opprof.join.slower", **params))
    joined = replace(summary, profile=replace(summary.profile, problems=(apart,)))
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, joined)
        assert app.screen.answer().kind == "warn"
        assert JOINED[language] in screen_text(app)


async def test_sort_reverse_and_worst(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "r")
        assert table(app).view.order[0] == table(app).view.order.max()
        assert selected(app) == "MatMulV2"
        await press(pilot, "w")
        assert table(app).view.how.column == "saving_us"
        savings = table(app).view.table.numbers("saving_us")[table(app).view.order]
        known = savings[savings == savings]
        assert (known[:-1] >= known[1:]).all()
        await press(pilot, "s")
        assert table(app).view.how.column != "saving_us"


async def test_a_click_on_a_head_sorts_and_again_reverses(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await pilot.click(OperatorTable, offset=(26, 0))
        await pilot.pause()
        assert (table(app).view.how.column, table(app).view.how.descending) == ("count", True)
        await pilot.click(OperatorTable, offset=(26, 0))
        await pilot.pause()
        assert not table(app).view.how.descending


async def test_tab_changes_the_level_and_stays_on_the_operator(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "down")
        kind = selected(app)
        await press(pilot, "tab")
        assert table(app).level == "instances"
        assert selected(app).startswith(kind)
        assert len(table(app).view) == 15
        await press(pilot, "tab")
        assert table(app).level == "shapes" and selected(app) == kind
        await press(pilot, "tab")
        assert table(app).level == "types" and selected(app) == kind


async def test_filter_follows_while_it_is_typed_and_esc_clears(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "slash", *"trans")
        assert len(table(app).view) == 1 and selected(app) == "TransData[x]"
        await press(pilot, "enter", "escape")
        assert len(table(app).view) == 5


@pytest.mark.parametrize(("typed", "left"), [("us>30", 2), ("label=memory", None), ("count=3 & us<13", 2)])
async def test_filters_on_columns(summary, typed, left):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        app.screen._filter_typed(typed)
        await pilot.pause()
        view = table(app).view
        if left is not None:
            assert len(view) == left
        else:
            labels = view.table.strings("label")
            assert len(view) and all("memory" in labels[row] for row in view.order.tolist())


async def test_a_filter_that_means_nothing_says_what_it_knows(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        app.screen._filter_typed("colour=red")
        await pilot.pause()
        assert 'knows no "colour"' in screen_text(app)


async def test_enter_drills_down_and_esc_returns(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "enter")
        assert isinstance(app.screen, OperatorScreen)
        shown = screen_text(app)
        assert "3 calls" in shown and "MatMulV2 takes 90.0 us" in shown
        assert "Pipes of the median call" in shown and "mte2" in shown and "0.96" in shown
        assert "20 on 20 cores" in shown
        await press(pilot, "h")
        assert "117" in screen_text(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, OperatorsScreen)


async def test_neighbours_and_wait_are_named(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "slash", *"Cast", "enter", "tab", "enter")
        shown = screen_text(app)
        assert "TransData[x]_" in shown and "100 us wait" in shown


async def test_gaps_lead_to_the_operator_behind_them(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "g")
        assert isinstance(app.screen, GapsScreen)
        assert "132" in screen_text(app)
        before = app.screen.summary.gaps[0].before
        await press(pilot, "enter")
        assert table(app).level == "instances" and selected(app) == before


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ((80, 24), "  12 steps: med 268.0 us, p90 269.5 us, p99 292.0 us, drift -7.5 %, 2500/s"),
        ((160, 40), "  steps: 12   median 268.0 us   p90 269.5 us   p99 292.0 us   2500 steps/s   the last third takes "
                    "7.5 % less than the first   (from Step Id)"),
    ],
)  # fmt: skip
async def test_over_the_gaps_stand_the_steps(summary, size, said):
    steps = StepsSummary(12, 12, 268.0, 269.5, 292.0, 2500.0, -7.5, "step_id")
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await opened(app, pilot, replace(summary, steps_summary=steps))
        await press(pilot, "g")
        assert said in [line.rstrip() for line in screen_text(app).splitlines()]


async def test_findings_open_and_close(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "f")
        assert isinstance(app.screen, FindingsScreen)
        await press(pilot, "escape")
        assert isinstance(app.screen, OperatorsScreen)


def with_findings(summary, count):
    made = [
        Finding("made", "low", say("finding.first", us=1.0 + n, count=n), say("finding.chain.ffn"),
                say("finding.first.advice"), 1.0, ("Add", "Cast") if n % 2 else ("MatMulV2",))
        for n in range(count)
    ]  # fmt: skip
    return replace(summary, findings=tuple(made))


async def test_five_findings_first_and_the_rest_on_demand(summary):
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, with_findings(summary, 8))
        await press(pilot, "f")
        assert "3 more (a)" in screen_text(app) and "(shapes: 5)" not in screen_text(app)
        await press(pilot, "end", *["down"] * 9)
        assert "(shapes: 4)" in screen_text(app)
        await press(pilot, "a", *["down"] * 9)
        assert "(shapes: 7)" in screen_text(app) and "more (a)" not in screen_text(app)
        await press(pilot, "a")
        assert "3 more (a)" in screen_text(app)


async def test_a_finding_leads_to_its_operators_and_esc_back_to_it(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, with_findings(summary, 8))
        await press(pilot, "f", "a", *["down"] * 7, "enter")
        assert isinstance(app.screen, OperatorsScreen) and table(app).level == "types"
        assert app.screen._filter == "type==Add|Cast" and len(table(app).view) == 2
        await press(pilot, "escape")
        assert isinstance(app.screen, FindingsScreen) and "(shapes: 7)" in screen_text(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, OperatorsScreen) and len(table(app).view) == 5


async def test_columns_can_be_added(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "c", "space", "enter")
        assert table(app).chosen == ("kernel_us",)
        assert " kernel us" in screen_text(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_every_indicator_can_be_chosen(summary, size):
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "c")
        shown = screen_text(app)
        for head in ("kernel us", "move us", "other us", "AI Core %", "issue"):
            assert f"] {head}" in shown
        await press(pilot, "down", "down", "space", "down", "down", "space", "enter")
        assert table(app).chosen == ("other_us", "scalar_ratio")
        shown = screen_text(app)
        assert "other us" in shown and "issue" in shown


async def test_sideways_shows_more_columns(summary):
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, summary)
        assert "max us" not in screen_text(app)
        await press(pilot, *["right"] * 9)
        assert "max us" in screen_text(app) and "MatMulV2" in screen_text(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (160, 50)])
async def test_label_and_total_stand_at_every_size(summary, size):
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await opened(app, pilot, summary)
        line = next(line for line in screen_text(app).splitlines() if line.startswith("▌ MatMulV2"))
        assert "297.0" in line and "memory" in line
        assert max(len(line) for line in screen_text(app).splitlines()) <= size[0]


async def test_ascii_and_no_colour(summary):
    app = make_app("mono", ascii_only=True)
    text.set_language("en", ascii_only=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(app, pilot, summary)
        for keys in ((), ("enter",)):
            await press(pilot, *keys)
            shown = screen_text(app)
            assert all(ord(letter) < 128 for letter in shown)
            assert "memory" in shown


async def test_chinese(summary):
    text.set_language("zh")
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        shown = screen_text(app)
        assert "算子总耗时" in shown and "访存" in shown


async def test_a_profile_read_again_keeps_order_and_place(summary, tmp_path):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "s", "down", "down")
        kind, column = selected(app), table(app).view.how.column
        again = made_summary(tmp_path)
        again = type(again)(**{**vars(again), "profile": summary.profile})
        await opened(app, pilot, again)
        assert (selected(app), table(app).view.how.column) == (kind, column)


async def test_a_small_window_says_which_size_is_needed(summary):
    app = make_app()
    async with app.run_test(size=(60, 15)) as pilot:
        await opened(app, pilot, summary)
        assert "80 x 24" in screen_text(app)


async def test_a_profile_that_disappears_is_told(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        run = summary.profile.run
        app.session.take_runs((run,))
        app.session.take_runs(())
        app.tell(Part.SUMMARY)
        await pilot.pause()
        assert "no longer on disk" in screen_text(app)
        assert app.session.take_runs((run,)) == [run]


async def test_another_profile_begins_with_its_types(summary, tmp_path):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "tab", "end")
        other = made_summary(tmp_path, steps=2)
        await opened(app, pilot, other)
        assert table(app).level == "types" and table(app).view.cursor == 0


async def test_a_filter_says_what_it_leaves(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        app.screen._filter_typed("MatMul")
        await pilot.pause()
        await pilot.pause()
        assert "1 of 5 match: 297.0 us, 56.9 %" in screen_text(app)
        app.screen._filter_typed("us>abc")
        await pilot.pause()
        assert '"us abc" needs a number' in screen_text(app)


async def test_gaps_are_the_devices_and_tab_shows_those_of_streams(summary):
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await press(pilot, "g")
        assert app.screen.gaps is summary.device_gaps
        assert "at ms" in screen_text(app)
        await press(pilot, "tab")
        assert app.screen.gaps is summary.gaps and "Gaps of each stream" in screen_text(app)


async def test_shapes_stand_beside_the_type(summary):
    for size in ((80, 24), (120, 36)):
        app = make_app()
        async with app.run_test(size=size) as pilot:
            await opened(app, pilot, summary)
            await press(pilot, "tab", "tab")
            assert "1024,2560" in screen_text(app)


@pytest.mark.parametrize("width", [80, 100, 120, 160])
def test_the_rule_over_the_table_has_room_for_what_it_says(summary, width):
    """The number of operators stays, whatever has to give way; nothing is cut."""
    named = replace(summary, chip=replace(summary.chip, name="Ascend910B3", source="inferred"))
    meta = table_meta(named, width, "Operator types")
    assert cell_len(meta) <= width - len("Operator types") - 12
    assert "15 ops" in meta and "span" in meta and "…" not in meta
    if width >= 120:
        assert "910B3 (inferred)" in meta
