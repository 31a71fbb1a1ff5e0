"""What a person should look at on a box, from the readings so far. Each rule is a pure function of the history.

A rule says only what the numbers support; what is a guess is worded as a question.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from npuscope.analysis.live.history import History, Stop, used_mb
from npuscope.parsers.readings import Chip, ChipKey, NpuProcess, Reading
from npuscope.parsers.say import Say, Value, say

# idle memory by model, in MiB: the driver's own. Public idle tables: 910B/910C 2.9-3.4 GB and 4175 MB on 23.0.rc2;
# 910A up to 1365 MB of HBM; 310P up to 1807 MB of DDR; 310 up to 2703 MB; 950 4439 MB. First name that fits counts.
BASELINE_MB: tuple[tuple[str, int | None], ...] = (
    ("310B", None),  # memory is the host's too: what is in use says nothing about NPU processes
    ("310P", 1946),
    ("310", 2900),
    ("950", 5120),
    ("", 4403),
)
# 100 % at 33 % of the neighbours' power was the report behind this rule; half leaves room for uneven load
BUSY_PCT = 90
LOW_POWER_RATIO = 0.5
# a chip under 40 % for a minute has room for a bigger batch or a second process (own choice)
ROOM_PCT, ROOM_S = 40, 60.0
# "busy" before a stop: some use in the minute ahead of it, for a load that swings stops at any height; and how long
# 0 % must last before it is worth a line (own choice; inference pauses are shorter)
BUSY_BEFORE_PCT, STOPPED_S, TOGETHER_S, MANY = 25, 5.0, 15.0, 2
# less than this is a context and no work (the same limit that folds context-only rows)
HOLDS_MB = 1024
# processes hold "each" so much when the smallest holds this part of the largest
EVEN = 0.9
# one core full: launching operators is one thread's work; several cores busy is another story
ONE_CORE_PCT = (90.0, 140.0)
RECENT_S = 60.0
FOREIGN = "pid-not-visible"


@dataclass(frozen=True)
class Hint:
    """One thing worth a look: a stable code, the chip (None = the box), the sentence and a note for a narrow column."""

    code: str
    npu_id: int | None
    chip_id: int | None
    text: Say
    short: Say


Rule = Callable[[History, Reading, bool], Iterable[Hint]]


def hints(history: History, profiling: bool = False) -> tuple[Hint, ...]:
    """All hints for the latest reading, most pressing first. profiling = a profile is being collected on this box."""
    reading = history.latest
    if reading is None or not reading.chips:
        return ()
    return tuple(hint for rule in RULES for hint in rule(history, reading, profiling))


def health_not_ok(_: History, reading: Reading, __: bool) -> Iterator[Hint]:
    """Any word but OK."""
    for chip in reading.chips:
        if chip.health.casefold() != "ok":
            option = "" if "950" in chip.name else f" -c {chip.chip_id}"
            command = f"npu-smi info -t health -i {chip.npu_id}{option}"
            words = {"chip": name_of(chip.key, reading), "health": chip.health, "command": command}
            yield _hint(
                "health-not-ok", chip.key, Say("smi.health", words), say("smi.health-short", health=chip.health)
            )


def chip_gone(history: History, reading: Reading, __: bool) -> Iterator[Hint]:
    """Listed before, and no longer: it fell off the bus, or was taken from this container."""
    for at in sorted(set(history.gone.values())):
        keys = [key for key, since in history.gone.items() if since == at]
        words = {"chips": names_of(keys, reading), "at": _clock(at)}
        text = Say("smi.gone-one" if len(keys) == 1 else "smi.gone", words)
        yield _hint("chip-gone", keys[0] if len(keys) == 1 else None, text, Say("smi.gone-short", {"at": words["at"]}))


def sudden_stop(history: History, reading: Reading, profiling: bool) -> Iterator[Hint]:
    """Several chips went from busy to 0 together, while processes still hold their memory."""
    stops = {key: stop for key in _keys(reading) if (stop := busy_stop(history, key)) is not None}
    stopped = list(stops)
    if profiling or not stopped:
        return
    last = max(stops[key].at for key in stopped)
    together = [key for key in stopped if last - stops[key].at <= TOGETHER_S]
    holders = holding(reading.processes, together)
    if len(together) < MANY or not holders or reading.taken_at - last < STOPPED_S:
        return
    at = _clock(last)
    age_us = (reading.taken_at - last) * 1e6
    text = _held("smi.stop", holders, chips=names_of(together, reading), at=at, age_us=age_us)
    yield _hint("sudden-stop", None, text, say("smi.stop-short", at=at))


def held_without_process(history: History, reading: Reading, __: bool) -> Iterator[Hint]:
    """Memory above the driver's own use, and no process listed on that chip."""
    if not reading.processes_known:
        return
    listed = {(row.npu_id, row.chip_id) for row in reading.processes}
    held: dict[ChipKey, int] = {}
    for chip in reading.chips:
        own, used = baseline_mb(chip), used_mb(chip)
        if own is not None and used is not None and used > own and chip.key not in listed:
            held[chip.key] = used
    for key in held:  # one sentence for all of them, which every one of them bears
        yield _hint("hbm-held-no-process", key, _held_by_none(history, reading, held), Say("smi.held-short"))


