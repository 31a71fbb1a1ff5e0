"""A big file while it is read: how far, how fast, and how to end it; big tables that are made beside the screen."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from made_profile import made_summary

from npuscope.parsers.profile import Run
from npuscope.parsers.table import Strings, Table
from npuscope.sources.worker import Answer
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.export import screen_text
from npuscope.tui.launch import Options
from npuscope.tui.messages import OpenRun
from npuscope.tui.operators import levels as oplevels
from npuscope.tui.profiles import ProfileDesk
from npuscope.tui.session import BIG_BYTES, Part, Session
from npuscope.tui.widgets.optable import OperatorTable

RUN = Run("/data/PROF_1", "PROF_1", "msprof", "ready", size_bytes=BIG_BYTES, signature="s")
FIRST = Table({
    "type": Strings.of(["MatMulV2", "Add"]), "core": Strings.of(["AI_CORE", "AI_VECTOR_CORE"]),
    "count": np.array([600_000, 400_000]), "total_us": np.array([2e6, 1e6]),
})  # fmt: skip


class Child:
    """Stands for the child process: notes what it is asked."""

    def __init__(self) -> None:
        self.did: list[tuple[str, str]] = []

    def ask(self, ticket, target, *args):
        self.did.append(("ask", ticket.split()[0]))

    def cancel(self, ticket):
        self.did.append(("cancel", ticket.split()[0]))

    def warm_up(self, module):
        pass

    def stop(self):
        pass


class Box(NpuscopeApp):
    """The application on the Operators screen, with a child and a clock of the test's own."""

    FIRST = "operators"

    def __init__(self) -> None:
        super().__init__(Options(source=None, roots=()), theming.look("dark"))
        self.at = 0.0
        self.child, self.aside = Child(), Child()
        self.desk = ProfileDesk(self.session, self.options, self.post_message, lambda: self.at)
        self.desk._worker, self.desk._aside = self.child, self.aside

    def answer(self, what: str, run: Run = RUN, **answer: object) -> None:
        self.tell(self.desk.take(Answer(f"{what} {run.path} {run.signature}", **answer)))


@pytest.fixture(autouse=True)
def english():
    text.set_language("en")
    yield
    text.set_language("en")


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    return made_summary(tmp_path_factory.mktemp("profile"), steps=4)


async def shown(app, pilot):
    await app.workers.wait_for_complete()
    for _ in range(3):
        await pilot.pause()
    return screen_text(app)


async def reading(app, pilot):
    app.post_message(OpenRun(RUN))
    await shown(app, pilot)
    app.answer("first", value=FIRST)
    app.answer("open", progress=0.1)
    app.at = 2.0
    app.answer("open", progress=0.5)
    return await shown(app, pilot)


async def test_how_far_and_how_fast():
    app = Box()
    async with app.run_test(size=(120, 36)) as pilot:
        seen = await reading(app, pilot)
        assert app.child.did == [("ask", "first"), ("ask", "open")]
        assert "Reading PROF_1: 50 %, 200 000 rows a second." in seen
        assert "esc stops it" in seen and "MatMulV2" in seen
        bar = next(line for line in seen.splitlines() if "esc stops it" in line)
        assert bar.count("━") == 20
        app.answer("open", progress=1.0)
        assert "Looking at the 1 000 000 operators of PROF_1." in await shown(app, pilot)


async def test_without_totals_there_is_no_speed():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        app.post_message(OpenRun(RUN))
        await shown(app, pilot)
        app.answer("open", progress=0.1)
        app.at = 2.0
        app.answer("open", progress=0.5)
        assert "Reading PROF_1: 50 %, 4.80 MB a second." in await shown(app, pilot)
        app.answer("open", progress=1.0)
        assert "Looking at the operators of PROF_1." in await shown(app, pilot)


async def test_the_totals_tell_how_far_they_are_too():
    app = Box()
    async with app.run_test(size=(80, 24)) as pilot:
        app.post_message(OpenRun(RUN))
        await shown(app, pilot)
        app.answer("first", progress=0.1)
        assert "Adding up the types of PROF_1: 10 %." in await shown(app, pilot)
        app.at = 2.0
        app.answer("first", progress=0.6)
        seen = await shown(app, pilot)
        assert "Adding up the types of PROF_1: 60 %, 6.00 MB a second." in seen
        assert next(line for line in seen.splitlines() if "esc stops it" in line).count("━") == 24
        app.answer("first", value=FIRST)
        assert "Reading PROF_1: 0 %." in await shown(app, pilot)


async def test_esc_ends_the_reading_and_enter_begins_again():
    app = Box()
    async with app.run_test(size=(120, 36)) as pilot:
        await reading(app, pilot)
        await pilot.press("escape")
        seen = await shown(app, pilot)
        assert "The reading of PROF_1 was stopped at 50 %." in seen
        assert "enter reads it again" in seen and "MatMulV2" in seen
        assert app.child.did[2:] == [("cancel", "open")]
        app.answer("open", progress=0.6)
        assert "stopped at 50 %" in await shown(app, pilot)
        await pilot.press("enter")
        seen = await shown(app, pilot)
        assert app.child.did[3:] == [("ask", "first"), ("ask", "open")]
        assert "Reading PROF_1: 0 %." in seen


async def test_esc_before_the_totals_ends_both():
    app = Box()
    async with app.run_test(size=(120, 36)) as pilot:
        app.post_message(OpenRun(RUN))
        await shown(app, pilot)
        await pilot.press("escape")
        await shown(app, pilot)
        assert app.child.did[2:] == [("cancel", "open"), ("cancel", "first")]


