"""The kernels of the demo: invented, but each one adds up on a 910B3 (20 cube cores, 40 vector cores, 1800 MHz).

Bytes over 1.6 TB/s and operations over 294.9 TFLOPS give the floors. A cube's busy time is its operations (3 to 5 %
padding) over blocks x 1800 MHz x 8192; a vector kernel's own time is what is left of the task after its head.
"""

from __future__ import annotations

from collections.abc import Mapping

from npuscope.demo.tables import MHZ, Kernel, Side

CUBE, VECTOR, MIX, AI_CPU, HCCL = "AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "AI_CPU", "COMMUNICATION"
CUBE_PER_CYCLE = 16 * 16 * 16 * 2

SQUARE = "8192,8192"


def matmul(name: str, shape: tuple[int, int, int], us: float, core_us: float, blocks: int, padding: float, mte2: float,
           mte1: float) -> Kernel:  # fmt: skip
    """A matrix product (m, k, n) in bf16 on `blocks` cube cores."""
    m, k, n = shape
    busy_us = 2 * m * k * n * padding / (blocks * MHZ * CUBE_PER_CYCLE)
    busy = {"mac": busy_us / core_us, "scalar": 0.052, "mte1": mte1, "mte2": mte2, "fixpipe": 0.113}
    return Kernel(name, CUBE, us, (f"{m},{k}", f"{k},{n}"), (f"{m},{n}",), sides={"aic": Side(blocks, core_us, busy)})


def vector(name: str, us: float, core_us: float, shapes: tuple[tuple[str, ...], tuple[str, ...]],
           pipes: tuple[float, float, float, float], blocks: int = 40, dtype: str = "DT_BF16") -> Kernel:  # fmt: skip
    """A vector kernel; pipes = busy shares of vec, scalar, mte2, mte3."""
    busy: Mapping[str, float] = dict(zip(("vec", "scalar", "mte2", "mte3"), pipes))
    return Kernel(name, VECTOR, us, *shapes, dtype=dtype, sides={"aiv": Side(blocks, core_us, busy)})


def small(name: str, us: float = 2.2, inputs: int = 1, shape: str = "256,640", blocks: int = 20) -> Kernel:
    """An elementwise kernel that is mostly its own start: 0.3 to 1 MB, under half of the task on the core."""
    return vector(name, us, 0.44 * us, ((shape,) * inputs, (shape,)), (0.21, 0.33, 0.38, 0.24), blocks)


# a copy of 134 MB: 268 MB moved, 168 us at 1.6 TB/s; the task takes a quarter more, as good copies do
COPY = vector("CopyCustom", 210.0, 206.4, ((SQUARE,), (SQUARE,)), (0.0, 0.041, 0.902, 0.871), dtype="FLOAT16")

# [8192, 8192] in fp16, row by row: 1.2 ms of vector work + 2.1 ms of loads + 0.4 ms. Loads and work overlap a little,
# and the tail runs on few cores: the mean core is busy for 2.96 ms
L2_BEFORE = vector(
    "L2NormCustom", 3700.0, 2960.0, ((SQUARE,), (SQUARE,)), (1200 / 2960, 0.068, 2100 / 2960, 0.142), dtype="FLOAT16"
)
# rows aligned to the vector unit, result in place: 1.1 ms + 0.5 ms + 0.3 ms
L2_AFTER = vector(
    "L2NormCustom", 1900.0, 1552.0, ((SQUARE,), (SQUARE,)), (1100 / 1552, 0.047, 500 / 1552, 0.168), dtype="FLOAT16"
)

# 13.4 GFLOP: 45.5 us for the cube, 14.7 us for the bytes; 16 of 20 cores, and every tile loaded again and again
PROJECTION = matmul("MatMulV2", (1024, 2560, 2560), 82.5, 80.4, 16, 1.045, mte2=0.962, mte1=0.648)
# 12.1 GFLOP: 41.0 us for the cube
GATE_UP = matmul("MatMulV3", (1024, 2560, 2304), 49.4, 47.1, 20, 1.035, mte2=0.803, mte1=0.655)

HEADS = "1,20,1024,128"
STATISTICS = "1,20,1024,8:FLOAT"
ATTENTION = Kernel(
    "FlashAttentionScore", MIX, 97.2, (HEADS,) * 3, (STATISTICS, STATISTICS, "", HEADS),
    sides={
        "aic": Side(20, 93.6, {"mac": 0.409, "scalar": 0.871, "mte1": 0.356, "mte2": 0.862, "fixpipe": 0.412}),
        "aiv": Side(40, 88.3, {"vec": 0.574, "scalar": 0.263, "mte2": 0.311, "mte3": 0.276}),
    },
)  # fmt: skip

# q of five heads with its tables: 128 bytes a move
ROTARY = vector(
    "RotaryMul",
    8.7,
    7.4,
    (("1,1024,5,128", "1,1024,1,128", "1,1024,1,128"), ("1,1024,5,128",)),
    (0.282, 0.347, 0.611, 0.927),
)
# rows of 2580 bytes, no multiple of 32: what the cube's own layout pads, the vector cores move piece by piece
TO_NZ = vector("TransData", 15.8, 13.7, (("1024,1290",), ("81,64,16,16::FRACTAL_NZ",)), (0.0, 0.418, 0.742, 0.961))
TO_NZ_BEFORE = vector(
    "TransData", 40.2, 38.0, (("1024,1290",), ("81,64,16,16::FRACTAL_NZ",)), (0.0, 0.466, 0.719, 0.978)
)
SWIGLU = vector("SwiGlu", 6.0, 4.5, (("1024,2304",), ("1024,1152",)), (0.402, 0.083, 0.786, 0.431))
NORM = vector("RmsNorm", 6.5, 2.9, (("256,2560", "2560"), ("256,2560", "256,1:FLOAT")), (0.487, 0.212, 0.446, 0.238))
SOFTMAX = vector("SoftmaxV2", 12.1, 9.7, (("2048,1024",), ("2048,1024",)), (0.382, 0.824, 0.302, 0.217))
SUM = vector("ReduceSum", 6.3, 4.3, (("256,2560", "1:INT64"), ("256",)), (0.412, 0.143, 0.354, 0.042), blocks=4)
TRANSPOSE = vector("Transpose", 5.1, 3.4, (("20,128,256", "3:INT64"), ("20,256,128",)), (0.0, 0.226, 0.734, 0.702))
CONCAT = vector("ConcatD", 4.0, 2.4, (("1024,320", "1024,320"), ("1024,640",)), (0.0, 0.118, 0.781, 0.716))
TABLE_LOOKUP = Kernel("Gather", AI_CPU, 40.2, ("32000,64", "256:INT64"), ("256,64",), dynamic=True)
ALL_REDUCE = Kernel("hcom_allReduce_", HCCL, 51.2, (), ())

RESIDUAL = small("Add", 5.2, inputs=2)
SCALE = small("Mul", 3.4, inputs=2)
CONVERT = vector("Cast", 3.2, 1.4, (("256,640",), ("256,640:FLOAT",)), (0.193, 0.311, 0.402, 0.357), blocks=20)
CUT = small("Slice", 2.5)
