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
    "files.problem.call-before-start": "{file}：有 {rows:count} 个调用在采集开始时已在进行（第一个：{name}，{us:time}），其时间未采用",
    "files.problem.means": "{file}：{rows:count} 行中每一行都是一个算子多次执行的均值，没有起始时间",
    "files.hint.means": "各类型的总时间在 aicore_intermediate_*_type.csv 中",
    "files.reason.types-alone": "只有 {file}：有各类型的总计，没有算子",
    "files.reason.no-operators": "旧版 MindSpore 的 {files:count} 个文件，其中没有算子：{names}",
}
