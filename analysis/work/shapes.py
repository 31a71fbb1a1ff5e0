"""Tensors from the shape, dtype and format columns of an operator row."""

from __future__ import annotations

import math
from dataclasses import dataclass

from npuscope.parsers.say import Say, say

DTYPE_BYTES = {
    "INT4": 0.5, "UINT4": 0.5, "FLOAT4_E2M1": 0.5, "FLOAT4_E1M2": 0.5, "FP4": 0.5,
    "INT8": 1, "UINT8": 1, "QINT8": 1, "QUINT8": 1, "BOOL": 1, "FP8": 1, "HIFLOAT8": 1, "HIF8": 1,
    "FLOAT8_E4M3FN": 1, "FLOAT8_E5M2": 1, "FLOAT8_E8M0": 1,
    "FLOAT16": 2, "HALF": 2, "FP16": 2, "BF16": 2, "BFLOAT16": 2, "INT16": 2, "UINT16": 2, "QINT16": 2,
    "FLOAT": 4, "FLOAT32": 4, "FP32": 4, "HF32": 4, "INT32": 4, "UINT32": 4, "QINT32": 4, "COMPLEX32": 4,
    "DOUBLE": 8, "FLOAT64": 8, "FP64": 8, "INT64": 8, "UINT64": 8, "COMPLEX64": 8, "COMPLEX128": 16,
}  # fmt: skip
# how frameworks spell the layouts; what follows a colon is the sub-format (groups)
LAYOUTS = {
    "FRACZ": "FRACTAL_Z", "FRAC_Z": "FRACTAL_Z", "NZ": "FRACTAL_NZ", "FRACNZ": "FRACTAL_NZ", "FRAC_NZ": "FRACTAL_NZ",
    "DEFAULTFORMAT": "DEFAULT", "": "ND",
}  # fmt: skip
NO_DTYPE = frozenset({"", "UNDEFINED", "NULL", "DT_UNDEFINED", "N/A"})  # an optional input that was not given


class UnknownWorkError(Exception):
    """Shapes that lead to no number; `why` says so to a person."""

    def __init__(self, why: Say) -> None:
        super().__init__(why.key)
        self.why = why


@dataclass(frozen=True)
class Tensor:
    """One tensor. dims as printed; `itemsize` in bytes (0.5 for 4-bit types)."""

    dims: tuple[int, ...]
    dtype: str
    itemsize: float
    layout: str = "ND"

    @property
    def numel(self) -> int:
        """Elements, padding of the format included; a scalar has one."""
        return math.prod(self.dims)

    @property
    def nbytes(self) -> float:
        """Bytes, padding of the format included."""
        return self.numel * self.itemsize


def dtype_name(text: str) -> str:
    """FLOAT16 for FLOAT16, DT_FLOAT16 and float16."""
    name = text.strip().upper()
    return name[3:] if name.startswith("DT_") else name


def tensors(shapes: str | None, dtypes: str | None, formats: str | None) -> tuple[Tensor, ...]:
    """The tensors of one side of an operator; a part without dims is a scalar when it has a dtype, else absent.

    Raises UnknownWorkError: no shape, dynamic dims, a dtype of unknown size.
    """
    if shapes is None:
        raise UnknownWorkError(say("work.no-shape"))
    if dtypes is None:
        raise UnknownWorkError(say("work.no-dtype"))
    types, layouts = dtypes.split(";"), (formats or "").split(";")
    found = []
    for index, part in enumerate(shapes.split(";")):
        dtype = types[index].strip() if index < len(types) else ""
        if dtype in NO_DTYPE and not part.strip():
            continue
        found.append(_tensor(part, dtype, layout_name(layouts[index] if index < len(layouts) else "")))
    return tuple(found)


def layout_name(text: str) -> str:
    """NC1HWC0 for FORMAT_NC1HWC0 and NC1HWC0:1, FRACTAL_Z for FracZ; ND where none is printed."""
    name = text.strip().upper().replace("FORMAT_", "").partition(":")[0]
    return LAYOUTS.get(name, name)


def _tensor(part: str, dtype: str, layout: str) -> Tensor:
    name = dtype_name(dtype)
    if name not in DTYPE_BYTES:
        raise UnknownWorkError(say("work.dtype", dtype=dtype or None))
    try:
        dims = tuple(int(word) for word in part.split(",") if word.strip())
    except ValueError:
        raise UnknownWorkError(say("work.no-shape")) from None
    if any(dim < 0 for dim in dims):
        raise UnknownWorkError(say("work.dynamic", shape=part))
    return Tensor(dims, name, DTYPE_BYTES[name], layout)


def rows_and_columns(tensor: Tensor) -> tuple[int, int, int]:
    """A tensor as a stack of matrices (batch, rows, columns); NZ is (..., N1, M1, M0, N0) for (..., M, N)."""
    dims = tensor.dims
    if tensor.layout == "FRACTAL_NZ" and len(dims) >= 4:
        return math.prod(dims[:-4]), dims[-3] * dims[-2], dims[-4] * dims[-1]
    dims = (1,) * max(0, 2 - len(dims)) + dims
    return math.prod(dims[:-2]), dims[-2], dims[-1]
