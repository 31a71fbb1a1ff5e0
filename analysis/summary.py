"""What is known about a run once its operators were looked at: the records the screens and `report` show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from npuscope.analysis.basis import Calibration
from npuscope.analysis.first_look.records import Triage
from npuscope.analysis.indicators import Stages
from npuscope.analysis.labels.verdict import Verdict
from npuscope.analysis.thresholds import DEFAULTS, Thresholds
from npuscope.parsers.profile import Profile
from npuscope.parsers.say import Problem, Say
from npuscope.parsers.table import Table

DRIFT_PCT = 5.0  # from this share on msprof-analyze calls ranks unequal (RATIO_THRESHOLD); the same for thirds of a run


@dataclass(frozen=True)
class DeviceTotals:
    """One device's times in us: sum of durations, union of intervals, first start to last end."""

    total_us: float
    rows: int
    span_us: float | None = None
    busy_us: float | None = None
    idle_us: float | None = None
    carried_us: float = 0.0

    @property
    def once_us(self) -> float:
        """Sum of durations in which what two rows tell counts once."""
        return self.total_us - self.carried_us


@dataclass(frozen=True)
class Totals:
    """The run's times in us; span is over all devices, busy and idle are sums over devices. None = cannot be known.

    `total_us` sums all rows, `carried_us` of them tell what other rows tell too (carried.py): shares are of `once_us`.
    """

    rows: int
    total_us: float
    span_us: float | None = None
    busy_us: float | None = None
    idle_us: float | None = None
    busy_pct: float | None = None
    wait_us: float | None = None
    computing_us: float | None = None
    communication_us: float | None = None
    communication_not_overlapped_us: float | None = None
    aicore_pct: float | None = None
    by_device: Mapping[int, DeviceTotals] = field(default_factory=dict)
    carried_us: float = 0.0

    @property
    def once_us(self) -> float:
        """Sum of durations in which what two rows tell counts once: what shares of the run are of."""
        return self.total_us - self.carried_us


@dataclass(frozen=True)
class Step:
    """One training or inference step: us = first start to last end, kernel_us = sum of durations."""

    step: int
    us: float
    kernel_us: float
    kernels: int
    complete: bool


@dataclass(frozen=True)
class StepsSummary:
    """All steps in a few numbers; times in us over the complete ones, per_second counts the time between steps too.

    drift_pct = the median of the last third of the steps over that of the first, None with fewer than nine. source =
    step_id or step_time (of the operators, of a database), step_trace_time or step_trace (files beside them), trace
    (marks in the timeline: the host's time).
    """

    count: int
    complete: int
    median_us: float | None
    p90_us: float | None
    p99_us: float | None
    per_second: float | None
    drift_pct: float | None
    source: str

    @property
    def drifts(self) -> bool:
        """Whether the steps get slower or faster by more than steps scatter."""
        return self.drift_pct is not None and abs(self.drift_pct) >= DRIFT_PCT


@dataclass(frozen=True)
class Gap:
    """Idle time on one stream, between two operators."""

    device: int | None
    stream: int | None
    us: float
    after: str | None
    before: str | None
    start_ns: int
    row_before: int


@dataclass(frozen=True)
class Finding:
    """A pattern over several operators. `saving_us` = what the run could gain at most; those of two findings may be of
    the same time and do not add up. `ops` = the types it is about, what takes most time first.
    """

    code: str
    severity: str
    title: Say
    evidence: Say
    advice: Say
    saving_us: float | None = None
    ops: tuple[str, ...] = ()


@dataclass(frozen=True)
class Api:
    """Kernels grouped by the API their name carries; side = conversions around the main kernel."""

    api: str
    kernels: int
    calls: int
    total_us: float
    per_call_us: float
    side_pct: float


@dataclass(frozen=True)
class ChipChoice:
    """Which chip's peaks were used, and how it was known: info.json, option, inferred, or None.

    hbm_source: "option", "calibrated" (then `calibration` tells from what), or the source that the chips table names.
    """

    name: str | None
    source: str | None
    hbm_gbps: float | None = None
    hbm_source: str | None = None
    calibration: Calibration | None = None


@dataclass(frozen=True)
class Summary:
    """A run, looked at.

    `ops`, `types` and `shapes` are Tables. `ops` has the parser's columns (profile.py; `type` is the name where the
    file has no type) and
        label detail confidence runner_up bound_kind waited_for     text, per instance
        bytes flops bound_us saving_us times_over_bound achieved_gbps achieved_tflops kernel_us move_us aicore_pct
        step_gain_us                           what the step would gain at its floor: saving_us while nothing else runs
        alone_us                               of it, while nothing else of its device ran; unknown without start times
        bound_least_us                         the lower end where its shapes leave a range (sparse attention, experts)
        other_us scalar_ratio                  duration less kernel_us; issue: the scalar unit of the side that counts
        cube_bound_us vector_bound_us          the part of the bound by operations, on that unit
        gap_us launch_gap_us                   idle before it: of its stream, and of that what the device idled too
        shape_row type_row                     int64: the instance's row in `shapes` and `types`
        waves                                  how often the chip's cores are filled by the blocks (msprof op only)
    `types` has one row per (type, core), `shapes` one per (type, core, shapes, dtypes, block dim), both with
        type core label detail confidence runner_up [input_shapes output_shapes input_dtypes input_formats]  text
        count total_us share_pct mean_us median_us min_us max_us first_us mean_without_first_us wait_us kernel_us
        move_us other_us aicore_pct scalar_ratio icache_miss_rate shapes bound_us bound_least_us times_over_bound
        saving_us step_gain_us bytes flops achieved_gbps achieved_tflops
        block_dim, pipe ratios (time-weighted), bound_kind, bound_count, typical_row, cube_bound_us, vector_bound_us,
        bound_total_us kernel_total_us move_total_us wait_total_us bytes_total flops_total
    ordered by total_us, largest first; rows that tell what another tells (carried.py) are not in count, total_us and
    mean_us but in carried_count and carried_us, where a table has such. saving_us and step_gain_us are for all calls of
    the row together, and so is what has `total` in its name; other times, bytes and flops are means of one call, over
    the calls (`bound_count` for the bound) where they are known. `typical_row` is the instance that the row's verdict
    speaks of.
    `gaps` are gaps of streams, `device_gaps` times in which a whole device stood idle; both largest first.
    `type_verdicts[i]` explains types row i; what a line of `shapes` rests on is asked of lines.verdicts.
    `core_clock` = what core times had to be multiplied with (core_clock.py), NaN = not known.
    `triage` = the three lines to read first; `stages` = preparation, kernels, copies, where host calls were recorded.
    """

    profile: Profile
    chip: ChipChoice
    totals: Totals
    label: str
    label_us: Mapping[str, float]
    ops: Table
    types: Table
    shapes: Table
    type_verdicts: tuple[Verdict, ...] = ()
    steps: tuple[Step, ...] = ()
    step_median_us: float | None = None
    step_p99_us: float | None = None
    steps_summary: StepsSummary | None = None
    gaps: tuple[Gap, ...] = ()
    device_gaps: tuple[Gap, ...] = ()
    findings: tuple[Finding, ...] = ()
    apis: tuple[Api, ...] = ()
    problems: tuple[Problem, ...] = ()
    thresholds: Thresholds = DEFAULTS
    core_clock: float = 1.0
    step_gain_us: float | None = None
    stages: Stages | None = None
    triage: Triage | None = None
