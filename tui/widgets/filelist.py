"""The list of a run's files: name, kind, size, rows, how it is used."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.strip import Strip

from npuscope.parsers.msprof.run_files import IGNORED, RAW, READ, RunFile
from npuscope.tui import numbers
from npuscope.tui.files.sheetwords import kind_words
from npuscope.tui.files.view import FileRows
from npuscope.tui.files.words import use_words
from npuscope.tui.paint import Row, fit_middle
from npuscope.tui.text import t
from npuscope.tui.widgets.listcanvas import ListCanvas

WIDE = 100
_LEAST_FOLDER = 6
_TOKENS = {READ: "ok", IGNORED: "warn", RAW: "dim"}


def layout(width: int) -> list[tuple[str, int, int]]:
    """Column, x, width: the file takes what the others leave."""
    kind, size, rows, use = (26, 9, 11, 28) if width >= WIDE else (17, 8, 8, 10)
    file = width - 2 - sum((kind, size, rows, use)) - 6
    placed: list[tuple[str, int, int]] = []
    x = 2
    widths = {"file": file, "kind": kind, "size": size, "rows": rows, "use": use}
    for name, cells in widths.items():
        placed.append((name, x, cells))
        x += cells + (2 if name == "rows" else 1)
    return placed


class FileList(ListCanvas):
    """Head and rows of a FileRows; what stands there when it has none is `note`."""

    DEFAULT_CSS = "FileList { height: 1fr; }"

    def __init__(self, view: FileRows) -> None:
        super().__init__(view)
        self.view = view
        self.note = ""

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(name for name, _, _ in layout(self.size.width))

    def head_at(self, x: int) -> str:
        return next((name for name, at, _ in reversed(layout(self.size.width)) if at - 1 <= x), "file")

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        strips = [self._head(width)]
        for position, one in enumerate(self.view.window(max(1, height - 1)), self.view.top):
            strips.append(self._line(width, one, position == self.view.cursor))
        if not len(self.view):
            strips.append(Row(self.look, width).put(2, self.note, "dim").strip())
        return strips

    def _head(self, width: int) -> Strip:
        row = Row(self.look, width)
        for name, x, cells in layout(width):
            text, token = t(f"files.list.{name}"), "dim"
            if name == self.view.sort_column:
                text += self.look.glyphs.down if self.view.descending else self.look.glyphs.up
                token = "accent!"
            if name in ("size", "rows"):
                row.number(x, text, cells + (token != "dim"), token)
            else:
                row.put(x, text, token, cells)
        return row.strip()

    def _put_name(self, row: Row, one: RunFile, x: int, room: int, token: str) -> None:
        """The name, and behind it as much of its folder as there is room for."""
        folder, _, name = one.file.rpartition("/")
        name = fit_middle(name, room, self.look.glyphs.cut)
        row.put(x, name, token, room)
        left = room - cell_len(name) - 2
        if folder and left >= _LEAST_FOLDER:
            row.put(x + cell_len(name) + 2, fit_middle(folder, left, self.look.glyphs.cut), "faint", left)

    def _line(self, width: int, one: RunFile, selected: bool) -> Strip:
        row = Row(self.look, width, selected)
        if selected:
            row.put(0, ">" if self.look.mono else self.look.glyphs.mark, "accent")
        problem = self.view.problem_of(one)
        if problem is not None and problem.code != "empty-file":
            row.put(1, "!", "bad!")
        plain = "text" if one.opens else "dim"
        rows = self.view.rows_of(one)
        cells = {
            "kind": kind_words(one.kind) if one.kind is not None else t("files.kind.unknown.short"),
            "size": numbers.bytes_in_words(one.size),
            "rows": numbers.count(rows) if rows is not None else "",
            "use": use_words(one) if width >= WIDE else t(f"files.use.{one.use}"),
        }
        for name, x, room in layout(width):
            if name == "file":
                self._put_name(row, one, x, room, plain)
            elif name in ("size", "rows"):
                row.number(x, cells[name], room, plain)
            else:
                row.put(x, cells[name], _TOKENS.get(one.use, plain) if name == "use" else "dim", room)
        return row.strip()
