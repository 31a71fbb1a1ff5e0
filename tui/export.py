"""The screen as a text file and as a picture, for a ticket or a mail."""

from __future__ import annotations

import time
from pathlib import Path

from textual.app import App


def screen_text(app: App[int]) -> str:
    """What is on the screen, without colours."""
    lines = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in lines) + "\n"


def export_screen(app: App[int], folder: Path | None = None) -> tuple[Path, Path]:
    """Write npuscope-<time>.txt and .svg; the names that were written."""
    folder = folder or Path.cwd()
    name = time.strftime("npuscope-%Y%m%d-%H%M%S")
    text_file, picture = folder / f"{name}.txt", folder / f"{name}.svg"
    text_file.write_text(screen_text(app), encoding="utf-8")
    picture.write_text(app.export_screenshot(title="npuscope"), encoding="utf-8")
    return text_file, picture
