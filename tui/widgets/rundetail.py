"""The pane under the list of runs: there, lacks, do; the command stands bold on lines of its own."""

from __future__ import annotations

from collections.abc import Sequence

from textual.strip import Strip

from npuscope.tui.paint import Row
from npuscope.tui.runs.words import Line
from npuscope.tui.text import clean, plain, t
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.wrapping import wrap

TEXT_X = 10


class RunDetail(Canvas):
    """Lines of runwords.detail_of; a long text goes on below itself, as far as there is room."""

    DEFAULT_CSS = "RunDetail { height: 4; }"

    def __init__(self) -> None:
        super().__init__()
        self.said: Sequence[Line] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Another run, or more about it."""
        self.said = lines
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        room = width - TEXT_X - 2
        strips = []
        for line, texts in zip(self.said, allotted(self.said, room, height, self.look.ascii)):
            for number, text in enumerate(texts):
                row = Row(self.look, width).put(TEXT_X, text, line.token, room)
                if number == 0 and line.label:
                    row.put(2, t("profiles_screen.line." + line.label), "dim", TEXT_X - 3)
                strips.append(row.strip())
        return strips


def allotted(lines: Sequence[Line], width: int, height: int, ascii_only: bool = False) -> list[list[str]]:
    """Each line's text cut into pieces of `width` cells, `height` pieces together: every line keeps its first one,
    the command keeps all it can, and what is left goes to the others from top to bottom."""
    broken = [list(wrap(plain(line.text) if ascii_only else clean(line.text), width)) for line in lines][:height]
    given = [1] * len(broken)
    spare = height - len(broken)
    for wanted in ("bright", ""):
        for at, line in enumerate(lines[: len(broken)]):
            if not wanted or line.token == wanted:
                more = min(spare, len(broken[at]) - given[at])
                given[at] += more
                spare -= more
    return [
        pieces if count == len(pieces) else [*pieces[: count - 1], " ".join(pieces[count - 1 :])]
        for pieces, count in zip(broken, given)
    ]
