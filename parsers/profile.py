"""A run on disk and what was read from it: the record types, and the operator table's columns in one place.

Every operator table, of whatever tool and generation, becomes one `Table` with these columns (those it has):

text      name type core op_state input_shapes input_dtypes input_formats output_shapes output_dtypes output_formats
          hf32_eligible
int64     start_ns device stream task_id block_dim mix_block_dim step model_id       (UNKNOWN = -1 where not there)
float64   duration_us wait_us freq_mhz rated_freq_mhz                                 (NaN where not there)
float32   every counter column, named `<side>_<counter>` (NaN where not sampled):
          side     aic = AI core (cube side; also the fused cores of 310, 310P and 910A), aiv = vector core
          counter  time_us total_cycles, <pipe>_time_us <pipe>_ratio with pipe in PIPES, icache_miss_rate, and
                   whatever other metric groups bring: units become suffixes, (GB/s) -> _gbps, (KB) -> _kb, (%) -> _pct
          without a side: cube_utilization_pct (core occupancy, not cube throughput), memory_bound,
                   and of msprof op <route>_datas_kb <route>_bw_usage_rate_pct (whole blocks)
float32   l2_hit_rate_pct l2_victim_rate_pct   (percent, joined from l2_cache; a victim rate may be above 100)
int8      carried      (1 = a kernel that does the work of a collective's row: its time is in that row already)
and of msprof op, which measures each block on its own (see Profile.cores):
text      vendor_verdict                  (the class that the vendor's tool puts the operator into)
int64     launch blocks_measured          (the launch's number within its operator; blocks with a time)
float64   block_spread                    ((max - min) / max of the blocks' times on the side that worked longer)
Shapes are as printed, without quotes: dims by ',', tensors by ';'. Ratios are 0..1 as read, out of range included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from npuscope.parsers.say import Problem, Say

if TYPE_CHECKING:  # names and states are needed where numpy is not
    from npuscope.parsers.table import Table

UNKNOWN = -1
PIPES = ("mac", "vec", "scalar", "mte1", "mte2", "mte3", "fixpipe")

TEXT_COLUMNS = (
    "name", "type", "core", "op_state", "hf32_eligible",
    "input_shapes", "input_dtypes", "input_formats", "output_shapes", "output_dtypes", "output_formats",
)  # fmt: skip
INTEGER_COLUMNS = ("start_ns", "device", "stream", "task_id", "block_dim", "mix_block_dim", "step", "model_id")
BLOCK_COLUMNS = ("block", "sub_block")  # only in tables with a row per block, of msprof op
FLOAT_COLUMNS = ("duration_us", "wait_us", "freq_mhz", "rated_freq_mhz")

# op_statistic's table: type core device count total_us min_us mean_us max_us (no instances)

KINDS = ("msprof", "torch_npu", "mindspore", "msprof_op", "csv", "db")
STATES = ("collecting", "collected", "exporting", "ready", "empty", "partial", "unreadable", "damaged")


@dataclass(frozen=True)
class IgnoredFile:
    """A file of the run that was not read, and why."""

    file: str
    reason: Say


@dataclass(frozen=True)
class Run:
    """One profile found on disk, before anything of it is parsed. Cheap: made from names, sizes and times only.

    `files` are what a reader has to open, relative to `path`; `signature` changes when any of them does.
    `parts` are the runs that were joined to this one; then `path` is none on disk and there are no `files`.
    """

    path: str
    name: str
    kind: str
    state: str
    reason: Say | None = None
    next_command: str | None = None
    files: tuple[str, ...] = ()
    ignored: tuple[IgnoredFile, ...] = ()
    started_at: float | None = None
    changed_at: float = 0.0
    size_bytes: int = 0
    signature: str = ""
    rank: int | None = None
    problems: tuple[Problem, ...] = ()
    parts: tuple[Run, ...] = ()


@dataclass(frozen=True)
class Metadata:
    """What info.json, sample.json and profiler_info.json tell about a run. Core counts are per device.

    `chip` is the exact product when a file names it; `family` (Ascend310, 310B, 310P, 910, 910B, 950) is what the
    platform number says, and Ascend910B covers A2 and A3.
    """

    chip: str | None = None
    family: str | None = None
    cann: str | None = None
    level: str | None = None
    aic_metrics: str | None = None
    rank: int | None = None
    devices: tuple[int, ...] = ()
    started_at: float | None = None
    cube_cores: int | None = None
    vector_cores: int | None = None
    aic_freq_mhz: float | None = None


@dataclass(frozen=True)
class VendorText:
    """Words of the vendor's own tool about one row of `ops`, as it wrote them.

    kind = advice, occupancy or roofline (its class); `blocks` = for how many blocks it says so, 0 = for the operator.
    """

    row: int
    text: str
    kind: str = "advice"
    blocks: int = 0
    file: str = ""


@dataclass(frozen=True)
class FileStep:
    """A step as a file beside the operators tells it: how long it took in us, and when it ended in ns."""

    step: int | None
    us: float | None
    device: int | None = None
    end_ns: int | None = None


@dataclass(frozen=True)
class Profile:
    """A run that was read. `sources` gives each column's provenance as "file:Header".

    `file_steps` are of step_trace_time, step_trace or the timeline's marks (`steps_source`), where the run has them.
    `extras` are further tables of the run by kind (api_statistic, fusion_op, operator_memory, aicpu, communication,
    packets, links, host_events, trace_calls), as their parsers give them.
    `cores` (msprof op only) has one row per block and core of a row of ops:
        op block                        int64: row of `ops`, the block's number
        sub_block side                  text: cube0, vector0, ...; aic or aiv
        time_us <pipe>_ratio            float64: the core's time, and of it the share of each pipe (0..1), NaN = unknown
    """

    run: Run
    ops: Table
    statistic: Table | None = None
    metadata: Metadata = field(default_factory=Metadata)
    sources: Mapping[str, str] = field(default_factory=dict)
    rows_skipped: int = 0
    problems: tuple[Problem, ...] = ()
    file_steps: tuple[FileStep, ...] = ()
    steps_source: str | None = None
    cores: Table | None = None
    vendor_verdict: tuple[VendorText, ...] = ()
    extras: Mapping[str, Table] = field(default_factory=dict)
