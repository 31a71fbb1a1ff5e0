"""Jobs of several ranks, made: step tables, operators and what names the rank of each folder."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from npuscope.analysis.ranks.times import STEP_TABLE, RankTimes, of_steps
from npuscope.parsers.msprof.tables.step_trace_time import StepTimes
from npuscope.parsers.profile import Run

STEP_HEADER = (
    "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
    "Communication(Not Overlapped and Exclude Receive),Preparing"
)
OP_HEADER = "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim"
START_US = 1_760_000_000_000_000
Parts = tuple[float, float, float]  # computing, communication not overlapped, free


def step(parts: Parts, number: int | None = 1) -> StepTimes:
    """A step made of these."""
    computing, alone, free = parts
    return StepTimes(number, None, None, computing, alone, 0.0, alone, free, computing + alone + free, 0.0, alone, 0.0)


def rank(number: int | None, *steps: Parts, first: int = 1, **more: object) -> RankTimes:
    """The times of a rank in its steps (1, 2, ...); none = a rank without times."""
    path = f"/made/run42/node_{number}_20260102030405006_ascend_pt"
    run = Run(path, Path(path).name, "torch_npu", "ready", rank=number)
    base = RankTimes(run, number, device=number, **more)  # type: ignore[arg-type]
    made = [step(parts, first + at) for at, parts in enumerate(steps)]
    return of_steps(base, made) if made else base


def named(times: RankTimes) -> str:
    """How a test calls it."""
    assert times.source == STEP_TABLE
    return f"rank {times.rank}"


def write_rank(
    job: Path,
    number: int,
    steps: Mapping[int, Parts] | None,
    operators: Sequence[tuple[str, int, float]] = (("MatMulV2", 4, 100.0), ("Add", 8, 20.0)),
    *,
    stamp: str = "20260102030405006",
    metadata: Mapping[str, object] | None = None,
    device: int | None = None,
) -> Path:
    """One folder of a job as torch_npu writes it, settled long ago. Operators are (type, calls, us of each)."""
    folder = job / f"node_{900 - number}_{stamp}_ascend_pt"
    output = folder / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (folder / f"profiler_info_{number}.json").write_text(json.dumps({"rank_id": str(number)}), encoding="utf-8")
    if metadata is not None:
        (folder / "profiler_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    device = number if device is None else device
    if steps is not None:
        lines = [STEP_HEADER]
        for at, (computing, alone, free) in steps.items():
            lines.append(f"{device},{at},{computing},{alone},0,{alone},{free},{computing + alone + free},0,{alone},1.5")
        (output / "step_trace_time.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines, now = [OP_HEADER], float(START_US)
    for kind, calls, us in operators:
        core = "COMMUNICATION" if kind.startswith("hcom") else "AI_CORE"
        for call in range(calls):
            lines.append(f"1,{device},{kind}_{call},{kind},{core},{now:.3f}\t,{us:.3f},0,20")
            now += us + 1
    (output / "kernel_details.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    settle(folder)
    return folder


def write_prof(job: Path, number: int, us: float, *, noted: int | str | None = None, old: bool = False) -> Path:
    """One rank's PROF folder as msprof writes it: four operators of `us` and a collective. `noted` = the rank_id that
    the collector wrote (its own number unless told), in `old` layouts for each device."""
    folder = job / f"PROF_{900 - number:06d}_20260102030405006_ABCDEFGHIJKLMNOP"
    device = folder / f"device_{number}"
    info = device / f"info.json.{number}" if old else folder / "host" / "info.json"
    output = device / "summary" if old else folder / "mindstudio_profiler_output"
    for path in (device, info.parent, output):
        path.mkdir(parents=True, exist_ok=True)
    written = {"jobInfo": "NA", "rank_id": number if noted is None else noted, "DeviceInfo": []}
    info.write_text(json.dumps(written), encoding="utf-8")
    lines = ["Device_id,Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Dim"]
    now = float(START_US)
    for call in range(4):
        lines.append(f"{number},MatMul_{call},MatMulV2,AI_CORE,{now:.3f}\t,{us:.3f},0,20")
        now += us + 1
    lines.append(f"{number},hcom_allReduce__1,hcom_allReduce_,COMMUNICATION,{now:.3f}\t,{700 - 4 * us:.3f},0,0")
    name = f"op_summary_{number}_1_20260102030500.csv" if old else "op_summary_20260102030500.csv"
    (output / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    settle(folder)
    return folder


def settle(folder: Path) -> None:
    """Everything was written an hour ago."""
    old = time.time() - 3600
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (old, old))
