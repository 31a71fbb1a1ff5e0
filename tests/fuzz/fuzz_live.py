"""The texts of npu-smi, a part of a target."""

from __future__ import annotations

from pathlib import Path

import mutations
from fuzz_target import FIXTURES, Target, one_file, seeds_of
from invariants import check_plain, check_problem, check_refusal
from mutations import Input

from npuscope.parsers import reading_json
from npuscope.parsers.npu_smi import groups, mapping, watch
from npuscope.parsers.npu_smi.info import parse_info
from npuscope.parsers.readings import Reading, SourceInfo
from npuscope.parsers.say import ParseError

TEXTS = seeds_of(list((FIXTURES / "npu_smi").glob("*.txt")))
OTHERS = (
    groups.parse_groups, groups.parse_usages, groups.parse_common, groups.parse_board, groups.parse_health,
    groups.parse_power, groups.parse_temperature, groups.parse_proc_mem, watch.parse_watch, mapping.parse_mapping,
    mapping.parse_list,
)  # fmt: skip


def npu_smi(path: Path, given: Input) -> None:
    """Every command's parser over every command's text."""
    text = path.read_bytes().decode("utf-8", "replace" if given.choice % 2 else "surrogateescape")
    table = parse_info(text, given.choice % 300 - 20, text[:200] if given.choice % 5 == 0 else "")
    assert table.chips or table.problems
    assert len({chip.key for chip in table.chips}) == len(table.chips)
    source = SourceInfo("npu-smi", "npu-smi info", None, None, True)
    reading = Reading(1.7e9, 0.3, source, chips=table.chips, processes=table.processes, problems=table.problems)
    if given.choice % 2:
        check_plain(reading_json.to_json(reading, (), lambda sentence: sentence.key))
        for problem in table.problems:
            check_problem(problem)
    for parse in OTHERS:
        try:
            parse(text)
        except ParseError as error:
            if given.choice % 2:
                check_refusal(error)


_LINES = ("copy-line", "drop-line", "end-lines", "header-only", "nest")
PART: Target = one_file("npu-smi", TEXTS, (*mutations.BYTES, *_LINES), npu_smi, limit=1 << 17)
