"""Ranks of a job: folded on the Profiles screen, compared on their own, through keys and mouse. Nothing is read."""

from __future__ import annotations

import dataclasses
import socket
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from made_ranks import rank

from npuscope.analysis.ranks.against import RankOperators
from npuscope.analysis.ranks.lateness import RankLine
from npuscope.analysis.ranks.operators import OperatorCause, OperatorDifference
from npuscope.parsers.profile import Run
from npuscope.parsers.readings import Chip, Reading, SourceInfo
from npuscope.parsers.say import Problem, say
from npuscope.sources.worker import Answer
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.export import screen_text
from npuscope.tui.launch import Options
from npuscope.tui.messages import OpenRun, RunsFound
from npuscope.tui.ranks import live as ranklive
from npuscope.tui.ranks.desk import AHEAD, RankDesk
from npuscope.tui.screens.profiles import ProfilesScreen
from npuscope.tui.screens.rankoperators import DifferenceList, RankOperatorsScreen
from npuscope.tui.screens.ranks import RanksScreen, list_height
from npuscope.tui.session import Part
from npuscope.tui.widgets.ranklist import RankList, bar_cells, layout
from npuscope.tui.widgets.runlist import RunList

STARTED = 1_767_323_045.0


def made(number: int | None, state: str = "ready", ago: float = 0.0, folder: str = "run42", **more) -> Run:
    path = f"/data/{folder}/node_{900 + (number or 0)}_2026010203040{int(ago) % 10}00{number}_ascend_pt"
    values = {"name": Path(path).name, "rank": number, "started_at": STARTED - ago, "signature": f"{number}{state}"}
    return Run(path=path, kind="torch_npu", state=state, **{**values, **more})


RUNS = tuple(made(number) for number in range(4))
ALONE = made(None, folder="alone", ago=500)
PARTS = {
    0: (80_000.0, 26_500.0, 1500.0),
    1: (81_000.0, 25_500.0, 1500.0),
    2: (80_500.0, 26_000.0, 1500.0),
    3: (104_000.0, 2500.0, 1500.0),
}
TYPES = (
    OperatorDifference("MatMulV2", False, 40, 40, 41_280.0, 32_030.0),
    OperatorDifference("Add[x]", False, 60, 60, 1936.0, 1500.0),
    OperatorDifference("hcom_allReduce_", True, 20, 20, 6000.0, 6000.0),
)
OPERATORS = RankOperators(
    RUNS[3].path, TYPES, ("a", "b", "c"), OperatorCause("clock", say("ranks.cause.clock", pct=29))
)


class Box(NpuscopeApp):
    """The application with no source, no folder and no child process; what would be asked of the child is kept."""

    FIRST = "profiles"

    def __init__(self, theme: str = "dark", ascii_only: bool = False) -> None:
        super().__init__(Options(source=None, roots=()), theming.look(theme, ascii_only))
        self.session.roots = ("/data",)
        self.opened: list[Run] = []
        self.asked: list[tuple[str, tuple]] = []
        self.desk.want_headlines = lambda runs: None  # type: ignore[method-assign]
        self.cancelled: list[str] = []
        self.desk.ranks = RankDesk(lambda ticket, job, *args: self.asked.append((ticket, args)), self.cancelled.append)

    def on_open_run(self, message: OpenRun) -> None:
        message.prevent_default()
        self.opened.append(message.run)

    def tickets(self, what: str) -> list[str]:
        return [ticket for ticket, _ in self.asked if ticket.startswith(f"{what} ")]


@asynccontextmanager
async def shown(runs=(*RUNS, ALONE), size=(120, 36), **look):
    app = Box(**look)
    async with app.run_test(size=size) as pilot:
        app.post_message(RunsFound(tuple(runs), "events"))
        await settled(pilot)
        yield app, pilot


async def settled(pilot) -> None:
    for _ in range(3):
        await pilot.pause()


