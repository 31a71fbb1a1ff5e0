"""What one call of an operator must do, and what all families of types need to tell it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from npuscope.analysis.work.shapes import Tensor
from npuscope.parsers.say import Say

ALIGN_BYTES = 32  # UB block, the least unit a vector copy moves without splitting [REC]
HALVES = frozenset({"FLOAT16", "HALF", "FP16", "BF16", "BFLOAT16"})


@dataclass(frozen=True)
class Work:
    """bytes: read plus written once; flops: multiply-add counts two; None = unknown, see `why`.

    `bytes_least`, `flops_least`: where shapes leave a range (sparse attention, experts without tokens), its lower end;
    None = no range. `unit` is what does the flops: cube_fp16, cube_int8, vector_fp16, vector_fp32, or "" when its peak
    is unknown. `ragged`: the innermost axis of some tensor is not a multiple of 32 bytes; `off_tile`: of 256 elements
    (matmul). `axes`: in elements the inner axes of the operands (matmul), or head sizes and lengths (attention); none
    where they are not known or do not agree.
    """

    bytes: float | None = None
    flops: float | None = None
    unit: str = ""
    family: str = ""
    why: Say | None = None
    ragged: bool = False
    off_tile: bool = False
    consistent: bool = True
    bytes_least: float | None = None
    flops_least: float | None = None
    axes: tuple[int, ...] = ()


def total(parts: tuple[Tensor, ...]) -> float:
    """Bytes of several tensors."""
    return sum(part.nbytes for part in parts)


def ragged(parts: tuple[Tensor, ...]) -> bool:
    """Whether the innermost axis of any is not a multiple of 32 bytes, where a tensor is longer than one such unit."""
    return any(
        part.dims and part.numel * part.itemsize > ALIGN_BYTES and part.dims[-1] * part.itemsize % ALIGN_BYTES
        for part in parts
    )


def cube_unit(parts: tuple[Tensor, ...]) -> str:
    """What multiplies these two: weight-only quantisation computes in the activation's type."""
    kinds = {part.dtype for part in parts[:2]}
    if kinds & HALVES:
        return "cube_fp16"
    return "cube_int8" if kinds in ({"INT8"}, {"INT8", "INT4"}) else ""


def vector_unit(parts: tuple[Tensor, ...]) -> str:
    """What computes on elements of the first tensor's type."""
    if parts and parts[0].dtype in HALVES:
        return "vector_fp16"
    return "vector_fp32" if parts and parts[0].dtype in ("FLOAT", "FLOAT32", "FP32") else ""


def product(dims: tuple[int, ...]) -> int:
    """Elements of a shape."""
    return math.prod(dims)
