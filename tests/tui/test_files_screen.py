"""The Files screen and the table of a file, through keys; the child's jobs run in the test's own process."""

from __future__ import annotations

import os
import shutil
import zipfile
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len

from npuscope.parsers.discovery.runs import look_at
from npuscope.parsers.profile import Run
from npuscope.parsers.say import ParseError
from npuscope.parsers.table import Strings, Table
from npuscope.sources.worker import Answer
from npuscope.tui import text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.export import screen_text
from npuscope.tui.files import jobs as filejobs
from npuscope.tui.files.desk import KEPT_SHEETS, FileDesk, key_of
from npuscope.tui.files.sheetanswer import sheet_answer
from npuscope.tui.launch import Options
from npuscope.tui.messages import RunsFound
from npuscope.tui.part import Part
from npuscope.tui.screens.files import FilesScreen
from npuscope.tui.screens.filetable import FileTableScreen
from npuscope.tui.widgets.fieldpane import laid_out
from npuscope.tui.widgets.sheettable import SheetTable

FIXTURES = Path(__file__).parent.parent / "fixtures"
PROF = FIXTURES / "msprof" / "PROF_000001_20240418071826722_FAIIQKPEMHJLPCIC"
OPPROF = FIXTURES / "msprof" / "OPPROF_20260522141522_WNUHHMLYKRJHLWIR"
TASKS = "task_time_20240418071836.csv"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / PROF.name
    shutil.copytree(PROF, made)
    output = made / "mindstudio_profiler_output"
    shutil.copy(FIXTURES / "files" / "task_time_20250401202358.csv", output / TASKS)
    shutil.copy(next(PROF.rglob("op_summary_*.csv")), output / "op_summary_20230101000000.csv")
    (output / "fusion_op_20240418071836.csv").write_bytes(b"garbage\n")
    for path in (made, *made.rglob("*")):
        os.utime(path, (1e9, 1e9))
    return made


class Box(NpuscopeApp):
    """The application without source, folder and child: jobs wait in `asked` until `work` does them."""

    FIRST = "profiles"

    def __init__(self, theme: str = "dark", ascii_only: bool = False) -> None:
        super().__init__(Options(source=None, roots=()), theming.look(theme, ascii_only))
        self.session.roots = ("/data",)
        self.asked: list[tuple[str, str, tuple]] = []
        self.cancelled: list[str] = []
        self.desk.want_headlines = lambda runs: None  # type: ignore[method-assign]
        self.desk.files = FileDesk(lambda *job: self.asked.append((job[0], job[1], job[2:])), self.cancelled.append)

    def work(self) -> None:
        while self.asked:
            ticket, job, args = self.asked.pop(0)
            try:
                answer = Answer(ticket, getattr(filejobs, job.rpartition(":")[2])(*args))
            except ParseError as error:
                answer = Answer(ticket, problem=error.problem)
            self.tell(self.desk.take(answer))


@asynccontextmanager
async def shown(*runs: Run, size=(120, 40), **look):
    app = Box(**look)
    async with app.run_test(size=size) as pilot:
        app.post_message(RunsFound(runs, "events"))
        await settled(pilot)
        await press(app, pilot, "F")
        yield app, pilot


async def settled(pilot) -> None:
    for _ in range(3):
        await pilot.pause()


async def press(app, pilot, *keys) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)
        app.work()
        await settled(pilot)


async def go_to(app, pilot, name) -> None:
    view = app.screen.view
    place = next(at for at, one in enumerate(view.shown) if one.file.endswith(name))
    view.move(place - view.cursor)
    await press(app, pilot, "enter")


def lines(app) -> list[str]:
    return screen_text(app).splitlines()


def line_with(app, word) -> str:
    return next(line for line in lines(app) if word in line)


async def test_all_files_with_their_use_and_rows(folder):
    async with shown(look_at(folder, 2e9)) as (app, _):
        assert isinstance(app.screen, FilesScreen)
        tasks = line_with(app, TASKS)
        rows = len((folder / "mindstudio_profiler_output" / TASKS).read_text().splitlines()) - 1
        assert "tasks of the device" in tasks and f" {rows} " in tasks and "on enter" in tasks
        assert "ignored: older export" in line_with(app, "op_summary_20230101000000.csv")
        assert line_with(app, "fusion_op_20240418071836.csv").startswith(" !")
        assert "1 ignored" in lines(app)[2]


