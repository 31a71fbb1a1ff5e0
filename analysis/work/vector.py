"""Work of operators that pass over their elements, or only move them."""

from __future__ import annotations

from npuscope.analysis.work.shapes import Tensor, UnknownWorkError
from npuscope.analysis.work.workload import Work, ragged, total, vector_unit
from npuscope.parsers.say import say

# one vector operation per element is a lower limit; these take several (4 to 10 by convention, the least is taken)
COSTLY = 4
SOFTMAX_FLOPS = 5
NORM_FLOPS = 6

Tensors = tuple[Tensor, ...]


def _pass(per_element: float, inputs: Tensors, outputs: Tensors, of_inputs: bool) -> Work:
    """Read everything once, write everything once; so many operations per element of the largest input, or of all
    outputs (a list of tensors gives as many).
    """
    elements = max((part.numel for part in inputs), default=0) if of_inputs else sum(part.numel for part in outputs)
    if not elements:
        raise UnknownWorkError(say("work.zero" if inputs else "work.no-shape"))
    return Work(total(inputs) + total(outputs), per_element * elements, vector_unit(inputs or outputs), "vector")


def _elementwise(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    return _pass(1, inputs, outputs, of_inputs=False)


def _costly(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    return _pass(COSTLY, inputs, outputs, of_inputs=False)


def _once(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    return _pass(1, inputs, outputs, of_inputs=True)


def _pooled(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    """Pooling with a mask of bits, whose printed shape is padded by blocks: what it takes is not counted."""
    images, results = (tuple(part for part in side if part.dtype != "UINT16") for side in (inputs, outputs))
    return _pass(1, images, results, of_inputs=False)


def _rowwise(family: str, per_element: float, inputs: Tensors, outputs: Tensors) -> Work:
    """As `_pass`, for operators that work row by row, so that an unaligned row costs."""
    done = _pass(per_element, inputs, outputs, of_inputs=True)
    return Work(done.bytes, done.flops, done.unit, family, ragged=ragged(inputs[:1]))


def _reduction(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    return _rowwise("reduction", 1, inputs, outputs)


def _softmax(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    return _rowwise("softmax", SOFTMAX_FLOPS, inputs, outputs)


def _norm(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    return _rowwise("norm", NORM_FLOPS, inputs, outputs)


def _movement(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    return Work(total(inputs) + total(outputs), 0.0, "", "movement", ragged=ragged((*inputs[:1], *outputs)))


def _partial(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    """Reads what it returns, a view that repeats its input at most that input."""
    written = total(outputs)
    read = min(written, total(inputs[:1])) if inputs else written
    return Work(written + read, 0.0, "", "partial", ragged=ragged(outputs))


def _indexed(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    table, written = total(inputs[:1]), total(outputs)
    return Work(min(table, written) + written + total(inputs[1:]), 0.0, "", "indexed", ragged=ragged(outputs))


def _write(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    return Work(total(outputs), 0.0, "", "write")


FAMILIES = {
    "elementwise": _elementwise,
    "costly": _costly,
    "once": _once,
    "pooled": _pooled,
    "reduction": _reduction,
    "softmax": _softmax,
    "norm": _norm,
    "movement": _movement,
    "partial": _partial,
    "indexed": _indexed,
    "write": _write,
}
