"""Chains of operators by name: those that a fused operator, or a graph's fusion pass, does in one go."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from npuscope.analysis.arrays import Bools, Ints
from npuscope.analysis.findings.common import chain_words, severity
from npuscope.analysis.findings.sequences import Sequence, Word, apart, by_word
from npuscope.analysis.summary import Finding
from npuscope.parsers.say import say

Is = Callable[[Word], bool]


def _types(*names: str) -> Is:
    return lambda word: word[0] in names


def _family(*names: str) -> Is:
    return lambda word: word[1] in names


COMPUTES = ("elementwise", "costly", "norm", "softmax", "reduction", "movement", "matmul", "conv", "once")
PARTS: dict[str, Is] = {
    "matmul": _family("matmul"),
    "conv": _family("conv"),
    "norm": _family("norm"),
    "softmax": _types("softmax"),
    "softmax-grad": _types("softmaxgrad"),
    "add": _types("add", "biasadd", "adds"),
    "sub": _types("sub"),
    "mul": _types("mul", "muls"),
    "scale": _types("mul", "muls", "div", "divs", "realdiv"),
    "maximum": _types("maximum"),
    "mask": _types("maskedfill"),
    "relu": _types("relu", "relu6", "leakyrelu"),
    "gelu": _types("gelu", "geluv", "fastgelu"),
    "activation": _types("relu", "relu6", "gelu", "geluv", "fastgelu", "silu", "swish", "sigmoid", "tanh"),
    "batch-norm": _types("bninfer", "batchnorm", "bntrainingupdate", "batchnorminfer"),
    "square": _types("square", "pow", "pows", "mul"),
    "squared": _types("square", "pow", "pows", "squareddifference"),
    "mean": _types("reducemean", "reducemeand"),
    "rsqrt": _types("rsqrt"),
    "root": _types("rsqrt", "sqrt"),
    "gate": _types("sigmoid", "swish", "silu"),
    "dropout": _types("dropoutdomask"),
    "neg": _types("neg"),
    "slice": _types("slice", "sliced", "stridedslice", "stridedsliced", "asstrided", "split", "splitd", "splitvd"),
    "concat": _types("concat", "concatd"),
    "broadcast": _types("broadcastto", "broadcasttod", "asstrided"),
    "zeros": _types("zeroslike", "memset"),
    "cast": _types("cast"),
    "transdata": _types("transdata"),
    "any": lambda word: word[0] not in ("cast", "transdata") and word[1] in COMPUTES,
}
# longest first: what one chain has taken is not counted for a shorter one; a part with "?" may be missing [ADV
# PATTERN_DICT, op_fusion_pass]
CHAINS: tuple[tuple[str, str], ...] = (
    ("rms-norm", "cast? square zeros? mean add rsqrt cast? cast? mul cast? cast? mul? cast?"),
    ("layer-norm", "mean sub squared mean add root scale mul? add?"),
    ("attention-grad", "matmul zeros? dropout? cast? softmax-grad cast? mask? matmul matmul mul?"),
    (
        "attention",
        "matmul scale? cast? scale? add? cast? maximum? cast? mask? softmax cast? dropout? broadcast? matmul",
    ),
    ("ffn", "matmul gate matmul mul matmul"),
    ("rotary", "mul slice neg slice concat cast? mul add?"),
    ("masked-softmax", "cast? scale add? mask? softmax cast?"),
    ("matmul-bias-activation", "matmul add activation"),
    ("conv-bias-relu", "conv add relu"),
    ("conv-bn-relu", "conv batch-norm relu"),
    ("bias-dropout-add", "add dropout add"),
    ("transdata-pair", "transdata any transdata"),
    ("cast-op-cast", "cast any cast"),
    ("matmul-bias", "matmul add"),
    ("matmul-activation", "matmul activation"),
    ("conv-add", "conv add"),
    ("conv-bn", "conv batch-norm"),
    ("conv-relu", "conv relu"),
    ("bn-relu", "batch-norm relu"),
    ("add-norm", "add norm"),
    ("norm-add", "norm add"),
    ("swiglu", "slice? slice? gate mul"),
    ("gelu-add", "gelu add"),
    ("cast-pair", "cast cast"),
)
_BITS = {name: 1 << at for at, name in enumerate(PARTS)}
# of each chain its bits, and which of them may be missing
_STEPS = tuple(
    (title, [(_BITS[part.rstrip("?")], part.endswith("?")) for part in chain.split()]) for title, chain in CHAINS
)


def find(order: Sequence) -> list[Finding]:
    """`fusible-chain`, one for each name."""
    bits = by_word(order.summary, lambda word: sum(_BITS[name] for name, is_one in PARTS.items() if is_one(word)))
    parts = bits[order.shape]
    there = int(np.bitwise_or.reduce(bits)) if len(bits) else 0
    found = []
    for title, steps in _STEPS:
        if any(not there & bit for bit, optional in steps if not optional):
            continue
        begin, end = matches(order, parts, steps)
        if len(begin) > order.summary.thresholds.chain_calls:
            order.take(begin, end)
            found.append(_finding(order, title, begin, end))
    return found


def matches(order: Sequence, parts: Ints, steps: list[tuple[int, bool]]) -> tuple[Ints, Ints]:
    """[begin, end) of the stretches that are this chain, free and apart. Parts that may be missing are taken greedily:
    what follows one of them is never of its kind.
    """
    first = next(at for at, (_, optional) in enumerate(steps) if not optional)
    starts = sum(bit for bit, _ in steps[: first + 1])
    begin = np.flatnonzero((parts & starts) != 0)
    end = begin.copy()
    for at, (bit, optional) in enumerate(steps):
        fits = _fits(order, parts, end, bit, at > 0, begin)
        if not optional:
            begin, end = begin[fits], end[fits] + 1
        else:
            end = end + fits
    kept = _dependent(order, begin, end, sum(not optional for _, optional in steps))
    begin, end = begin[kept], end[kept]
    kept = apart(begin, end)
    return begin[kept], end[kept]


def _fits(order: Sequence, parts: Ints, at: Ints, bit: int, joined: bool, begin: Ints) -> Bools:
    inside = at < len(parts)
    place = np.minimum(at, len(parts) - 1)
    fits: Bools = inside & ((parts[place] & bit) != 0) & order.free[place]
    if joined:
        fits &= (at == begin) | order.linked[np.maximum(place - 1, 0)]
    return fits


def _dependent(order: Sequence, begin: Ints, end: Ints, parts: int) -> Bools:
    """The order of many types is proof enough; few must hand on a tensor."""
    kept = np.ones(len(begin), dtype=bool)
    if parts < order.summary.thresholds.chain_plain:
        for size in np.unique(end - begin).tolist():
            own = end - begin == size
            kept[own] = order.dependent(begin[own], size)
    return kept


def _finding(order: Sequence, name: str, begin: Ints, end: Ints) -> Finding:
    saving = order.saving(begin, end)
    us, best = float(saving.sum()), int(np.argmax(saving))
    first, size = int(begin[best]), int(end[best] - begin[best])
    kinds = order.types(first, size)
    return Finding(
        code="fusible-chain",
        severity=severity(order.summary, us),
        title=say("finding.chain", chain=chain_words(kinds), count=len(begin), us=us),
        evidence=say(
            "finding.chain.evidence",
            size=size,
            us=float(order.us[first : first + size].sum()),
            middle_us=float(order.moved_us[first : first + size - 1].sum()),
            launches=size - 1,
        ),
        advice=say(f"finding.chain.{name}"),
        saving_us=us,
        ops=tuple(dict.fromkeys(kinds)),
    )