async def test_a_file_opens_as_a_table_that_is_ordered_and_filtered(folder):
    async with shown(look_at(folder, 2e9)) as (app, pilot):
        await go_to(app, pilot, TASKS)
        assert isinstance(app.screen, FileTableScreen)
        table = app.screen.query_one(SheetTable)
        times = table.view.table.numbers("duration_us")
        assert "duration us" in line_with(app, "start +") and "Sums: duration us" in lines(app)[3]
        table.sort_by("duration_us")
        await settled(pilot)
        assert table.view.order.tolist() == np.argsort(-times, kind="stable").tolist()
        await press(app, pilot, "R")
        assert times[table.view.order[0]] == np.nanmin(times)
        await press(app, pilot, "slash", *"duration>5")
        assert len(table.view) == int((times > 5).sum())
        assert f"{len(table.view)} of {len(times)} match" in screen_text(app)
        await press(app, pilot, "enter", "escape")
        assert len(table.view) == len(times)
        await press(app, pilot, "escape")
        assert isinstance(app.screen, FilesScreen)
        await press(app, pilot, "escape")
        assert not isinstance(app.screen, FilesScreen)


async def test_a_moment_is_compared_as_it_is_shown(folder):
    async with shown(look_at(folder, 2e9)) as (app, pilot):
        await go_to(app, pilot, TASKS)
        held = app.screen.query_one(SheetTable).held
        form = held.form("start_ns")
        (condition,) = held.conditions("start>=2")
        assert (condition.field, condition.number) == ("start_ns", form.origin_ns + 2 * form.per)


async def test_the_tables_of_one_file_and_what_is_wrong(tmp_path):
    made = tmp_path / OPPROF.name
    shutil.copytree(OPPROF, made)
    (made / "MemoryUB.csv").write_bytes(b"x\x1b[31m\n")
    async with shown(look_at(made, 2e9)) as (app, pilot):
        await go_to(app, pilot, "visualize_data.bin")
        assert "operator" in lines(app)[5] and "tab next table" in lines(app)[-1]
        await press(app, pilot, "tab")
        assert "advice" in lines(app)[5] and "MTE2 bandwidth" in screen_text(app)
        await press(app, pilot, "shift+tab", "shift+tab")
        assert "memory" in lines(app)[5]
        await press(app, pilot, "escape")
        await go_to(app, pilot, "MemoryUB.csv")
        assert "\x1b" not in screen_text(app)


async def test_reading_is_shown_and_ended_with_esc(folder):
    async with shown(look_at(folder, 2e9)) as (app, pilot):
        view = app.screen.view
        view.move(next(at for at, one in enumerate(view.shown) if one.file.endswith(TASKS)) - view.cursor)
        await pilot.press("enter")
        await settled(pilot)
        ((ticket, job, _),) = app.asked
        assert job.endswith(":open_file")
        app.tell(app.desk.take(Answer(ticket, progress=0.4)))
        await settled(pilot)
        assert "40 %" in lines(app)[2] and "esc" in lines(app)[3]
        await pilot.press("escape")
        await settled(pilot)
        assert app.cancelled == [ticket] and isinstance(app.screen, FilesScreen)


async def test_what_cannot_be_opened_is_told(folder):
    (folder / "mine.odt").write_bytes(b"x")
    async with shown(look_at(folder, 2e9)) as (app, pilot):
        await go_to(app, pilot, "mine.odt")
        assert isinstance(app.screen, FilesScreen) and "no file of a profiler" in lines(app)[2]
        await go_to(app, pilot, "fusion_op_20240418071836.csv")
        assert "has other columns" in lines(app)[2]


async def test_filter_and_order_of_the_list(folder):
    async with shown(look_at(folder, 2e9)) as (app, pilot):
        await press(app, pilot, "slash", *"use=ignored", "enter")
        assert [one.file.rpartition("/")[2] for one in app.screen.view.shown] == ["op_summary_20230101000000.csv"]
        await press(app, pilot, "escape")
        assert len(app.screen.view) > 1
        app.screen.view.sort("size")
        sizes = [one.size for one in app.screen.view.shown]
        assert sizes == sorted(sizes, reverse=True)
        await press(app, pilot, "slash", *"size>1")
        assert "size" in lines(app)[2]


