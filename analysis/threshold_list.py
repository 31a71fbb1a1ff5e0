"""What a person may set each threshold to: its unit, its range, and the works its source names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from npuscope.parsers.say import Say, say

SHARE, SUM, TIMES, US, BYTES, GBPS, COUNT = UNITS = ("share", "sum", "times", "us", "bytes", "gbps", "count")
# least (not itself allowed where it is 0) and most
RANGES: Mapping[str, tuple[float, float]] = {
    SHARE: (0.0, 1.0),
    SUM: (0.0, 5.0),
    TIMES: (0.0, 1000.0),
    US: (0.0, 1e9),
    BYTES: (1.0, 1e12),
    GBPS: (0.0, 1e5),
    COUNT: (0.0, 1e6),
}
_SUMS = frozenset({"balanced_sum", "serial_low", "serial_high"})
_BYTES = frozenset({"tiny_packet", "small_packet", "small_sdma", "small_rdma", "link_bytes", "aligned_bytes"})
_TIMES = frozenset({
    "reread", "from_l2", "move_times", "scalar_times", "many_waves", "unstable", "first_times", "slower_fused",
    "late_call", "seldom", "halves_clear", "near_floor", "whole_gain",
})  # fmt: skip
_COUNTS = frozenset({
    "votes", "conversions_least", "chain_calls", "unstable_calls", "shape_variants", "storm_least",
    "links_least", "compiled", "sync_batch_norms", "steps_least", "devices_least", "fused_most", "run_least",
    "window_least", "chain_plain", "halves_least", "product_axis", "attention_axis", "first_calls", "first_run",
    "near_floor_types", "launches_least", "tiny_least",
})  # fmt: skip
IN_ORDER = (("tie_low", "tie_high"), ("serial_low", "serial_high"), ("spread_some", "spread_bad"))

ORIGINS: Mapping[str, str] = {
    "MSP": "Ascend/msprof: prof_condition_config.py, ai_core_config.py",
    "ADV": "Ascend/msprof-analyze: advisor rules",
    "MSI": "MindStudio Insight: roofline analysis",
    "MADV": "MindStudio Advisor: roofline classes",
    "REC": "MindSDK Rec: tuning pages",
    "AGT": "mindstudio-agent: operator skills",
    "CB": "cannbot: ops-profiling reference",
    "ASI": "asight: checkers",
    "DEV": "asc-devkit: rows of the best-practice examples, with what each change bought",
    "TRN": "a public report on transposes on 910B",
    "OPT": "ascendc-optim-agent: rows of its rounds",
    "NCU": "Nsight Compute: the 60 % rule",
    "TT": "tt-perf-report: 65 %",
    "TOP": "pmu-tools: tie threshold",
    "SHAPES": "operations by shapes against operations counted, on public rows",
}


def unit_of(name: str) -> str:
    """One of UNITS."""
    if name.endswith("_us"):
        return US
    if name.endswith("_gbps"):
        return GBPS
    for unit, names in ((SUM, _SUMS), (BYTES, _BYTES), (TIMES, _TIMES), (COUNT, _COUNTS)):
        if name in names:
            return unit
    return SHARE


def in_range(name: str, value: float) -> bool:
    """Whether a threshold can be that."""
    least, most = RANGES[unit_of(name)]
    return (least < value if least == 0 else least <= value) and value <= most


def out_of_range(name: str, value: float) -> Say:
    """The sentence that says what it can be."""
    least, most = RANGES[unit_of(name)]
    return say(f"thresholds.range.{unit_of(name)}", name=name, value=f"{value:g}", least=f"{least:g}", most=f"{most:g}")


def unknown(name: str, known: Iterable[str]) -> Say:
    """The sentence that names what was probably meant."""
    near = difflib.get_close_matches(name.casefold(), list(known), n=3, cutoff=0.6)
    if near:
        return say("thresholds.unknown", name=name, names=", ".join(near))
    return say("thresholds.unknown.far", name=name)


@dataclass(frozen=True)
class Listed:
    """One threshold as `doctor --thresholds` tells it."""

    name: str
    value: float
    default: float
    unit: str
    source: str

    @property
    def changed(self) -> bool:
        """Whether a configuration says otherwise."""
        return self.value != self.default


def listed(limits: Mapping[str, float]) -> tuple[Listed, ...]:
    """All thresholds with the values that `limits` gives some of them, in the order of thresholds.py."""
    from npuscope.analysis.thresholds import DEFAULTS, SOURCES

    return tuple(
        Listed(name, limits.get(name, getattr(DEFAULTS, name)), getattr(DEFAULTS, name), unit_of(name), source)
        for name, source in SOURCES.items()
    )
