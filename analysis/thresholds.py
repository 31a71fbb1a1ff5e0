"""Every number that a label, its confidence or a finding turns on, with its source; a configuration file may change it.

[MSP] Ascend/msprof prof_condition_config.py, ai_core_config.py      [ADV] Ascend/msprof-analyze advisor rules
[MSI] MindStudio Insight's roofline analysis                         [MADV] MindStudio Advisor's roofline classes
[REC] MindSDK Rec tuning pages                                       [AGT] mindstudio-agent's operator skills
[CB] cannbot's ops-profiling reference                               [ASI] asight's checkers
[DEV] rows of asc-devkit's best-practice examples, with what each change bought
[TRN] a public report on transposes on 910B                          [OPT] rows of ascendc-optim-agent's rounds
[NCU] the 60 % rule of Nsight Compute, [TT] 65 % of tt-perf-report   [TOP] pmu-tools' tie threshold
"own choice": no source; a number that separated the public rows at hand.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from npuscope.analysis import threshold_list
from npuscope.parsers.say import Say, say


def _limit(value: float, source: str) -> Any:
    return field(default=value, metadata={"source": source})


@dataclass(frozen=True)
class Thresholds:
    """Shares and ratios 0..1, times in us, sizes in bytes, as the name says."""

    # movement
    move_cube: float = _limit(0.80, "[ADV FA; ASI, REC]: mte2 of the cube side or of a MIX kernel")
    move_leads: float = _limit(
        0.70, "[ADV], as of a vector core: mte2 of a cube side whose computing units wait for it"
    )
    move_times: float = _limit(2.0, "own choice: such an mte2 works this many times as long as they do")
    move_vector: float = _limit(0.70, "[ADV]: mte2, mte3 of the vector side")
    write_out: float = _limit(0.80, "as mte2: fixpipe, which may be waiting; [ADV FA] takes 0.75, too little [DEV]")
    bw_peak: float = _limit(0.60, "[NCU 60 %, TT 65 %]: of HBM peak, whatever the pipes say")
    cube_wins: float = _limit(0.88, "[DEV]: a cube this busy is the limit, mte2 then holds waiting")
    cube_margin: float = _limit(0.05, "[DEV]: unless mte2 is busier by this")
    balanced_sum: float = _limit(0.90, "[ADV total]: vec + mte2 + mte3, well overlapped")
    balanced_max: float = _limit(0.60, "[AGT rule 6]: below it a sum near 1 means one after the other")
    # how it moves
    poor: float = _limit(0.40, "[DEV]: of HBM peak with movement busy and all cores in use: the wrong way to move")
    tie_low: float = _limit(0.35, "[DEV]: from here to tie_high memory and access stand side by side")
    tie_high: float = _limit(0.50, "[DEV]: good large copies reach 0.78 to 1.0")
    near: float = _limit(0.80, "[TRN, DEV]: of HBM peak; good copies reach 0.67 to 0.87 of it")
    worth_us: float = _limit(20.0, "[MSP, ADV, ASI]: worth tuning; below it the head cost decides the bandwidth")
    tiny_packet: float = _limit(512.0, "[OPT]: bytes a movement instruction, enough alone")
    small_packet: float = _limit(16_384.0, "[CB]: bytes a movement instruction, one vote")
    slow_mover: float = _limit(0.30, "own choice: of HBM peak, an operator that only moves: one vote")
    poor_hit: float = _limit(0.50, "[CB]: L2 read hits; with reread one vote")
    reread: float = _limit(1.50, "[AGT]: bytes moved over bytes needed")
    votes: float = _limit(2.0, "own choice: votes that make an access pattern")
    conflict: float = _limit(0.04, "[MSP]: bank and bank group conflicts; count where UB access is the limit [DEV]")
    no_mte: float = _limit(0.05, "[DEV]: all movement pipes together: the data did not go through them")
    strided_score: float = _limit(0.80, "own choice: score where there is no movement pipe to read a share from")
    simt_vec: float = _limit(0.50, "own choice: vec of an operator that only moves: the vector unit is what moves")
    simt_share: float = _limit(0.05, "own choice: of SIMT functions, from which vec is no evidence of computing")
    from_l2: float = _limit(1.05, "own choice: of HBM peak; from here on data came from L2, calls scatter below it")
    l2_hit: float = _limit(0.90, "own choice: L2 read hits, its data come from L2")
    few_cores: float = _limit(0.50, "[DEV]: blocks over cores: too few to ask for enough data")
    # computing
    compute_cube: float = _limit(0.80, "[ADV mac, MSP mac]; vec of a fused core [MSP vec]")
    compute_vector: float = _limit(0.70, "[ADV]: vec of a vector core")
    compute_peak: float = _limit(0.60, "[NCU 60 %]: of the unit's peak by shapes")
    wasted: float = _limit(0.40, "[MADV table 4]: of the peak although the pipe is busy")
    # time of the task that its mean core time does not cover
    outside_us: float = _limit(30.0, "[TRN]: more is head cost, or slow cores")
    inside: float = _limit(0.80, "[OPT]: a busy core time that covers less of the task says little of it")
    # launch
    wait_us: float = _limit(10.0, "[MSP condition_wait_time_1]: idle before a task")
    head_share: float = _limit(0.50, "[AGT]: core time over task time")
    head_longest_us: float = _limit(200.0, "own choice: of a task this short")
    floor_us: float = _limit(5.0, "[TRN]: a copy of one element takes 2.7 to 2.9 us on 910B")
    floor_share: float = _limit(
        0.25, "own choice: of such a task that its work needs; the rest is the cost of starting it"
    )
    blocks_share: float = _limit(
        0.20, "[DEV]: of the task that starting its blocks takes; fewer blocks gave 21 to 25 %"
    )
    block_us: float = _limit(0.0175, "[DEV]: 15 to 20 ns to start each block beyond the cores")
    # stall
    scalar: float = _limit(0.80, "[MSP scalar]: while the others are below")
    scalar_leads: float = _limit(0.50, "[OPT]: and scalar_times the computing unit")
    scalar_times: float = _limit(2.0, "[OPT]")
    idle_bw: float = _limit(0.10, "[TRN]: below it a scalar unit busier than movement is the movement path")
    serial_low: float = _limit(0.90, "[AGT rule 6]: the shares add up to the time, one after the other")
    serial_high: float = _limit(1.10, "[AGT rule 6]")
    serial_max: float = _limit(0.60, "[AGT rule 6]: and none is above this")
    wait: float = _limit(0.25, "own choice: *_wait_ratio, scalar stall times over core time")
    queue_full: float = _limit(0.10, "own choice: *_iq_full_ratio")
    icache: float = _limit(0.10, "own choice: icache_miss_rate")
    occupied: float = _limit(0.40, "the method: core occupancy with clear room")
    spread_some: float = _limit(0.10, "[CB, MSI]: (max - min) / max of the blocks' times")
    spread_bad: float = _limit(0.30, "[CB]")
    quiet: float = _limit(0.50, "own choice: score of a row that merely has no busy pipe")
    halves: float = _limit(0.02, "[CB]: two halves of a launch's cores differ by more: L2 slice or NUMA")
    halves_clear: float = _limit(3.0, "own choice: and by more than this many standard errors")
    halves_least: float = _limit(8.0, "own choice: cores of a launch, to compare its halves")
    # who wins, and how sure
    tie: float = _limit(0.05, "[TOP SIB_THRESH]: stands beside the best")
    trailing: float = _limit(0.60, "own choice: of the tie, by which memory or access trails where both stand")
    named: float = _limit(0.60, "own choice: of a type's time in one label, else mixed")
    run_named: float = _limit(0.50, "own choice: of the run's time in one label, else mixed")
    host_bound: float = _limit(0.40, "[ADV host_threshold]: busy over span, below it the run is launch-bound")
    short_us: float = _limit(20.0, "[MSP, ADV, ASI]: shares of short tasks are noisy")
    very_short_us: float = _limit(10.0, "[AGT]")
    many_waves: float = _limit(4.0, "own choice: blocks over cores; core time is then a derived figure")
    near_limit: float = _limit(0.03, "own choice: a share this close over its limit")
    agrees_bw: float = _limit(0.40, "own choice: bandwidth that supports memory")
    agrees_fl: float = _limit(0.60, "[NCU]: of the unit's peak that supports compute")
    counted: float = _limit(0.10, "[SHAPES]: operations counted and by shapes may differ by this")
    # indicators
    room: float = _limit(0.40, "the method: AI Core utilization with clear room")
    preparation: float = _limit(0.30, "the method: data preparation over this is the problem")
    # the first lines
    mostly_idle: float = _limit(0.50, "own choice: of the span, from here on idle time is the first thing to say")
    near_floor: float = _limit(1.3, "own choice: times its floor, an operator that takes no longer is done")
    near_floor_types: float = _limit(10.0, "own choice: largest types that have to stand there")
    launches_least: float = _limit(3.0, "own choice: fewer launches are no storm but a kernel that is too short")
    whole_gain: float = _limit(1.05, "own choice: gain of all operators over that of the first, to be told beside it")
    hidden_share: float = _limit(0.10, "own choice: of the time without counters, in short kernels, or overlapped")
    open_share: float = _limit(0.10, "own choice: of the time in labels that other metric groups would tell more of")
    tiny_least: float = _limit(10.0, "own choice: kernels under tiny_op_us, to be told")
    first_run: float = _limit(3.0, "own choice: calls, a run of no more prepares for the first time")
    overlap_share: float = _limit(0.001, "own choice: of the busy time, below it the sum of times is the wall time")
    # findings
    ai_cpu_us: float = _limit(20.0, "[ADV]: a single operator on the AI CPU")
    ai_cpu_high_us: float = _limit(1000.0, "[ASI]")
    ai_cpu_share: float = _limit(0.05, "[MSP]: of the run")
    ai_cpu_high: float = _limit(0.20, "[ASI]: of the run")
    conversions: float = _limit(0.05, "own choice: of computing time")
    conversions_least: float = _limit(3.0, "[MSP condition_transData_2]: more than 2")
    idle_share: float = _limit(0.10, "[ADV overall, AGT]: of the span")
    wait_share: float = _limit(0.03, "[MSP condition_wait_time_2]: waits over wait_us, of durations and waits")
    serious: float = _limit(0.05, "own choice: of the run that a finding could give back: medium")
    grave: float = _limit(0.20, "own choice: high")
    launch_left_us: float = _limit(6.0, "[TT]: of each wait that stays when a graph launches")
    stall_gap_us: float = _limit(1000.0, "[ADV gc]: a longer pause is no launch")
    storm_least: float = _limit(3.0, "own choice: kernels without which a run has no rhythm")
    storm_share: float = _limit(0.20, "[ADV SMALL_OP_NUM_RATIO]: of the kernels wait for their start")
    tiny_op_us: float = _limit(5.0, "[TRN]: about the head cost of a task")
    apart_us: float = _limit(200.0, "own choice: idle time from which two kernels belong to different things")
    overlap_us: float = _limit(1.0, "own choice: kernels of one stream do not overlap; clocks round")
    fusing_busy: float = _limit(0.80, "[AGT fusion_value_assessment]: dominant computing: fusing brings little")
    fusing_us: float = _limit(100.0, "own choice: mean of an operator: longer ones are worth tuning by themselves")
    chain_calls: float = _limit(5.0, "[ADV fusible_operator count]: a chain is seen more often than this")
    chain_share: float = _limit(0.01, "[ADV fusible_operator duration]: of the run")
    worth_share: float = _limit(0.02, "own choice: of the run, smaller gains are not worth a line")
    exposed: float = _limit(0.10, "own choice: communication alone, of the span")
    side_share: float = _limit(0.05, "own choice: conversions around a main kernel, of its API's time")
    side_of_run: float = _limit(0.01, "own choice: and of the run")
    late_call: float = _limit(1.5, "own choice: of the median: calls within it scatter")
    unstable: float = _limit(2.0, "[AGT prof-compare]: longest over shortest call")
    unstable_calls: float = _limit(10.0, "[AGT]: of more calls than this")
    first_times: float = _limit(2.0, "own choice: the first call over the median of its shape")
    first_us: float = _limit(10.0, "own choice: and longer by this")
    first_calls: float = _limit(3.0, "own choice: calls of a shape, fewer have no usual time")
    first_share: float = _limit(0.01, "own choice: of the run, all late first calls together; less is not told")
    slower_fused: float = _limit(1.05, "[delta_report]: a fused operator over the sum of its parts")
    product_axis: float = _limit(256.0, "[ADV INNER_AXIS_256]: elements that inner axes of a product are multiples of")
    attention_axis: float = _limit(128.0, "[ADV]: elements that head sizes and lengths of attention are multiples of")
    shape_variants: float = _limit(10.0, "own choice: shapes of one type, seldom seen twice")
    seldom: float = _limit(2.0, "own choice: calls a shape")
    varying_share: float = _limit(0.10, "own choice: of the run's time in such types")
    fused_most: float = _limit(10.0, "[ADV fusible_operator max_length]: operators that one kernel may replace")
    run_least: float = _limit(3.0, "own choice: short elementwise operators in a row")
    window_least: float = _limit(3.0, "own choice: operators that repeat; pairs are named chains")
    chain_plain: float = _limit(5.0, "own choice: operators whose order of types is proof enough of a chain")
    aligned_bytes: float = _limit(512.0, "[ADV byte_alignment]: what an SDMA moves at its best")
    waiting: float = _limit(0.20, "[MSP WAIT_TIME_THRESHOLD]: of communication, waiting for others")
    small_sdma: float = _limit(16e6, "[ADV packet]: bytes of an SDMA packet")
    small_rdma: float = _limit(1e6, "[ADV packet]: bytes of an RDMA packet")
    packets_share: float = _limit(0.20, "[ADV packet]: of the packets are small, or not aligned")
    retransmission_us: float = _limit(4e6, "[ADV]: an RDMA collective that long was sent again")
    slow_link: float = _limit(0.80, "[MSP BANDWIDTH_THRESHOLD]: of the mean of the other links")
    link_bytes: float = _limit(1e6, "own choice: what carried less says nothing about a wire")
    sdma_gbps: float = _limit(18.0, "[ADV]: what a link moves over SDMA with nothing beside it")
    contention: float = _limit(0.80, "[ADV]: of that, and of what the others reach: kernels are in the way")
    mostly: float = _limit(0.50, "own choice: of the time a collective moves, to run beside kernels or without")
    links_least: float = _limit(3.0, "own choice: links of a group, to compare one with others")
    gc_us: float = _limit(1000.0, "[ADV gc]: one garbage collection")
    data_loader_us: float = _limit(10_000.0, "[ADV dataloader]: one batch")
    sync_share: float = _limit(0.50, "[ADV]: synchronisations over launches")
    compiled: float = _limit(20.0, "[ADV MAX_OP_COMPILE_NUM]: operators compiled in the run")
    host_memory_us: float = _limit(10_000.0, "[ADV memory]: all calls that take or free device memory")
    sync_batch_norms: float = _limit(20.0, "[ADV]: SyncBatchNorm events")
    clock_drop: float = _limit(0.05, "[ADV frequency_threshold]: mean drop below the chip's clock")
    steps_least: float = _limit(5.0, "own choice: whole steps after the first")
    step_variation: float = _limit(0.20, "[AGT breakdown]: standard deviation over mean of the steps")
    devices_least: float = _limit(2.0, "own choice: devices to compare")
    device_spread: float = _limit(0.05, "[ADV RATIO_THRESHOLD]: (max - min) / mean of what devices compute")


DEFAULTS = Thresholds()
SOURCES: Mapping[str, str] = {one.name: one.metadata["source"] for one in dataclasses.fields(Thresholds)}


class ThresholdError(Exception):
    """A configuration that names no threshold or gives it no fit number; `why` says so to a person."""

    def __init__(self, why: Say) -> None:
        super().__init__(f"{why.key} {dict(why.params)}")
        self.why = why


def overridden(values: Mapping[str, object], base: Thresholds = DEFAULTS) -> Thresholds:
    """`base` with some values replaced. Raises ThresholdError: an unknown name, no number, or one out of range."""
    for name, value in values.items():
        if name not in SOURCES:
            raise ThresholdError(threshold_list.unknown(name, SOURCES))
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise ThresholdError(say("thresholds.no-number", name=name, value=str(value)))
        if not threshold_list.in_range(name, value):
            raise ThresholdError(threshold_list.out_of_range(name, value))
    found = dataclasses.replace(base, **{name: float(str(value)) for name, value in values.items()})
    for low, high in threshold_list.IN_ORDER:
        if getattr(found, low) > getattr(found, high):
            raise ThresholdError(say("thresholds.order", low=low, high=high))
    return found


def changed(thresholds: Thresholds) -> dict[str, float]:
    """The values that are not the defaults, by name."""
    return {n: getattr(thresholds, n) for n in SOURCES if getattr(thresholds, n) != getattr(DEFAULTS, n)}