async def press(pilot, *keys) -> None:
    for key in keys:
        await pilot.press(key)
    await settled(pilot)


def answer(app, run: Run, parts) -> None:
    """The child has read a rank."""
    times = rank(run.rank, parts) if parts else rank(run.rank)
    times = dataclasses.replace(times, run=run, state=run.state, world_size=5)
    app.tell(app.desk.take(Answer(f"rank {run.path} {run.signature}", (times,))))


async def read_all(app, pilot, runs=RUNS) -> None:
    for run in runs:
        answer(app, run, PARTS.get(run.rank))
    await settled(pilot)


async def operators(app, pilot, run=RUNS[3], found=OPERATORS) -> None:
    app.tell(app.desk.take(Answer(f"rank-operators {run.path} {run.signature}", found)))
    await settled(pilot)


def lines(app) -> list[str]:
    return screen_text(app).splitlines()


def rows(app) -> list[list[str]]:
    """The cells of the ranks on the screen."""
    heads = next(number for number, line in enumerate(lines(app)) if line.strip().startswith(("rank", "rank▲")))
    found = [line.strip("▌!> ").split() for line in lines(app)[heads + 1 :]]
    return [cells for cells in found if cells and cells[0].isdigit()]


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


# ---- folded on the Profiles screen


async def test_ranks_of_one_job_are_one_line_of_the_list():
    async with shown() as (app, _):
        listed = [line for line in lines(app) if "job of 4 ranks · run42" in line and "enter compares" in line]
        assert len(listed) == 1 and "ranks 0-3" in listed[0] and " job " in listed[0]
        assert len(app.screen.view.shown) == 2 and len(app.screen.view.runs) == 5
        assert "5 runs in /data: 5 ready." in screen_text(app)
        assert any(line.startswith("  holds   4 ranks (0-3)") for line in lines(app))
        assert lines(app)[-1].startswith("  enter ranks   ") and "z unfold   " in lines(app)[-1]


async def test_z_unfolds_and_folds_again_where_the_cursor_stands():
    async with shown() as (app, pilot):
        await press(pilot, "z")
        assert [run.rank for run in app.screen.view.shown] == [0, 1, 2, 3, None]
        assert app.screen.view.run.path == RUNS[0].path
        await press(pilot, "down", "down", "z")
        assert len(app.screen.view.shown) == 2 and app.screen.view.cursor == 0
        await press(pilot, "down", "z")
        assert "is not part of a job of several ranks" in screen_text(app)


async def test_one_rank_alone_and_unknown_ranks_are_not_folded():
    async with shown((made(0), made(None), ALONE)) as (app, _):
        assert [run.kind for run in app.screen.view.shown] == ["torch_npu"] * 3


async def test_a_job_with_raw_ranks_is_partial_and_its_pane_says_so():
    async with shown((*RUNS[:3], made(3, "collected"))) as (app, _):
        assert app.screen.view.run.state == "partial"
        assert "1 of the 4 ranks cannot be read yet" in screen_text(app)


async def test_commands_are_those_of_single_ranks():
    async with shown() as (app, pilot):
        for key in ("x", "y"):
            await press(pilot, key)
            assert "This is done rank by rank" in screen_text(app)


async def test_a_filter_and_a_sort_keep_the_job_as_one_line():
    async with shown() as (app, pilot):
        await press(pilot, "slash", *"run42", "enter")
        assert [run.kind for run in app.screen.view.shown] == ["job"]
        await press(pilot, "escape", "s", "s")
        assert sorted(run.kind for run in app.screen.view.shown) == ["job", "torch_npu"]


async def test_the_cursor_finds_a_folded_run():
    async with shown() as (app, _):
        app.screen.view.move(5)
        app.screen.view.go_to(RUNS[2].path)
        assert app.screen.view.run.kind == "job"


# ---- the table of ranks


