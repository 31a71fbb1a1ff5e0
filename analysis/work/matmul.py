"""Work of matrix products: plain, batched, quantised, and grouped by expert."""

from __future__ import annotations

from npuscope.analysis.work.shapes import Tensor, UnknownWorkError, rows_and_columns
from npuscope.analysis.work.workload import HALVES, Work, cube_unit, ragged, total
from npuscope.parsers.say import say

INNER_ELEMENTS = 256  # matmul inner axes [ADV INNER_AXIS_256]
BLOCK = 32  # int8 blocks of NZ are 32 wide, fp16 ones 16

PACKED = 8  # 4-bit numbers in an INT32
WITH_PACKED = HALVES | {"INT8"}  # types of the activations that such weights meet

Tensors = tuple[Tensor, ...]


def _matmul(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    if len(inputs) < 2:
        raise UnknownWorkError(say("work.no-shape"))
    inputs = _unpacked(inputs)
    left, right = inputs[:2]
    batch, m, n = rows_and_columns(outputs[0])
    moved = total(inputs) + total(outputs)
    depths = [_depth(left, batch, m), _depth(right, batch, n)]
    known = [depth for depth in depths if depth]
    if not known:
        return Work(moved, family="matmul", why=say("work.mismatch"))
    # one of the two printed shapes is too large (81920 for 8192 was seen): its bytes go with its K
    moved -= sum(part.nbytes * (1 - min(known) / k) for part, k in zip((left, right), depths) if k)
    axes = tuple(rows_and_columns(part)[2] for part in (left, right))
    return Work(
        bytes=moved,
        flops=2.0 * batch * m * n * min(known),
        unit=cube_unit(inputs),
        family="matmul",
        ragged=ragged((left, right)),
        off_tile=any(axis % INNER_ELEMENTS for axis in axes),
        consistent=len(set(depths)) == 1,
        axes=axes if len(set(depths)) == 1 else (),
    )


def _unpacked(inputs: Tensors) -> Tensors:
    """4-bit weights are printed as INT32, eight in each element of the last axis."""
    x = inputs[0]
    return (
        x,
        *(
            Tensor((*part.dims[:-1], PACKED * part.dims[-1]), "INT4", part.itemsize / PACKED, part.layout)
            if part.dtype == "INT32" and x.dtype in WITH_PACKED and len(part.dims) >= 2
            else part
            for part in inputs[1:]
        ),
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


def _grouped(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    """Tokens of several experts times their weights. Which expert gets how many tokens is not printed."""
    inputs = _unpacked(inputs) if inputs else inputs
    moved = total(inputs) + total(outputs)
    stacked = next((part for part in inputs[1:] if len(part.dims) >= 3), None)
    if stacked is None:
        return _each_pair(inputs, outputs, moved)
    x = inputs[0]
    rows, depth = _tokens(x)
    columns = rows_and_columns(stacked)
    width = columns[2] if columns[1] == depth else columns[1]
    groups = stacked.numel / (depth * width)
    if depth not in columns[1:] or groups != int(groups):
        return Work(moved, family="matmul", why=say("work.mismatch"))
    # weights of experts without tokens are not read: at most one expert a token, at least one expert
    of_one = stacked.nbytes / groups
    rest = moved - stacked.nbytes
    return Work(
        bytes=rest + of_one * min(groups, rows),
        flops=2.0 * rows * depth * width,
        unit=cube_unit((x, stacked)),
        family="matmul",
        ragged=ragged((x,)),
        off_tile=bool(depth % INNER_ELEMENTS or width % INNER_ELEMENTS),
        bytes_least=rest + of_one,
        flops_least=0.0,
        axes=(depth, width),
    )


def _tokens(x: Tensor) -> tuple[int, int]:
    batch, rows, columns = rows_and_columns(x)
    return batch * rows, columns


def _each_pair(inputs: Tensors, outputs: Tensors, moved: float) -> Work:
    """One x and one matrix for each result."""
    count = len(outputs)
    flops = 0.0
    if len(inputs) < 2 * count:
        return Work(moved, family="matmul", why=say("work.mismatch"))
    for x, weight, out in zip(inputs[:count], inputs[count : 2 * count], outputs):
        rows, columns = _tokens(out)
        depth = _tokens(x)[1]
        if rows * depth != x.numel or depth * columns != weight.numel:
            return Work(moved, family="matmul", why=say("work.mismatch"))
        flops += 2.0 * rows * columns * depth
    return Work(moved, flops, cube_unit((inputs[0], inputs[count])), "matmul")


FAMILIES = {"matmul": _matmul, "grouped": _grouped}
