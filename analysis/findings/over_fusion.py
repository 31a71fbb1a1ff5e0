"""A fused operator that is slower than its parts, where the run has both on the same shapes."""

from __future__ import annotations

import re

import numpy as np

from npuscope.analysis.chips import Chip
from npuscope.analysis.families import plain_type
from npuscope.analysis.findings.common import severity
from npuscope.analysis.summary import Finding, Summary
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
_JOINED = re.compile(r"^(?:fused|fusionop)_?(.+)$")


def find(summary: Summary, part: Chip | None) -> tuple[Finding, ...]:
    """`over-fusion`: medians of one call; the parts are those that return a tensor of the same shape."""
    shapes = summary.shapes
    kinds, results = shapes.strings("type"), shapes.strings("output_shapes")
    median, calls = shapes.numbers("median_us"), shapes.numbers("count")
    by_result: dict[tuple[str, str], float] = {}
    names = [plain_type(kinds[line] or "") for line in range(len(shapes))]
    for line, name in enumerate(names):
        key = (name, _main(results[line]))
        by_result[key] = min(by_result.get(key, np.inf), float(median[line]))
    worst: tuple[float, int, float] | None = None
    for line, name in enumerate(names):
        parts = parts_of(name)
        alone = sum(by_result.get((one, _main(results[line])), np.nan) for one in parts) if parts else np.nan
        if median[line] > summary.thresholds.slower_fused * alone:
            lost = float((median[line] - alone) * calls[line])
            worst = max(worst or (0.0, line, alone), (lost, line, float(alone)))
    if worst is None:
        return ()
    lost, line, alone = worst
    return (
        Finding(
            code="over-fusion",
            severity=severity(lost / summary.totals.total_us, 0.02, 0.1),
            title=say("finding.over-fusion", type=kinds[line], us=lost),
            evidence=say(
                "finding.over-fusion.evidence",
                parts=" + ".join(parts_of(names[line])),
                fused_us=float(median[line]),
                alone_us=alone,
            ),
            advice=say("finding.over-fusion.advice"),
            saving_us=lost,
            ops=(kinds[line] or "",),
        ),
    )


def parts_of(name: str) -> tuple[str, ...]:
    """What a fused operator joins: by its name in the table, or FusionOp_ReluGrad_Cast spelled out."""
    joined = _JOINED.match(name)
    found = tuple(joined.group(1).split("_")) if joined and "_" in joined.group(1) else ()
    return PARTS.get(name, found)


def _main(shapes: str | None) -> str:
    """The first result."""
    return (shapes or "").split(";")[0]
