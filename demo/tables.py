"""msprof's tables from kernels that add up: core times follow from cycles, ratios from core times, waits from starts.

Everything is counted as the profiler counts it: whole cycles at 1800 MHz, durations in ticks of the 50 MHz counter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

MHZ, CUBE_CORES, VECTOR_CORES = 1800, 20, 40
TICK_NS = 20

SIDES = {
    "aic": ("mac", "scalar", "mte1", "mte2", "fixpipe"),
    "aiv": ("vec", "scalar", "mte2", "mte3"),
}
WORKERS = ("mac", "vec")  # a slower launch does the same work: their time stays, only the waiting grows
HEADER = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),"
    "Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,"
    "Output Shapes,Output Data Types,Output Formats,Context ID,"
    "aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,aic_scalar_time(us),aic_scalar_ratio,"
    "aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aic_fixpipe_time(us),aic_fixpipe_ratio,"
    "aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),"
    "aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),aiv_mte3_ratio,aiv_icache_miss_rate,"
    "cube_utilization(%)"
)
COUNTERS = 25
NO_MODEL = 4294967295


@dataclass(frozen=True)
class Side:
    """What one kind of core did in a kernel: blocks, mean core time in us, and the busy share of each pipe."""

    blocks: int
    core_us: float
    busy: Mapping[str, float]
    icache: float = 0.012


@dataclass(frozen=True)
class Kernel:
    """One kernel, wherever and however often it runs. core = the profiler's task type; us is its usual duration."""

    type: str
    core: str
    us: float
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    dtype: str = "DT_BF16"
    sides: Mapping[str, Side] = field(default_factory=dict)
    dynamic: bool = False
    blocks: int = 1

    @property
    def is_communication(self) -> bool:
        """Whether it belongs to the communication library and has no counters at all."""
        return self.core == "COMMUNICATION"


@dataclass(frozen=True)
class Task:
    """A kernel that ran: start in ns since the run's start, duration in ns, `scale` = its duration over the usual."""

    kernel: Kernel
    name: str
    start_ns: int
    duration_ns: int

    @property
    def scale(self) -> float:
        """This run's duration over the kernel's usual one."""
        return self.duration_ns / (self.kernel.us * 1000)

    @property
    def end_ns(self) -> int:
        """When it ended."""
        return self.start_ns + self.duration_ns


def ticks(us: float) -> int:
    """A duration as the counter gives it, in ns."""
    return max(1, round(us * 1000 / TICK_NS)) * TICK_NS


def in_a_row(kernels: Iterable[tuple[Kernel, str, float, float]]) -> list[Task]:
    """Tasks one after another: (kernel, name, duration us, gap before it us)."""
    tasks, now = list[Task](), 0
    for kernel, name, us, gap_us in kernels:
        now += ticks(gap_us) if gap_us else 0
        tasks.append(Task(kernel, name, now, ticks(us)))
        now = tasks[-1].end_ns
    return tasks


def op_summary(tasks: Sequence[Task], started_us: int, stream: int = 2) -> str:
    """op_summary_*.csv of the PipeUtilization group, 46 columns; `started_us` = Unix us of time 0."""
    lines, end, task_id = [HEADER], tasks[0].start_ns, 0
    for task in tasks:
        wait = max(0, task.start_ns - end)
        end, task_id = task.end_ns, task_id + 1
        lines.append(",".join((*_identity(task, task_id, stream), *_times(task, started_us, wait), *_counters(task))))
    return "\n".join(lines) + "\n"


def op_statistic(tasks: Sequence[Task]) -> str:
    """op_statistic_*.csv: totals by type and core, largest first, without communication."""
    durations: dict[tuple[str, str], list[int]] = {}
    for task in tasks:
        if not task.kernel.is_communication:
            durations.setdefault((task.kernel.type, task.kernel.core), []).append(task.duration_ns)
    total = sum(map(sum, durations.values()))
    lines = ["Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)"]
    for (kind, core), ns in sorted(durations.items(), key=lambda entry: -sum(entry[1])):
        numbers = (sum(ns), min(ns), sum(ns) / len(ns), max(ns))
        cells = (_number(value / 1000) for value in numbers)
        lines.append(f"0,{kind},{core},{len(ns)},{','.join(cells)},{_number(100 * sum(ns) / total)}")
    return "\n".join(lines) + "\n"


