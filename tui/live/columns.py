"""What stands in which column of the Live screen at which width. Pure: numbers of cells, no widget.

Optional columns go from wide to narrow: MHz, the bar of HBM, RSS, the model, the long note, the bar of AI Core. Number,
health, AI Core, history, HBM, W and degrees always stay.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

ROOMY = 100  # columns from which gaps and health take their full width
WIDE = 120  # from here on everything of a plain chip fits, and cards have a note
WIDEST = 150  # from here on histories are long
LONG_NOTE, SHORT_NOTE, WIDEST_NOTE = 24, 12, 32
ENGINES = ("bandwidth", "vector")


@dataclass(frozen=True)
class Column:
    """One column: where it stands, which die it speaks of, and how its text is aligned."""

    name: str
    x: int
    width: int
    right: bool = False
    die: int = 0

    @property
    def end(self) -> int:
        """The first cell after it."""
        return self.x + self.width


@dataclass(frozen=True)
class Traits:
    """What the chips of a box need: cells of the longest number, mixed models, columns that have readings."""

    label: int = 1
    mixed: bool = False
    mhz: bool = False
    engines: tuple[str, ...] = ()
    totals_differ: bool = False
    dies: int = 1


@dataclass(frozen=True)
class Layout:
    """The columns of the chips panel and the span in seconds of their histories."""

    columns: tuple[Column, ...]
    span_s: float

    def column(self, name: str, die: int = 0) -> Column | None:
        """The column of that name, or None when it was dropped."""
        return next((column for column in self.columns if column.name == name and column.die == die), None)

    @property
    def note(self) -> Column | None:
        """Where notes stand."""
        return self.column("note")


class _Line:
    """Columns set one behind the other."""

    def __init__(self, x: int) -> None:
        self.x = x
        self.columns: list[Column] = []

    def add(self, name: str, width: int, gap: int, right: bool = False, die: int = 0) -> None:
        if width > 0:
            self.columns.append(Column(name, self.x, width, right, die))
            self.x += width + gap


def chips(width: int, traits: Traits) -> Layout:
    """The chips panel in a window of `width` columns."""
    if traits.dies == 2:
        return _cards(width, traits)
    kept = {"hbmbar", "model", "long note"}
    if traits.mhz:
        kept.add("mhz")
    if not traits.mixed:
        kept.discard("model")
    line = _plain(width, traits, kept)
    for name in ("mhz", "hbmbar", "model", "long note"):
        if width >= ROOMY and line.x + (LONG_NOTE if "long note" in kept else SHORT_NOTE) + 1 <= width:
            break
        kept.discard(name)
        line = _plain(width, traits, kept)
    note = width - line.x - (1 if width >= ROOMY else 0)
    line.add("note", min(note, WIDEST_NOTE if width >= WIDEST else LONG_NOTE), 0)
    return Layout(tuple(line.columns), 300.0 if width >= WIDEST else 120.0)


def _plain(width: int, traits: Traits, kept: Collection[str]) -> _Line:
    roomy = width >= ROOMY
    history = 44 if width >= WIDEST else 24 if roomy else 20 + min(4, width - 80)
    squeezed = "model" in kept and width < WIDEST
    line = _begin(traits, roomy)
    line.add("model", 8 if "model" in kept else 0, 1)
    line.add("core", 3, 1, right=True)
    line.add("bar", 9 if not roomy else 13 if squeezed else 14, 2)
    line.add("history", history - (8 if squeezed else 0) - max(0, traits.label - 4), 2)
    line.add("hbm", 8 if traits.totals_differ else 4, 1 if "hbmbar" in kept else 2, right=True)
    line.add("hbmbar", 8 if "hbmbar" in kept else 0, 2)
    line.add("power", 4, 2 if roomy else 1, right=True)
    line.add("temp", 3, 2, right=True)
    line.add("mhz", 4 if "mhz" in kept else 0, 2, right=True)
    for name in traits.engines if width >= WIDEST else ():
        line.add(name, 4, 2, right=True)
    line.x += 1 if roomy else 0
    return line


def _begin(traits: Traits, roomy: bool) -> _Line:
    line = _Line(2)
    line.add("npu", max(3, traits.label), 1 if traits.label == 4 else 2, right=True)
    line.add("health", 8 if roomy else 7, 1)
    return line


def _cards(width: int, traits: Traits) -> Layout:
    """Two dies a card: one row per card."""
    wide = width >= WIDE
    bar = 8 if width >= 136 else 0
    history = 14 + min(5, (width - 80) // 8) if not wide else 30 if width >= WIDEST else 24
    line = _begin(traits, roomy=False)
    for die in (0, 1):
        line.add("core", 3, 1, right=True, die=die)
        line.add("bar", bar, 1, die=die)
        line.add("history", history, 1, die=die)
        line.add("hbm", 2, 1, right=True, die=die)
        line.add("temp", 3, (2 if wide else 6) if die == 0 else (2 if wide else 4), right=True, die=die)
    line.add("power", 4, 2, right=True)
    note = width - line.x - 1
    line.add("note", min(note, LONG_NOTE) if wide and note >= SHORT_NOTE else 0, 0)
    return Layout(tuple(line.columns), 300.0 if width >= WIDEST else 120.0 if wide else 60.0)


def processes(width: int, note: Column | None) -> tuple[Column, ...]:
    """The process table; its notes stand under those of the chips."""
    line = _Line(2)
    roomy = width >= ROOMY
    if roomy:
        line.add("pid", 7, 2, right=True)
        line.add("user", 8, 1)
        line.add("chips", 9, 1)
        line.add("hbm", 6, 2, right=True)
        line.add("cpu", 5, 2, right=True)
        line.add("rss", 6 if width >= WIDE else 0, 2, right=True)
        line.add("up", 8, 2, right=True)
    else:
        line.add("pid", 7, 1, right=True)
        line.add("user", 6, 1)
        line.add("chips", 6, 1)
        line.add("hbm", 6, 2, right=True)
        line.add("cpu", 5, 1, right=True)
        line.add("up", 8, 2, right=True)
    shows_note = roomy and note is not None and note.width >= SHORT_NOTE and note.x - line.x > 14
    end = note.x - 2 if shows_note and note is not None else width - 1
    line.add("command", end - line.x, 2)
    if shows_note and note is not None:
        line.x = note.x
        line.add("note", note.width, 0)
    return tuple(line.columns)


def runs(width: int, note: Column | None) -> tuple[Column, ...]:
    """The profiles list."""
    if width < ROOMY:
        return (
            Column("time", 2, 8), Column("run", 12, 11), Column("state", 25, 10), Column("ops", 36, 8, True),
            Column("total", 45, 10, True), Column("label", 57, 12), Column("change", 70, width - 71),
        )  # fmt: skip
    if width < WIDE:
        return (
            Column("time", 2, 8), Column("run", 12, 20), Column("state", 34, 10), Column("ops", 45, 8, True),
            Column("total", 54, 10, True), Column("core", 65, 13), Column("label", 79, 12),
            Column("change", 92, width - 93),
        )  # fmt: skip
    change = note.x if note is not None and note.width >= SHORT_NOTE and note.x >= 95 else 95
    return (
        Column("time", 2, 8), Column("run", 12, 24), Column("state", 37, 10), Column("ops", 48, 9, True),
        Column("total", 58, 10, True), Column("core", 69, 12), Column("label", 82, 12),
        Column("change", change, width - change - 1),
    )  # fmt: skip


def span_words(span_s: float) -> str:
    """The catalogue key of a span's name."""
    return f"live.span.{span_s / 60:.0f}"