async def test_ranks_are_read_a_few_at_a_time_and_fill_the_table():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        assert isinstance(app.screen, RanksScreen)
        assert len(app.tickets("rank")) == AHEAD and "0 of 4 ranks are read." in screen_text(app)
        assert [cells[1:] for cells in rows(app)] == [["being", "read"]] * 4
        answer(app, RUNS[1], PARTS[1])
        await settled(pilot)
        assert len(app.tickets("rank")) == AHEAD + 1 and "1 of 4 ranks are read." in screen_text(app)
        assert rows(app)[1][:4] == ["1", "1", "81.00", "25.50"]
        assert rows(app)[0] == ["0", "being", "read"]


async def test_the_verdict_the_marks_and_the_missing_rank():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        assert lines(app)[2] == "▌ Rank 3 is late by computing: 104.0 ms, the others 80.50 ms (+29.2 %)."
        assert lines(app)[3].startswith("▌ 3 others wait for it, 23.0 ms to 24.0 ms longer in communication.")
        assert [cells[0] for cells in rows(app)] == ["0", "1", "2", "3", "4"]
        assert rows(app)[3][:7] == ["3", "3", "104.00", "2.50", "1.50", "108.00", "+29.2"]
        assert " ".join(rows(app)[0][-4:]) == "waits for rank 3"
        assert rows(app)[4][1:] == ["no", "profile", "here"]
        assert "4 of 5 ranks" in screen_text(app)
        late = next(line for line in lines(app) if "+29.2" in line and "104.00" in line)
        assert late[1] == "!"


async def test_small_files_are_compared_unasked_and_the_answer_says_why():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        (ticket,) = app.tickets("rank-operators")
        assert RUNS[3].path in ticket
        _, (own, others, late_by) = next(one for one in app.asked if one[0] == ticket)
        assert own == RUNS[3] and [run.rank for run in others] == [0, 1, 2] and round(late_by, 1) == 29.2
        await operators(app, pilot)
        assert lines(app)[3].startswith("▌ All its operators take 29 % longer: a lower clock")


async def test_big_files_are_compared_only_when_asked():
    big = tuple(dataclasses.replace(run, size_bytes=20_000_000) for run in RUNS)
    async with shown(big) as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot, big)
        assert not app.tickets("rank-operators")
        await press(pilot, "d")
        assert len(app.tickets("rank-operators")) == 1


async def test_o_opens_the_operators_of_the_rank_and_esc_goes_back_to_the_list():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        await press(pilot, "home", "down", "down", "o")
        assert [run.rank for run in app.opened] == [2]
        await press(pilot, "end", "enter")
        assert "Rank 4 is missing" in screen_text(app) and len(app.opened) == 1
        await press(pilot, "escape")
        assert isinstance(app.screen, ProfilesScreen)


async def test_leaving_ends_the_reading_of_what_was_not_read():
    async with shown() as (app, pilot):
        await press(pilot, "enter", "escape")
        before = len(app.asked)
        await read_all(app, pilot)
        assert len(app.asked) == before


async def test_a_rank_without_data_says_why_and_does_not_open():
    runs = (*RUNS[:3], made(3, "collected", reason=say("profiles.reason.not-analysed"), next_command="python3 -c x"))
    async with shown(runs) as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot, runs[:3])
        times = dataclasses.replace(rank(3), run=runs[3], state="collected", reason=runs[3].reason)
        app.tell(app.desk.take(Answer(f"rank {runs[3].path} {runs[3].signature}", (times,))))
        await press(pilot, "home", "down", "down", "down", "enter")
        assert not app.opened and "Rank 3 has no operators to open: it is collected." in screen_text(app)
        await press(pilot, "up", "down")
        assert "collected, but not analysed yet" in screen_text(app) and "python3 -c x" in screen_text(app)


async def test_a_rank_that_breaks_the_reader_is_a_line_with_its_problem():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        problem = Problem("internal", say("profiles.problem.internal", what="boom"))
        app.tell(app.desk.take(Answer(f"rank {RUNS[0].path} {RUNS[0].signature}", problem=problem)))
        await settled(pilot)
        assert "boom" in screen_text(app)


