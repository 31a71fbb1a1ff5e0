"""Chains that a fused operator does in one pass: named ones, and runs of small elementwise operators."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from npuscope.analysis.arrays import Bools, Ints
from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import severity
from npuscope.analysis.findings.sequences import Sequence, sequence, words
from npuscope.analysis.summary import Finding, Summary
from npuscope.parsers.say import say

Word = tuple[str, str]  # plain type and family
Is = Callable[[Word], bool]
SHOWN = 3
RUN_LEAST = 3  # operators of an elementwise run [P]
VECTOR_FAMILIES = ("elementwise", "costly")


def _types(*names: str) -> Is:
    return lambda word: word[0] in names


def _family(*names: str) -> Is:
    return lambda word: word[1] in names


COMPUTES = ("elementwise", "costly", "norm", "softmax", "reduction", "movement", "matmul", "conv", "once")
PARTS: dict[str, Is] = {
    "matmul": _family("matmul"),
    "conv": _family("conv"),
    "norm": _family("norm"),
    "softmax": _family("softmax"),
    "add": _types("add", "biasadd", "adds"),
    "mul": _types("mul", "muls"),
    "scale": _types("mul", "muls", "div", "divs", "realdiv"),
    "relu": _types("relu", "relu6", "leakyrelu"),
    "activation": _types("relu", "relu6", "gelu", "geluv", "fastgelu", "silu", "swish", "sigmoid", "tanh"),
    "batch-norm": _types("bninfer", "batchnorm", "bntrainingupdate", "batchnorminfer"),
    "square": _types("square", "pow", "pows", "mul"),
    "mean": _types("reducemean", "reducemeand"),
    "rsqrt": _types("rsqrt"),
    "gate": _types("sigmoid", "swish", "silu"),
    "dropout": _types("dropoutdomask"),
    "cast": _types("cast"),
    "transdata": _types("transdata"),
    "any": lambda word: word[0] not in ("cast", "transdata") and word[1] in COMPUTES,
}
# longest first: what one chain has taken is not counted for a shorter one
CHAINS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("rms-norm", ("square", "mean", "add", "rsqrt", "mul", "mul")),
    ("rms-norm", ("square", "mean", "add", "rsqrt", "mul")),
    ("attention", ("matmul", "scale", "add", "softmax", "matmul")),
    ("attention", ("matmul", "scale", "softmax", "matmul")),
    ("attention", ("matmul", "softmax", "matmul")),
    ("masked-softmax", ("scale", "add", "softmax")),
    ("matmul-bias-activation", ("matmul", "add", "activation")),
    ("conv-bias-relu", ("conv", "add", "relu")),
    ("conv-bn-relu", ("conv", "batch-norm", "relu")),
    ("bias-dropout-add", ("add", "dropout", "add")),
    ("transdata-pair", ("transdata", "any", "transdata")),
    ("cast-op-cast", ("cast", "any", "cast")),
    ("matmul-bias", ("matmul", "add")),
    ("matmul-activation", ("matmul", "activation")),
    ("conv-relu", ("conv", "relu")),
    ("bn-relu", ("batch-norm", "relu")),
    ("add-norm", ("add", "norm")),
    ("norm-add", ("norm", "add")),
    ("swiglu", ("gate", "mul")),
    ("cast-pair", ("cast", "cast")),
)
_BITS = {name: 1 << at for at, name in enumerate(PARTS)}


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`fusible-chain`, the few that would save most, and `elementwise-run`."""
    order = sequence(summary)
    if order is None:
        return ()
    told = words(summary)
    free = np.ones(len(order.rows), dtype=bool)
    parts = np.array([_parts(word) for word in told], dtype=np.int32)
    found = _chains(order, parts[order.shape], free) + _run(order, told, free)
    least = summary.thresholds.chain_share * summary.totals.total_us
    worth = [one for one in found if (one.saving_us or 0.0) >= least]
    return tuple(sorted(worth, key=lambda one: -(one.saving_us or 0.0))[:SHOWN])


