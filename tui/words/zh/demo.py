"""Words: watching folders, recordings and the demo."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "watch.events": "由事件监视",
    "watch.kind": "轮询（{kind} 不发送事件）",
    "watch.inotify_limit": "轮询（inotify 已达上限）",
    "watch.permission": "轮询（无权限读取该目录）",
    "watch.not_there": "轮询（目录尚不存在）",
    "watch.one_file": "轮询（单个文件）",
    "watch.too_many_folders": "轮询（目录过多，不用事件）",
    "watch.no_inotify": "轮询（本系统没有 inotify）",
    "watch.first_look": "首次扫描中",
    "recording.no-json": "{file} 第 {line} 行不是 JSON 对象。录制文件每行应是一条 `npuscope snapshot --json` 的读数。",
    "recording.no-reading": "{file} 第 {line} 行不是 npuscope 的读数（{reason}）。",
    "recording.cut": "{file} 在第 {line} 行中断，此前的读数完整。",
    "recording.empty": "{file} 中没有读数。",
    "recording.no-file": "无法读取 {file}：{reason}。",
    "demo.about": "在模拟的昇腾机器上运行全屏界面：8 个芯片，性能数据陆续出现并变为可用。读数与数据均为虚构，"
    "展示它们的程序是真实的。不需要 NPU。",
    "demo.opt-once": "打印某一时刻各界面的内容后退出，不需要终端",
    "demo.opt-speed": "以 X 倍速度播放（默认 1）",
    "demo.bad-speed": "'{word}' 不是有效的速度，请给出 {least:one} 到 {most:int} 之间的数，例如 --speed 2",
    "demo.no-folder": "npuscope：演示需要一个临时目录，但无法创建：{reason}。请把 TMPDIR 设为有空间的目录。",
    "demo.once": "模拟的机器：读数与性能数据均为虚构，对它们的判断是计算得出的。",
}
