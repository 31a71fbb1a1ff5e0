"""A reading as plain text: one line a chip, one line a pid, then what is worth a look."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from npuscope.analysis.live.hints import FOREIGN, Hint, name_of, names_of
from npuscope.analysis.live.history import is_whole, total_mb, used_mb
from npuscope.cli.printing.textcolumns import columns
from npuscope.parsers.readings import Chip, ChipKey, Reading
from npuscope.tui import numbers
from npuscope.tui.text import clean, plain, t, told

_LONGEST_COMMAND = 60


@dataclass
class _Pid:
    pid: int
    name: str
    mb: int | None = None
    keys: list[ChipKey] = field(default_factory=list)
    contexts: int = 0


def lines(reading: Reading, found: Sequence[Hint], machine: str = "") -> Iterator[str]:
    """The text of one reading on the box of that name, line by line; without chips `problems` says why."""
    if not reading.chips:
        return
    yield _summary(reading, machine)
    yield ""
    yield from _chips(reading)
    yield ""
    yield from _processes(reading)
    if found:
        yield ""
        yield from _hints(reading, found)


def problems(reading: Reading) -> Iterator[str]:
    """What went wrong, each with what to check."""
    for problem in reading.problems:
        yield told(problem.message)
        if problem.hint is not None:
            yield f"  {told(problem.hint)}"


def spelled(line: str, ascii_only: bool) -> str:
    """A line as this terminal can carry it."""
    return plain(line) if ascii_only else line


def _summary(reading: Reading, machine: str) -> str:
    source = reading.source
    version = source.driver_version or source.tool_version or ""
    host = reading.host
    count = "smi.chips" if is_whole(reading) else "smi.chips-cut"
    words = [
        time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(reading.taken_at)),
        *([clean(machine)] if machine else []),
        clean(f"{source.kind} {version}".strip()),
        t(f"{count}-one" if len(reading.chips) == 1 else count, chips=len(reading.chips)),
        t("smi.took", us=reading.elapsed_s * 1e6),
    ]
    if reading.period_s is not None:
        words.append(t("smi.every", us=reading.period_s * 1e6))
    if host is not None:
        words.append(t("smi.host", cpu=host.cpu_pct, load=host.load_1m, cpus=host.cpus, memory=host.mem_pct))
    return " · ".join(words)


def _chips(reading: Reading) -> list[str]:
    memory = {"hbm" if chip.hbm_total_mb is not None else "ddr" for chip in reading.chips}
    head = [t(f"smi.col-{name}") for name in ("chip", "model", "health", "aicore")]
    title = t(f"smi.col-{memory.pop() if len(memory) == 1 else 'memory'}")
    rows = [[*head, title, "%", "W", "°C"]]
    for chip in reading.chips:
        rows.append(
            [
                name_of(chip.key, reading),
                clean(chip.name),
                clean(chip.health),
                numbers.fixed(chip.aicore_pct, 0),
                _memory(chip),
                numbers.fixed(_percent(used_mb(chip), total_mb(chip)), 1),
                numbers.fixed(chip.power_w, 1),
                numbers.fixed(chip.temp_c, 0),
            ]
        )
    return columns(rows, right=(3, 4, 5, 6, 7))


def _memory(chip: Chip) -> str:
    used, total = used_mb(chip), total_mb(chip)
    return numbers.DASH if used is None and total is None else f"{numbers.gb(used)}/{numbers.gb(total)}"


def _percent(part: int | None, whole: int | None) -> float | None:
    return 100 * part / whole if part is not None and whole else None


def _processes(reading: Reading) -> list[str]:
    pids = _by_pid(reading)
    if not pids:
        cut = "smi.processes-unknown" if is_whole(reading) else "smi.processes-cut"
        return [t("smi.no-process" if reading.processes_known else cut)]
    rows = [[t(f"smi.col-{name}") for name in ("pid", "user", "chips", "gb", "cpu", "command")]]
    for entry in sorted(pids, key=lambda entry: -(entry.mb or 0)):
        local = reading.local.get(entry.pid)
        chips = names_of(entry.keys, reading)
        rows.append(
            [
                str(entry.pid),
                clean((local.user if local else None) or numbers.DASH),
                t("smi.with-contexts", chips=chips, count=entry.contexts) if entry.contexts else chips,
                numbers.gb(entry.mb, 2),
                numbers.fixed(local.cpu_pct if local else None, 0),
                clean((local.command if local else None) or entry.name or numbers.DASH)[:_LONGEST_COMMAND],
            ]
        )
    return columns(rows, right=(0, 3, 4))


def _hints(reading: Reading, found: Sequence[Hint]) -> Iterator[str]:
    """A line a hint; pids that are not visible are one line together, for in a container that is most of them."""
    yield from dict.fromkeys(told(hint.text) for hint in found if hint.code != FOREIGN)
    if any(hint.code == FOREIGN for hint in found):
        count = len({row.pid for row in reading.processes if not row.local})
        yield t("smi.foreign-all-one" if count == 1 else "smi.foreign-all", count=count)


def _by_pid(reading: Reading) -> list[_Pid]:
    """One entry a pid: its memory over all chips; chips that only keep a context are counted, not named."""
    found: dict[int, _Pid] = {}
    for row in reading.processes:
        entry = found.setdefault(row.pid, _Pid(row.pid, row.name))
        if row.memory_mb is not None:
            entry.mb = (entry.mb or 0) + row.memory_mb
        if row.context_only:
            entry.contexts += 1
        else:
            entry.keys.append((row.npu_id, row.chip_id))
    return list(found.values())
