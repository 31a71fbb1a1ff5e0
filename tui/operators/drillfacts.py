"""The sentences of the drill-down that are read off the data: blocks, neighbours, bytes, first call, limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from npuscope.analysis import chips
from npuscope.analysis.labels.verdict import Verdict
from npuscope.analysis.summary import Summary
from npuscope.tui import numbers
from npuscope.tui.operators.calls import Calls, blocks_on, neighbours
from npuscope.tui.operators.cores import balance_sentence, cores_of
from npuscope.tui.operators.floor import compute_us, hbm_source, known, no_floor
from npuscope.tui.text import t

VECTOR_CORES = ("AI_VECTOR_CORE", "AIV", "VECTOR_CORE")


def facts(
    summary: Summary, calls: Calls | None, row: Mapping[str, Any], verdict: Verdict | None = None
) -> list[tuple[str, str]]:
    """Name and sentence of every fact that is known about a call; its verdict tells where the bytes are from."""
    found = [(t("fact.blocks"), blocks_sentence(summary, row))]
    cores = cores_of(summary, calls.row) if calls is not None else None
    if cores is not None:
        found.append((t("opprof.balance"), balance_sentence(cores)))
    if calls is not None:
        before, after = neighbours(summary.ops, calls.row)
        names = summary.ops.strings("name")
        if before is not None:
            found.append((t("fact.before"), gap_sentence("before", names[before.row], before.gap_us)))
        if after is not None:
            found.append((t("fact.after"), gap_sentence("after", names[after.row], after.gap_us)))
    if known(row.get("bytes")):
        found.append((t("fact.bytes"), moved_sentence(summary, row, counted(verdict))))
    if known(row.get("flops")) and row["flops"] > 0:
        found.append((t("fact.flops"), computed_sentence(row)))
    if known(row.get("freq_mhz")):
        rated = row.get("rated_freq_mhz", math.nan)
        key = "fact.clock.text" if known(rated) else "fact.clock.alone"
        found.append((t("fact.clock"), t(key, mhz=row["freq_mhz"], rated=rated)))
    found += [entry for entry in (first_call(calls), shapes_out(row)) if entry]
    return [(name, text) for name, text in found if text]


def blocks_sentence(summary: Summary, row: Mapping[str, Any]) -> str:
    """`16 on 20 cores, 1 wave: 20 % of the chip idle`."""
    block_dim = row.get("block_dim", -1)
    if not known(block_dim) or block_dim <= 0:
        return ""
    placed = blocks_on(int(block_dim), cores_for(summary, row))
    if placed is None:
        return t("fact.blocks.unknown", n=int(block_dim))
    key = "fact.blocks.full" if placed.idle_pct < 1 else "fact.blocks.idle"
    if placed.waves == 1:
        return t(key + ".one", n=placed.blocks, cores=placed.cores, pct=placed.idle_pct)
    return t(key, n=placed.blocks, cores=placed.cores, waves=placed.waves, pct=placed.idle_pct)


def cores_for(summary: Summary, row: Mapping[str, Any]) -> int | None:
    """The chip's cores of the side a row runs on, as the run states them, else by the chips table."""
    chip, metadata = chips.find(summary.chip.name), summary.profile.metadata
    vector = row.get("core") in VECTOR_CORES
    cores = metadata.vector_cores if vector else metadata.cube_cores
    if cores is None and chip is not None:
        cores = chip.vector_cores if vector else chip.cube_cores
    return cores


def cores_words(summary: Summary, row: Mapping[str, Any]) -> str:
    """`16 of 20 cores`, `40 blocks on 20 cores`; nothing where either is unknown."""
    block_dim = row.get("block_dim", -1)
    placed = blocks_on(int(block_dim), cores_for(summary, row)) if known(block_dim) and block_dim > 0 else None
    if placed is None:
        return ""
    return t("fact.cores" if placed.waves == 1 else "fact.cores.blocks", n=placed.blocks, cores=placed.cores)


def counted(verdict: Verdict | None) -> bool:
    """Whether the bytes were counted at the memory, since no shapes tell them."""
    return verdict is not None and any(one.text.key == "evidence.bytes-counted" for one in verdict.evidence)