async def test_an_archive(folder, tmp_path):
    archive = tmp_path / f"{folder.name}.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                out.write(path, path.relative_to(folder.parent).as_posix())
    os.utime(archive, (1e9, 1e9))
    async with shown(look_at(archive, 2e9)) as (app, pilot):
        assert "tasks of the device" in line_with(app, TASKS)
        await go_to(app, pilot, TASKS)
        assert len(app.screen.query_one(SheetTable).view) > 1


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (200, 50)])
@pytest.mark.parametrize("language", text.LANGUAGES)
async def test_nothing_is_too_wide_at_any_size(folder, size, language):
    text.set_language(language)
    async with shown(look_at(folder, 2e9), size=size) as (app, pilot):
        seen = screen_text(app)
        await go_to(app, pilot, TASKS)
        for one in (seen, screen_text(app)):
            assert max(map(cell_len, one.splitlines())) <= size[0]
            assert "files." not in one
    text.set_language("en")


async def test_plain_ascii(folder):
    text.set_language("en", ascii_only=True)
    async with shown(look_at(folder, 2e9), theme="mono", ascii_only=True) as (app, pilot):
        assert screen_text(app).isascii()
        await go_to(app, pilot, TASKS)
        assert screen_text(app).isascii()
    text.set_language("en")


def test_of_a_long_file_the_first_rows_are_held_and_it_is_said(monkeypatch):
    monkeypatch.setattr(filejobs, "MOST_ROWS", 2)
    path = FIXTURES / "files" / "task_time_20250401202358.csv"
    sheet = filejobs.open_file(str(path), None)
    assert (len(sheet.table), sheet.problems[0].code) == (2, "rows-left-out")
    assert sheet.rows == len(path.read_text().splitlines()) - 1
    total = next(one.total for one in sheet.columns if one.name == "duration_us")
    assert total == pytest.approx(sum(float(line.split(",")[5]) for line in path.read_text().splitlines()[1:]))


def test_first_rows_keep_only_their_own_texts():
    table = Table({"name": Strings.of(["b", None, "a", "c"]), "n": np.arange(4)})
    first = filejobs.first_rows(table, 2)
    assert first.strings("name").tolist() == ["b", None]
    assert (first.strings("name").values, first.numbers("n").tolist()) == (("b",), [0, 1])
    assert filejobs.first_rows(table, 0).strings("name").values == ()


def test_the_desk_keeps_a_few_files(folder):
    files = filejobs.list_files(look_at(folder, 2e9)).files
    desk = FileDesk(lambda *job: None, lambda ticket: None)
    opened = [one for one in files if one.opens][: KEPT_SHEETS + 2]
    for one in opened:
        desk.open(one, None)
        ticket = f"file {key_of(one)}"
        try:
            assert desk.take(Answer(ticket, filejobs.open_file(one.path, None))) == Part.RUNS
        except ParseError as error:
            desk.take(Answer(ticket, problem=error.problem))
    assert sum(desk.sheet(one, None) is not None for one in opened) == KEPT_SHEETS
    assert desk.rows(opened[0]) is not None
    assert desk.take(Answer("file nobody asked", 1)) == Part(0)


def test_fields_are_laid_out_in_lines():
    fields = [("a", "1"), ("b", "22"), ("c", "x" * 30), ("d", "4")]
    assert list(laid_out(fields, 12)) == [[("a", "1"), ("b", "22")], [("c", "x" * 30)], [("d", "4")]]


def test_how_fast_a_file_is_being_read(folder):
    """Bytes a second once it was told twice; none any more when it is read, or was given up."""
    seconds = iter([10.0, 12.0, 20.0, 30.0])
    (one, *_) = [one for one in filejobs.list_files(look_at(folder, 2e9)).files if one.opens]
    cancelled = []
    desk = FileDesk(lambda *job: None, cancelled.append, lambda: next(seconds))
    desk.open(one, None)
    ticket = f"file {key_of(one)}"
    desk.take(Answer(ticket, progress=0.25))
    assert desk.bytes_per_s(one, None) is None
    desk.take(Answer(ticket, progress=0.75))
    assert desk.bytes_per_s(one, None) == 0.25 * one.size
    said = sheet_answer("trace_view.json", "run", desk.sheet(one, None), 125e6)
    assert (said.progress, said.first) == (0.75, "trace_view.json is being read: 75 %, 125 MB a second")
    desk.drop(one, None)
    assert cancelled == [ticket]
    assert (desk.sheet(one, None), desk.bytes_per_s(one, None)) == (None, None)
    desk.open(one, None)
    desk.take(Answer(ticket, progress=0.5))
    assert desk.bytes_per_s(one, None) is None  # not by what was told before
