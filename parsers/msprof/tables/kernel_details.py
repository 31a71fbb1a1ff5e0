"""kernel_details.csv of torch_npu and MindSpore: op_summary under other column names."""

from __future__ import annotations

from npuscope.parsers.discovery.torch import KERNEL_DETAILS as PATTERN
from npuscope.parsers.msprof.tables.op_summary import read

__all__ = ["PATTERN", "read"]
