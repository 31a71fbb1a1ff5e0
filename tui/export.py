"""The screen as a text file and as a picture, for a ticket or a mail."""

from __future__ import annotations

import contextlib
import errno
import re
import time
from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from textual.app import App
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

MOST_NAMES = 1000
PROFILE = re.compile(r"^(OP)?PROF_|_ascend_(pt|ms)$")


def screen_text(app: App[int]) -> str:
    """What is on the screen, without colours; blanks at the ends of lines are left out."""
    screen = app.screen
    cells = [[" "] * screen.size.width for _ in range(screen.size.height)]
    for widget in shown(screen):
        region, clip = screen.find_widget(widget).region, screen.find_widget(widget).visible_region
        for y, strip in enumerate(widget.render_lines(Region(0, 0, *region.size)), region.y):
            if clip.y <= y < clip.bottom and 0 <= y < len(cells):
                write(cells[y], region.x, strip)
    return "\n".join("".join(line).rstrip() for line in cells) + "\n"


def shown(screen: Screen[object]) -> list[Widget]:
    """The widgets that draw something, those behind first."""
    leaves = [widget for widget in screen.walk_children(Widget) if not widget.children and widget.is_on_screen]
    return sorted(leaves, key=lambda widget: screen.find_widget(widget).order)


def write(line: list[str], x: int, strip: Strip) -> None:
    """A strip's text into a line of cells; the second cell of a wide sign is empty."""
    for letter in strip.text:
        width = cell_len(letter)
        if width == 0:
            if 0 < x <= len(line):
                line[x - 1] += letter
            continue
        if x >= 0 and x + width <= len(line):
            line[x : x + width] = [letter] + [""] * (width - 1)
        x += width


def picture(app: App[int]) -> str:
    """The screen as SVG. Some viewers drop blanks at the start of a text unless they are told to keep them."""
    return app.export_screenshot(title="npuscope").replace("<svg ", '<svg xml:space="preserve" ', 1)


def export_screen(app: App[int], folder: Path | None = None) -> tuple[Path, Path]:
    """Write npuscope-<time>.txt and .svg; the names that were written, never those of files that were there.

    Raises OSError when the folder cannot be written to; then nothing is left behind.
    """
    texts = (screen_text(app), picture(app))
    paths = free_names(folder or outside_profiles(Path.cwd()), (".txt", ".svg"))
    try:
        for path, text in zip(paths, texts):
            path.write_text(text, encoding="utf-8")
    except OSError:
        for path in paths:
            with contextlib.suppress(OSError):
                path.unlink()
        raise
    return paths[0], paths[1]


def outside_profiles(folder: Path) -> Path:
    """The folder itself, or what holds the profile it lies in: nothing is ever written into a profile's folder."""
    for part in (*reversed(folder.parents), folder):
        if PROFILE.search(part.name):
            return part.parent
    return folder


def free_names(folder: Path, suffixes: Sequence[str]) -> list[Path]:
    """One new, empty file for each suffix, all of one name that none was there with. Raises OSError."""
    stem = time.strftime("npuscope-%Y%m%d-%H%M%S")
    for number in range(1, MOST_NAMES):
        name = stem if number == 1 else f"{stem}-{number}"
        paths = [folder / f"{name}{suffix}" for suffix in suffixes]
        if any(path.exists() or path.is_symlink() for path in paths):
            continue
        made: list[Path] = []
        try:
            for path in paths:
                path.touch(exist_ok=False)
                made.append(path)
        except OSError as error:
            for path in made:
                path.unlink()
            if not isinstance(error, FileExistsError):
                raise
            continue
        return paths
    raise FileExistsError(errno.EEXIST, f"{MOST_NAMES} files of this name", str(folder / stem))