async def test_the_cursor_goes_to_the_late_rank_unless_the_person_has_moved_it():
    async with shown(size=(80, 24)) as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        assert app.screen.view.row.rank == 3
        await press(pilot, "home", "s")
        assert app.screen.view.row.rank == 0
    async with shown() as (app, pilot):
        await press(pilot, "enter", "down")
        await read_all(app, pilot)
        assert app.screen.view.row.rank == 1


async def test_whether_the_late_rank_stays_the_same_is_told_in_a_small_window_too():
    async with shown(size=(80, 24)) as (app, pilot):
        await press(pilot, "enter")
        for run in RUNS:
            slow = [(80_000, 2500, 1500), (104_000, 2500, 1500)]
            usual = [(80_000, 2500, 1500), (80_000, 26_500, 1500)]
            times = dataclasses.replace(rank(run.rank, *(slow if run.rank == 3 else usual)), run=run)
            app.tell(app.desk.take(Answer(f"rank {run.path} {run.signature}", (times,))))
        await settled(pilot)
        assert "computing takes 24.0 ms longer; the latest in 1 of 2 steps" in screen_text(app)
        await press(pilot, "home")
        assert "of 2 steps" not in "".join(lines(app)[4:])


async def test_what_a_column_puts_first_is_in_sight_wherever_the_cursor_is():
    runs = tuple(made(number) for number in range(64))
    async with shown(runs, size=(80, 24)) as (app, pilot):
        await press(pilot, "enter", "down", "up")
        for run in runs:
            answer(app, run, (104_000, 2500, 1500) if run.rank == 37 else (80_000, 26_500, 1500))
        await settled(pilot)
        assert app.screen.view.row.rank == 0
        await press(pilot, *["s"] * 6)
        assert app.screen.view.sort_column == "late" and [cells[0] for cells in rows(app)][:2] == ["37", "0"]


def reading(*chips: Chip) -> Reading:
    return Reading(1_700_000_000.0, 0.3, SourceInfo("npu-smi"), chips=chips)


async def test_l_tells_what_the_chip_of_the_rank_does_now_beside_the_others():
    runs = tuple(dataclasses.replace(run, name=f"{socket.gethostname()}_{run.rank}_20260102030405006_ascend_pt")
                 for run in RUNS)  # fmt: skip
    async with shown(runs) as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot, runs)
        await press(pilot, "l")
        assert "no chip has been read on this box" in screen_text(app)
        cold = [Chip(n, 0, "910B3", "OK", power_w=90.5 + n, temp_c=50 + n, aicore_pct=0) for n in range(3)]
        hot = Chip(3, 0, "910B3", "Warning", power_w=310.0, temp_c=93, aicore_pct=4, aicore_mhz=800)
        app.session.take_reading(reading(*cold, hot))
        app.tell(Part.READINGS)
        await settled(pilot)
        said = screen_text(app)
        assert "NPU 3 (device 3): 310.0 W, 93 °C, 800 MHz, AI Core 4 %, health Warning" in said
        assert "3 other chips: 90.5-92.5 W, 50-52 °C, AI Core 0 %" in said and "this box is" not in said
        await press(pilot, "l")
        assert "NPU 3" not in screen_text(app)


@pytest.mark.parametrize(
    "device, chips, said",
    [
        (None, 2, "no file tells which device"),
        (5, 2, "device 5 is not among the 2 chips"),
        (1, 2, "NPU 6 (device 1)"),
    ],
)
def test_the_chip_of_a_rank(device, chips, said):
    there = [Chip(4 + 2 * number, 0, "910B3", "OK", power_w=90.0) for number in range(chips)]
    times = dataclasses.replace(rank(0), device=device)
    assert said in ranklive.lines(times, there, "node")[0].text


