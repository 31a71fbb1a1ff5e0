"""One line of a screen, built cell by cell: texts at columns, cut to their width, neighbours of one style merged."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from npuscope.tui.text import clean, plain
from npuscope.tui.theming import Look

Part = tuple[str, str]  # text, token
BOLD = "!"  # a token with this suffix is bold: "memory!"


def fit(text: str, width: int, cut: str = "…") -> str:
    """The text in at most `width` cells, its end cut with a sign."""
    if cell_len(text) <= width:
        return text
    kept, used = [], cell_len(cut)
    for letter in text:
        used += cell_len(letter)
        if used > width:
            break
        kept.append(letter)
    return "".join(kept) + cut if width > 0 else ""


def fit_middle(text: str, width: int, cut: str = "…") -> str:
    """The text in at most `width` cells, cut in the middle: for paths and names of runs."""
    if cell_len(text) <= width:
        return text
    head = (width - 1) * 2 // 3
    tail = width - 1 - head
    return fit(text, head + 1, cut) + (text[-tail:] if tail > 0 else "")


class Row:
    """A line of `width` cells. Texts come from files too: they are cleaned here, at the one place all of them pass."""

    def __init__(self, look: Look, width: int, selected: bool = False) -> None:
        self.look = look
        self.width = width
        self.selected = selected
        self._pieces: list[tuple[int, str, Style]] = []

    def put(self, x: int, text: str, token: str = "text", width: int | None = None, align: str = "left") -> Row:
        """Text at column x in a field of `width` cells (default: what it needs, up to the line's end)."""
        room = min(self.width - x, self.width if width is None else width)
        if room <= 0 or not text:
            return self
        text = fit(plain(text) if self.look.ascii else clean(text), room, self.look.glyphs.cut)
        if align == "right" and width is not None:
            x += room - cell_len(text)
        self._pieces.append((x, text, self.style(token)))
        return self

    def number(self, x: int, text: str, width: int, token: str = "text") -> Row:
        """Right-aligned."""
        return self.put(x, text, token, width, "right")

    def parts(self, x: int, parts: Iterable[Part], gap: int = 0) -> int:
        """Several texts one behind the other; returns the column after them."""
        for text, token in parts:
            self.put(x, text, token)
            x += cell_len(plain(text) if self.look.ascii else clean(text)) + gap
        return x

    def bar(self, x: int, width: int, fraction: float, token: str, track: str = "faint") -> Row:
        """A line of `width` cells, filled up to `fraction` in half-cell steps; anything above 0 shows."""
        signs = self.look.glyphs
        halves = min(2 * width, max(round(fraction * 2 * width), 1 if fraction > 0 else 0))
        filled = signs.full * (halves // 2) + (signs.half if halves % 2 else "")
        self.put(x, filled, token, width)
        return self.put(x + len(filled), signs.track * (width - len(filled)), track)

    def style(self, token: str) -> Style:
        """The style of a token on this line; "memory!" is bold."""
        bold = token.endswith(BOLD)
        return self.look.style(token[:-1] if bold else token, bold=bold, selected=self.selected)

    def styled(self, x: int, text: str, style: Style) -> Row:
        """Text in a style of its own (timeline cells)."""
        self._pieces.append((x, text, style))
        return self

    def strip(self) -> Strip:
        """The finished line. Where two texts overlap, the one put first stays."""
        blank = self.look.style("text", selected=self.selected)
        segments: list[Segment] = []
        x = 0
        for at, text, style in sorted(self._pieces, key=lambda piece: piece[0]):
            if at < x:
                continue
            if at > x:
                segments.append(Segment(" " * (at - x), blank))
            segments.append(Segment(text, style))
            x = at + cell_len(text)
        if x < self.width:
            segments.append(Segment(" " * (self.width - x), blank))
        return Strip(merged(segments)).adjust_cell_length(self.width, blank)


def merged(segments: Iterable[Segment]) -> list[Segment]:
    """Neighbours of one style become one segment: fewer colour changes on the wire."""
    joined: list[Segment] = []
    for segment in segments:
        if joined and (joined[-1].style == segment.style):
            joined[-1] = Segment(joined[-1].text + segment.text, segment.style)
        else:
            joined.append(segment)
    return joined


def rule(look: Look, width: int, title: str, meta: str = "", accent: bool = False) -> Strip:
    """`─ Title ───────── meta ─`: the only line between two panels."""
    row = Row(look, width)
    sign = look.glyphs.rule
    meta = fit(plain(meta) if look.ascii else clean(meta), max(0, width - cell_len(title) - 12), look.glyphs.cut)
    row.put(0, sign, "faint").put(2, title, "accent!" if accent else "text!")
    start = 3 + cell_len(title)
    end = width - 3 - cell_len(meta) if meta else width
    row.put(start, sign * max(0, end - start), "faint")
    if meta:
        row.put(width - 2 - cell_len(meta), meta, "dim")
    return row.put(width - 1, sign, "faint").strip()
