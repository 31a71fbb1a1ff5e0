"""The help page: which parts it has, the figures it tells, and its lines at a width. Pure.

Words stand in the catalogue as "term | text". The figures are those the code decides by; they are repeated here so
that the page needs none of the modules they come from (numpy), and a test holds both together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from npuscope.tui.text import plain, t
from npuscope.tui.wrapping import wrap

SECTIONS: Mapping[str, Sequence[str]] = {
    "keys": ("screens", "move", "enter", "esc", "filter", "sort", "reverse", "export", "palette", "redraw", "help",
             "quit", "signs"),
    "live": ("about", "keys", "npu", "health", "core", "history", "hbm", "power", "temp", "bw", "note.room",
             "note.profiling", "note.power", "note.process", "note.foreign", "note.host", "pid", "cpu", "profiles"),
    "profiles": ("about", "keys", "time", "kind", "state", "state.collected", "state.partial", "state.empty",
                 "state.unreadable", "rank", "ops", "total", "core", "label", "change", "marks"),
    "ranks": ("about", "keys", "parts", "late", "wait", "stage", "why", "source"),
    "files": ("about", "keys", "use", "table", "unit", "filter", "big"),
    "operators": ("about", "keys", "keys2", "count", "total", "median", "move", "kernel", "other", "core", "issue",
                  "side", "label", "floor", "wait", "blocks", "rates", "at", "pane", "cores", "vendor"),
    "method": ("1", "2", "3", "4", "5"),
    "labels": ("about", "shares", "memory", "memory.tiling", "memory.hbm", "memory.l2", "memory.few-cores",
               "memory.balanced", "memory.write-out", "compute", "compute.cube", "compute.vector",
               "compute.inefficient", "launch", "launch.gap", "launch.head", "launch.blocks", "access",
               "access.packets", "access.unaligned", "access.tile", "access.strided", "access.conflicts",
               "access.rereads", "access.slow", "stall", "stall.scalar", "stall.serial", "stall.waits", "stall.fetch",
               "stall.few-cores", "stall.imbalance", "stall.head", "stall.latency", "comm", "aicpu", "other",
               "unknown", "confidence"),
    "pipes": ("about", "mac", "vec", "scalar", "mte1", "mte2", "mte3", "fixpipe", "groups"),
    "floor": ("bytes", "floor", "peaks", "times", "save"),
    "aicore": ("live", "profile", "low", "high", "cube"),
    "symptoms": ("kernel", "low", "move", "full", "many", "jumps"),
    "filters": ("words", "conditions", "live", "profiles", "operators"),
    "caveats": ("cost", "first", "zero", "host", "clock", "derived", "cut", "noise"),
}  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """A figure of the page: `value` = the constant `name` of `module` times `scale`."""

    value: float
    module: str
    name: str
    scale: float = 1.0


_THRESHOLDS = "analysis.thresholds"
FACTS: Mapping[str, Fact] = {
    "tie": Fact(0.05, _THRESHOLDS, "DEFAULTS.tie"),
    "named_pct": Fact(60, _THRESHOLDS, "DEFAULTS.named", 100),
    "run_named_pct": Fact(50, _THRESHOLDS, "DEFAULTS.run_named", 100),
    "covered_pct": Fact(80, "analysis.times.totals", "COVERED", 100),
    "cube_side": Fact(0.80, _THRESHOLDS, "DEFAULTS.move_cube"),
    "vector_side": Fact(0.70, _THRESHOLDS, "DEFAULTS.move_vector"),
    "bw_peak_pct": Fact(60, _THRESHOLDS, "DEFAULTS.bw_peak", 100),
    "poor_pct": Fact(40, _THRESHOLDS, "DEFAULTS.poor", 100),
    "tie_low_pct": Fact(35, _THRESHOLDS, "DEFAULTS.tie_low", 100),
    "tie_high_pct": Fact(50, _THRESHOLDS, "DEFAULTS.tie_high", 100),
    "tiny_bytes": Fact(512, _THRESHOLDS, "DEFAULTS.tiny_packet"),
    "small_kb": Fact(16, _THRESHOLDS, "DEFAULTS.small_packet", 1 / 1024),
    "slow_mover_pct": Fact(30, _THRESHOLDS, "DEFAULTS.slow_mover", 100),
    "conflict": Fact(0.04, _THRESHOLDS, "DEFAULTS.conflict"),
    "few_pct": Fact(50, _THRESHOLDS, "DEFAULTS.few_cores", 100),
    "compute_cube": Fact(0.80, _THRESHOLDS, "DEFAULTS.compute_cube"),
    "compute_vector": Fact(0.70, _THRESHOLDS, "DEFAULTS.compute_vector"),
    "peak_pct": Fact(60, _THRESHOLDS, "DEFAULTS.compute_peak", 100),
    "inefficient_pct": Fact(40, _THRESHOLDS, "DEFAULTS.wasted", 100),
    "wait_us": Fact(10, _THRESHOLDS, "DEFAULTS.wait_us"),
    "worth_us": Fact(20, _THRESHOLDS, "DEFAULTS.worth_us"),
    "inside_pct": Fact(50, _THRESHOLDS, "DEFAULTS.head_share", 100),
    "longest_us": Fact(200, _THRESHOLDS, "DEFAULTS.head_longest_us"),
    "floor_us": Fact(5, _THRESHOLDS, "DEFAULTS.floor_us"),
    "floor_pct": Fact(25, _THRESHOLDS, "DEFAULTS.floor_share", 100),
    "scalar": Fact(0.80, _THRESHOLDS, "DEFAULTS.scalar"),
    "serial_max": Fact(0.60, _THRESHOLDS, "DEFAULTS.serial_max"),
    "wait_ratio": Fact(0.25, _THRESHOLDS, "DEFAULTS.wait"),
    "write_out": Fact(0.80, _THRESHOLDS, "DEFAULTS.write_out"),
    "blocks_pct": Fact(20, _THRESHOLDS, "DEFAULTS.blocks_share", 100),
    "reread": Fact(1.5, _THRESHOLDS, "DEFAULTS.reread"),
    "hit_pct": Fact(50, _THRESHOLDS, "DEFAULTS.poor_hit", 100),
    "spread_pct": Fact(30, _THRESHOLDS, "DEFAULTS.spread_bad", 100),
    "icache": Fact(0.10, _THRESHOLDS, "DEFAULTS.icache"),
    "occupied_pct": Fact(40, _THRESHOLDS, "DEFAULTS.occupied", 100),
    "short_us": Fact(20, _THRESHOLDS, "DEFAULTS.short_us"),
    "very_short_us": Fact(10, _THRESHOLDS, "DEFAULTS.very_short_us"),
    "waves": Fact(4, _THRESHOLDS, "DEFAULTS.many_waves"),
    "ai_cpu_us": Fact(20, _THRESHOLDS, "DEFAULTS.ai_cpu_us"),
    "room_pct": Fact(40, "analysis.live.hints", "ROOM_PCT"),
    "room_s": Fact(60, "analysis.live.hints", "ROOM_S"),
    "busy_pct": Fact(90, "analysis.live.hints", "BUSY_PCT"),
    "low_power_pct": Fact(50, "analysis.live.hints", "LOW_POWER_RATIO", 100),
    "core_low": Fact(90, "analysis.live.hints", "ONE_CORE_PCT[0]"),
    "core_high": Fact(140, "analysis.live.hints", "ONE_CORE_PCT[1]"),
    "context_mb": Fact(128, "parsers.npu_smi.info", "CONTEXT_MB"),
    "settle_s": Fact(3, "parsers.discovery.files", "SETTLE_S"),
    "alike_pct": Fact(20, "tui.runs.view", "ALIKE", -100),
    "farthest": Fact(5, "tui.runs.view", "FARTHEST"),
    "cores_alike": Fact(1.05, "tui.operators.cores", "EVEN"),
    "late_pct": Fact(5, "analysis.ranks.lateness", "LATE_PCT"),
    "apart_s": Fact(30, "analysis.ranks.jobs", "APART_S"),
}
SUB_INDENT = 2
NARROW, TERM, TERM_NARROW = 100, 18, 15
WIDEST = 100  # cells of a line of text: longer ones are hard to read


@dataclass(frozen=True)
class HelpLine:
    """One line: of a section's title (`title`), or of an entry: its term (first line only) and a piece of its text."""

    section: str
    title: bool = False
    term: str = ""
    text: str = ""
    level: int = 0


