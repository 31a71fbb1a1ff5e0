"""Which further columns the operator table shows; those that are there anyway are marked and stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.strip import Strip

from npuscope.tui.operators.columns import MORE
from npuscope.tui.paint import Row, rule
from npuscope.tui.text import has, t
from npuscope.tui.widgets.canvas import Canvas


class ColumnList(Canvas):
    """The columns there are, the chosen ones marked."""

    DEFAULT_CSS = "ColumnList { width: 78; max-height: 100%; }"

    def __init__(self, names: Sequence[str], chosen: Sequence[str], there: Sequence[str] = ()) -> None:
        super().__init__()
        self.names = names
        self.chosen = set(chosen)
        self.there = set(there) - self.chosen
        self.cursor = 0
        self.styles.height = len(names) + 2

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        room = max(1, height - 2)
        top = max(0, min(self.cursor - room + 1, len(self.names) - room))
        where = t("columns.where", at=self.cursor + 1, n=len(self.names)) if room < len(self.names) else ""
        strips = [rule(self.look, width, t("columns.title"), where)]
        for index, name in enumerate(self.names[top : top + room], top):
            row = Row(self.look, width, selected=index == self.cursor)
            if index == self.cursor:
                row.put(0, self.look.glyphs.mark, "accent")
            shown = name in self.chosen or name in self.there
            row.put(2, "[x]" if shown else "[ ]", "accent" if name in self.chosen else "dim")
            row.put(6, t(f"head.{name}", unit="us"), width=14)
            about = f"column.{name}"
            strips.append(
                row.put(21, t(about) if has(about) else "", "text" if index == self.cursor else "dim").strip()
            )
        strips.append(Row(self.look, width).put(2, t("columns.keys"), "dim").strip())
        return strips


class ColumnsScreen(ModalScreen[tuple[str, ...]]):
    """space toggles, enter takes, esc leaves all as it was."""

    DEFAULT_CSS = """
    ColumnsScreen { align: center middle; background: $background 60%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", show=False),
        Binding("up,k", "move(-1)", show=False),
        Binding("space,x", "choose", show=False),
        Binding("enter,c", "take", show=False),
        Binding("escape,q", "leave", show=False),
    ]

    def __init__(self, level: str, chosen: Sequence[str], there: Sequence[str] = ()) -> None:
        super().__init__()
        self._names = MORE[level]
        self._chosen = chosen
        self._there = there

    def compose(self) -> ComposeResult:
        yield ColumnList(self._names, self._chosen, self._there)

    def action_move(self, steps: int) -> None:
        """The cursor."""
        shown = self.query_one(ColumnList)
        shown.cursor = max(0, min(len(shown.names) - 1, shown.cursor + steps))
        shown.repaint()

    def action_choose(self) -> None:
        """In or out."""
        shown = self.query_one(ColumnList)
        shown.chosen ^= {shown.names[shown.cursor]}
        shown.repaint()

    def action_take(self) -> None:
        """Done."""
        shown = self.query_one(ColumnList)
        self.dismiss(tuple(name for name in shown.names if name in shown.chosen))

    def action_leave(self) -> None:
        """No change."""
        self.dismiss(None)