def _identity(task: Task, task_id: int, stream: int) -> Sequence[str]:
    kernel = task.kernel
    if kernel.is_communication:
        return ("0", str(NO_MODEL), "N/A", "N/A", task.name, kernel.type, "N/A", kernel.core)
    state = "dynamic" if kernel.dynamic else "static"
    return ("0", str(NO_MODEL), str(task_id), str(stream), task.name, kernel.type, state, kernel.core)


def _times(task: Task, started_us: int, wait_ns: int) -> Sequence[str]:
    kernel = task.kernel
    start = f"{started_us + task.start_ns // 1000}.{task.start_ns % 1000:03d}\t"
    wait = f"{wait_ns / 1000:.6f}" if wait_ns else "0"
    block, mix = _blocks(kernel)
    times = (start, f"{task.duration_ns / 1000:.3f}", wait, str(block), str(mix))
    if kernel.is_communication:
        return (*times[:3], "0", *("N/A",) * 9)
    tensors = (*_tensors(kernel.inputs, kernel.dtype), *_tensors(kernel.outputs, kernel.dtype))
    context = "0" if kernel.core.startswith("MIX_") else "N/A"
    return (*times, "NO", *tensors, context)


def _blocks(kernel: Kernel) -> tuple[int, int]:
    first, second = ("aiv", "aic") if kernel.core in ("AI_VECTOR_CORE", "MIX_AIV") else ("aic", "aiv")
    side, other = kernel.sides.get(first), kernel.sides.get(second)
    return (side.blocks if side else kernel.blocks), (other.blocks if other else 0)


def _tensors(tensors: Sequence[str], dtype: str) -> Sequence[str]:
    """Shapes (in quotes that belong to the value), dtypes, formats; "4,4:INT32:NZ" tells its own."""
    parts = [[*tensor.split(":"), "", ""][:3] for tensor in tensors]
    shapes = ";".join(shape for shape, _, _ in parts)
    dtypes = ";".join(kind or dtype for _, kind, _ in parts)
    formats = ";".join(form or "ND" for _, _, form in parts)
    return f'"""{shapes}"""', dtypes, formats


def _counters(task: Task) -> Sequence[str]:
    kernel = task.kernel
    if kernel.is_communication or not kernel.sides:
        return ("N/A",) * COUNTERS
    cells: list[str] = []
    utilization = 0.0
    for name, pipes in SIDES.items():
        side = kernel.sides.get(name)
        if side is None:
            cells += ["0.0", "0", *("0.0",) * (2 * len(pipes) + 1)]
            continue
        cycles, core_us = _cycles(side, task.scale, CUBE_CORES if name == "aic" else VECTOR_CORES)
        cells += [_number(core_us), str(cycles)]
        for pipe in pipes:
            share = side.busy.get(pipe, 0.0) / (task.scale if pipe in WORKERS else 1.0)
            ratio = round(cycles * share) / cycles
            cells += [_number(ratio * core_us), _number(ratio)]
        cells.append(_number(side.icache))
        if name == "aic":
            utilization = 100 * cycles / (MHZ * CUBE_CORES * task.duration_ns / 1000)
    return (*cells, f"{utilization:.3f}")


def _cycles(side: Side, scale: float, cores: int) -> tuple[int, float]:
    """Total cycles over all blocks, and the core time msprof derives from them (the last wave charged in full)."""
    waves = math.ceil(side.blocks / cores)
    cycles = round(side.core_us * scale * MHZ * side.blocks / waves)
    return cycles, cycles / MHZ / side.blocks * waves


def _number(value: float) -> str:
    return repr(round(value, 3)) if value else "0.0"