def test_the_index_of_the_chip_itself_goes_before_its_place():
    there = [Chip(0, 0, "310P3", "OK", local_index=1, temp_c=40), Chip(0, 1, "310P3", "OK", local_index=0, temp_c=60)]
    times = dataclasses.replace(rank(0), device=0)
    found = ranklive.lines(times, there, "elsewhere")
    assert "NPU 0/1 (device 0): 60 °C" in found[0].text and "host node, this box is elsewhere" in found[-1].text


async def test_sorting_by_keys_and_by_the_head():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        await press(pilot, "s", "s")
        assert app.screen.view.sort_column == "computing"
        assert [cells[0] for cells in rows(app)] == ["3", "1", "2", "0", "4"]
        await press(pilot, "r")
        assert [cells[0] for cells in rows(app)] == ["0", "2", "1", "3", "4"]
        late = next(column for column in layout(120) if column.name == "late")
        await pilot.click(RankList, offset=(late.x + 4, 0))
        await settled(pilot)
        assert app.screen.view.sort_column == "late" and rows(app)[0][0] == "3"


async def test_a_click_moves_and_a_second_one_opens():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        await pilot.click(RankList, offset=(20, 3))
        await settled(pilot)
        assert app.screen.view.row.rank == 2
        await pilot.click(RankList, offset=(20, 3))
        await settled(pilot)
        assert isinstance(app.screen, RankOperatorsScreen) and app.screen.line.times.rank == 2


async def test_the_cursor_stays_on_its_rank_while_ranks_arrive():
    async with shown() as (app, pilot):
        await press(pilot, "enter", "down", "down")
        assert app.screen.view.row.rank == 2
        await read_all(app, pilot)
        assert app.screen.view.row.rank == 2 and app.screen.view.row.line is not None
        app.post_message(RunsFound((*RUNS, made(4)), "events"))
        await settled(pilot)
        assert len(app.screen.view.rows) == 5 and app.screen.view.row.rank == 2
        assert "4 of 5 ranks are read." in screen_text(app)


async def test_a_rank_that_changed_on_disk_is_read_again():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        app.post_message(RunsFound((dataclasses.replace(RUNS[0], signature="new"), *RUNS[1:]), "events"))
        await settled(pilot)
        assert app.asked[-1][0] == f"rank {RUNS[0].path} new" and "3 of 4 ranks are read." in screen_text(app)


# ---- one rank's operators


async def test_enter_sets_the_operators_against_the_others():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        await press(pilot, "enter")
        assert isinstance(app.screen, RankOperatorsScreen)
        assert "Reading the operators of this rank and of the others: 0 %." in screen_text(app)
        app.tell(app.desk.take(Answer(f"rank-operators {RUNS[3].path} {RUNS[3].signature}", progress=0.5)))
        await settled(pilot)
        assert ": 50 %." in screen_text(app)
        await operators(app, pilot)
        said = screen_text(app)
        assert "Rank 3 computes 43.22 ms, the others 33.53 ms (+28.9 %), by their operators." in said
        assert "against the median of 3 others" in said
        line = next(line for line in lines(app) if "MatMulV2" in line)
        assert line.split()[-6:] == ["41.28", "32.03", "+9.25", "+28.9", "40", "40"]
        await press(pilot, "down")
        assert app.screen.query_one(DifferenceList).cursor == 1
        await press(pilot, "enter")
        assert [run.rank for run in app.opened] == [3]
        await press(pilot, "escape")
        assert isinstance(app.screen, RanksScreen)


@pytest.mark.parametrize(
    ("types", "head", "cells"),
    [
        ((*TYPES, OperatorDifference("Cast", False, 2, 2, 19.4, 24.2)), "diff ms", ["0.02", "0.02", "-4.80"]),
        ((OperatorDifference("MatMulV2", False, 9, 9, 20_010.0, 20_000.0),
          OperatorDifference("Cast", False, 2, 2, 19.4, 24.2)), "diff us", ["0.02", "0.02", "-4.8"]),
    ],
)  # fmt: skip
async def test_a_difference_is_shown_in_a_unit_that_fits(types, head, cells):
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        await press(pilot, "enter")
        await operators(app, pilot, found=RankOperators(RUNS[3].path, types, ("a", "b", "c")))
        assert head in screen_text(app)
        line = next(line for line in lines(app) if "Cast" in line)
        assert [word for word in line.split() if word != "us"][1:5] == [*cells, "-19.8"]