def moved_sentence(summary: Summary, row: Mapping[str, Any], from_memory: bool = False) -> str:
    """`23.6 MB by its shapes: 288 GB/s, 18 % of HBM`, or counted at the memory; more than HBM brings came from L2."""
    gbps, peak = row.get("achieved_gbps", math.nan), summary.chip.hbm_gbps
    if not known(gbps):
        return t("fact.bytes.text", total=row["bytes"])
    if not peak:
        return t("fact.bytes.counted" if from_memory else "fact.bytes.rate", total=row["bytes"], gbps=gbps)
    key = "fact.bytes.l2" if gbps > summary.thresholds.from_l2 * peak else "fact.bytes.share"
    if from_memory:
        key = "fact.bytes.counted.share"
    return t(key, total=row["bytes"], gbps=gbps, pct=100 * gbps / peak)


def computed_sentence(row: Mapping[str, Any]) -> str:
    """`13.4 GFLOP by shapes: 164 TFLOP/s, 56 % of the cube's peak`."""
    tflops, us, (unit, least) = row.get("achieved_tflops"), row.get("duration_us", math.nan), compute_us(row)
    if not known(tflops):
        return t("fact.flops.text", flops=row["flops"])
    if not (known(least) and known(us) and us > 0):
        return t("fact.flops.rate", flops=row["flops"], tflops=tflops)
    unit_word = t(f"floor.{unit}")
    return t("fact.flops.share", flops=row["flops"], tflops=tflops, pct=100 * least / us, unit=unit_word)


def gap_sentence(side: str, name: str | None, gap_us: float) -> str:
    """`RmsNorm_16, then 3.1 us wait`; an overlap says so."""
    key = f"fact.{side}.overlap" if gap_us < 0 else f"fact.{side}.text"
    return t(key, name=name or numbers.DASH, us=abs(gap_us))


def first_call(calls: Calls | None) -> tuple[str, str] | None:
    """The first call against the median of the others."""
    if calls is None or len(calls.rows) < 4:
        return None
    durations = calls.durations_us
    rest = sorted(value for value in durations[1:].tolist() if not math.isnan(value))
    if not rest or math.isnan(durations[0]):
        return None
    median = rest[len(rest) // 2]
    change = 100 * (float(durations[0]) / median - 1) if median else math.nan
    return t("fact.first"), t("fact.first.text", us=float(durations[0]), change=change)


def shapes_out(row: Mapping[str, Any]) -> tuple[str, str] | None:
    """Where the result goes."""
    shapes = (row.get("output_shapes") or "").strip(";")
    return (t("fact.output"), shapes) if shapes else None


def floor_notes(summary: Summary, row: Mapping[str, Any], verdict: Verdict) -> list[str]:
    """What a good kernel reaches, and where the peaks come from; without a floor, why there is none."""
    if not known(row.get("bound_us")):
        return [no_floor(verdict, summary.chip)]
    chip = chips.find(summary.chip.name)
    notes = [t("drill.good_kernels")]
    peaks, own = [], summary.chip.hbm_source == "option" or summary.chip.calibration is not None
    if summary.chip.hbm_gbps is not None and own:
        notes.append(hbm_source(summary.chip))
    elif summary.chip.hbm_gbps is not None:
        peaks.append(t("drill.peak.hbm", gbps=summary.chip.hbm_gbps))
    if chip is not None and chip.cube_fp16_tflops is not None:
        peaks.append(t("drill.peak.cube", tflops=chip.cube_fp16_tflops))
    if peaks:
        notes.append(t("drill.peaks", peaks=t("sentence.join").join(peaks), chip=summary.chip.name or ""))
    return notes


def limit_of(verdict: Verdict) -> float | None:
    """The threshold of the evidence that is a pipe's ratio: where the tick stands."""
    for evidence in verdict.evidence:
        if evidence.threshold is not None and "ratio" in evidence.metric and 0 < evidence.threshold < 1:
            return evidence.threshold
    return None
