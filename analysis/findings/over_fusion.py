"""A fused operator that is slower than its parts, where the run has both on the same shapes."""

from __future__ import annotations

import re
from functools import lru_cache

from npuscope.analysis.chips import Chip
from npuscope.analysis.findings.common import severity
from npuscope.analysis.summary import Finding, Summary
from npuscope.analysis.work.families import plain_type
from npuscope.parsers.say import say

# plain type of a fused operator -> those of its parts
PARTS: dict[str, tuple[str, ...]] = {
    "addrmsnorm": ("add", "rmsnorm"),
    "addlayernorm": ("add", "layernorm"),
    "matmulgelu": ("matmul", "gelu"),
    "matmuladd": ("matmul", "add"),
    "matmuladdgelu": ("matmul", "add", "gelu"),
    "matmulbias": ("matmul", "add"),
    "matmulrelu": ("matmul", "relu"),
    "swiglu": ("swish", "mul"),
    "geglu": ("gelu", "mul"),
    "gelumul": ("gelu", "mul"),
    "addcmul": ("mul", "add"),
    "scaledmaskedsoftmax": ("mul", "add", "softmax"),
    "addrelu": ("add", "relu"),
    "conv2drelu": ("conv2d", "relu"),
    "biasgelu": ("add", "gelu"),
}
MULTIPLY = ("matmul", "conv2d")  # their time is in the tensors they take
_JOINED = re.compile(r"^(?:fused|fusionop)_?(.+)$")


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`over-fusion`: medians of one call. The parts are those that make a tensor of the same shape from the same type,
    and multiply the same matrices; of several the slowest.
    """
    shapes = summary.shapes
    kinds = shapes.strings("type")
    plain = [*(plain_type(value) for value in kinds.values), ""]
    if not any(map(parts_of, plain)):
        return ()
    median, calls = shapes.numbers("median_us"), shapes.numbers("count")
    names = [plain[code] for code in kinds.codes.tolist()]
    wanted = {one for name in plain for one in parts_of(name)}
    columns = [shapes.strings(column).tolist() for column in ("output_shapes", "input_dtypes", "input_shapes")]
    made = [*zip(*columns)]
    alone: dict[tuple[str, ...], float] = {}
    for line, name in enumerate(names):
        key = _key(name, *made[line]) if name in wanted else None
        if key is not None:
            alone[key] = max(alone.get(key, 0.0), float(median[line]))
    worst: tuple[float, int, float] | None = None
    for line, name in enumerate(names):
        keys = [_key(one, *made[line]) for one in parts_of(name)]
        if not keys or any(key is None or key not in alone for key in keys):
            continue
        us = sum(alone[key] for key in keys if key is not None)
        if median[line] > summary.thresholds.slower_fused * us:
            lost = float((median[line] - us) * calls[line])
            worst = max(worst or (0.0, line, us), (lost, line, us))
    if worst is None:
        return ()
    lost, line, us = worst
    return (
        Finding(
            code="over-fusion",
            severity=severity(summary, lost),
            title=say("finding.over-fusion", type=kinds[line], us=lost),
            evidence=say(
                "finding.over-fusion.evidence",
                parts=" + ".join(parts_of(names[line])),
                fused_us=float(median[line]),
                alone_us=us,
            ),
            advice=say("finding.over-fusion.advice"),
            saving_us=lost,
            ops=(kinds[line] or "",),
        ),
    )


@lru_cache(maxsize=4096)
def parts_of(name: str) -> tuple[str, ...]:
    """What a fused operator joins: by its name in the table, or FusionOp_ReluGrad_Cast spelled out."""
    joined = _JOINED.match(name)
    found = tuple(joined.group(1).split("_")) if joined and "_" in joined.group(1) else ()
    return PARTS.get(name, found)


def _key(name: str, results: str | None, dtypes: str | None, inputs: str | None) -> tuple[str, ...] | None:
    """What an operator of this name must have in common with these shapes; None where they are not told."""
    result = _first(results)
    if not result:
        return None
    taken = (inputs or "").split(";")[:2] if name in MULTIPLY else ()
    return name, result, _first(dtypes), *taken


def _first(printed: str | None) -> str:
    """The first result's."""
    return (printed or "").split(";")[0]
