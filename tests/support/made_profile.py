"""A made profile for the operator screens: 910B3, PipeUtilization, 3 steps of 5 operators; values are chosen to be
easy to follow. Times in us from the first start."""

from __future__ import annotations

import time
from pathlib import Path

from npuscope.analysis.summarize import summarize
from npuscope.analysis.summary import Summary
from npuscope.parsers.discovery.runs import find_runs
from npuscope.parsers.msprof.reader import read_profile

HEADER = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),"
    "Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,"
    "Output Shapes,Output Data Types,Output Formats,Context ID,aicore_time(us),aic_total_cycles,"
    "aic_mac_time(us),aic_mac_ratio,"
    "aic_scalar_time(us),aic_scalar_ratio,aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,"
    "aic_fixpipe_time(us),aic_fixpipe_ratio,aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),"
    "aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),"
    "aiv_mte3_ratio,aiv_icache_miss_rate,cube_utilization(%)"
)
START_NS = 1_760_000_000_000_000_000
STEP_US = 400.0
NAMES = ("MatMulV2", "Add", "RmsNorm", "TransData[x]", "Cast")


def cube(core_us: float, mac: float, mte1: float, mte2: float) -> str:
    """The counters of a cube operator on 20 cores at 1800 MHz."""
    shares = (mac, 0.05, mte1, mte2, 0.11)
    pipes = ",".join(f"{core_us * share:.3f},{share:.3f}" for share in shares)
    return f"{core_us:.3f},{core_us * 1800 * 20:.0f},{pipes},0.001" + ",0.0" * 11 + ",96.0"


def vector(core_us: float, vec: float, scalar: float, mte2: float, mte3: float) -> str:
    """The counters of a vector operator on 40 cores."""
    pipes = ",".join(f"{core_us * share:.3f},{share:.3f}" for share in (vec, scalar, mte2, mte3))
    return "0.0,0" + ",0.0" * 11 + f",{core_us:.3f},{core_us * 1800 * 40:.0f},{pipes},0.002,0"


OPERATORS = (
    # type, core, at, took, block, shapes in, dtypes, shapes out, counters
    ("MatMulV2", "AI_CORE", 0.0, 90.0, 20, '"""1024,2560;2560,2560"""', "DT_BF16;DT_BF16", '"""1024,2560"""',
     cube(88.0, 0.60, 0.50, 0.96)),
    ("Add", "AI_VECTOR_CORE", 91.0, 40.0, 40, '"""8192,1024;8192,1024"""', "FLOAT16;FLOAT16", '"""8192,1024"""',
     vector(38.0, 0.22, 0.05, 0.88, 0.50)),
    ("RmsNorm", "AI_VECTOR_CORE", 132.0, 12.0, 40, '"""1024,2560;2560"""', "DT_BF16;DT_BF16", '"""1024,2560"""',
     vector(10.0, 0.30, 0.95, 0.10, 0.05)),
    ("TransData[x]", "AI_VECTOR_CORE", 145.0, 20.0, 40, '"""1024,2560"""', "FLOAT16", '"""160,64,16,16"""',
     vector(18.0, 0.05, 0.40, 0.91, 0.85)),
    ("Cast", "AI_VECTOR_CORE", 265.0, 3.0, 2, '"""16"""', "FLOAT", '"""16"""', vector(0.8, 0.02, 0.30, 0.10, 0.10)),
)  # fmt: skip


def write_profile(folder: Path, steps: int = 3) -> Path:
    """A PROF folder with its export under `folder`."""
    output = folder / "PROF_000001_20260102030405006_ABCDEFGHIJKLMNOP" / "mindstudio_profiler_output"
    output.mkdir(parents=True)
    lines = [HEADER]
    for step in range(steps):
        for number, (kind, core, at, took, block, shapes, dtypes, result, counters) in enumerate(OPERATORS):
            slower = took * (1.3 if step == 0 and kind == "MatMulV2" else 1.0)
            start = START_NS // 1000 + step * STEP_US + at
            formats = ";".join("ND" for _ in dtypes.split(";"))
            lines.append(
                f"0,4294967295,{step * 5 + number},3,{kind}_{step},{kind},dynamic,{core},{start:.3f}\t,{slower:.3f},"
                f"1.0,{block},0,NO,"
                f"{shapes},{dtypes},{formats},{result},{dtypes.split(';')[0]},ND,N/A,{counters}"
            )
    (output / "op_summary_20260102030500.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (output / "README.txt").write_text("export done\n", encoding="utf-8")
    return output.parent


def made_summary(folder: Path, steps: int = 3, chip: str | None = "910B3") -> Summary:
    """The same, read and looked at."""
    write_profile(folder, steps)
    (run,) = find_runs(folder, time.time() + 3600)
    return summarize(read_profile(run), chip)
