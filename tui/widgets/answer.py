"""The two lines on top of every screen: what is so, and what to do; on some a third, what to mind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.strip import Strip

from npuscope.tui.paint import Part, Row
from npuscope.tui.text import clean
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.wrapping import wrap

KINDS = {"info": "accent", "warn": "warn", "bad": "bad", "none": "dim"}
BAR_CELLS = 40
SIGNS = {"info": ">", "warn": "!", "bad": "!", "none": "-"}


@dataclass(frozen=True)
class Answer:
    """Kind (info, warn, bad, none) and two sentences; words in `hues` are painted in their token's colour.

    `more` are sentences that follow the second where they find room; `third` is a line of its own, where there is one.
    With `progress` (0..1) a bar stands before the second.
    """

    kind: str = "none"
    first: str = ""
    second: str = ""
    hues: tuple[tuple[str, str], ...] = ()
    more: tuple[str, ...] = ()
    progress: float | None = None
    third: str = ""


class AnswerLines(Canvas):
    """The answer of the screen."""

    DEFAULT_CSS = "AnswerLines { height: 2; }"

    def __init__(self) -> None:
        super().__init__()
        self.answer = Answer()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        answer = self.answer
        first, second = answer.first, answer.second
        if answer.progress is not None:
            return [self._line(width, parts_of(first, "bright", answer.hues)), self._bar(width, answer.progress)]
        if not second and cell_len(clean(first)) > width - 4:
            first, *rest = wrap(first, width - 4)
            second = " ".join(rest)
        for sentence in answer.more:
            if cell_len(clean(f"{second} {sentence}")) <= width - 4:
                second = f"{second} {sentence}".strip()
        strips = [
            self._line(width, parts_of(first, "bright", answer.hues)),
            self._line(width, parts_of(second, "text", ())),
        ]
        return [*strips, self._beware(width)] if answer.third else strips

    def _line(self, width: int, parts: list[Part]) -> Strip:
        row = self._row(width)
        row.parts(2, parts)
        return row.strip()

    def _beware(self, width: int) -> Strip:
        row = self._row(width)
        return row.put(1, "!", "warn").put(2, self.answer.third, "dim").strip()

    def _row(self, width: int) -> Row:
        row = Row(self.look, width)
        if self.look.ascii or self.look.mono:
            return row.put(0, SIGNS[self.answer.kind], "bright")
        return row.put(0, self.look.glyphs.mark, KINDS[self.answer.kind])

    def _bar(self, width: int, progress: float) -> Strip:
        row = self._row(width).bar(2, BAR_CELLS, progress, "accent")
        return row.put(2 + BAR_CELLS + 2, self.answer.second, "dim").strip()

    def show(self, answer: Answer) -> None:
        """Another answer; nothing is sent when it is the same."""
        if bool(answer.third) != bool(self.answer.third):
            self.styles.height = 3 if answer.third else 2
        self.answer = answer
        self.repaint()


def parts_of(text: str, token: str, hues: Sequence[tuple[str, str]]) -> list[Part]:
    """The sentence cut at the words that have a hue."""
    for word, hue in hues:
        before, found, after = text.partition(word)
        if found:
            return [(before, token), (word, hue + "!"), *parts_of(after, token, ())]
    return [(text, token)]