def figures() -> dict[str, float]:
    """The values of FACTS by name."""
    return {name: fact.value for name, fact in FACTS.items()}


def entry(section: str, name: str) -> tuple[str, str]:
    """Term and text of an entry; the term is "" where the text stands alone."""
    term, _, text = t(f"help.{section}.{name}", **figures()).partition("|")
    return term.strip(), text.strip()


def text_x(width: int) -> int:
    """Where texts begin at a width."""
    return 2 + (TERM if width >= NARROW else TERM_NARROW) + 1


def lay_out(width: int, ascii_only: bool = False) -> list[HelpLine]:
    """All lines of the page at a width of so many cells; a blank line stands before each title but the first."""
    lines: list[HelpLine] = []
    for section, names in SECTIONS.items():
        if lines:
            lines.append(HelpLine(section))
        lines.append(HelpLine(section, title=True, text=t("help." + section)))
        for name in names:
            lines += _entry_lines(section, name, width, ascii_only)
    return lines


def _entry_lines(section: str, name: str, width: int, ascii_only: bool) -> Iterator[HelpLine]:
    return term_lines(section, *entry(section, name), width, ascii_only, 1 if "." in name else 0)


def term_lines(
    section: str, term: str, text: str, width: int, ascii_only: bool = False, level: int = 0
) -> Iterator[HelpLine]:
    """A term and its text as lines of at most `width` cells; a term that is too long has a line of its own."""
    term, text = (plain(part) if ascii_only else part for part in (term, text))
    x = text_x(width) if term else 2
    if term and cell_len(term) > x - 3 - SUB_INDENT * level:  # the term alone fills its line
        yield HelpLine(section, term=term, level=level)
        term = ""
    room = min(WIDEST, width - x - 2)
    for number, piece in enumerate(wrap(text, room)):
        yield HelpLine(section, term=term if number == 0 else "", text=piece, level=level if x > 2 else -1)


def title_of(lines: Sequence[HelpLine], section: str) -> int:
    """The line of a section's title; the first line when there is no such section."""
    return next((at for at, line in enumerate(lines) if line.title and line.section == section), 0)


def found(lines: Sequence[HelpLine], wanted: str) -> list[int]:
    """The lines with a text, upper or lower case alike; nothing for a blank one."""
    wanted = wanted.strip().casefold()
    if not wanted:
        return []
    return [at for at, line in enumerate(lines) if wanted in line.term.casefold() or wanted in line.text.casefold()]
