"""One look at the chips of a box: the records every live source produces. Unknown is None, never 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from npuscope.parsers.say import Problem

ChipKey = tuple[int, int]


@dataclass(frozen=True)
class Chip:
    """One chip (die) of one NPU. mb = MiB as npu-smi prints it, pct = 0..100."""

    npu_id: int
    chip_id: int
    name: str
    health: str
    bus_id: str | None = None
    phy_id: int | None = None
    local_index: int | None = None
    power_w: float | None = None
    temp_c: int | None = None
    aicore_pct: int | None = None
    aicore_note: str | None = None
    memory_used_mb: int | None = None
    memory_total_mb: int | None = None
    hbm_used_mb: int | None = None
    hbm_total_mb: int | None = None
    hugepages_used: int | None = None
    hugepages_total: int | None = None
    aivector_pct: int | None = None
    aicpu_pct: int | None = None
    ctrlcpu_pct: int | None = None
    hbm_bandwidth_pct: int | None = None
    aicore_mhz: int | None = None

    @property
    def key(self) -> ChipKey:
        """NPU ids have holes and bus ids repeat (310P Duo, sliced A3): only this pair is unique."""
        return self.npu_id, self.chip_id


@dataclass(frozen=True)
class NpuProcess:
    """One row of npu-smi's process table: one pid on one chip. mb = MiB of device memory."""

    npu_id: int
    chip_id: int
    pid: int
    name: str
    memory_mb: int | None = None
    container_pid: int | None = None
    context_only: bool = False
    local: bool = False


@dataclass(frozen=True)
class LocalProcess:
    """What this box's own kernel says about a pid that npu-smi named. cpu_pct is of one core."""

    pid: int
    user: str | None = None
    cpu_pct: float | None = None
    rss_mb: float | None = None
    started_at: float | None = None
    command: str | None = None


@dataclass(frozen=True)
class Host:
    """The host beside the chips."""

    cpu_pct: float | None = None
    load_1m: float | None = None
    cpus: int | None = None
    mem_pct: float | None = None


@dataclass(frozen=True)
class SourceInfo:
    """Where a reading came from; ok is False when nothing could be read."""

    kind: str
    command: str | None = None
    tool_version: str | None = None
    driver_version: str | None = None
    ok: bool = True


@dataclass(frozen=True)
class Reading:
    """One reading. taken_at = Unix seconds at its start, elapsed_s = of the call, period_s = since the start before.

    processes_known is False where the source lists no processes (old drivers, cut tables): then none means nothing.
    """

    taken_at: float
    elapsed_s: float
    source: SourceInfo
    period_s: float | None = None
    chips: tuple[Chip, ...] = ()
    processes: tuple[NpuProcess, ...] = ()
    local: Mapping[int, LocalProcess] = field(default_factory=dict)
    host: Host | None = None
    problems: tuple[Problem, ...] = ()
    processes_known: bool = True
