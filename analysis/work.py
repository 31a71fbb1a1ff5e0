"""Bytes that an operator must move and operations it must do, from its type, shapes, dtypes and formats.

Covered: the matmul family, elementwise operators, pure movement, reductions, norms and softmax. For everything else,
and wherever a shape leaves it open, there is no number but a reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from npuscope.analysis.families import family_of
from npuscope.analysis.shapes import Tensor, UnknownWorkError, rows_and_columns, tensors
from npuscope.parsers.say import Say, say

# one vector operation per element is a lower limit; these take several (4 to 10 by convention, the least is taken)
COSTLY = 4
SOFTMAX_FLOPS = 5
NORM_FLOPS = 6
ALIGN_BYTES = 32  # UB block, the least unit a vector copy moves without splitting [REC]
INNER_ELEMENTS = 256  # matmul inner axes [ADV INNER_AXIS_256]

BLOCK = 32  # int8 blocks of NZ are 32 wide, fp16 ones 16

Shapes = tuple[str, "str | None", "str | None", "str | None", "str | None", "str | None", "str | None"]


@dataclass(frozen=True)
class Work:
    """What one call must do. bytes: read plus written once; flops: multiply-add counts two; None = unknown, see `why`.

    `unit` is what does the flops: cube_fp16, cube_int8, vector_fp16, vector_fp32, or "" when its peak is unknown.
    `ragged`: the innermost axis of some tensor is not a multiple of 32 bytes; `off_tile`: of 256 elements (matmul).
    """

    bytes: float | None = None
    flops: float | None = None
    unit: str = ""
    family: str = ""
    why: Say | None = None
    ragged: bool = False
    off_tile: bool = False
    consistent: bool = True


@lru_cache(maxsize=65536)
def work_of(shapes: Shapes) -> Work:
    """The work of one call: (type, input shapes, dtypes, formats, output shapes, dtypes, formats)."""
    family = family_of(shapes[0])
    try:
        inputs, outputs = tensors(*shapes[1:4]), tensors(*shapes[4:7])
        if not outputs or any(tensor.numel == 0 for tensor in outputs):
            raise UnknownWorkError(say("work.zero" if outputs else "work.no-shape"))
        if not family:
            raise UnknownWorkError(say("work.type", type=shapes[0]))
        return _FAMILIES[family](inputs, outputs)
    except UnknownWorkError as unknown:
        return Work(family=family, why=unknown.why)


def _sum(parts: tuple[Tensor, ...]) -> float:
    return sum(part.nbytes for part in parts)


def _ragged(parts: tuple[Tensor, ...]) -> bool:
    return any(
        part.dims and part.numel * part.itemsize > ALIGN_BYTES and part.dims[-1] * part.itemsize % ALIGN_BYTES
        for part in parts
    )


def _vector_unit(parts: tuple[Tensor, ...]) -> str:
    if parts and parts[0].dtype in ("FLOAT16", "HALF", "BF16"):
        return "vector_fp16"
    return "vector_fp32" if parts and parts[0].dtype in ("FLOAT", "FLOAT32") else ""


def _cube_unit(inputs: tuple[Tensor, ...]) -> str:
    kinds = {part.dtype for part in inputs[:2]}
    if kinds & {"FLOAT16", "HALF", "BF16", "BFLOAT16"}:
        return "cube_fp16"  # weight-only quantisation computes in the activation's type
    return "cube_int8" if kinds == {"INT8"} else ""


def _matmul(inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Work:
    if len(inputs) < 2:
        raise UnknownWorkError(say("work.no-shape"))
    left, right = inputs[:2]
    batch, m, n = rows_and_columns(outputs[0])
    moved = _sum(inputs) + _sum(outputs)
    depths = [_depth(left, batch, m), _depth(right, batch, n)]
    known = [depth for depth in depths if depth]
    if not known:
        return Work(moved, family="matmul", why=say("work.mismatch"))
    # one of the two printed shapes is too large (81920 for 8192 was seen): its bytes go with its K
    moved -= sum(part.nbytes * (1 - min(known) / k) for part, k in zip((left, right), depths) if k)
    return Work(
        bytes=moved,
        flops=2.0 * batch * m * n * min(known),
        unit=_cube_unit(inputs),
        family="matmul",
        ragged=_ragged((left, right)),
        off_tile=any(rows_and_columns(part)[2] % INNER_ELEMENTS for part in (left, right)),
        consistent=len(set(depths)) == 1,
    )


def _depth(part: Tensor, batch: int, kept: int) -> int | None:
    """K of an operand that gives `kept` rows or columns to each of `batch` results.

    Which of its two axes is K is not printed: it is the one beside `kept`. An operand without batch axes is shared by
    all results, or holds them flattened under each other. Blocks of NZ may pad `kept` by less than one block.
    """
    _, rows, columns = rows_and_columns(part)
    for wanted in (kept, batch * kept):
        for axis, other in ((rows, columns), (columns, rows)):
            if 0 <= axis - wanted < (BLOCK if part.layout == "FRACTAL_NZ" else 1):
                return other
    return None


def _pass(per_element: float, of_inputs: bool) -> Callable[[tuple[Tensor, ...], tuple[Tensor, ...]], Work]:
    """Read everything once, write everything once, so many operations per element of the largest side."""

    def work(inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Work:
        largest = max((part.numel for part in (inputs if of_inputs else outputs)), default=0)
        if not largest:
            raise UnknownWorkError(say("work.zero" if inputs else "work.no-shape"))
        return Work(_sum(inputs) + _sum(outputs), per_element * largest, _vector_unit(inputs or outputs), "vector")

    return work


def _rowwise(family: str, per_element: float) -> Callable[[tuple[Tensor, ...], tuple[Tensor, ...]], Work]:
    """As `_pass`, for operators that work row by row, so that an unaligned row costs."""
    work = _pass(per_element, of_inputs=True)

    def rows(inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Work:
        done = work(inputs, outputs)
        return Work(done.bytes, done.flops, done.unit, family, ragged=_ragged(inputs[:1]))

    return rows


def _movement(inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Work:
    return Work(_sum(inputs) + _sum(outputs), 0.0, "", "movement", ragged=_ragged((*inputs[:1], *outputs)))


def _partial(inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Work:
    return Work(2 * _sum(outputs), 0.0, "", "partial", ragged=_ragged(outputs))


def _indexed(inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Work:
    table, written = _sum(inputs[:1]), _sum(outputs)
    return Work(min(table, written) + written + _sum(inputs[1:]), 0.0, "", "indexed", ragged=_ragged(outputs))


def _write(inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Work:
    return Work(_sum(outputs), 0.0, "", "write")


_FAMILIES: dict[str, Callable[[tuple[Tensor, ...], tuple[Tensor, ...]], Work]] = {
    "matmul": _matmul,
    "elementwise": _pass(1, of_inputs=False),
    "costly": _pass(COSTLY, of_inputs=False),
    "movement": _movement,
    "partial": _partial,
    "indexed": _indexed,
    "write": _write,
    "reduction": _rowwise("reduction", 1),
    "softmax": _rowwise("softmax", SOFTMAX_FLOPS),
    "norm": _rowwise("norm", NORM_FLOPS),
}
