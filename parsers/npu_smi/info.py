"""`npu-smi info`: the table of every driver generation, also cut, collapsed, headless or surrounded by noise."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from npuscope.parsers.npu_smi import rows
from npuscope.parsers.npu_smi.errors import explain, lines_of, remarks, shell_code
from npuscope.parsers.npu_smi.rows import Head, Layout, ProcessColumns, Value
from npuscope.parsers.readings import Chip, ChipKey, NpuProcess
from npuscope.parsers.say import Problem, Say, say

# a pid with no more than this here and at least that elsewhere only keeps a context on this chip
CONTEXT_MB = 128
ELSEWHERE_MB = 1024
# raw utilizations that are no percentage (driver sources: 0xEF = profiling holds the counter, 0xEE = damaged core,
# bit 9 = virtual NPU)
_PROFILING, _DAMAGED, _VIRTUAL = 239, 238, 512
_HOTTEST_C = 200
# exit codes above this are signals: a table that ends at a ruler may still lack chips
_KILLED = 128

Found = tuple[dict[ChipKey, Chip], dict[tuple[int, int, int], NpuProcess]]

_TITLE = re.compile(r"npu-smi\s+(\S+)\s+Version:\s*([^\s|]+)", re.IGNORECASE)
_RULER = re.compile(r"[-+=|:\s]*[-=]{3,}[-+=|:\s]*")
# logs and quotations put something in front of every line
_PREFIX = re.compile(r"^[^|+]{0,120}[]:>]\s*(?=[|+])")
_NONE_RUNNING = re.compile(r"no running processes found", re.IGNORECASE)


@dataclass(frozen=True)
class InfoTable:
    """The chips and processes of one `npu-smi info`, in the order of the text.

    `processes_known` is False where the text has no (whole) process table, so that no row means nothing.
    """

    chips: tuple[Chip, ...] = ()
    processes: tuple[NpuProcess, ...] = ()
    problems: tuple[Problem, ...] = ()
    tool_version: str | None = None
    driver_version: str | None = None
    processes_known: bool = False


@dataclass
class _State:
    layout: Layout = field(default_factory=Layout)
    versions: tuple[str, str] | None = None
    chips: dict[ChipKey, Chip] = field(default_factory=dict)
    processes: dict[tuple[int, int, int], NpuProcess] = field(default_factory=dict)
    earlier: Found = field(default_factory=lambda: ({}, {}))
    pending: Head | None = None
    recognized: bool = False
    rulers: int = 0
    ruler_last: bool = False
    processes_seen: bool = False
    cut: bool = False


def parse_info(text: str, returncode: int = 0, stderr: str = "") -> InfoTable:
    """Read one output of `npu-smi info`. Never raises: a text without chips says why in `problems`.

    A chip is listed only when both its lines were whole; a later table in the same text replaces an earlier one.
    """
    state = _State()
    for line in lines_of(text):
        _take(state, _PREFIX.sub("", line, count=1))
    state.chips, state.processes = _joined(state)
    _drop_pending(state)
    state.cut = state.cut or (state.rulers > 0 and not state.ruler_last)
    if shell_code(returncode) > _KILLED and not state.processes_seen:
        state.cut = True
    return InfoTable(
        chips=tuple(state.chips.values()),
        processes=_with_contexts(tuple(state.processes.values())),
        problems=_problems(state, f"{text}\n{stderr}", returncode),
        tool_version=state.versions[0] if state.versions else None,
        driver_version=state.versions[1] if state.versions else None,
        processes_known=state.processes_seen and not state.cut,
    )


def _take(state: _State, line: str) -> None:
    """Feed one line to the state; lines that are no part of a table are noise."""
    title = _TITLE.search(line)
    if title:
        state.versions = (title.group(1), title.group(2))
        state.recognized = True
    elif line[:1] in ("+", "|") and _RULER.fullmatch(line):
        state.rulers += 1
        state.ruler_last = line[-1] in "+|"
    elif line.startswith("|"):
        state.ruler_last = False
        if len(line) > 1 and line.endswith("|"):
            _row(state, rows.cells_of(line))
        else:
            state.cut = True
            _drop_pending(state)


def _row(state: _State, cells: list[str]) -> None:
    if len(cells) == 1:
        state.processes_seen = state.processes_seen or bool(_NONE_RUNNING.search(cells[0]))
    elif _header(state, cells):
        return
    elif state.layout.processes or _looks_like_process(cells):
        _process(state, cells)
    elif len(cells) in (3, 4):
        _chip_row(state, cells)
    else:
        state.cut = True


def _header(state: _State, cells: list[str]) -> bool:
    """Learn from the header's words; a second header starts the table anew."""
    words = " ".join(cells).casefold()
    if "process id" in words:
        state.layout = replace(state.layout, processes=rows.process_columns(cells))
        state.processes_seen = True
    elif "health" in words and cells[0].casefold().startswith("npu"):
        if state.chips:
            state.earlier = _joined(state)
            state.chips, state.processes, state.processes_seen = {}, {}, False
        state.layout = Layout(head=rows.field_names(cells[-1]))
    elif "bus-id" in words:
        first = cells[0].casefold()
        second = "phy_id" if "phy" in first else "local_index" if "device" in first else None
        tail = rows.field_names(cells[-1])
        state.layout = replace(state.layout, tail=tail, second_id=second, has_second_line=True, processes=None)
    else:
        return False
    _drop_pending(state)
    state.recognized = True
    return True


