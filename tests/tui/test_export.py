"""The screen as files: what is written, where, and what happens when it cannot be."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.strip import Strip

from npuscope.tui import export, theming
from npuscope.tui.export import export_screen, screen_text
from npuscope.tui.paint import Row
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.widgets.inputline import InputLine

LINES = ("MatMulV2  18.21 ms  ▼", "算子 [red]x[/]", "")


class Text(Canvas):
    DEFAULT_CSS = "Text { height: 3; }"

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        return [Row(self.look, width).put(2, line, "memory").strip() for line in LINES]


class Box(App[int]):
    CSS = "Screen { layers: base over; }"

    def __init__(self, ascii_only: bool = False) -> None:
        super().__init__()
        self.look = theming.look("dark", ascii_only)

    def compose(self) -> ComposeResult:
        yield Text()
        yield InputLine()


async def test_the_text_is_what_the_screen_shows():
    app = Box()
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        painted = "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())
        assert screen_text(app) == painted + "\n"
        assert screen_text(app).splitlines()[:2] == ["  MatMulV2  18.21 ms  ▼", "  算子 [red]x[/]"]


async def test_what_lies_over_the_panels_is_in_the_text():
    app = Box()
    async with app.run_test(size=(40, 8)) as pilot:
        app.query_one(InputLine).ask("/", "label=memory")
        await pilot.pause()
        assert screen_text(app).splitlines()[6] == "  /  label=memory"


async def test_in_ascii_every_sign_of_the_text_is_ascii():
    app = Box(ascii_only=True)
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        assert screen_text(app).isascii()
        assert "18.21 ms  v" in screen_text(app)


async def test_two_files_of_one_name_that_overwrite_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(export.time, "strftime", lambda form: "npuscope-20260102-030405")
    (tmp_path / "npuscope-20260102-030405.svg").write_text("mine")
    app = Box()
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        first = export_screen(app, tmp_path)
        second = export_screen(app, tmp_path)
    assert [path.name for path in (*first, *second)] == [
        "npuscope-20260102-030405-2.txt",
        "npuscope-20260102-030405-2.svg",
        "npuscope-20260102-030405-3.txt",
        "npuscope-20260102-030405-3.svg",
    ]
    assert (tmp_path / "npuscope-20260102-030405.svg").read_text() == "mine"
    assert "MatMulV2" in first[0].read_text(encoding="utf-8")
    picture = first[1].read_text(encoding="utf-8")
    assert picture.startswith('<svg xml:space="preserve" ') and "MatMulV2" in picture


@pytest.mark.parametrize("folder", ["missing", "file"])
async def test_a_folder_that_cannot_be_written_to_raises_and_leaves_nothing(tmp_path, folder):
    (tmp_path / "file").write_text("")
    app = Box()
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        with pytest.raises(OSError):
            export_screen(app, tmp_path / folder)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


async def test_a_full_disk_leaves_no_half_file(tmp_path, monkeypatch):
    def full(path: Path, text: str, encoding: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    app = Box()
    async with app.run_test(size=(40, 8)) as pilot:
        await pilot.pause()
        with pytest.raises(OSError, match="No space left"):
            export_screen(app, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("folder", "place"),
    [
        ("/data/prof", "/data/prof"),
        ("/data/prof/PROF_000001_20260102030405006_ABC", "/data/prof"),
        ("/data/x_ascend_pt/ASCEND_PROFILER_OUTPUT", "/data"),
        ("/data/OPPROF_20260102/device0", "/data"),
    ],
)
def test_nothing_is_written_into_a_profile(folder, place):
    from npuscope.tui.export import outside_profiles

    assert str(outside_profiles(Path(folder))) == place
