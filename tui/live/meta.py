"""What the rules over the Live panels say: title, words that stay, and words that move with the readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len

from npuscope.parsers.readings import Chip, Host
from npuscope.tui import numbers
from npuscope.tui.live.chips import ChipLine, has_two_dies, memory_mb, severity
from npuscope.tui.live.columns import ROOMY
from npuscope.tui.live.merge import GONE
from npuscope.tui.live.notes import clock
from npuscope.tui.live.state import LiveState
from npuscope.tui.text import t

SLACK = 0.1
HOST_CELLS = 12
SLOW_S = 2.0  # from here on the period is told before a second reading shows it
RULE_CELLS = 8  # of a rule: its ends, the blanks around words, and a piece of line that is seen


@dataclass
class Steady:
    """Numbers that are shown until they have moved by a tenth: the period and cost of a reading tremble."""

    _shown: dict[str, float] = field(default_factory=dict)

    def value(self, name: str, now: float) -> float:
        """The number to show."""
        shown = self._shown.get(name)
        if shown is None or abs(now - shown) > SLACK * max(abs(shown), 0.05):
            self._shown[name] = shown = now
        return shown


def chips_rule(
    state: LiveState, width: int, host: str, steady: Steady, interval_s: float = 0.0, more: str = ""
) -> tuple[str, str, str]:
    """Title, what stays and what moves, for the chips panel; `interval_s` = the period asked for, 0 = not known.

    `more` tells of rows out of sight and stands beside the title.
    """
    cards = has_two_dies(state.chips)
    models = ", ".join(
        t("live.meta.model", n=n, name=name) for name, n in Counter(c.name for c in state.present).items()
    )
    if cards:
        n = len({chip.npu_id for chip in state.present})
        counted = t("live.title.cards.one" if n == 1 else "live.title.cards", cards=n, dies=len(state.present))
    else:
        counted = models
    shown = t("live.title.chips") if width >= ROOMY else counted or t("live.title.chips")
    shown = "  ".join(part for part in (shown, more) if part)
    version = state.reading.source.tool_version if state.reading else None
    fixed = [counted, t("live.meta.source", version=version) if version else ""] if width >= ROOMY else []
    moving = _first_that_fits(_moving(state, width, host, steady, interval_s), width - cell_len(shown) - RULE_CELLS)
    return shown, "   ".join(part for part in fixed if part), moving


def _first_that_fits(candidates: Sequence[str], width: int) -> str:
    return next((text for text in candidates if cell_len(text) <= width), "")


def _moving(state: LiveState, width: int, host: str, steady: Steady, interval_s: float) -> list[str]:
    """How old or how dear the reading is, and the host: the fullest wording first."""
    reading = state.reading
    if reading is None or not state.chips:
        return []
    short = ".short" if width < ROOMY else ""
    machine = [_host(reading.host, short)] if reading.host is not None else []
    whole, brief = [], []
    if state.problem is not None:
        whole = brief = [t("live.meta.old", at=clock(reading.taken_at))]
    elif state.late_s:
        whole = brief = [t("live.meta.late", n=int(state.late_s))]
    elif reading.period_s is not None:
        period, took = steady.value("period", reading.period_s), steady.value("took", reading.elapsed_s)
        whole = [t(f"live.meta.every{short}", period=period, took=took)]
        brief = [t("live.meta.every.only", period=period)]
    elif interval_s >= SLOW_S:
        whole = brief = [t("live.meta.every.only", period=interval_s)]
    elif not short:
        whole = brief = [t("live.meta.took", took=steady.value("took", reading.elapsed_s))]
    name = [host[:HOST_CELLS]] if short and host else []
    between = "  " if short else "   "
    variants = ([*name, *whole, *machine], [*name, *brief, *machine], [*brief, *machine], machine, brief)
    return [between.join(parts) for parts in variants]


def _host(host: Host, short: str) -> str:
    padded = {
        "cpu": numbers.fixed(host.cpu_pct, 0).rjust(2),
        "load": numbers.fixed(host.load_1m, 0).rjust(2),
        "mem": numbers.fixed(host.mem_pct, 0).rjust(2),
    }
    return t(f"live.meta.host{short}", cpus=numbers.fixed(host.cpus, 0), **padded)


def out_of_sight(rows: Sequence[ChipLine], window: Sequence[ChipLine]) -> str:
    """How many rows are in the window, and the worst one that is not; "" where all are."""
    if len(window) >= len(rows) or not window:
        return ""
    seen = {line.label for line in window}
    hidden = [line for line in rows if line.label not in seen]
    count = t("live.more", n=len(window), all=len(rows))
    worst = max(hidden, key=lambda line: severity(line.health))
    if not severity(worst.health):
        return count
    above = rows.index(worst) < rows.index(window[0])
    word = t("live.more.gone") if worst.health == GONE else worst.health
    return t("live.more.above" if above else "live.more.below", count=count, word=word)


def memory_head(chips: Sequence[Chip]) -> tuple[str, float | None]:
    """("hbm" or "ddr", the GB that all chips have or None): what the memory column is called."""
    kind = "ddr" if chips and all(chip.hbm_total_mb is None and chip.memory_total_mb for chip in chips) else "hbm"
    totals = {memory_mb(chip)[1] for chip in chips}
    total = totals.pop() if len(totals) == 1 else None
    return kind, None if total is None else total / 1024


def processes_rule(
    width: int, room: int, shown: int, there: int, column: str, of: str, found: bool, cut: bool = False
) -> tuple[str, str]:
    """Title and words for the processes; `of` names the chip that was chosen, `found` whether it has processes.

    `cut` = the table ended early, so that processes may be missing.
    """
    key = f"live.sort.{column}" if column in ("hbm", "ddr", "cpu", "rss") else f"live.process.{column}"
    name = t(key)
    words = []
    if of:
        words.append(t("live.processes.of" if found else "live.processes.of.none", who=of))
    if cut and there:
        words.append(t("live.processes.cut.some"))
    if shown > room or shown < there:
        words.append(t("live.processes.some", n=min(room, shown), all=there))
    if width < ROOMY:
        return t("live.title.processes.by", column=name), "  ".join(words)
    return t("live.title.processes"), "   ".join([t("live.by", column=name), *words])


def runs_rule(width: int, place: str, n: int, watched: str) -> tuple[str, str]:
    """Title and words for the profiles."""
    if not watched:
        return t("live.title.profiles"), place
    key = "live.profiles.meta.short" if width < ROOMY else "live.profiles.meta.one" if n == 1 else "live.profiles.meta"
    return t("live.title.profiles"), t(key, root=place, n=n, how=watched)
