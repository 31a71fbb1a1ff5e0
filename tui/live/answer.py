"""The two sentences over the Live screen: what is so, and what to check or how the rest does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from npuscope.analysis.live.hints import Hint
from npuscope.analysis.live.history import INCOMPLETE
from npuscope.parsers.readings import Chip
from npuscope.parsers.say import Problem
from npuscope.tui import numbers
from npuscope.tui.live.chips import has_two_dies
from npuscope.tui.live.notes import clock
from npuscope.tui.live.processes import chip_names
from npuscope.tui.live.state import LiveState
from npuscope.tui.text import t, told
from npuscope.tui.widgets.answer import Answer
from npuscope.tui.wrapping import wrap

# hints that deserve the first line; the others only colour the second
FIRST = (
    "chip-gone", "sudden-stop", "all-idle-memory-held", "busy-low-power", "health-not-ok", "hbm-held-no-process",
    "host-bound",
)  # fmt: skip
LOOK = frozenset(("chip-gone", "sudden-stop", "busy-low-power", "health-not-ok", "hbm-held-no-process"))
PROFILED = "profiling-conflict"
RETRY_S = 30
_SENTENCE = re.compile(r"(?<=[.?!;])\s+|(?<=[。？！；])")


@dataclass(frozen=True)
class Said:
    """An answer before it is fitted: two sentences, and clauses (long, short) on the other chips, in their order."""

    kind: str
    first: str
    second: str = ""
    clauses: tuple[tuple[str, str], ...] = ()
    others: bool = False


def answer_of(state: LiveState, width: int, paused: bool = False) -> Answer:
    """The answer for a window of `width` columns."""
    said = said_of(state)
    if paused and state.reading is not None:
        return Answer("info", t("ui.paused", time=clock(state.reading.taken_at)), said.first)
    return fitted(said, width - 4)


def fitted(said: Said, width: int) -> Answer:
    """Two lines of `width` cells: what the first cannot hold goes to the second, clauses without room are left out."""
    first, left = in_two_lines(said.first, width)
    begun = f"{left} {said.second}".strip()
    if cell_len(first) > width:
        return Answer(said.kind, first)
    for count in range(len(said.clauses), 0, -1):
        for form in (0, 1):
            second = f"{begun} {_joined([clause[form] for clause in said.clauses[:count]], said.others)}".strip()
            if cell_len(second) <= width:
                return Answer(said.kind, first, second)
    if cell_len(begun) > width:  # two lines of flowing text hold more than two that begin with a sentence
        flowing = list(wrap(f"{said.first} {said.second}".strip(), width))
        if len(flowing) == 2:
            return Answer(said.kind, flowing[0], flowing[1])
    return Answer(said.kind, first, begun)


def _joined(clauses: Sequence[str], others: bool) -> str:
    what = t("live.between").join(clauses)
    return t("live.rest.others", what=what) if others else t("live.ends", what=what[0].upper() + what[1:])


def said_of(state: LiveState) -> Said:
    """What there is to say."""
    if state.problem is not None:
        return _broken(state, state.problem)
    if state.reading is None:
        return Said("none", t("live.waiting"), t("live.waiting.more"))
    if not state.chips:
        return Said("none", t("live.no_chips"))
    cut = next((problem for problem in state.reading.problems if problem.code in INCOMPLETE), None)
    if cut is not None:
        return Said("warn", told(cut.message), _kept(state) or (told(cut.hint) if cut.hint else ""))
    first = next((hint for code in FIRST for hint in state.hints if hint.code == code), None)
    if first is not None:
        kind = "warn" if first.code in LOOK else "info"
        return Said(kind, told(first.text), clauses=tuple(_rest(state, first)), others=first.npu_id is not None)
    return _well(state)


def _broken(state: LiveState, problem: Problem) -> Said:
    hint = told(problem.hint) if problem.hint else ""
    if not state.chips or state.reading is None:
        return Said("bad", told(problem.message), hint)
    at, age = clock(state.reading.taken_at), age_of(state.age_s)
    if problem.code == "timeout":
        return Said("bad", t("live.timeout", age=age, at=at, every=RETRY_S), hint)
    return Said("bad", told(problem.message), f"{t('live.values_from', age=age, at=at)} {hint}".strip())


def age_of(seconds: float) -> str:
    """12 s, 5 min, 2:14:10: no finer than is worth a line on the wire."""
    if seconds < 120:
        return t("live.age.s", n=int(seconds))
    return t("live.age.min", n=int(seconds // 60)) if seconds < 3600 else numbers.clock(seconds)


def _kept(state: LiveState) -> str:
    """Which chips are shown with values of an earlier reading."""
    if not state.stale:
        return ""
    at = clock(min(state.stale.values()))
    chips = [chip for chip in state.chips if chip.key in state.stale]
    said = _named("live.kept", chips, state.chips, at=at)
    return said[0].upper() + said[1:]


def _well(state: LiveState) -> Said:
    working = [chip for chip in state.present if chip.aicore_pct]
    unknown = [chip for chip in state.present if chip.aicore_pct is None]
    if working:
        return Said("info", t("live.work", **_load(working, state.chips)), clauses=tuple(_rest(state, None)))
    if unknown:
        return Said("info", _named("live.unread", unknown, state.chips), clauses=tuple(_rest(state, None)))
    return _idle(state)


def _idle(state: LiveState) -> Said:
    reading = state.reading
    idle = t("live.idle.one" if len(state.chips) == 1 else "live.idle", who=counted(state.chips, state.chips))
    if reading is None or not reading.processes_known:
        return Said("info", t("live.ends", what=idle))
    pids = {process.pid for process in reading.processes}
    if not pids:
        return Said("info", t("live.idle.none", what=idle))
    held = sum(process.memory_mb or 0 for process in reading.processes)
    key = "live.idle.held.one" if len(pids) == 1 else "live.idle.held"
    return Said("info", t("live.ends", what=idle), t(key, n=len(pids), mb=held))


def _rest(state: LiveState, first: Hint | None) -> Iterator[tuple[str, str]]:
    """How the chips do that the first line does not speak of."""
    about = (first.npu_id, first.chip_id) if first is not None else None
    spoken = (
        {about} if first is None else {about, *((h.npu_id, h.chip_id) for h in state.hints if h.text == first.text)}
    )
    others = [chip for chip in state.present if chip.key not in spoken and chip.key not in state.stopped]
    coded = {code: _hinted(state, others, code) for code in ("room", PROFILED, *sorted(LOOK))}
    working = [chip for chip in others if chip.aicore_pct and chip not in coded["room"]]
    if first is not None and working:
        said = t("live.rest.work.one" if len(working) == 1 else "live.rest.work", **_load(working, state.chips))
        yield said, said
    look = list(dict.fromkeys(chip for code in sorted(LOOK) for chip in coded[code]))
    idle = [chip for chip in others if chip.aicore_pct == 0]
    for chips, key, short in (
        (look, "live.rest.look", ""),
        (coded["room"], "live.rest.room", ""),
        (idle, "live.rest.idle", ""),
        (coded[PROFILED], "live.rest.profiled", ".short"),
    ):
        if chips:
            yield _named(key, chips, state.chips), _named(key + short, chips, state.chips)


def _hinted(state: LiveState, chips: Sequence[Chip], code: str) -> list[Chip]:
    keys = {(hint.npu_id, hint.chip_id) for hint in state.hints if hint.code == code}
    return [chip for chip in chips if chip.key in keys]


def _load(working: Sequence[Chip], all_chips: Sequence[Chip]) -> dict[str, str | float]:
    pct = sum(chip.aicore_pct or 0 for chip in working) / len(working)
    return {"who": counted(working, all_chips), "pct": pct}


def _named(key: str, chips: Sequence[Chip], all_chips: Sequence[Chip], **more: str) -> str:
    return t(key if len(_names(chips, all_chips)) > 1 else f"{key}.one", who=called(chips, all_chips), **more)


def counted(chips: Sequence[Chip], all_chips: Sequence[Chip]) -> str:
    """`8 chips`, `1 chip`; on cards with two dies `14 dies`."""
    key = "live.dies" if has_two_dies(all_chips) else "live.chips"
    return t(f"{key}.one" if len(chips) == 1 else key, n=len(chips))


def called(chips: Sequence[Chip], all_chips: Sequence[Chip]) -> str:
    """`chip 4`, `chips 0-3, 6`, `card 5`, `dies 5/0, 6/1`."""
    found = _names(chips, all_chips)
    key = "live.called.chip"
    if has_two_dies(all_chips):
        key = "live.called.die" if any("/" in name for name in found) else "live.called.card"
    runs = chip_names([chip.key for chip in chips], all_chips).split(" ")
    return t(key if len(found) > 1 else f"{key}.one", names=", ".join(runs))


def _names(chips: Sequence[Chip], all_chips: Sequence[Chip]) -> list[str]:
    """One name per chip, or per card where both of its dies are meant."""
    keys = [chip.key for chip in chips]
    if not has_two_dies(all_chips):
        return [chip_names([key], all_chips) for key in keys]
    return list(dict.fromkeys(chip_names([key for key in keys if key[0] == npu], all_chips) for npu, _ in keys))


def in_two_lines(text: str, width: int) -> tuple[str, str]:
    """As many whole sentences as fit `width` cells, and the rest; a sentence that is too long alone stays whole."""
    if cell_len(text) <= width:
        return text, ""
    ends = [match.start() for match in _SENTENCE.finditer(text)]
    fitting = [end for end in ends if cell_len(text[:end].rstrip()) <= width]
    if not fitting:
        return text, ""
    return text[: fitting[-1]].rstrip(), text[fitting[-1] :].strip()
