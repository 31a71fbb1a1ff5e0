"""Bytes that an operator must move and operations it must do, from its type, shapes, dtypes and formats.

Each family of types has its function in work_vector.py, work_update.py, work_matmul.py, work_conv.py or
work_attention.py. For everything else, and wherever a shape leaves it open, there is no number but a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from npuscope.analysis.work import attention as work_attention
from npuscope.analysis.work import conv as work_conv
from npuscope.analysis.work import matmul as work_matmul
from npuscope.analysis.work import update as work_update
from npuscope.analysis.work import vector as work_vector
from npuscope.analysis.work.families import family_of, sends
from npuscope.analysis.work.shapes import Tensor, UnknownWorkError, tensors
from npuscope.analysis.work.workload import Work, total
from npuscope.parsers.say import Say, say

Shapes = tuple[str, "str | None", "str | None", "str | None", "str | None", "str | None", "str | None"]
Family = Callable[[str, "tuple[Tensor, ...]", "tuple[Tensor, ...]"], Work]

FAMILIES: Mapping[str, Family] = {
    **work_vector.FAMILIES,
    **work_matmul.FAMILIES,
    **work_conv.FAMILIES,
    **work_attention.FAMILIES,
    **work_update.FAMILIES,
}
UNLISTED = frozenset({"optimizer", "scattered", "assign"})  # may print no output: it is one of the inputs
NO_FLOOR = {"in-place": "work.in-place", "cached": "work.cached", "": "work.type"}


@lru_cache(maxsize=65536)
def work_of(shapes: Shapes) -> Work:
    """The work of one call: (type, input shapes, dtypes, formats, output shapes, dtypes, formats)."""
    family = family_of(shapes[0])
    try:
        inputs = tensors(*shapes[1:4])
        outputs = () if shapes[4] is None and family in UNLISTED else tensors(*shapes[4:7])
        if not outputs and family not in UNLISTED:
            raise UnknownWorkError(say("work.no-shape"))
        if any(tensor.numel == 0 for tensor in outputs):
            raise UnknownWorkError(say("work.zero"))
        if family in NO_FLOOR:
            raise UnknownWorkError(_no_floor(shapes[0], family, inputs, outputs))
        return FAMILIES[family](shapes[0], inputs, outputs)
    except UnknownWorkError as unknown:
        return Work(family=family, why=unknown.why)


def _no_floor(kind: str, family: str, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> Say:
    """Why there is no floor. Of a type that is not covered the bytes of its tensors are told where it seems to pass
    over them once: an estimate in words, on which no number rests.
    """
    largest = max(tensor.numel for tensor in outputs)
    if family == "" and inputs and not sends(kind) and all(part.numel <= largest for part in inputs):
        return say("work.estimate", type=kind, bytes=total(inputs) + total(outputs))
    return say(NO_FLOOR[family], type=kind)
