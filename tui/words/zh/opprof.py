"""Words: profiles of `msprof op`, metric groups, runs joined into one."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "opprof.problem.binary": "{file} 不完整或不是该类文件（第 {at} 字节处）：不显示厂商工具的建议。",
    "opprof.problem.simulated": "时间来自仿真器，不是真实芯片的时间：只能与其他仿真结果比较。",
    "opprof.problem.no-trace": "仿真器没有留下含各核时间的 trace.json：只知道指令，不知道算子用了多长时间。",
    "opprof.join.empty": "{run} 中没有算子：没有可以合并的内容。",
    "opprof.join.differs.name": "{run} 的第 {row} 行是 {here}，而 {other} 中 {type} 的同一次调用是 {there}：它们不是同一程序的运行。",
    "opprof.join.differs.shapes": "{run} 的第 {row} 行（{type} 的一次调用）形状为 {here}，在 {other} 中为 {there}：它们不是同一程序的运行。",
    "opprof.join.count": "{run} 的第 {row} 行（{type} 的一次调用）在 {other} 中没有对应的调用：{here} 次对 {there} 次。",
    "opprof.join.chip": "{run} 运行在 {here} 上，{other} 运行在 {there} 上：只合并同一种芯片上的运行。",
    "opprof.join.hint": "请合并同一程序、相同步数、只有 --aic-metrics 不同的运行。",
    "opprof.join.slower": "{type} 在 {other} 中用时 {there:time}，在 {run} 中用时 {here:time}（{pct:signed} %；差别这样大的类型数：{types}）：{other} 的计数器可能来自另一种情况。",
    "opprof.join.slower.hint": "耗时取自第一次运行；请在空闲的芯片上重新采集。",
    "opprof.opt.join": "把所有 PATH（或 RUN1,RUN2）处的运行视为同一程序用不同指标组采集的结果，合并后作为一次报告",
    "opprof.join.one": "只有一次运行或没有运行：没有可以合并的内容。",
    "opprof.join.one.hint": "请给出两次运行：npuscope report RUN1,RUN2 --join",
}