async def test_one_rank_alone_opens_where_there_is_nothing_to_set_against():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        answer(app, RUNS[0], PARTS[0])
        await settled(pilot)
        await press(pilot, "enter")
        assert [run.rank for run in app.opened] == [0]


async def test_leaving_stops_the_comparison_and_enter_begins_it_again():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        await press(pilot, "home", "enter", "escape")
        assert len(app.cancelled) == 1 and RUNS[0].path in app.cancelled[0]
        await press(pilot, "d")
        assert sum(RUNS[0].path in ticket for ticket in app.tickets("rank-operators")) == 2


async def test_opening_a_rank_does_not_wait_for_the_comparison():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        await press(pilot, "o")
        assert app.cancelled == app.tickets("rank-operators") and len(app.opened) == 1


async def test_nothing_to_set_against_is_said():
    async with shown() as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        await press(pilot, "enter")
        nothing = RankOperators(RUNS[3].path, problems=(Problem("no-operators", say("ranks.problem.no-operators")),))
        await operators(app, pilot, found=nothing)
        assert "there are no operators to compare" in screen_text(app)


# ---- looks


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 36), (160, 50)])
@pytest.mark.parametrize("language", text.LANGUAGES)
async def test_nothing_is_lost_or_too_wide_at_any_size(size, language):
    text.set_language(language)
    async with shown(size=size) as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        await operators(app, pilot)
        for keys in ((), ("enter",)):
            await press(pilot, *keys)
            assert max(text_width(line) for line in lines(app)) <= size[0]
            assert "ranks." not in screen_text(app) and "29" in screen_text(app)
        await press(pilot, "escape")
        late = next(line for line in lines(app) if "+29.2" in line and "104.00" in line)
        assert "108.00" in late and "2.50" in late


def text_width(line: str) -> int:
    from rich.cells import cell_len

    return cell_len(line)


async def test_ascii_and_no_colour_draw_the_bar_with_letters():
    text.set_language("en", ascii_only=True)
    async with shown(theme="mono", ascii_only=True) as (app, pilot):
        await press(pilot, "enter")
        await read_all(app, pilot)
        assert screen_text(app).isascii()
        bar = layout(120)[-2]
        late = next(line for line in lines(app) if "+29.2" in line and "104.00" in line)
        assert set(late[bar.x : bar.x + bar.width]) <= set("CX. ") and "C=comp." in screen_text(app)


def test_a_bar_adds_up_to_its_length():
    assert bar_cells((80.0, 26.5, 1.5), 108.0, 17) == [13, 4, 0]
    assert sum(bar_cells((1.0, 1.0, 1.0), 3.0, 17)) == 17
    assert bar_cells((1.0,), 0.0, 17) == [0]


def test_the_table_gives_way_to_the_pane():
    assert list_height(36, False, 4) == 5
    assert list_height(24, True, 64) == 14
    assert list_height(8, True, 64) == 4


def test_answers_nobody_waits_for_change_nothing():
    desk = RankDesk(lambda *words: None, lambda ticket: None)
    assert desk.take(Answer("rank /x y", ())) == Part(0)


async def test_the_list_asks_for_nothing_folded():
    async with shown() as (app, _):
        from npuscope.tui.runs.view import wanted_of

        wanted = wanted_of(app.screen.view, app.screen.view.shown)
        assert all(run.kind == "torch_npu" for run in wanted)
        assert app.screen.query_one(RunList).view.folds.job(app.screen.view.run) is not None
        assert RankLine(rank(0)).code == ""
