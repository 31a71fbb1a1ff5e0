"""In what an operator was written, as far as its name or its profile tells: the advice differs."""

from __future__ import annotations

import re

from npuscope.analysis.work.families import family_of

ASCENDC, TRITON, TILELANG, TBE, NEUTRAL, FRAMEWORK = MODELS = (
    "ascendc", "triton", "tilelang", "tbe", "own", "framework",
)  # fmt: skip
_TRITON = re.compile(r"triton|^_[a-z0-9]+_|^_\w+_kernel", re.I)  # inductor's names, and Python's private functions
_TILELANG = re.compile(r"tilelang|^main_kernel", re.I)
_TBE = re.compile(r"^te_\w|(^|_)tbe(_|$)", re.I)  # names that TBE gives its kernels
_FRAMEWORK = re.compile(r"^aclnn(?!\w*custom)|^aten|^torch", re.I)
_OWN = re.compile(r"custom|kernel", re.I)
_BUILT_IN = re.compile(r"^[A-Z][a-z0-9]+([A-Z0-9][A-Za-z0-9]*)*$")  # CANN's own types: MatMulV2, RmsNorm


def model_of(name: str | None, type_name: str | None, tool: str) -> str:
    """ascendc, triton, tilelang, tbe or framework (an operator of CANN that the model calls); own = a kernel in
    what nothing tells. `tool` = the run's kind.
    """
    texts = (name or "", type_name or "")
    for model, pattern in ((TRITON, _TRITON), (TILELANG, _TILELANG), (TBE, _TBE)):
        if any(pattern.search(text) for text in texts):
            return model
    if tool == "msprof_op" or any(_OWN.search(text) for text in texts):
        return ASCENDC
    if any(_FRAMEWORK.search(text) for text in texts):
        return FRAMEWORK
    known = bool(_BUILT_IN.match(texts[1])) or bool(family_of(type_name))
    return FRAMEWORK if known else NEUTRAL
