"""Words: profiles of `msprof op`, metric groups, runs joined into one."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "opprof.problem.binary": "{file} 不完整或不是该类文件（第 {at} 字节处）：不显示厂商工具的建议。",
    "opprof.problem.simulated": "时间来自仿真器，不是真实芯片的时间：只能与其他仿真结果比较。",
    "opprof.problem.no-trace": "仿真器没有留下含各核时间的 trace.json：只知道指令，不知道算子用了多长时间。",
}
