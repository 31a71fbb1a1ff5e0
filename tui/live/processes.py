"""The process table as plain values: one line per pid, its memory summed over the chips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from npuscope.parsers.readings import Chip, ChipKey, LocalProcess, NpuProcess, Reading
from npuscope.tui.filtering import Condition
from npuscope.tui.live.chips import Note, chip_label, has_two_dies, several_a_card

TEXT_FIELDS = ("user", "command", "note")
NUMBER_FIELDS = ("pid", "hbm", "cpu", "rss", "npu")
SORTABLE = ("pid", "user", "chips", "hbm", "cpu", "rss", "up", "command")
LIVE = ("hbm", "cpu", "rss")
LOW_POWER = "live.note.busy-low-power"  # the one note on a chip that is about what its process does
ONE_CORE_PCT = (92.0, 108.0)  # of one core: the range in which a single thread is at its end


@dataclass(frozen=True)
class ProcessLine:
    """One pid. `chips` names where it works; chips where it only keeps a context are counted in `folded`."""

    pid: int
    keys: tuple[ChipKey, ...]
    chips: str
    hbm_mb: int | None
    name: str
    folded: int = 0
    local: LocalProcess | None = None
    note: Note | None = None

    @property
    def command(self) -> str:
        """The command line, or what npu-smi calls it; one without a name says its pid."""
        return (self.local.command if self.local else None) or self.name


def lines_of(reading: Reading, chips: Sequence[Chip], notes: Mapping[ChipKey, Note]) -> tuple[ProcessLine, ...]:
    """One line per pid, in npu-smi's order."""
    rows: dict[int, list[NpuProcess]] = {}
    for process in reading.processes:
        rows.setdefault(process.pid, []).append(process)
    asked = reading.host is not None  # whether this box was asked about the pids at all
    return tuple(_line(pid, found, reading.local.get(pid), chips, notes, asked) for pid, found in rows.items())


def _line(
    pid: int,
    rows: Sequence[NpuProcess],
    local: LocalProcess | None,
    chips: Sequence[Chip],
    notes: Mapping[ChipKey, Note],
    asked: bool,
) -> ProcessLine:
    working = [row for row in rows if not row.context_only] or list(rows)
    keys = tuple((row.npu_id, row.chip_id) for row in working)
    known = [row.memory_mb for row in rows if row.memory_mb is not None]
    folded = len(rows) - len(working)
    return ProcessLine(
        pid=pid,
        keys=keys,
        chips=chip_names(keys, chips),
        hbm_mb=sum(known) if known else None,
        name=next((row.name for row in rows if row.name), ""),
        folded=folded,
        local=local,
        note=_note(keys, local, folded, notes) or (Note("live.note.foreign") if asked and local is None else None),
    )


def _note(
    keys: Sequence[ChipKey], local: LocalProcess | None, folded: int, notes: Mapping[ChipKey, Note]
) -> Note | None:
    suspect = next((notes[key] for key in keys if key in notes and notes[key].key == LOW_POWER), None)
    if suspect is not None:
        return suspect
    cpu = local.cpu_pct if local else None
    if cpu is not None and ONE_CORE_PCT[0] <= cpu <= ONE_CORE_PCT[1]:
        return Note("live.note.one_core")
    return Note("live.note.context") if folded else None


def words_on(reading: Reading | None) -> dict[ChipKey, str]:
    """Commands and users on each chip, for a filter by a plain word."""
    words: dict[ChipKey, str] = {}
    for row in reading.processes if reading else ():
        local = reading.local.get(row.pid) if reading else None
        said = f"{row.name} {(local.command if local else None) or ''} {(local.user if local else None) or ''}"
        key = (row.npu_id, row.chip_id)
        words[key] = f"{words.get(key, '')} {said}"
    return words


def chip_names(keys: Sequence[ChipKey], chips: Sequence[Chip]) -> str:
    """The chips of a process in few cells: `0-3`, `6 7`, `0/1`; a card with both dies by its number alone."""
    here = {chip.key: chip for chip in chips}
    if has_two_dies(chips):
        whole = {npu for npu, _ in keys if {(npu, 0), (npu, 1)} <= set(keys)}
        names = [str(npu) for npu in sorted(whole)]
        halves = [f"{npu}/{chip}" for npu, chip in sorted(keys) if npu not in whole]
        return " ".join([ranges([int(name) for name in names]), *halves]).strip()
    if several_a_card(chips):
        return " ".join(chip_label(here[key], True) if key in here else f"{key[0]}/{key[1]}" for key in sorted(keys))
    return ranges(sorted(npu for npu, _ in keys))


def ranges(numbers: Sequence[int]) -> str:
    """Ascending numbers with runs of three or more written as first-last."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else " ".join(map(str, run)) for run in runs)


def sort_value(line: ProcessLine, column: str, now: float) -> float | str | None:
    """What a line is ordered by."""
    local = line.local
    values: dict[str, float | str | None] = {
        "pid": line.pid,
        "user": local.user if local else None,
        "chips": line.keys[0][0] * 100 + line.keys[0][1] if line.keys else None,
        "hbm": None if line.hbm_mb is None else line.hbm_mb / 1024,
        "cpu": local.cpu_pct if local else None,
        "rss": local.rss_mb / 1024 if local and local.rss_mb is not None else None,
        "up": now - local.started_at if local and local.started_at is not None else None,
        "command": line.command,
    }
    return values[column]


def matches(line: ProcessLine, conditions: Sequence[Condition], note: str) -> bool:
    """Whether a line meets all conditions."""
    return all(_holds(line, condition, note) for condition in conditions)


def _holds(line: ProcessLine, condition: Condition, note: str) -> bool:
    local = line.local
    user = (local.user if local else None) or ""
    if condition.field == "npu":
        return any(condition.holds(npu) for npu, _ in line.keys)
    values: dict[str, float | str | None] = {
        "": f"{line.pid} {user} {line.command} {note}",
        "user": user,
        "command": line.command,
        "note": note,
        "pid": line.pid,
        "hbm": None if line.hbm_mb is None else line.hbm_mb / 1024,
        "cpu": local.cpu_pct if local else None,
        "rss": local.rss_mb / 1024 if local and local.rss_mb is not None else None,
    }
    return condition.holds(values[condition.field])