def _parts(word: Word) -> int:
    return sum(_BITS[name] for name, is_one in PARTS.items() if is_one(word))


def _chains(order: Sequence, parts: Ints, free: Bools) -> list[Finding]:
    """`parts` = of each kernel the bits of what it can be."""
    there = int(np.bitwise_or.reduce(parts))
    by_name: dict[str, tuple[int, float, int, int]] = {}
    for title, chain in CHAINS:
        if any(not there & _BITS[part] for part in chain):
            continue
        at = _matches(order, parts, chain)
        at = _apart(at[order.dependent(at, len(chain)) & _free(free, at, len(chain))], len(chain))
        if not len(at):
            continue
        for step in range(len(chain)):
            free[at + step] = False
        saving = order.saving(at, len(chain))
        count, us, first, size = by_name.get(title, (0, 0.0, int(at[np.argmax(saving)]), len(chain)))
        by_name[title] = (count + len(at), us + float(saving.sum()), first, size)
    few = order.summary.thresholds.chain_calls
    return [_finding(order, name, *entry) for name, entry in by_name.items() if entry[0] > few]


def _matches(order: Sequence, parts: Ints, chain: tuple[str, ...]) -> Ints:
    """Positions at which the chain begins."""
    found = order.windows(len(chain))
    for step, name in enumerate(chain):
        found &= (parts[step : step + len(found)] & _BITS[name]) != 0
    return np.flatnonzero(found)


def _free(free: Bools, at: Ints, size: int) -> Bools:
    untaken: Bools = np.logical_and.reduce([free[at + step] for step in range(size)])
    return untaken


def _apart(at: Ints, size: int) -> Ints:
    """Those of ascending positions that do not overlap an earlier one that was taken."""
    if len(at) < 2 or int(np.diff(at).min()) >= size:
        return at
    kept, last = [], -size
    for position in at.tolist():
        if position - last >= size:
            kept.append(position)
            last = position
    return np.array(kept, dtype=np.int64)


def _run(order: Sequence, told: list[Word], free: Bools) -> list[Finding]:
    """Consecutive short elementwise operators on tensors of one size, that no named chain holds."""
    limits = order.summary.thresholds
    vector = np.array([word[1] in VECTOR_FAMILIES for word in told], dtype=bool)
    size = order.summary.shapes.strings("output_shapes").codes
    small = vector[order.shape] & (order.us < limits.worth_us) & free & (size[order.shape] >= 0)
    joins = order.linked & small[1:] & small[:-1] & (size[order.shape[1:]] == size[order.shape[:-1]])
    edges = np.flatnonzero(np.diff(np.concatenate(([False], joins, [False])).astype(np.int8)))
    begins, ends = edges[::2], edges[1::2]
    count = ends - begins + 1
    saving, runs, best = 0.0, 0, (0.0, 0, 0)
    for length in np.unique(count[count >= RUN_LEAST]).tolist():
        at = begins[count == length]
        gains = order.saving(at, int(length))
        saving, runs = saving + float(gains.sum()), runs + len(at)
        best = max(best, (float(gains.sum()), int(at[0]), int(length)))
    if not runs:
        return []
    return [_finding(order, "elementwise", runs, saving, best[1], best[2], "elementwise-run")]


def _finding(
    order: Sequence, name: str, count: int, us: float, first: int, size: int, code: str = "fusible-chain"
) -> Finding:
    summary = order.summary
    kind = summary.shapes.strings("type")
    types = [kind[int(order.shape[first + step])] or "" for step in range(size)]
    middle = float(order.between_us(order.shape[first : first + size - 1]).sum())
    span = float(order.us[first : first + size].sum())
    return Finding(
        code=code,
        severity=severity(us / summary.totals.total_us, 0.05, 0.2),
        title=say("finding.chain", chain=" + ".join(types), count=count, us=us),
        evidence=say("finding.chain.evidence", size=size, us=span, middle_us=middle, launches=size - 1),
        advice=say(f"finding.chain.{name}"),
        saving_us=us,
        ops=tuple(dict.fromkeys(types)),
    )
