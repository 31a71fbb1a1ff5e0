"""Four minutes of an Ascend box, invented: eight 910B3, a training job that stalls, a service, a spinning benchmark.

Everything is computed second by second from what the programs do; the end joins the beginning. No exponentials, no
system clock and one seeded generator: the same bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from npuscope.parsers.readings import Chip, Host, LocalProcess, NpuProcess, Reading, SourceInfo

LENGTH_S = 240
STARTED_AT = 1_767_391_560.0  # 2026-01-02T22:06:00Z
HBM_MB = 65_536
IDLE_MB = 3_369  # what the driver takes on an idle 910B3
IDLE_W, IDLE_C = 95.0, 40.0
C_PER_W = 0.087
BUS_IDS = ("C1", "C2", "81", "82", "01", "02", "41", "42")
PROFILED = "profiling (239)"  # what the counter reads while a profiler holds it

POWER_LAG, TEMP_LAG = 0.45, 0.06  # part of the way to the new value per second


@dataclass(frozen=True)
class Phase:
    """From this second on a program does this to its chips: AI Core %, its swing, and the program's CPU % of one core.

    aicore None = the counter is held by a profiler while the work goes on.
    """

    second: int
    aicore: int | None
    swing: int
    cpu: float
    at_full_w: float
    memory: float = 1.0
    bandwidth: int = 0


@dataclass(frozen=True)
class Program:
    """One process: chips, device memory per chip when it works, host side, and what it does when (by second)."""

    pid: int
    user: str
    command: str
    chips: Sequence[int]
    chip_mb: int
    rss_mb: float
    age_s: float
    phases: Sequence[Phase]
    end: int = LENGTH_S + 1

    def phase(self, second: int) -> Phase | None:
        """What it does then; None when it does not run."""
        begun = [phase for phase in self.phases if phase.second <= second < self.end]
        return begun[-1] if begun else None


TRAIN = Program(
    52001, "dev", "python3 train.py --tp 4", (0, 1, 2, 3), 59_801, 11_469.0, 0.0,
    (
        Phase(22, 0, 2, 100.0, 310.0, memory=0.04),
        Phase(24, 2, 2, 100.0, 310.0, memory=0.5),
        Phase(30, 97, 2, 184.0, 310.0, bandwidth=61),
        Phase(139, 0, 0, 3.1, 310.0),  # the data loader waits: nothing runs, all memory stays
        Phase(157, 97, 2, 184.0, 310.0, bandwidth=61),
        Phase(175, None, 2, 186.0, 301.0, bandwidth=59),
        Phase(205, 97, 2, 184.0, 310.0, bandwidth=61),
    ),
    end=228,
)  # fmt: skip
SERVE = Program(
    48210, "li", "python3 -m vllm.entrypoints.openai.api_server --port 8000", (4,), 56_218, 8_602.0, 34_915.0,
    (Phase(0, 35, 4, 212.0, 355.0, bandwidth=44),),
)  # fmt: skip
FINETUNE = Program(
    52877, "dev", "python3 finetune.py", (5,), 31_744, 6_247.0, 1_862.0, (Phase(0, 92, 2, 188.0, 314.0, bandwidth=55),)
)  # fmt: skip
SPIN = Program(
    51733, "wang", "./my_kernel_bench --loop", (7,), 6_349, 412.0, 0.0, (Phase(68, 100, 0, 100.0, 101.0),), end=216
)  # fmt: skip
PROGRAMS = (TRAIN, SERVE, FINETUNE, SPIN)


@dataclass
class _Die:
    """One chip between two readings."""

    power_w: float = IDLE_W
    temp_c: float = IDLE_C
    memory_mb: int = 0
    aicore: int | None = 0
    bandwidth: int = 0
    note: str | None = None
    busy: bool = False
    pid: int | None = None
    shares: dict[int, int] = field(default_factory=dict)


def readings() -> Iterator[Reading]:
    """The recording, one reading a second. The box has already lived through it once, so that the loop has no seam."""
    noise = Random(910)
    dies = [_Die() for _ in BUS_IDS]
    for second in (*range(-LENGTH_S, 0), *range(LENGTH_S)):
        for number, die in enumerate(dies):
            _live(die, number, second % LENGTH_S, noise)
        reading = _reading(second, dies, noise)
        if second >= 0:
            yield reading


def _live(die: _Die, number: int, second: int, noise: Random) -> None:
    """One second in the life of a chip."""
    phase, program = next(
        ((phase, program) for program in PROGRAMS if number in program.chips and (phase := program.phase(second))),
        (None, None),
    )
    swing = noise.random() * 2 - 1  # drawn in any case: the others' noise does not depend on this chip's work
    die.pid = program.pid if program else None
    die.note = PROFILED if phase and phase.aicore is None else None
    work = 0 if phase is None else 97 if phase.aicore is None else phase.aicore
    pct = max(0, min(100, round(work + swing * (phase.swing if phase else 0))))
    die.aicore = None if die.note else pct
    die.busy = pct > 0
    die.bandwidth = max(0, min(100, round((phase.bandwidth if phase and pct else 0) * (1 + 0.06 * swing))))
    wanted_mb = round(program.chip_mb * phase.memory) if program and phase else 0
    die.memory_mb = wanted_mb if wanted_mb <= die.memory_mb else die.memory_mb + min(wanted_mb - die.memory_mb, 12_000)
    wanted_w = IDLE_W + 3 * number % 7 + (phase.at_full_w - IDLE_W if phase else 0) * pct / 100 + 2 * swing
    die.power_w += POWER_LAG * (wanted_w + (14 if die.memory_mb > 50_000 and not pct else 0) - die.power_w)
    die.temp_c += TEMP_LAG * (IDLE_C + number % 3 + C_PER_W * (die.power_w - IDLE_W) - die.temp_c)


def _reading(second: int, dies: Sequence[_Die], noise: Random) -> Reading:
    at = STARTED_AT + second
    took = 0.29 + 0.05 * noise.random()
    running = [program for program in PROGRAMS if program.phase(second % LENGTH_S)]
    busy = sum(program_phase.cpu for program in running if (program_phase := program.phase(second % LENGTH_S)))
    host_pct = 20.0 + busy / 192 + 2.0 * noise.random()
    return Reading(
        taken_at=at,
        elapsed_s=round(took, 3),
        period_s=1.0,
        source=SourceInfo("npu-smi", "npu-smi info", "24.1.0", "24.1.0"),
        chips=tuple(_chip(number, die) for number, die in enumerate(dies)),
        processes=tuple(
            NpuProcess(number, 0, die.pid, _short_name(die.pid), die.memory_mb, local=True)
            for number, die in enumerate(dies)
            if die.pid is not None
        ),
        local=_local(at, second % LENGTH_S, running, noise),
        host=Host(round(host_pct, 1), round(9.5 + busy / 200 + noise.random(), 2), 192, 61.2),
    )


def _chip(number: int, die: _Die) -> Chip:
    return Chip(
        npu_id=number,
        chip_id=0,
        name="910B3",
        health="Warning" if number == 5 else "OK",
        bus_id=f"0000:{BUS_IDS[number]}:00.0",
        local_index=None,
        power_w=round(die.power_w, 1),
        temp_c=round(die.temp_c),
        aicore_pct=die.aicore,
        aicore_note=die.note,
        hbm_used_mb=IDLE_MB + 5 * number + die.memory_mb,
        hbm_total_mb=HBM_MB,
        hugepages_used=0,
        hugepages_total=0,
        hbm_bandwidth_pct=die.bandwidth,
        aicore_mhz=1800 if die.busy or die.pid is not None else 800,
    )


def _local(at: float, second: int, running: Sequence[Program], noise: Random) -> Mapping[int, LocalProcess]:
    found = {}
    for program in running:
        phase = program.phase(second)
        cpu = (phase.cpu if phase else 0.0) * (0.97 + 0.06 * noise.random())
        age = program.age_s + (second - program.phases[0].second)
        found[program.pid] = LocalProcess(
            pid=program.pid,
            user=program.user,
            cpu_pct=round(cpu, 1),
            rss_mb=program.rss_mb,
            started_at=at - age,
            command=program.command,
        )
    return found


def _short_name(pid: int) -> str:
    """As the driver tells it: /proc's name, 15 characters at most."""
    command = next(program.command for program in PROGRAMS if program.pid == pid)
    return command.split()[0].rpartition("/")[2][:15]
