"""The six profiles of the demo, as tasks: a copy, a normalisation twice, a storm of small kernels, a step twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from npuscope.demo import kernels as k
from npuscope.demo.tables import TICK_NS, Kernel, Task, in_a_row, ticks

LAYERS = 32
STEP_US, STEP_BEFORE_US = 18_210, 18_990
SPAN_US = 21_900
Placed = tuple[Kernel, str, float, float]


@dataclass(frozen=True)
class DemoRun:
    """One profile: the program that was profiled and what ran on the chip, `seed` makes its noise."""

    key: str
    app: str
    parameters: str
    tasks: Callable[[], Sequence[Task]]


def copy() -> Sequence[Task]:
    """One operator that only copies, five times; the first launch is the slow one."""
    return _repeated(k.COPY, "CopyCustom", (231.4, 210.6, 209.8, 210.2, 209.4), gap_us=24.6)


def norm_before() -> Sequence[Task]:
    """L2 normalisation as it was first written."""
    return _repeated(k.L2_BEFORE, "L2NormCustom", (3700.0,))


def norm_after() -> Sequence[Task]:
    """The same after rows were aligned and the result stays in place."""
    return _repeated(k.L2_AFTER, "L2NormCustom", (1900.0,))


def storm() -> Sequence[Task]:
    """An optimizer without fusion: twelve tiny kernels for each of forty parameters, the host cannot keep up."""
    words = ("Mul", "Mul", "Add", "Square", "Mul", "Mul", "Add", "Sqrt", "Adds", "RealDiv", "Muls", "Sub")
    noise = Random(4)
    placed: list[Placed] = []
    for parameter in range(40):
        for number, word in enumerate(words):
            us = 2.2 + 2.4 * noise.random()
            inputs = 2 if word in ("Mul", "Add", "RealDiv", "Sub") else 1
            kernel = k.small(word, round(us, 2), inputs, "64,128", blocks=4)
            gap = 20.0 + 19.5 * noise.random() if parameter or number else 0.0
            placed.append((kernel, f"aclnn{_api(word)}_{word}AiCore_{word}", us, gap))
    return in_a_row(placed)


def step_before() -> Sequence[Task]:
    """The training step with the slower conversion before attention."""
    return _step(k.TO_NZ_BEFORE, STEP_BEFORE_US)


def step_after() -> Sequence[Task]:
    """The training step: 1204 operators of 38 types."""
    return _step(k.TO_NZ, STEP_US)


RUNS = (
    DemoRun("copy", "copy_custom", "--shape 8192,8192", copy),
    DemoRun("norm-before", "l2norm_bench", "--version 1", norm_before),
    DemoRun("norm-after", "l2norm_bench", "--version 2", norm_after),
    DemoRun("step-before", "python3", "train.py --tp 4", step_before),
    DemoRun("step-after", "python3", "train.py --tp 4", step_after),
    DemoRun("storm", "python3", "finetune.py --optimizer adam", storm),
)


def _repeated(kernel: Kernel, name: str, times_us: Sequence[float], gap_us: float = 0.0) -> Sequence[Task]:
    return in_a_row((kernel, name, us, gap_us if number else 0.0) for number, us in enumerate(times_us))


def _step(conversion: Kernel, total_us: float) -> Sequence[Task]:
    """All layers, with noise of a few percent; then the matrix products take up what is left to the total."""
    noise = Random(38)
    tasks = in_a_row(_noisy(list(_network(conversion)), noise))
    wanted = round(total_us * 1000)
    products = [number for number, task in enumerate(tasks) if task.kernel.type == "MatMulV2"]
    while (left := wanted - sum(task.duration_ns for task in tasks)) and products:
        share = max(TICK_NS, abs(left) // len(products) // TICK_NS * TICK_NS)
        for number in products[: abs(left) // share]:
            task = tasks[number]
            tasks[number] = replace(task, duration_ns=task.duration_ns + (share if left > 0 else -share))
    return _spread(tasks, SPAN_US - STEP_US)


def _noisy(layers: Sequence[tuple[Kernel, str]], noise: Random) -> Iterator[Placed]:
    seen = set()
    for kernel, name in layers:
        first = kernel.type not in seen and kernel.us > 20 and not kernel.is_communication
        seen.add(kernel.type)
        us = kernel.us * (1.34 if first else 0.985 + 0.03 * noise.random())
        yield kernel, name, us, 0.0


def _spread(tasks: Sequence[Task], idle_us: float) -> Sequence[Task]:
    """The same tasks with idle time before them: a little before each, the rest where a layer begins."""
    noise = Random(21)
    begins = [number for number, task in enumerate(tasks) if number and task.name.startswith("aclnnRmsNorm_RmsNorm_0")]
    gaps = [0, *(ticks(0.9 + 1.1 * noise.random()) for _ in tasks[1:])]
    left = round(idle_us * 1000) - sum(gaps)
    for number in begins:
        gaps[number] += left // len(begins) // TICK_NS * TICK_NS
    gaps[begins[-1]] += round(idle_us * 1000) - sum(gaps)
    now, moved = 0, list[Task]()
    for gap, task in zip(gaps, tasks):
        moved.append(replace(task, start_ns=now + gap, name=task.name.replace("RmsNorm_0", "RmsNorm")))
        now = moved[-1].end_ns
    return moved


def _network(conversion: Kernel) -> Iterator[tuple[Kernel, str]]:
    """One step, kernel by kernel, under the names that aclnn gives them."""
    for layer in range(LAYERS):
        yield k.NORM, "aclnnRmsNorm_RmsNorm_0"
        yield from _attention(layer, conversion)
        yield from _feed_forward()
        yield from _odds_and_ends(layer)


def _attention(layer: int, conversion: Kernel) -> Iterator[tuple[Kernel, str]]:
    yield k.CONVERT, _name("Cast")
    yield k.PROJECTION, "aclnnMatmul_MatMulCommon_MatMulV2"
    for word in ("SplitVD", "Slice", "Square", "ReduceMean", "Adds", "Rsqrt", "Muls", "Cos", "Sin", "Neg"):
        yield (k.CUT if word == "Slice" else k.small(word)), _name(word)
    yield k.ROTARY, "aclnnRotaryPositionEmbedding_RotaryMul_RotaryMul"
    yield conversion, "aclnnFlashAttentionScore_TransData_TransData"
    yield k.ATTENTION, "aclnnFlashAttentionScore_FlashAttentionScore_FlashAttentionScore"
    yield k.CONVERT, _name("Cast")
    yield k.PROJECTION, "aclnnMatmul_MatMulCommon_MatMulV2"
    yield k.ALL_REDUCE, f"hcom_allReduce__360_{layer}_1"
    yield k.RESIDUAL, _name("Add")


def _feed_forward() -> Iterator[tuple[Kernel, str]]:
    yield k.NORM, "aclnnRmsNorm_RmsNorm_RmsNorm"
    yield k.CONVERT, _name("Cast")
    yield k.GATE_UP, "aclnnMatmul_MatMulCommon_MatMulV3"
    yield k.SWIGLU, "aclnnSwiGlu_SwiGlu_SwiGlu"
    yield k.small("Sigmoid"), _name("Sigmoid")
    yield k.SCALE, _name("Mul")
    yield k.PROJECTION, "aclnnMatmul_MatMulCommon_MatMulV2"
    yield k.SCALE, _name("Mul")
    yield k.RESIDUAL, _name("Add")


def _odds_and_ends(layer: int) -> Iterator[tuple[Kernel, str]]:
    for word in ("BroadcastTo", "SelectV2", "Sub", "RealDiv", "Sqrt", "StridedSliceD"):
        yield k.small(word, inputs=2 if word in ("Sub", "RealDiv") else 1), _name(word)
    if layer % 2:
        yield k.small("ZerosLike"), _name("ZerosLike")
        yield k.small("Fill"), _name("Fill")
    if layer % 4 == 3:
        for kernel in (k.SOFTMAX, k.SUM, k.TRANSPOSE, k.CONCAT, k.small("Equal", inputs=2)):
            yield kernel, _name(kernel.type)
    if layer % 8 == 7:
        for kernel in (k.TABLE_LOOKUP, k.small("LogicalAnd", inputs=2), k.small("Tile")):
            yield kernel, _name(kernel.type)


def _name(word: str) -> str:
    return f"aclnn{_api(word)}_{word}AiCore_{word}"


def _api(word: str) -> str:
    """The API whose kernel this is: RealDiv runs for Div, Adds for Add."""
    apis = {"RealDiv": "Div", "Adds": "Add", "Muls": "Mul", "SplitVD": "Split", "ConcatD": "Cat", "SelectV2": "Where"}
    return apis.get(word, word)
