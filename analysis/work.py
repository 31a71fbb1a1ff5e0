"""Bytes that an operator must move and operations it must do, from its type, shapes, dtypes and formats.

Each family of types has its function in work_vector.py, work_matmul.py, work_conv.py or work_attention.py. For
everything else, and wherever a shape leaves it open, there is no number but a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from npuscope.analysis import work_attention, work_conv, work_matmul, work_vector
from npuscope.analysis.families import family_of
from npuscope.analysis.shapes import Tensor, UnknownWorkError, tensors
from npuscope.analysis.workload import Work
from npuscope.parsers.say import say

Shapes = tuple[str, "str | None", "str | None", "str | None", "str | None", "str | None", "str | None"]
Family = Callable[[str, "tuple[Tensor, ...]", "tuple[Tensor, ...]"], Work]

FAMILIES: Mapping[str, Family] = {
    **work_vector.FAMILIES,
    **work_matmul.FAMILIES,
    **work_conv.FAMILIES,
    **work_attention.FAMILIES,
}
NO_FLOOR = {"in-place": "work.in-place", "cached": "work.cached", "": "work.type"}


@lru_cache(maxsize=65536)
def work_of(shapes: Shapes) -> Work:
    """The work of one call: (type, input shapes, dtypes, formats, output shapes, dtypes, formats)."""
    family = family_of(shapes[0])
    try:
        inputs, outputs = tensors(*shapes[1:4]), tensors(*shapes[4:7])
        if not outputs or any(tensor.numel == 0 for tensor in outputs):
            raise UnknownWorkError(say("work.zero" if outputs else "work.no-shape"))
        if family in NO_FLOOR:
            raise UnknownWorkError(say(NO_FLOOR[family], type=shapes[0]))
        return FAMILIES[family](shapes[0], inputs, outputs)
    except UnknownWorkError as unknown:
        return Work(family=family, why=unknown.why)
