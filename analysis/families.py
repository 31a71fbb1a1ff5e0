"""From a type's name to what kind of work it is: Ascend's own operators, and custom ones named after them."""

from __future__ import annotations

import re


def plain_type(name: str) -> str:
    """A type's name without case, version, hash or the author's "custom": add for AddCustom, Add, add_custom_3b09."""
    word = re.match(r"[a-z0-9_]*", name.casefold())
    text = re.sub(r"_?[0-9a-f]{8,}$", "", word.group() if word else "")
    text = re.sub(r"^(aclnn|custom|ascendc|inplace|foreach)_?", "", text)
    text = re.sub(r"(_?(custom|kernel|aicore|npu|impl|v\d+))+$", "", text)
    return text.replace("_", "")


_MATMUL = re.compile(
    r"^(batch|mx|quantbatch|weightquantbatch|transposebatch|transposequantbatch|quant)?(matmul|matmulbias|gemm|bmm)"
)
_GROUPED = re.compile(r"grouped|allreduce|reducescatter|allgather|alltoall")
_ELEMENTWISE = frozenset({
    "add", "addn", "adds", "sub", "subs", "mul", "muls", "axpy", "axpby", "cast", "neg", "abs", "maximum",
    "minimum", "relu", "leakyrelu", "relu6", "greater", "greaterequal", "less", "lessequal", "equal",
    "notequal", "logicaland", "logicalor", "logicalnot", "select", "selectv", "where", "clip", "clipbyvalue",
    "clamp", "square", "squareddifference", "addcmul", "addcdiv", "lerp", "floor", "ceil", "round", "trunc",
    "sign", "bitwiseand", "bitwiseor", "bitwisexor", "bitwisenot", "bitwiseinvert", "rightshift", "leftshift",
    "isnan", "isinf", "isfinite", "maskedfill", "fill", "fills", "mseloss", "mselossgrad", "dropoutdomask",
    "identity", "threshold", "relugrad", "realdivs",
})  # fmt: skip
_COSTLY = frozenset({
    "div", "divs", "realdiv", "floordiv", "mod", "floormod", "exp", "expm1", "exp2", "log", "log1p", "log2",
    "sqrt", "rsqrt", "pow", "pows", "reciprocal", "inv", "sigmoid", "tanh", "gelu", "geluv", "fastgelu",
    "gelumul", "quickgelu", "swish", "silu", "swiglu", "softplus", "mish", "elu", "selu", "celu", "erf", "erfc",
    "erfinv", "sin", "cos", "tan", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "atan2",
    "hardswish", "hardsigmoid", "gelugrad", "sigmoidgrad", "tanhgrad", "silugrad", "swiglugrad", "swishgrad",
    "spence", "lgamma", "digamma", "sinc", "logit", "sincos",
})  # fmt: skip
_MOVEMENT = re.compile(
    r"^(transpose[d]?|transdata|trans|permute|viewcopy|tensormove|contiguous|concat[d]?|cat|pack|stack|unpack|split[d]?|splitv|"
    r"splitvd|pad[d]?|padv|mirrorpad|tile[d]?|broadcastto[d]?|expand[d]?|repeat|flip|roll|reverse[v]?|reshape|spacetodepth|"
    r"depthtospace|spacetobatch\w*|batchtospace\w*|datacopy|copy|nd2nz|nz2nd|confusiontranspose[d]?|im2col|kvcopy)$"
)
_PARTIAL_READ = re.compile(r"^(asstrided|stridedslice[d]?|slice[d]?|narrow|diagpart)$")
_INDEXED_READ = re.compile(r"^(gather\w*|index|indexselect\w*|embedding\w*|take|takealongaxis)$")
_WRITE_ONLY = re.compile(r"^(zeroslike|oneslike|zeros|ones|memset)$")
_IN_PLACE = re.compile(r"scatter|indexput|indexadd|applyadam|assign|update|kvcache|reshapeandcache|pagedattention")
_REDUCTION = re.compile(
    r"^(reduce\w+|argmax\w*|argmin\w*|mean|sum|amax|amin|prod|norm|l2loss|cumsum|cumprod|logsumexp)$"
)
_SOFTMAX = re.compile(r"^(log)?softmax(grad)?$")
_NORM = re.compile(
    r"^(add|deepnorm|fused|inplaceadd)?(rms|layer|group|batch|instance|l2|lp)(norm|normalize|normalization)\w*$"
)


def family_of(type_name: str | None) -> str:
    """matmul, elementwise, costly, movement, partial, indexed, write, reduction, softmax, norm; "" = not covered."""
    name = plain_type(type_name or "")
    if _IN_PLACE.search(name):
        return ""
    if _MATMUL.match(name):
        return "" if _GROUPED.search(name) else "matmul"
    if name in _ELEMENTWISE:
        return "elementwise"
    if name in _COSTLY:
        return "costly"
    for family, pattern in _PATTERNS:
        if pattern.match(name):
            return family
    return ""


_PATTERNS = (
    ("movement", _MOVEMENT),
    ("partial", _PARTIAL_READ),
    ("indexed", _INDEXED_READ),
    ("write", _WRITE_ONLY),
    ("softmax", _SOFTMAX),
    ("norm", _NORM),
    ("reduction", _REDUCTION),
)
MOVES_ONLY = frozenset({"movement", "partial", "indexed", "write"})
