"""The columns of the list of runs: where each stands at which width, and how a cell is written."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from npuscope.parsers.profile import Run
from npuscope.tui import numbers
from npuscope.tui.runs.view import started, told
from npuscope.tui.text import has, t

if TYPE_CHECKING:
    from npuscope.tui.session import Headline

WIDE = 100
NUMBERS = ("rank", "ops", "total", "core", "change")
CLOCK, DAY = 8, 11  # cells of "22:09:58" and of "01-02 22:09"
MOST_NAME = 60
CHANGE_SHOWN_PCT = 1.0
_RANDOM = re.compile(r"(PROF_\d+_\d{14,17})_[A-Z]{8,}")


@dataclass(frozen=True)
class Placed:
    """A column on the screen: x of its first cell, and its width."""

    column: str
    x: int
    width: int

    @property
    def right(self) -> bool:
        """Numbers stand right-aligned."""
        return self.column in NUMBERS


# column, gap before it, width; `run` takes what is left
_WIDE = (("time", 2, CLOCK), ("run", 2, 28), ("kind", 1, 7), ("state", 1, 10), ("chip", 2, 6), ("rank", 1, 5),
         ("ops", 1, 6), ("total", 1, 8), ("core", 2, 9), ("label", 2, 8), ("change", 0, 8))  # fmt: skip
_SMALL = (("time", 2, CLOCK), ("run", 2, 23), ("state", 1, 10), ("ops", 0, 5), ("total", 1, 8), ("core", 1, 5),
          ("label", 1, 7), ("change", 0, 5))  # fmt: skip
_DROPS = ("kind", "chip", "rank", "change", "ops")


def layout(width: int, dated: bool, ranked: bool = True) -> list[Placed]:
    """The columns at a width; `dated` makes room for the day beside the time, `ranked` for the rank."""
    columns = [column for column in (_WIDE if width >= WIDE else _SMALL) if ranked or column[0] != "rank"]
    if dated:
        columns[0] = ("time", 2, DAY)
    names = {name: gap + cells for name, gap, cells in columns}
    spare = width - (2 if width >= WIDE else 1) - sum(names.values())
    wanted_name = 22 if width >= WIDE else 18
    for drop in _DROPS:
        if spare + names["run"] - 2 >= wanted_name:
            break
        spare += names.get(drop, 0)
        columns = [column for column in columns if column[0] != drop]
    x, placed = 0, []
    for name, gap, cells in columns:
        cells = min(MOST_NAME, cells + spare) if name == "run" else cells
        placed.append(Placed(name, x + gap, cells))
        x += gap + cells
    return placed


def head(column: str, unit: str, wide: bool) -> str:
    """The head of a column."""
    if column == "total":
        return t("profiles_screen.head.total", unit=unit)
    short = f"profiles_screen.head.{column}.short"
    return t(short) if not wide and has(short) else t(f"profiles_screen.head.{column}")


def is_dated(runs: Iterable[Run], now: float) -> bool:
    """Whether any of the runs is not of today: then the day stands beside the time."""
    today = time.strftime("%Y-%m-%d", time.localtime(now))
    return any(day_of(run) != today for run in runs if started(run))


def day_of(run: Run) -> str:
    """The day a run began."""
    return time.strftime("%Y-%m-%d", time.localtime(started(run)))


def time_cell(run: Run, dated: bool, now: float) -> str:
    """22:09:58, or 01-02 22:09 beside runs of other days, or 2025-01-02 in another year; a dash where nothing tells."""
    if not started(run):
        return numbers.DASH
    began = time.localtime(started(run))
    if not dated:
        return time.strftime("%H:%M:%S", began)
    same_year = began.tm_year == time.localtime(now).tm_year
    return time.strftime("%m-%d %H:%M" if same_year else "%Y-%m-%d", began)


def short_name(name: str) -> str:
    """A PROF folder's name without the letters at its end, which say nothing."""
    found = _RANDOM.fullmatch(name)
    return found.group(1) if found else name


def name_cell(run: Run, place: str, width: int, cut: str) -> str:
    """A run's name; where others bear it too, `place` = the folders that tell it apart and its name.

    That is cut between the first and the name where both have room, else at its start.
    """
    if not place:
        return short_name(run.name)
    parts = place.split("/")
    forms = [place] + ([f"{parts[0]}/{cut}/{parts[-1]}"] if len(parts) > 2 else [])
    fitting = next((form for form in forms if cell_len(form) <= width), None)
    if fitting is not None:
        return fitting
    name = place
    kept = name[len(name) - width + cell_len(cut) :]
    while cell_len(kept) + cell_len(cut) > width:
        kept = kept[1:]
    return cut + kept


def count_cell(value: int, width: int) -> str:
    """1204, 12 480; in a narrow column 12480, 125k."""
    for text in (numbers.count(value), str(value)):
        if len(text) <= width:
            return text
    thousands = value / 1000
    return f"{thousands:.0f}k" if thousands < 10_000 else f"{thousands / 1000:.0f}M"


def total_cell(us: float, unit: tuple[str, float, int]) -> str:
    """The total in the unit of its column; four digits and more need fewer decimals, a short one its own unit."""
    value = us / unit[1]
    return numbers.own_unit(us, unit) or numbers.fixed(value, unit[2] if abs(value) < 1000 else unit[2] - 1)


def change_cell(pct: float | None, width: int, up: str = "", down: str = "") -> tuple[str, str]:
    """A change and its token: under 1 % dim, else with a mark and in the colour of better or worse."""
    if pct is None:
        return "", "dim"
    decimals = 1 if abs(pct) < 99.95 else 0
    sign = numbers.signed(pct, decimals)
    text = f"{sign} %" if width >= 7 else sign
    if abs(pct) < CHANGE_SHOWN_PCT:
        return text, "dim"
    mark, token = (down, "ok") if pct < 0 else (up, "bad")
    return (f"{mark}{text}" if width >= 7 and len(text) < width else text), token


def reason_short(run: Run, headline: Headline | None) -> str:
    """Why a run has no numbers, in a few words; "" when it has some, or when they are still to be read."""
    unread = headline is None or told(headline)
    if headline is not None and not unread and headline.problem is not None:
        return t(headline.problem.message.key, **headline.problem.message.params)
    if run.reason is None or run.state == "ready":
        return "" if unread else t("profiles_screen.short.no-rows")
    short = "profiles_screen.short." + run.reason.key.rpartition(".")[2]
    if has(short):
        return t(short, **{**run.reason.params, "size": run.size_bytes})
    return t(run.reason.key, **run.reason.params)
