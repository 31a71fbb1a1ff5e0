"""Two panels of the drill-down that are read: where the call stands, and why and what next."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.strip import Strip

from npuscope.analysis.labels.verdict import Lack, Verdict
from npuscope.tui.fitting import at_word, in_room
from npuscope.tui.operators.words import lack_words
from npuscope.tui.paint import Row, rule
from npuscope.tui.text import t, told
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.wrapping import wrap

GROUP_CELLS, QUESTION_CELLS = 22, 30
HANGING = "   "  # before what goes on of a sentence: under its words, behind its number


class FactsPanel(Canvas):
    """Where the call stands: blocks, neighbours, bytes, first call."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self.meta = ""
        self.facts: Sequence[tuple[str, str]] = ()

    def show(self, meta: str, facts: Sequence[tuple[str, str]]) -> None:
        """Name and sentence per line."""
        self.meta, self.facts = meta, facts
        self.styles.height = 1 + len(facts)
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        strips = [rule(self.look, width, t("drill.stands"), self.meta)]
        for name, text in self.facts:
            strips.append(Row(self.look, width).put(2, name, "dim").put(11, at_word(text, width - 12)).strip())
        return strips


class AdvicePanel(Canvas):
    """Why, what to try, and which group would tell more, with its command."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(classes=classes)
        self._entries: Sequence[tuple[str, str]] = ()

    def show(self, verdict: Verdict, vendor: Sequence[str], room: int) -> None:
        """The verdict of one call or group, what the vendor's tool says of it, and the lines the window has left.

        At 80 columns its sentences run on in the room there is, at 120 each has its line, or as many as it needs.
        """
        width = self.app.size.width
        narrow = width < 100
        if narrow:
            self._entries = run_on(verdict, width - 12, vendor, room)
        else:
            self._entries = whole(one_a_line(verdict, width - 12, vendor), width - 12, room)
        self.styles.height = 1 + len(self._entries)
        self.repaint()

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        strips = [rule(self.look, width, t("drill.advice"))]
        for name, text in self._entries:
            row = Row(self.look, width)
            if name:
                row.put(2, t(f"detail_pane.{name}"), "dim")
            strips.append(row.put(10, at_word(text, width - 12)).strip())
        return strips


def one_a_line(verdict: Verdict, width: int, vendor: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Each sentence on a line of its own; the name stands before the first of its kind."""
    why = [told(evidence.text) for evidence in verdict.evidence] + [told(reason) for reason in verdict.reasons]
    entries = [("why" if i == 0 else "", text) for i, text in enumerate(why)]
    entries += [("next" if i == 0 else "", f"{i + 1}  {told(advice)}") for i, advice in enumerate(verdict.advice)]
    for i, lack in enumerate(verdict.lacks):
        lines = lack_lines(lack, width)
        entries += [("lacks" if i == 0 and j == 0 else "", line) for j, line in enumerate(lines)]
    return entries + [("vendor" if i == 0 else "", text) for i, text in enumerate(vendor)]


def whole(entries: Sequence[tuple[str, str]], width: int, room: int) -> list[tuple[str, str]]:
    """What is longer than a line goes on in the next ones, where all of them find room; else the lines as they are."""
    lines = [
        (name if at == 0 else "", part if at == 0 else HANGING + part)
        for name, text in entries
        for at, part in enumerate([text] if cell_len(text) <= width else wrap(text, width - len(HANGING)))
    ]
    return lines if len(lines) <= room else list(entries)


def lack_lines(lack: Lack, width: int) -> list[str]:
    """Group, the question it answers, and the command: on one line where they fit."""
    head = columns_of(lack.group, GROUP_CELLS) + told(lack.question)
    one = columns_of(head, GROUP_CELLS + QUESTION_CELLS) + lack.command
    return [one] if cell_len(one) <= width else [head, " " * GROUP_CELLS + lack.command]


def columns_of(text: str, cells: int) -> str:
    """The text and blanks up to a column; at least two."""
    return text + " " * max(2, cells - cell_len(text))


def run_on(verdict: Verdict, width: int, vendor: Sequence[str], room: int) -> list[tuple[str, str]]:
    """The sentences of a kind one behind the other, broken at blanks, in `room` lines and at least one a kind.

    Where there is no room for a command it is not cut: the key that shows it stands in its place.
    """
    join = t("sentence.join")
    why = join.join(told(evidence.text) for evidence in verdict.evidence)
    first, lack = (verdict.lacks[0], lack_words(verdict.lacks[0])) if verdict.lacks else (None, "")
    command = t("detail_pane.lack.command", question=told(first.question), command=first.command) if first else ""

    def entries(lacks: str) -> list[tuple[str, list[str]]]:
        kinds = (
            ("why", t("detail_pane.run-on", confidence=t(f"confidence.{verdict.confidence}"), why=why)),
            ("next", "  ".join(f"{i}  {told(advice)}" for i, advice in enumerate(verdict.advice, 1))),
            ("lacks", lacks),
            ("vendor", join.join(vendor)),
        )
        return [(name, list(wrap(text, width))) for name, text in kinds if text]

    whole = entries(command)
    fits = sum(len(lines) for _, lines in whole) <= room
    return in_room(whole if fits else entries(lack), room)