def _held_by_none(history: History, reading: Reading, held: Mapping[ChipKey, int]) -> Say:
    words: dict[str, Value] = {"mb": sum(held.values()) / len(held)}
    ending = ""
    if len(held) == 1:
        words["chip"] = name_of(next(iter(held)), reading)
    else:
        even = min(held.values()) >= EVEN * max(held.values())
        ending, words["chips"] = "-each" if even else "-total", names_of(list(held), reading)
        words["mb"] = words["mb"] if even else sum(held.values())
    stops = [stop.at for key in held if (stop := busy_stop(history, key)) is not None]
    if stops:
        ending, words["at"] = f"{ending}-since", _clock(max(stops))
    return Say(f"smi.held{ending}", words)


def busy_stop(history: History, key: ChipKey) -> Stop | None:
    """When a chip that was busy went to 0, if it is 0 now."""
    stop = history.stop(key)
    return stop if stop is not None and stop.before is not None and stop.before >= BUSY_BEFORE_PCT else None


def busy_at_low_power(_: History, reading: Reading, __: bool) -> Iterator[Hint]:
    """Busy, at half the power or less of the other busy chips of the same model."""
    busy = [c for c in reading.chips if c.power_w is not None and c.aicore_pct is not None and c.aicore_pct >= BUSY_PCT]
    for chip in busy:
        others = [c.power_w for c in busy if c.name == chip.name and c.key != chip.key and c.power_w is not None]
        if others and chip.power_w is not None and chip.power_w <= LOW_POWER_RATIO * median(others):
            text = say(
                "smi.low-power",
                chip=name_of(chip.key, reading),
                pct=chip.aicore_pct,
                watts=chip.power_w,
                others=median(others),
            )
            yield _hint("busy-low-power", chip.key, text, Say("smi.low-power-short"))


def host_bound(history: History, reading: Reading, profiling: bool) -> Iterator[Hint]:
    """A process keeps one core full while its chips wait."""
    for pid, local in reading.local.items():
        rows = [row for row in reading.processes if row.pid == pid and not row.context_only]
        if profiling or not rows or local.cpu_pct is None or not ONE_CORE_PCT[0] <= local.cpu_pct <= ONE_CORE_PCT[1]:
            continue
        keys = [(row.npu_id, row.chip_id) for row in rows]
        means = [history.mean(key, "aicore", reading.taken_at - RECENT_S, reading.taken_at) for key in keys]
        known = [mean for mean in means if mean is not None]
        if known and max(known) < ROOM_PCT:
            text = say(
                "smi.host-bound", pid=pid, cpu=local.cpu_pct, chips=names_of(keys, reading), pct=sum(known) / len(known)
            )
            yield _hint("host-bound", keys[0], text, Say("smi.host-bound-short"))


def all_idle_memory_held(history: History, reading: Reading, profiling: bool) -> Iterator[Hint]:
    """Every chip at 0 while processes hold memory, unless that is a sudden stop."""
    holders = holding(reading.processes, _keys(reading))
    if profiling or not holders or any(chip.aicore_pct != 0 for chip in reading.chips):
        return
    if any(True for _ in sudden_stop(history, reading, profiling)):
        return
    yield _hint("all-idle-memory-held", None, _held("smi.all-idle", holders), Say("smi.all-idle-short"))


def profiling_conflict(_: History, reading: Reading, profiling: bool) -> Iterator[Hint]:
    """0 or 239 while a profile is being collected is no reading."""
    for chip in reading.chips:
        taken = (chip.aicore_note or "").startswith("profiling")
        if taken or (profiling and chip.aicore_pct == 0):
            text = say("smi.profiling", chip=name_of(chip.key, reading))
            yield _hint("profiling-conflict", chip.key, text, Say("smi.profiling-short"))


