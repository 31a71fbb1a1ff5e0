"""A failure nobody thought of: a sentence and a file, never a traceback on the screen."""

from __future__ import annotations

from npuscope.tui import crash, text


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
