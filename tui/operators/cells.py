"""How one line of the operator table is painted: its heads, and the cells of a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len

from npuscope.parsers.table import Strings, Table
from npuscope.tui import numbers
from npuscope.tui.operators.columns import BAR, Placed, head, number_cell
from npuscope.tui.paint import Row
from npuscope.tui.tableview import Units
from npuscope.tui.text import has, t

BIG_SAVING = 0.05  # of the total: from here on a saving is printed bright


@dataclass(frozen=True)
class Cells:
    """What is true of all lines: the columns on the screen, their units, the order, the run's time."""

    table: Table
    placed: Sequence[Placed]
    units: Units
    sorted_by: str
    descending: bool
    total_us: float

    def heads(self, line: Row) -> Row:
        """The line over the rows; the sorted column is marked."""
        for at, placed in enumerate(self.placed):
            text, align = head(placed, self._unit(placed.column)[0]), "left" if placed.left else "right"
            if placed.column != self.sorted_by:
                line.put(placed.x, text, "dim", placed.width, align)
                continue
            after = self.placed[at + 1].x if at + 1 < len(self.placed) else line.width
            sign = line.look.glyphs.down if self.descending else line.look.glyphs.up
            text, room = with_sign(text, sign, placed.width, after - placed.x - placed.width)
            line.put(placed.x, text, "accent!", room, align)
        return line

    def row(self, line: Row, row: int) -> Row:
        """One row of the table."""
        for placed in self.placed:
            if placed.column == "label":
                self._label(line, placed, row)
            elif placed.column == BAR:
                line.bar(placed.x, placed.width, known_or_0(self.table.numbers("share_pct")[row]) / 100, "neutral")
            else:
                self._cell(line, placed, row)
        return line

    def _cell(self, line: Row, placed: Placed, row: int) -> None:
        column = placed.column
        values, token = self.table.columns.get(column), self._token(column, row)
        if isinstance(values, Strings):
            text = values[row]
            if text is None and column == "type":
                text = self.table.strings("name")[row]
            line.put(placed.x, text_cell(column, text), token, placed.width)
            return
        value = float("nan") if values is None else float(values[row])
        line.number(placed.x, number_cell(column, value, self._unit(column), placed.width), placed.width, token)

    def _unit(self, column: str) -> tuple[str, float, int]:
        return self.units.get(column, ("us", 1.0, 1))

    def _token(self, column: str, row: int) -> str:
        if column == self.sorted_by:
            return "bright"
        if column == "saving_us":
            saving = known_or_0(self.table.numbers("saving_us")[row])
            return "bright" if self.total_us and saving >= BIG_SAVING * self.total_us else "text"
        return "dim" if column in ("bound_us", "core") else "text"

    def _label(self, line: Row, placed: Placed, row: int) -> None:
        if "label" not in self.table:
            line.put(placed.x, line.look.glyphs.dash, "dim")
            return
        label = self.table.strings("label")[row] or "unknown"
        word = t(f"label.{label}")
        line.put(placed.x, word, line.look.hue(label), placed.width)
        x = placed.x + cell_len(word) + 1
        after = sub_label(self.table.strings("detail")[row], self.table.strings("runner_up")[row])
        line.put(x, after, "dim", placed.x + placed.width - x)


def text_cell(column: str, text: str | None) -> str:
    """A text of the table; core types by their short names."""
    if text is None:
        return numbers.DASH
    return t(f"core.{text}") if column == "core" and has(f"core.{text}") else text


def sub_label(detail: str | None, runner_up: str | None) -> str:
    """What stands behind the label: `tiling`, or `~ memory` when two classes are level."""
    if runner_up:
        return t("label.tie", label=t(f"label.{runner_up}"))
    key = f"detail.{detail}"
    return "" if not detail else t(key) if has(key) else detail


def with_sign(text: str, sign: str, width: int, gap: int) -> tuple[str, int]:
    """A sorted head and the cells it may take: the sign stands behind it where there is room, else in its blank."""
    if cell_len(text) < width:
        return text + sign, width
    if gap >= 2:
        return text + sign, width + 1
    before, blank, after = text.rpartition(" ")
    return (before + sign + after if blank else text[:-1] + sign), width


def known_or_0(value: Any) -> float:
    """A number to compare or draw with: what is not known has no length."""
    return 0.0 if value != value else float(value)