def pid_not_visible(_: History, reading: Reading, __: bool) -> Iterator[Hint]:
    """Pids that are no process here: another container's, or the host's. Only where this box was asked."""
    if reading.host is None:
        return
    for chip in reading.chips:
        rows = [row for row in reading.processes if (row.npu_id, row.chip_id) == chip.key]
        pids = [row.pid for row in rows if not row.local and not row.context_only]
        if pids:
            key = "smi.foreign-one" if len(pids) == 1 else "smi.foreign"
            text = say(key, chip=name_of(chip.key, reading), count=len(pids))
            yield _hint(FOREIGN, chip.key, text, Say("smi.foreign-short"))


def room(history: History, reading: Reading, profiling: bool) -> Iterator[Hint]:
    """Works, but never over ROOM_PCT for ROOM_S. A chip at 0 may have lost its job: no advice on a dead one."""
    if any(True for _ in sudden_stop(history, reading, profiling)):
        return
    for chip in reading.chips:
        if not chip.aicore_pct:
            continue
        since = None if profiling else history.since(chip.key, "aicore", lambda pct: pct < ROOM_PCT, ROOM_S)
        if since is None or reading.taken_at - since < ROOM_S:
            continue
        mean = history.mean(chip.key, "aicore", since, reading.taken_at)
        if mean:
            text = say("smi.room", chip=name_of(chip.key, reading), pct=mean, limit=ROOM_PCT, us=ROOM_S * 1e6)
            yield _hint("room", chip.key, text, say("smi.room-short", limit=ROOM_PCT, seconds=ROOM_S))


RULES: tuple[Rule, ...] = (
    chip_gone, health_not_ok, sudden_stop, held_without_process, busy_at_low_power, host_bound, all_idle_memory_held,
    profiling_conflict, pid_not_visible, room,
)  # fmt: skip


def baseline_mb(chip: Chip) -> int | None:
    """Memory that the driver itself takes on an idle chip, in MiB; None where that cannot be told."""
    return next(size for model, size in BASELINE_MB if model in chip.name)


def holding(processes: Iterable[NpuProcess], keys: Iterable[ChipKey]) -> dict[int, int]:
    """MiB by pid over these chips, of the processes that hold enough to be at work."""
    wanted, sums = set(keys), dict[int, int]()
    for row in processes:
        if (row.npu_id, row.chip_id) in wanted:
            sums[row.pid] = sums.get(row.pid, 0) + (row.memory_mb or 0)
    return {pid: mb for pid, mb in sums.items() if mb >= HOLDS_MB}


def name_of(key: ChipKey, reading: Reading) -> str:
    """`7`, or `7/1` on boxes with several chips a card."""
    return f"{key[0]}/{key[1]}" if key[1] or any(chip.chip_id for chip in reading.chips) else str(key[0])


def names_of(keys: Sequence[ChipKey], reading: Reading) -> str:
    """`0-7`, `0, 2-4`, or `0/0, 0/1, 1/0`."""
    if any(chip.chip_id for chip in reading.chips) or any(die for _, die in keys):
        return _few([name_of(key, reading) for key in keys])
    runs: list[list[int]] = []
    for number in sorted(npu_id for npu_id, _ in keys):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def _few(items: Sequence[object], most: int = 4) -> str:
    words = [str(item) for item in items]
    return ", ".join(words if len(words) <= most else [*words[: most - 1], "…", words[-1]])


def _held(key: str, holders: dict[int, int], **words: Value) -> Say:
    """The sentence `key` for one process, for several that hold alike, or for several that do not."""
    most, total = max(holders.values()), sum(holders.values())
    even = min(holders.values()) >= EVEN * most
    ending, mb = ("one", total) if len(holders) == 1 else ("each", total / len(holders)) if even else ("total", total)
    return say(f"{key}-{ending}", pid=next(iter(holders)), processes=len(holders), mb=mb, **words)


def _clock(at: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(at))


def _keys(reading: Reading) -> list[ChipKey]:
    return [chip.key for chip in reading.chips]


def _hint(code: str, key: ChipKey | None, text: Say, short: Say) -> Hint:
    return Hint(code, None if key is None else key[0], None if key is None else key[1], text, short)