def _drop_pending(state: _State) -> None:
    """The first line of a chip whose second never came."""
    state.cut = state.cut or state.pending is not None
    state.pending = None


def _joined(state: _State) -> Found:
    """This table with those before it; a table that tells of the same chips again replaces them all."""
    chips, processes = state.earlier
    if chips.keys() & state.chips.keys():
        return state.chips, state.processes
    return {**chips, **state.chips}, {**processes, **state.processes}


def _chip_row(state: _State, cells: list[str]) -> None:
    if not rows.is_tail(cells):
        head = rows.head_of(cells, state.layout)
        state.cut = state.cut or state.pending is not None or head is None
        state.recognized = state.recognized or head is not None
        state.pending = head
        return
    head, state.pending = state.pending, None
    ids = rows.ids_of(cells[0]) if cells[0] else (0, None)
    if head is None or ids is None or (len(cells) == 3 and not cells[0]):
        state.cut = True
        return
    chip = _chip(head, ids, cells, state.layout)
    state.chips[chip.key] = chip


def _chip(head: Head, ids: tuple[int, int | None], cells: list[str], layout: Layout) -> Chip:
    tail = rows.named(rows.values_of(cells[-1]), layout.tail, rows.TAIL_FIELDS)
    unknown = Value(None)
    power, temp = head.values.get("power", unknown).first, head.values.get("temp", unknown).first
    if power == 0.0:
        power, temp = None, temp or None
    huge, memory, hbm = head.values.get("hugepages", unknown), tail.get("memory", unknown), tail.get("hbm", unknown)
    pct, note = _percent(tail.get("aicore") or tail.get("npu") or unknown)
    second = layout.second_id or (None if layout.has_second_line else "phy_id" if "hbm" in tail else "local_index")
    return Chip(
        npu_id=head.npu_id,
        chip_id=ids[0],
        name=head.name,
        health=head.health,
        bus_id=cells[-2] if ":" in cells[-2] else None,
        phy_id=ids[1] if second == "phy_id" else None,
        local_index=ids[1] if second == "local_index" else None,
        power_w=power,
        temp_c=int(temp) if temp is not None and temp <= _HOTTEST_C else None,
        aicore_pct=pct,
        aicore_note=note,
        memory_used_mb=memory.used,
        memory_total_mb=memory.total,
        hbm_used_mb=hbm.used,
        hbm_total_mb=hbm.total,
        hugepages_used=huge.used if huge.total else _zero(huge),
        hugepages_total=huge.total or _zero(huge),
    )


def _zero(value: Value) -> int | None:
    """No huge pages set aside is a fact (0 of 0), unlike memory that the chip does not have."""
    return 0 if value.pair and value.second == 0 else None


def _percent(value: Value) -> tuple[int | None, str | None]:
    if value.first is None or value.pair:
        return None, None
    raw = int(value.first)
    if 0 <= raw <= 100:
        return raw, None
    kinds = {_PROFILING: "profiling", _DAMAGED: "damaged-core"}
    return None, f"{kinds.get(raw, 'vnpu' if raw >= _VIRTUAL else 'out-of-range')} ({raw})"


def _looks_like_process(cells: list[str]) -> bool:
    return len(cells) in (4, 5) and cells[1].isdigit() and "/" not in cells[-1] and rows.ids_of(cells[0]) is not None


def _process(state: _State, cells: list[str]) -> None:
    """`npu chip | pid | name | MB [| pid in container]`; a name may hold bars."""
    columns = state.layout.processes or ProcessColumns(len(cells), 3 - len(cells), -1 if len(cells) > 4 else None)
    if len(cells) < columns.count:
        state.cut = True
        return
    ids, pid, memory = rows.ids_of(cells[0]), rows.whole(cells[1]), rows.whole(cells[columns.memory])
    if ids is None or pid is None:
        return
    process = NpuProcess(
        npu_id=ids[0],
        chip_id=ids[1] or 0,
        pid=pid,
        name="|".join(cells[2 : columns.memory]),
        memory_mb=memory,
        container_pid=None if columns.container is None else rows.whole(cells[columns.container]),
    )
    state.processes[process.npu_id, process.chip_id, process.pid] = process
    state.processes_seen = state.recognized = True


def _with_contexts(processes: tuple[NpuProcess, ...]) -> tuple[NpuProcess, ...]:
    most: dict[int, int] = {}
    for process in processes:
        most[process.pid] = max(most.get(process.pid, 0), process.memory_mb or 0)
    return tuple(
        replace(p, context_only=p.memory_mb is not None and p.memory_mb <= CONTEXT_MB and most[p.pid] >= ELSEWHERE_MB)
        for p in processes
    )


def _problems(state: _State, everything: str, returncode: int) -> tuple[Problem, ...]:
    cut = (_cut(state, shell_code(returncode)),) if state.cut and state.recognized else ()
    if state.chips:
        return cut + remarks(everything)
    if not state.recognized:
        return explain(everything, returncode)
    return cut + explain(everything, returncode, Problem("no-chips", Say("smi.empty-table"), Say("smi.hint-driver")))


def _cut(state: _State, returncode: int) -> Problem:
    where = "after" if state.chips else "before"
    npu_id, chip_id = next(reversed(list(state.chips)), (None, None))
    key = f"smi.cut-{where}{'-exit' if returncode else ''}"
    sentence = say(key, npu=npu_id, chip=chip_id, returncode=returncode)
    return Problem("truncated", sentence, Say("smi.hint-cut"))
