"""The cells of the chips panel: one small painter per column."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from npuscope.parsers.readings import Chip
from npuscope.tui import numbers
from npuscope.tui.live.chips import ChipLine, die_value, memory_mb, severity
from npuscope.tui.live.columns import Column
from npuscope.tui.live.history import Bins, cells, level
from npuscope.tui.live.notes import told
from npuscope.tui.paint import Row


@dataclass
class ChipView:
    """What all cells of the panel look at beside their row."""

    bins: Bins = field(default_factory=lambda: Bins(5.0, 1))
    sorted_by: str = ""
    dim: bool = False
    totals_differ: bool = False
    decimals: int = 1


Painter = Callable[[Row, int, Column, ChipLine, ChipView], None]


def _token(line: ChipLine, view: ChipView, column: str, usual: str = "text") -> str:
    if view.dim or line.stale:
        return "dim"
    return "bright" if column == view.sorted_by and column != "npu" else usual


def _die(line: ChipLine, column: Column) -> Chip | None:
    return line.dies[column.die] if column.die < len(line.dies) else None


def _number(row: Row, x: int, column: Column, line: ChipLine, view: ChipView, usual: str = "text") -> None:
    die = _die(line, column)
    value = die_value(die, column.name) if die is not None else None
    token = _token(line, view, column.name, usual) if value is not None else "dim"
    row.number(x, numbers.fixed(value, 0), column.width, token)


def npu(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """`!` in the second cell of the row, and the number of the chip."""
    if line.attention:
        row.put(1, "!", "dim" if view.dim else "warn!")
    row.number(x, line.label, column.width, _token(line, view, "npu", "text!" if line.attention else "text"))


def health(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """OK is silent."""
    rank = severity(line.health)
    token = "dim" if rank == 0 or view.dim or line.stale else "bad!" if rank in (2, 3) else "warn!"
    row.put(x, line.health, token, column.width)


def model(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """The chip's name."""
    row.put(x, line.dies[0].name, "dim", column.width)


def core(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """AI Core %; bright on rows that want a look."""
    _number(row, x, column, line, view, "bright" if line.attention else "text")


def bar(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """AI Core % as a bar; none where there is no reading."""
    die = _die(line, column)
    pct = die.aicore_pct if die is not None else None
    if pct is not None:
        row.bar(x, column.width, pct / 100, "neutral" if view.dim or line.stale else row.look.heat(pct))


def history(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """The closed bins, newest right."""
    die = _die(line, column)
    if die is not None:
        row.parts(x, cells(view.bins.closed(die.key)[-(column.width) :], row.look.glyphs))


def present(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """The bin that is still open, one cell."""
    die = _die(line, column)
    if die is not None:
        row.parts(x, cells([view.bins.open(die.key)], row.look.glyphs))


def hbm(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """Device memory in use, with the total where chips differ."""
    die = _die(line, column)
    if die is None:
        return
    used, total = memory_mb(die)
    decimals = 0 if column.width < 4 else view.decimals
    text = numbers.gb(used, decimals)
    if view.totals_differ and column.width > 5:
        text = f"{text}/{numbers.gb(total, 0)}"
    row.number(x, text, column.width, _token(line, view, "hbm") if used is not None else "dim")


def hbmbar(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """The share of device memory in use."""
    used, total = memory_mb(line.dies[0])
    if used is not None and total:
        row.bar(x, column.width, used / total, "neutral")


def power(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """W of the row; marked where it contradicts AI Core."""
    marked = line.note is not None and line.note.key.endswith("busy-low-power") and not view.dim and not line.stale
    token = "warn!" if marked else _token(line, view, "power")
    row.number(x, numbers.fixed(line.power_w, 0), column.width, token if line.power_w is not None else "dim")


def quiet(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """A number that is nearly the same everywhere."""
    _number(row, x, column, line, view, "dim")


def note(row: Row, x: int, column: Column, line: ChipLine, view: ChipView) -> None:
    """The remark on the row."""
    warn = line.note is not None and line.note.warn and not view.dim
    row.put(x, told(line.note, column.width), "warn" if warn else "dim", column.width)


PAINTERS: Mapping[str, Painter] = {
    "npu": npu, "health": health, "model": model, "core": core, "bar": bar, "history": history, "present": present,
    "hbm": hbm, "hbmbar": hbmbar, "power": power, "temp": _number, "mhz": quiet, "bandwidth": _number,
    "vector": _number, "note": note,
}  # fmt: skip


def value(column: Column, line: ChipLine, view: ChipView) -> Hashable:
    """What decides how a cell looks, as far as it is shown: a bar by its half cells, a history by its bins."""
    die, name = _die(line, column), column.name
    if name in ("npu", "health", "model", "note"):
        return line.label, line.health, line.dies[0].name
    if name == "power":
        return line.power_w
    if die is None:
        return None
    if name == "history":
        return die.key, view.bins.serial
    if name == "present":
        return drawn_level(view.bins.open(die.key))
    if name in ("hbm", "hbmbar"):
        return memory_mb(die), view.decimals
    if name == "bar":
        pct = die.aicore_pct
        return None if pct is None else (round(pct * column.width / 50), pct == 0, pct >= 40, pct >= 80)
    return die_value(die, name)


def drawn_level(pct: float | None) -> int:
    """The height a history cell is drawn with; -1 = no reading."""
    return -1 if pct is None else level(pct, 7)
