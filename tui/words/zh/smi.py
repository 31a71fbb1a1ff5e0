"""Words: smi (live readings and their options)."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "options.lang": "界面语言（默认取自系统区域设置）",
    "options.ascii": "只输出 ASCII 字符（区域设置不是 UTF-8 时默认如此）",
    "options.color": "输出中的颜色（默认 auto，并遵守 NO_COLOR）",
    "options.npu-smi": "用 CMD 代替 npu-smi；也可设置环境变量 NPUSCOPE_NPU_SMI",
    "options.source": "数据来源：npu-smi（默认）或 replay:FILE",
    "options.interval": "两次采集之间的秒数（默认 1）",
    "options.bad-seconds": "{word} 不是 {least:one} 到 {most:int} 之间的秒数；例如写 --interval 2",
    "options.bad-count": "{word} 不是大于等于 1 的整数；例如写 10",
    "options.bad-source": "{word} 不是可用的数据来源；请写 npu-smi 或 replay:FILE",
}
