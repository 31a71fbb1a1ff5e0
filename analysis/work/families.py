"""From a type's name to what kind of work it is: Ascend's own operators, and custom ones named after them."""

from __future__ import annotations

import re


def plain_type(name: str) -> str:
    """A type's name without case, version, hash or the author's "custom": add for AddCustom, Add, add_custom_3b09."""
    word = re.match(r"[a-z0-9_]*", name.casefold())
    text = re.sub(r"_?[0-9a-f]{8,}$", "", word.group() if word else "")
    if text.startswith("foreach"):
        text = re.sub(r"(list|scalar|scalarlist)(v\d+)?$", "", text)
    text = re.sub(r"^(aclnn|custom|ascendc|inplace|foreach)_?", "", text)
    text = re.sub(r"(_?(custom|kernel|aicore|npu|impl|v\d+))+$", "", text)
    return text.replace("_", "")


_MATMUL = re.compile(
    r"^(batch|mx|quantbatch|weightquantbatch|transposebatch|transposequantbatch|quant)?(matmul|matmulbias|gemm|bmm)"
)
_SENDS = re.compile(r"allreduce|reducescatter|allgather|alltoall")
_GROUPED = re.compile(r"^(quant|weightquant)?group(ed)?matmul\w*$")
_CONV = re.compile(r"^(quant|depthwise)?conv(2d|3d|olution)?$")
_CONV_INPUT = re.compile(r"^(depthwise)?conv[23]dbackpropinput(d)?$")
_CONV_FILTER = re.compile(r"^(depthwise)?conv[23]dbackpropfilter(d)?$")
_ATTENTION = re.compile(r"^flashattention(score)?$")
_ATTENTION_GRAD = re.compile(r"^flashattention(score)?grad$")
_CACHED = re.compile(r"attention|^mla\w*")  # how many keys are read stands in no shape
_ONCE = frozenset({
    "sort", "topk", "topkd", "cumsumd", "cummax", "cummin", "rotarymul", "applyrotaryposemb", "rotarypositionembedding",
    "dynamicquant", "ascendquant", "ascenddequant", "dequantswigluquant", "swigluquant", "quantize", "dequantize",
    "antiquant", "ascendantiquant", "onehot", "triu", "tril", "maxpool", "avgpool", "resize",
    "resizebilinear", "resizenearest", "softmaxcrossentropywithlogits", "nllloss", "maskedscale", "dropoutdogenmask",
    "bninfer", "bntrainingupdate", "bntrainingreduce", "batchnorminfer", "addr", "adjacentdifference", "diag",
    "moegatingtopksoftmax", "moegatingtopk", "sigmoidcrossentropywithlogits", "smoothl1loss", "complex", "bincount",
    "histogram", "histogramfixedwidth", "histc", "interleaverope", "rotarypositionembeddinggrad", "rotarymulgrad",
    "nlllossgrad", "adaptiveavgpool2d", "adaptiveavgpool3d", "adaptiveavgpool2dgrad", "adaptiveavgpool3dgrad",
    "maxpoolgrad", "avgpoolgrad", "onehotd", "adddynamicquant",
})  # fmt: skip
_ELEMENTWISE = frozenset({
    "add", "addn", "adds", "sub", "subs", "mul", "muls", "axpy", "axpby", "cast", "neg", "abs", "maximum",
    "minimum", "relu", "leakyrelu", "relu6", "greater", "greaterequal", "less", "lessequal", "equal",
    "notequal", "logicaland", "logicalor", "logicalnot", "select", "selectv", "where", "clip", "clipbyvalue",
    "clamp", "square", "squareddifference", "addcmul", "addcdiv", "lerp", "floor", "ceil", "round", "trunc",
    "sign", "bitwiseand", "bitwiseor", "bitwisexor", "bitwisenot", "bitwiseinvert", "rightshift", "leftshift",
    "isnan", "isinf", "isfinite", "maskedfill", "fill", "fills", "mseloss", "mselossgrad", "dropoutdomask",
    "identity", "threshold", "relugrad", "realdivs", "assignadd", "assignsub",
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
    r"^(transpose[d]?|transdata|trans|permute|tensormove|contiguous|concat[d]?|cat|pack|stack|unpack|split[d]?|splitv|"
    r"splitvd|pad[d]?|padv|mirrorpad|tile[d]?|broadcastto[d]?|expand[d]?|repeat|flip|roll|reverse[v]?|reshape|spacetodepth|"
    r"depthtospace|spacetobatch\w*|batchtospace\w*|datacopy|copy|nd2nz|nz2nd|confusiontranspose[d]?|im2col|kvcopy)$"
)
_PARTIAL_READ = re.compile(r"^(asstrided|stridedslice[d]?|slice[d]?|narrow|diagpart)$")
_INDEXED_READ = re.compile(r"^(gather\w*|index|indexselect\w*|embedding\w*|take|takealongaxis)$")
_WRITE_ONLY = re.compile(r"^(zeroslike|oneslike|zeros|ones|memset|range[d]?|arange|linspace[d]?)$")
_OPTIMIZER = re.compile(
    r"^apply(fusedema)?(centered)?(adam|adamw|adawithamsgrad|adamax|adagrad|adadelta|sgd|momentum|kerasmomentum|rmsprop|"
    r"ftrl|gradientdescent|powersign|addsign)d?$"
)
_SCATTERED = re.compile(r"^(scatter|indexput|indexadd|embedding\w*grad)(?!\w*cache)\w*$")
_IN_PLACE = re.compile(
    r"scatter|indexput|indexadd|^(sparse)?apply(adam|sgd|momentum|rms|ada|ftrl)|^(?!bn|lpnorm).*update|"
    r"kvcache|ropecache|reshapeandcache"
)
_REDUCTION = re.compile(
    r"^(reduce\w+|argmax\w*|argmin\w*|mean|sum|amax|amin|prod|norm|lpnorm\w*|l2loss|cumsum|cumprod|logsumexp|biasaddgrad)$"
)
_SOFTMAX = re.compile(r"^(log|scaledmasked|scaledtriangmasked)?softmax(grad)?$")
_NORM = re.compile(
    r"^(ada|add|deepnorm|fused|inplaceadd)?(rms|layer|group|batch|instance|l2)(norm|normalize|normalization)\w*$"
)


def family_of(type_name: str | None) -> str:
    """matmul, grouped, conv, conv-input, conv-filter, attention, attention-grad, elementwise, costly, once, pooled,
    movement, partial, indexed, write, reduction, softmax, norm, optimizer, scattered, assign, view-copy; cached and
    in-place have no floor; "" = not covered.
    """
    name = plain_type(type_name or "")
    if sends(name):
        return ""
    for family, pattern in _INTO_GIVEN:
        if pattern.search(name):
            return family
    for family, names in (("elementwise", _ELEMENTWISE), ("costly", _COSTLY), ("once", _ONCE)):
        if name in names:
            return family
    return next((family for family, pattern in _PATTERNS if pattern.match(name)), "")


def sends(type_name: str) -> bool:
    """Whether it also sends to other ranks, which no shape tells the cost of."""
    return bool(_SENDS.search(plain_type(type_name)))


_INTO_GIVEN = (
    ("optimizer", _OPTIMIZER),
    ("scattered", _SCATTERED),
    ("assign", re.compile("^assign$")),
    ("view-copy", re.compile("^viewcopy$")),
    ("in-place", _IN_PLACE),
)
_PATTERNS = (
    ("grouped", _GROUPED),
    ("matmul", _MATMUL),
    ("conv", _CONV),
    ("conv-input", _CONV_INPUT),
    ("conv-filter", _CONV_FILTER),
    ("attention", _ATTENTION),
    ("attention-grad", _ATTENTION_GRAD),
    ("movement", _MOVEMENT),
    ("partial", _PARTIAL_READ),
    ("indexed", _INDEXED_READ),
    ("write", _WRITE_ONLY),
    ("pooled", re.compile(r"^maxpool(grad)?withargmax$")),
    ("softmax", _SOFTMAX),
    ("norm", _NORM),
    ("reduction", _REDUCTION),
    ("cached", re.compile(rf".*(?:{_CACHED.pattern})")),
)
MOVES_ONLY = frozenset({"movement", "partial", "indexed", "write"})
