"""Words: files beside the operators, other tables, databases, archives; the Files screen."""

from __future__ import annotations

WORDS: dict[str, str] = {
    "files.problem.other-columns": "{file} has other columns than its name promises ({header})",
    "files.problem.no-reader": "{file} is no file that can be shown as a table",
    "files.problem.too-large": "{file} is larger than {most:bytes} and was not read",
    "files.problem.not-json": "{file} is not the JSON its name promises",
    "files.problem.no-table": "{file} has no table {table} (it has: {tables})",
    "files.problem.first-rows": "{file} has {of:count} rows: the first {rows:count} are shown",
    "files.problem.unknown-db": "{file} is no database of a profiler that is known (its tables: {tables})",
    "files.problem.call-before-start": "{file}: calls that were under way when profiling began: {rows:count} (the first: {name}, {us:time}); their times are not used",
    "files.problem.means": "{file}: each of the {rows:count} rows is the mean of an operator's executions, without a start",
    "files.hint.means": "the totals per type are in aicore_intermediate_*_type.csv",
    "files.reason.types-alone": "only {file} is there: totals of the types, no operators",
    "files.reason.no-operators": "{files:count} files of an older MindSpore, none with operators: {names}",
    "files.reason.timelines": "only timelines were exported ({files:count} files: {kinds}), no operator table",
    "files.problem.task-time": "there is no op_summary: the kernels come from {file}, without shapes and counters",
    "files.hint.task-time": "export again with --task-time=l1 for shapes and counters",
    "files.problem.garbage-block-dim": "AI CPU rows with an impossible number of blocks: {rows:count} (the first: {name}, {blocks}); it is not used",
    "files.problem.core-time-above-duration": "core time is longer than the task itself in {rows:count} of {of:count} rows (the most: {name}, {core_us:time} of {us:time})",
    "files.hint.core-time.blocks": "their number of blocks was recorded wrong (a static graph records 1): these core times are not used",
    "files.hint.core-time.waves": "core time is counted in whole waves of blocks, of a MIX kernel on both sides: read it as all of the time",
    "steps.source.step_trace_raw": "step_trace_raw",
    "files.problem.archive.damaged": "{file} cannot be read as an archive: {reason}",
    "files.problem.archive.unsafe": "{file} was refused: a name in it leads out of it ({name})",
    "files.problem.archive.bomb": "{file} was refused: {name} would unfold from {packed:bytes} to {size:bytes}",
    "files.problem.archive.untrue": "{file} was refused: {name} is longer than the archive says",
    "files.problem.archive.locked": "{file} needs a password: unpack it, then open the folder",
    "files.problem.archive.too-many": "{file} has more than {most:count} files: unpack it, then open the folder",
    "files.problem.archive.too-large": "{file} was not unpacked: {name} takes {size:bytes}, and {room:bytes} are left for it",
    "files.problem.archive.no-profile": "{file} is an archive without an exported profile in it: unpack it, then open the folder",
}
