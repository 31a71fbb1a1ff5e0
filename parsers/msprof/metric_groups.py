"""The metric groups (--aic-metrics) that an operator table carries, told by its column names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

PIPE_UTILIZATION = "PipeUtilization"
PIPELINE_EXECUTE = "PipelineExecuteUtilization"

# in the order msprof lists them; a name of columns.py that only this group has
_MARKS = (
    (PIPE_UTILIZATION, r"ai[cv]_(?:scalar_ratio|fixpipe_ratio|(?:mac|vec|scalar|mte[123]|fixpipe)_time_us)"),
    ("ArithmeticUtilization", r"ai[cv]_(?:mac|vec)_(?:fp|int|fp16|int8|fp32|int32|int16|misc|vf|sfu|simt_vf)_ratio|"
                              r"ai[cv]_(?:cube|vec|vector)_fops"),
    ("Memory", r"ai[cv]_(?:main_mem|l1|l2|ub)_(?:read|write)_bw_gbps|ai[cv]_(?:ub_to_gm|gm_to_ub)_bw_gbps|"
               r"(?!ai[cv]_).*(?:_datas_kb|_bw_usage_rate_pct)"),
    ("MemoryL0", r"ai[cv]_l0[abc]_(?:read|write)_bw.*"),
    ("MemoryUB", r"ai[cv]_ub_(?:read|write)_bw_(?:vector|scalar|gm)_gbps"),
    ("MemoryAccess", r"ai[cv]_.*_datas_kb"),
    ("ResourceConflictRatio", r"ai[cv]_.*(?:_cflt|_wait|_iq_full)_ratio"),
    ("L2Cache", r"ai[cv]_.*(?:cache_hit|cache_miss_allocate|(?:l2|close|far)_(?:hit|miss|victim)|hit_rate)"
                r"(?:_rate)?(?:_pct)?"),
    ("Custom", r"ai[cv]_0x[0-9a-f]+"),
)  # fmt: skip
_PATTERNS = tuple((group, re.compile(pattern)) for group, pattern in _MARKS)
_PIPE_SHARE = re.compile(r"ai[cv]_(?:mac|vec|mte[123])_ratio")  # of other groups too: it counts where nothing else is
_EXECUTED = re.compile(r"_exe_(?:time|ratio)", re.IGNORECASE)
GROUPS = (*(group for group, _ in _MARKS), PIPELINE_EXECUTE)


def groups_of(names: Iterable[str], sources: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The groups of a table's column names, in the order of GROUPS.

    sources: each column's "file:Header": the names alone do not tell PipelineExecuteUtilization of the 310B from
    PipeUtilization.
    """
    counters = tuple(names)
    found = {group for group, pattern in _PATTERNS if any(pattern.fullmatch(name) for name in counters)}
    if not found and any(_PIPE_SHARE.fullmatch(name) for name in counters):
        found = {PIPE_UTILIZATION}
    if any(_EXECUTED.search((sources or {}).get(name, "")) for name in counters):
        found = (found - {PIPE_UTILIZATION}) | {PIPELINE_EXECUTE}
    return tuple(group for group in GROUPS if group in found)
