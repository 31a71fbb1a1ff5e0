"""A failure nobody thought of: a sentence and a file, never a traceback on the screen."""

from __future__ import annotations

from npuscope.tui import crash, text, theming
from npuscope.tui.app import NpuscopeApp
from npuscope.tui.launch import Options


def failure():
    try:
        raise ValueError("row 7")
    except ValueError as error:
        return error


def test_the_details_go_to_a_file(tmp_path, monkeypatch):
    text.set_language("en")
    monkeypatch.setattr(crash.platformdirs, "user_log_dir", lambda name: str(tmp_path / name))
    said = crash.keep(failure())
    (written,) = (tmp_path / "npuscope").iterdir()
    assert str(written) in said and "ValueError: row 7" in said and "\n" not in said
    assert "Traceback" in written.read_text()


def test_a_closed_folder_does_not_matter(tmp_path, monkeypatch):
    closed = tmp_path / "file"
    closed.write_text("")
    monkeypatch.setattr(crash.platformdirs, "user_log_dir", lambda name: str(closed / name))
    monkeypatch.setattr(crash.tempfile, "gettempdir", lambda: str(closed))
    assert crash.keep(failure()) == "npuscope failed: ValueError: row 7."


async def test_what_fails_while_the_application_ends_is_no_crash(monkeypatch):
    kept = []
    monkeypatch.setattr(crash, "keep", lambda error: kept.append(error) or "")
    app = NpuscopeApp(Options(source=None, roots=()), theming.look("dark"))
    async with app.run_test() as pilot:
        await pilot.pause()
        app.exit(0)
        app._fatal_error()
        assert not kept and not app.failed
