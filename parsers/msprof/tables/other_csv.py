"""Further summary files of msprof and the framework profilers: every column typed by what its head and cells say."""

from __future__ import annotations

import re

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.tables.sheet import Sheet, named, read_sheet
from npuscope.parsers.progress import Progress

_STEMS = (
    "static_op_mem", "soc_pmu", "pcie", "hccs", "nic", "roce", "dvpp", "sio", "ub", "qos", "llc_\\w+", "cpu_usage",
    "process_cpu_usage", "sys_mem", "process_mem", "host_\\w+_usage", "os_runtime_\\w+", "\\w+_cpu_pmu_events",
    "\\w+_cpu_top_function", "msprof_tx", "acc_pmu", "inter_soc_transmission", "aicpu_mi", "block_detail",
    "ccu_\\w+", "acl", "acl_statistic", "runtime_api", "ge_op_execute", "ai_stack_time", "hccl_raw", "dataset",
    "minddata_pipeline_(?:raw|summary)", "cluster_step_trace_time", "ascend_cluster_analyse_[\\w-]+",
)  # fmt: skip
PATTERN = re.compile("|".join(named(stem).pattern for stem in _STEMS), re.IGNORECASE)
SHEET = Sheet()


def read(path: str, progress: Progress | None = None) -> CsvTable:
    """The columns the file has. Raises ParseError."""
    return read_sheet(path, SHEET, progress)
