"""Work of operators that write into a tensor they were given: optimizer steps, and writes to some of its rows."""

from __future__ import annotations

from npuscope.analysis.work.shapes import Tensor, UnknownWorkError
from npuscope.analysis.work.vector import COSTLY
from npuscope.analysis.work.workload import Work, ragged, total, vector_unit
from npuscope.parsers.say import say

Tensors = tuple[Tensor, ...]
VIEW_COPY_SOURCE = 4  # ViewCopy: target, its sizes, strides and offset, then the source


def _optimizer(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    """One step over the weights and their moments: all are read with the gradient, all but the gradient written.

    Not every form lists what it writes among its outputs; the smallest of the tensors as long as the weights is taken
    for the gradient.
    """
    elements = inputs[0].numel if inputs else 0
    whole = sorted((part.nbytes for part in inputs if part.numel == elements), reverse=True)
    if not elements or len(whole) < 2:
        raise UnknownWorkError(say("work.in-place", type=kind))
    written = max(total(outputs), sum(whole[:-1]))
    return Work(total(inputs) + written, COSTLY * elements, vector_unit(inputs), "vector")


def _scattered(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    """Reads indices and updates, writes as much of the table as there are updates; the rest of it is not touched."""
    rest, tables = list(inputs), list(outputs or inputs[:1])
    for table in tables:
        same = next((part for part in rest if (part.dims, part.dtype) == (table.dims, table.dtype)), None)
        if same is not None:
            rest.remove(same)
    updates = tuple(part for part in rest if tables and part.dtype == tables[0].dtype and part.numel > 1)
    if not rest or not tables:
        raise UnknownWorkError(say("work.in-place", type=kind))
    written = min(total(tuple(tables)), total(updates))
    return Work(total(tuple(rest)) + written, 0.0, "", "indexed", ragged=ragged(updates))


def _assign(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    """Reads the value, writes it over the target."""
    if len(inputs) < 2:
        raise UnknownWorkError(say("work.in-place", type=kind))
    return Work(2 * inputs[1].nbytes, 0.0, "", "movement")


def _view_copy(kind: str, inputs: Tensors, outputs: Tensors) -> Work:
    """Reads its source and writes as much of a target that is listed whole."""
    if len(inputs) <= VIEW_COPY_SOURCE:
        raise UnknownWorkError(say("work.in-place", type=kind))
    source = inputs[VIEW_COPY_SOURCE]
    return Work(2 * source.nbytes, 0.0, "", "movement", ragged=ragged((source,)))


FAMILIES = {"optimizer": _optimizer, "scattered": _scattered, "assign": _assign, "view-copy": _view_copy}
