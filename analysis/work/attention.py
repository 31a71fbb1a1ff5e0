"""Work of flash attention. Its layout and its mask are not printed: the former follows from the shape of softmax_max,
the latter leaves a range: half of the operations where the mask is causal.
"""

from __future__ import annotations

from npuscope.analysis.work.shapes import Tensor, UnknownWorkError
from npuscope.analysis.work.workload import Work, cube_unit, product, total
from npuscope.parsers.say import say

Tensors = tuple[Tensor, ...]
CAUSAL = 0.5
BACKWARD = 2.5  # times the forward operations, by convention
SOFTMAX_LAST = 8  # softmax_max is (B, N, S, 8)
OPERANDS = 3


def _forward(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    return _attention(inputs, outputs, outputs, 1.0)


def _backward(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    return _attention(inputs, outputs, inputs, BACKWARD)


def _attention(inputs: Tensors, outputs: Tensors, holders: Tensors, factor: float) -> Work:
    """Operations of query, key, value (the first three inputs); softmax_max is among `holders`."""
    if len(inputs) < OPERANDS:
        raise UnknownWorkError(say("work.no-shape"))
    moved = total(inputs) + total(outputs)
    maxima = next((p for p in holders if len(p.dims) == 4 and p.dims[-1] == SOFTMAX_LAST), None)
    query, key, value = inputs[:OPERANDS]
    keys = None if maxima is None else _keys(query, key, maxima.dims[:3])
    if maxima is None or keys is None:
        return Work(moved, family="attention", why=say("work.attention"))
    batch, heads, queries, _ = maxima.dims
    depth = query.numel / (batch * heads * queries)
    value_depth = depth * value.numel / key.numel
    flops = factor * 2.0 * batch * heads * queries * keys * (depth + value_depth)
    axes = tuple(int(axis) for axis in (depth, value_depth, queries, keys))
    return Work(
        moved, flops, cube_unit((query, key)), "attention", bytes_least=moved, flops_least=CAUSAL * flops, axes=axes
    )


def _keys(query: Tensor, key: Tensor, shape: tuple[int, ...]) -> int | None:
    """Length of the keys: the axis of `key` where `query` has its length, in any layout that fits its shape."""
    batch, heads, length = shape
    if not query.numel or query.numel % (batch * heads * length) or len(key.dims) != len(query.dims):
        return None
    depth = query.numel // product(shape)
    layouts = (
        ((batch, heads, length, depth), 2),
        ((batch, length, heads, depth), 1),
        ((batch, length, heads * depth), 1),
        ((length, batch, heads * depth), 0),
    )
    found = {key.dims[axis] for dims, axis in layouts if dims == query.dims}
    return found.pop() if len(found) == 1 else None


FAMILIES = {"attention": _forward, "attention-grad": _backward}
