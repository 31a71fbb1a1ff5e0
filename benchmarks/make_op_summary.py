"""Makes a big op_summary csv for the benchmarks: usage make_op_summary.py FILE [ROWS] [SEED].

The 46 columns of CANN 8 with N/A cells, a tab behind the start time and quoted shapes, about 340 bytes a row, 40 types
and a few hundred shapes. The rows are made up; the same seed makes the same file.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

HEADER = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),"
    "Task Wait Time(us),Block Dim,Mix Block Dim,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,"
    "Output Shapes,Output Data Types,Output Formats,Context ID,aicore_time(us),aic_total_cycles,aic_mac_time(us),"
    "aic_mac_ratio,aic_scalar_time(us),aic_scalar_ratio,aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),"
    "aic_mte2_ratio,aic_fixpipe_time(us),aic_fixpipe_ratio,aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,"
    "aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,"
    "aiv_mte3_time(us),aiv_mte3_ratio,aiv_icache_miss_rate,cube_utilization(%)"
)
TYPES = (
    "MatMul", "MatMulV2", "MatMulV3", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3",
    "Conv2D", "Conv2DV2", "Conv2DV3", "GroupedMatmul", "GroupedMatmulV2", "GroupedMatmulV3",
    "Cast", "Add", "Mul", "Sub", "Div", "RmsNorm", "LayerNorm", "Softmax", "Gelu", "Silu", "Transpose", "Slice",
    "Concat", "Split", "Gather", "Scatter", "Tile", "ReduceSum", "ReduceMean", "Pow", "Sqrt", "Exp", "TransData",
    "StridedSlice", "SwiGlu", "FlashAttentionScore", "ApplyAdamW", "ZerosLike",
)  # fmt: skip
_NO_COUNTERS = ",".join(["N/A"] * 25)


class _Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kernels = [self._kernel(kind, shape) for kind in TYPES for shape in range(9)]

    def _kernel(self, kind: str, shape: int) -> tuple[str, str, float, list[str]]:
        core = "AI_CORE" if kind.startswith(("Mat", "Batch", "Conv", "Grouped")) else "AI_VECTOR_CORE"
        if kind == "FlashAttentionScore":
            core = "MIX_AIC"
        name = f"aclnn{kind}_{kind}Common_{kind}_{shape}"
        rows, columns = self.random.choice((1, 32, 256, 4096)), 128 * self.random.randint(1, 96)
        inputs = f'"""{rows},{columns};{columns},{columns}"""' if shape % 3 else f'"""{rows},{columns}"""'
        tail = f'{inputs},FLOAT16;FLOAT16,ND;ND,"""{rows},{columns}""",FLOAT16,ND,N/A'
        usual = self.random.uniform(2, 400)
        tails = [f"{self.random.randint(1, 40)},0,NO,{tail},{self._counters(core, usual)}" for _ in range(60)]
        return name, f"{kind},dynamic,{core}", usual, tails

    def _counters(self, core: str, usual: float) -> str:
        if self.random.random() < 0.01:
            return _NO_COUNTERS
        cube = self._side(usual, 6, 13) if core != "AI_VECTOR_CORE" else ",".join(["0"] * 13)
        vector = self._side(usual, 4, 11) if core != "AI_CORE" else ",".join(["0"] * 11)
        return f"{cube},{vector},{self.random.uniform(0, 100):.3f}"

    def _side(self, usual: float, pipes: int, cells: int) -> str:
        busy = usual * self.random.uniform(0.7, 0.99)
        found = [f"{busy:.3f}", str(int(busy * 37000))]
        for _ in range(pipes - 1 if cells == 13 else pipes):
            ratio = self.random.uniform(0, 0.95)
            found += [f"{ratio * busy:.3f}", f"{ratio:.3f}"]
        return ",".join([*found[: cells - 1], "0.002"])

    def lines(self, rows: int) -> Iterator[str]:
        start = 1_760_000_000_000_000_000
        for number in range(rows):
            name, kind, usual, tails = self.random.choice(self.kernels)
            duration = usual * self.random.uniform(0.95, 1.2)
            wait = self.random.random() * 8
            start += int((duration + wait) * 1000)
            head = f"0,4294967295,{number % 65536},2,{name},{kind},{start // 1000}.{start % 1000:03d}\t"
            yield f"{head},{duration:.3f},{wait:.3f},{self.random.choice(tails)}\n"


def make(path: Path, rows: int = 1_000_000, seed: int = 1) -> None:
    """Write the file."""
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(HEADER + "\n")
        out.writelines(_Maker(seed).lines(rows))


if __name__ == "__main__":
    make(Path(sys.argv[1]), *(int(word) for word in sys.argv[2:4]))