async def test_esc_clears_a_filter_first(summary):
    app = Box()
    async with app.run_test(size=(120, 36)) as pilot:
        await reading(app, pilot)
        await pilot.press("slash", *"Add", "enter")
        seen = await shown(app, pilot)
        assert "MatMulV2" not in seen
        await pilot.press("escape")
        assert "MatMulV2" in await shown(app, pilot) and len(app.child.did) == 2
        app.answer("open", value=dataclasses.replace(summary, profile=dataclasses.replace(summary.profile, run=RUN)))
        await shown(app, pilot)
        await pilot.press("escape")
        assert len(app.child.did) == 2


def test_what_is_opened_meanwhile_does_not_wait():
    session = Session()
    desk = ProfileDesk(session, Options(source=None, roots=()), lambda message: None)
    desk._worker, desk._aside = child, aside = Child(), Child()
    small, third = (dataclasses.replace(RUN, path=f"/data/{name}", size_bytes=9) for name in ("small", "third"))
    desk.want_headlines((third, RUN))
    desk.open(RUN)
    desk.want_headlines((third, RUN))
    desk.open(small)
    assert child.did == [("ask", "first"), ("ask", "open")]
    assert aside.did == [("ask", "headline"), ("ask", "headline"), ("cancel", "headline"), ("ask", "open")]
    desk.take(Answer(f"first {RUN.path} {RUN.signature}", value=FIRST))
    assert session.headline(RUN).ops == 1_000_000
    desk.open(third)
    assert child.did[2:] == [("ask", "open")]
    desk.cancel(session.opened[small.path])
    assert aside.did[4:] == [("cancel", "open")]
    desk.cancel(session.opened[RUN.path])
    desk.cancel(session.opened[third.path])
    desk.open(small)
    assert child.did[-1] == ("ask", "open") and len(aside.did) == 5


def test_what_was_stopped_is_not_begun_by_a_change_on_disk():
    session = Session()
    desk = ProfileDesk(session, Options(source=None, roots=()), lambda message: None)
    desk._worker, desk._aside = child, _ = Child(), Child()
    desk.open(RUN)
    desk.cancel(session.opened[RUN.path])
    child.did.clear()
    desk.open(dataclasses.replace(RUN, signature="later"), again=True)
    assert child.did == [] and session.opened[RUN.path].stopped_at == 0.0
    desk.open(dataclasses.replace(RUN, signature="later"))
    assert child.did == [("ask", "first"), ("ask", "open")]


async def test_the_place_in_the_totals_stays_when_the_rest_is_there(summary):
    app = Box()
    kept = dataclasses.replace(summary, profile=dataclasses.replace(summary.profile, run=RUN))
    async with app.run_test(size=(120, 36)) as pilot:
        await reading(app, pilot)
        await pilot.press("down")
        app.answer("open", value=kept)
        await shown(app, pilot)
        assert app.screen.query_one(OperatorTable).view.cursor == 1


@pytest.fixture
def heavy(monkeypatch, summary):
    """Every table of instances counts as big."""
    monkeypatch.setattr(oplevels, "BIG_ROWS", len(summary.ops))


async def opened(app, pilot, summary):
    app.session.open(summary.profile.run).summary = summary
    app.tell(Part.SUMMARY)
    return await shown(app, pilot)


async def test_a_big_level_is_made_beside_the_screen_and_the_cursor_is_on_its_operator(heavy, summary):
    app = Box()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        table = app.screen.query_one(OperatorTable)
        await pilot.press("down")
        kind = table.view.table.strings("type")[table.view.row]
        app.screen.action_next_level()
        assert table.level == "types", "what was there stays until the other is"
        app.screen.on_operator_table_moved(OperatorTable.Moved(table.view.row))
        await shown(app, pilot)
        assert table.level == "instances" and table.view.how.column == "duration_us"
        assert table.view.table.strings("type")[table.view.row] == kind
        durations = table.view.table.numbers("duration_us")[table.view.order]
        assert (durations[:-1] >= durations[1:]).all()


async def test_keys_while_a_big_level_is_made_belong_to_what_is_seen(heavy, summary):
    app = Box()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        table = app.screen.query_one(OperatorTable)
        app.screen.action_next_level()
        app.screen.action_next_level()
        await shown(app, pilot)
        assert table.level == "shapes" and app.screen.level == "shapes"


async def test_a_profile_read_again_does_not_stand_beside_its_old_table(heavy, summary):
    app = Box()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await pilot.press("tab")
        await shown(app, pilot)
        app.session.open(summary.profile.run).summary = dataclasses.replace(summary)
        app.tell(Part.SUMMARY)
        table = app.screen.query_one(OperatorTable)
        assert table.view is None
        await shown(app, pilot)
        assert table.level == "instances" and len(table.view) == len(summary.ops)


async def test_another_profile_begins_with_its_types(heavy, summary):
    app = Box()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        await pilot.press("tab")
        await shown(app, pilot)
        app.session.open(RUN).summary = dataclasses.replace(
            summary, profile=dataclasses.replace(summary.profile, run=RUN)
        )
        app.tell(Part.SUMMARY)
        await shown(app, pilot)
        table = app.screen.query_one(OperatorTable)
        assert table.level == "types" and len(table.view) == len(summary.types)


async def test_a_filter_typed_while_a_level_is_made_holds_for_it(heavy, summary):
    app = Box()
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot, summary)
        app.screen.action_next_level()
        app.screen._filter_typed("Add")
        await shown(app, pilot)
        table = app.screen.query_one(OperatorTable)
        assert table.level == "instances" and len(table.view) == 4
