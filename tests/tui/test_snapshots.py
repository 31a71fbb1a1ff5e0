"""Pictures of every screen at both sizes, and of one screen in every theme.

The pictures hold for one Textual and one Python; elsewhere the same screens are held by the other tests of this folder.
`pytest tests/tui/test_snapshots.py --snapshot-update` makes them anew: look at each before it is committed.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
import textual
from made_profile import made_summary

from npuscope.parsers.msprof.run_files import RunFile, RunFiles
from npuscope.parsers.say import say
from npuscope.sources.worker import Answer
from npuscope.tui import text, theming
from npuscope.tui.files.desk import FileDesk, key_of
from npuscope.tui.files.jobs import open_file
from npuscope.tui.messages import RunsFound
from npuscope.tui.screens.files import FilesScreen
from npuscope.tui.session import Part

PINNED = (sys.version_info[:2] == (3, 11)) and textual.__version__ == "8.2.8"
pytestmark = pytest.mark.skipif(not PINNED, reason="pictures are of Python 3.11 and Textual 8.2.8")
FIXTURES = Path(__file__).parent.parent / "fixtures" / "files"
SIZES = ((80, 24), (120, 40))


@pytest.fixture(autouse=True)
def still(live, monkeypatch):
    """The clock stands, in one time zone."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(time, "time", lambda: live.NOW)
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(scope="module")
def summary(tmp_path_factory):
    text.set_language("en")
    return made_summary(tmp_path_factory.mktemp("profile"))


def box(live, first="live", theme="dark", ascii_only=False, readings=True):
    app = live.Box(theme, ascii_only)
    type(app).FIRST = first
    app.started_at = live.NOW
    if readings:
        app.source.before = [live.eight(live.NOW - second) for second in range(130, -1, -1)]
    for one in live.RUNS if readings else ():
        known = live.HEADLINES.get(int(one.signature[0]))
        if known is not None:
            app.session.headlines[one.path] = (one.signature, known)
    return app


def found(live):
    async def before(pilot):
        pilot.app.post_message(RunsFound(live.RUNS, "events"))
        await live.settled(pilot)

    return before


def with_profile(live, summary, *keys):
    async def before(pilot):
        pilot.app.session.open(summary.profile.run).summary = summary
        pilot.app.tell(Part.SUMMARY)
        await live.settled(pilot)
        for key in keys:
            await pilot.press(key)
            await live.settled(pilot)

    return before


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("screen", ["live", "profiles"])
def test_lists(live, snap_compare, screen, size):
    assert snap_compare(box(live, screen), terminal_size=size, run_before=found(live))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("keys", [(), ("tab",), ("enter",), ("g",), ("f",)], ids="-".join)
def test_operators(live, snap_compare, summary, keys, size):
    app = box(live, "operators", readings=False)
    assert snap_compare(app, terminal_size=size, run_before=with_profile(live, summary, *keys))


OUTPUT = "mindstudio_profiler_output"
FILES = (
    ("op_summary_20260102220500.csv", "op_summary", 796_000, "read", None),
    ("api_statistic_20260102220500.csv", "api_statistic", 5930, "read", None),
    ("task_time_20260102220500.csv", "task_time", 549, "shown", None),
    ("msprof_20260102220500.json", "timeline", 4_310_000, "shown", None),
    ("op_summary_20260102215000.csv", "op_summary", 795_000, "ignored", say("profiles.ignored.older-export")),
    ("notes.odt", None, 812, "unknown", None),
)


def with_files(live, *keys):
    async def before(pilot):
        desk = pilot.app.desk.files = FileDesk(lambda *job: None, lambda ticket: None)
        run, counted = live.RUNS[0], FIXTURES / "task_time_20250401202358.csv"
        held = tuple(
            RunFile(f"{run.path}/{OUTPUT}/{name}", f"{OUTPUT}/{name}", kind, size, 0.0, use, why)
            for name, kind, size, use, why in FILES
        )
        pilot.app.push_screen(FilesScreen(run, "profiles"))
        await live.settled(pilot)
        pilot.app.tell(desk.take(Answer(f"files {run.path} {run.signature}", RunFiles(held))))
        ticket = next(ticket for ticket in desk._asked if ticket.startswith("file-rows "))
        pilot.app.tell(desk.take(Answer(ticket, {held[1].path: 46, held[2].path: 10})))
        for key in keys:
            await pilot.press(key)
            await live.settled(pilot)
        if keys:
            pilot.app.tell(desk.take(Answer(f"file {key_of(held[2])}", open_file(str(counted), None))))
        await live.settled(pilot)

    return before


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("keys", [(), ("down", "down", "enter")], ids=["list", "table"])
def test_files(live, snap_compare, keys, size):
    app = box(live, "profiles", readings=False)
    assert snap_compare(app, terminal_size=size, run_before=with_files(live, *keys))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_help(live, snap_compare, summary, size):
    app = box(live, "operators", readings=False)
    assert snap_compare(app, terminal_size=size, run_before=with_profile(live, summary, "question_mark"))


@pytest.mark.parametrize("theme", theming.names())
def test_themes(live, snap_compare, summary, theme):
    app = box(live, "operators", theme, readings=False)
    assert snap_compare(app, terminal_size=(120, 40), run_before=with_profile(live, summary))


@pytest.mark.parametrize("keys", [(), ("enter",)], ids="-".join)
def test_chinese(live, snap_compare, summary, keys):
    text.set_language("zh")
    app = box(live, "operators", "light", readings=False)
    assert snap_compare(app, terminal_size=(120, 40), run_before=with_profile(live, summary, *keys))


def test_ascii(live, snap_compare, summary):
    text.set_language("en", ascii_only=True)
    app = box(live, "operators", "mono", True, readings=False)
    assert snap_compare(app, terminal_size=(80, 24), run_before=with_profile(live, summary))
