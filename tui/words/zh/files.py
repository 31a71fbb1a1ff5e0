"""Words: files beside the operators, other tables, databases, archives; the Files screen."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "files.problem.other-columns": "{file} 的列与文件名不符（{header}）",
    "files.problem.no-reader": "{file} 不是可以按表格显示的文件",
    "files.problem.too-large": "{file} 超过 {most:bytes}，没有读取",
    "files.problem.not-json": "{file} 不是与文件名相符的 JSON",
    "files.problem.no-table": "{file} 中没有表 {table}（现有：{tables}）",
    "files.problem.first-rows": "{file} 共有 {of:count} 行，只显示前 {rows:count} 行",
    "files.problem.unknown-db": "{file} 不是已知的性能分析数据库（其中的表：{tables}）",
    "files.problem.call-before-start": "{file}：采集开始时已在进行的调用有 {rows:count} 个（第一个：{name}，{us:time}），其时间未采用",
    "files.problem.means": "{file}：{rows:count} 行中每一行都是一个算子多次执行的均值，没有起始时间",
    "files.hint.means": "各类型的总时间在 aicore_intermediate_*_type.csv 中",
    "files.reason.types-alone": "只有 {file}：有各类型的总计，没有算子",
    "files.reason.no-operators": "旧版 MindSpore 的 {files:count} 个文件，其中没有算子：{names}",
    "files.reason.timelines": "只导出了时间线（{files:count} 个文件：{kinds}），没有算子表",
    "files.problem.task-time": "没有 op_summary：算子取自 {file}，没有 shape 和计数器",
    "files.hint.task-time": "使用 --task-time=l1 重新导出，可得到 shape 和计数器",
    "files.problem.garbage-block-dim": "{rows:count} 个 AI CPU 行的 block 数不可能成立（第一个：{name}，{blocks}），未采用",
    "files.problem.core-time-above-duration": "{of:count} 行中有 {rows:count} 行的核时间长于任务本身（最多的是 {name}：{core_us:time}，任务 {us:time}）",
    "files.hint.core-time.blocks": "这些行的 block 数记录有误（静态图记为 1），其核时间未采用",
    "files.hint.core-time.waves": "核时间按整轮 block 计（MIX 算子两侧都如此），可视为占满全部时间",
    "steps.source.step_trace_raw": "step_trace_raw",
    "files.problem.archive.damaged": "{file} 不能作为归档文件读取：{reason}",
    "files.problem.archive.unsafe": "已拒绝 {file}：其中有路径指向归档之外（{name}）",
    "files.problem.archive.bomb": "已拒绝 {file}：{name} 将从 {packed:bytes} 展开为 {size:bytes}",
    "files.problem.archive.untrue": "已拒绝 {file}：{name} 的实际长度超过归档所记",
    "files.problem.archive.locked": "{file} 需要密码：请先解包，再打开文件夹",
    "files.problem.archive.too-many": "{file} 中的文件超过 {most:count} 个：请先解包，再打开文件夹",
    "files.problem.archive.too-large": "没有解包 {file}：{name} 需要 {size:bytes}，可用空间只有 {room:bytes}",
    "files.problem.archive.no-profile": "{file} 是归档文件，但其中没有导出的性能数据：请先解包，再打开文件夹",
}
