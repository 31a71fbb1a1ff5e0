"""The process table: one line per pid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from npuscope.parsers.npu_smi.info import parse_info
from npuscope.parsers.readings import Chip, Host, LocalProcess, NpuProcess, Reading, SourceInfo
from npuscope.tui.filtering import parse
from npuscope.tui.live.chips import Note
from npuscope.tui.live.processes import (
    NUMBER_FIELDS,
    TEXT_FIELDS,
    chip_names,
    lines_of,
    matches,
    ranges,
    sort_value,
    words_on,
)

# a job of eight ranks, every rank listed on the other chips with a context of 90 MB (made after a public report)
EVERY_RANK_EVERYWHERE = """\
| npu-smi 23.0.2                   Version: 23.0.2                                               |
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
| 0     910B                | OK            | 88.0        40                0    / 0             |
| 0                         | 0000:10:00.0  | 35          0    / 0          8214 / 65536         |
| 1     910B                | OK            | 86.0        39                0    / 0             |
| 0                         | 0000:21:00.0  | 33          0    / 0          7590 / 65536         |
| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |
| 0       0                 | 47881         | python                   | 4184                    |
| 0       0                 | 47882         | python                   | 90                      |
| 0       0                 | 47883         | python                   | 90                      |
| 1       0                 | 47882         | python                   | 4100                    |
| 1       0                 | 47881         | python                   | 90                      |
"""
CHIPS = tuple(Chip(n, 0, "910B3", "OK", hbm_total_mb=65_536) for n in range(8))
CARDS = tuple(Chip(n, d, "Ascend910", "OK", hbm_total_mb=65_536) for n in range(8) for d in (0, 1))


def reading(*processes: NpuProcess, **local: LocalProcess) -> Reading:
    return Reading(
        0.0, 0.1, SourceInfo("made"), processes=processes, local={known.pid: known for known in local.values()}
    )


def test_ten_rows_are_three_processes_and_contexts_are_folded():
    table = parse_info(EVERY_RANK_EVERYWHERE)
    found = lines_of(Reading(0.0, 0.1, SourceInfo("made"), processes=table.processes), table.chips, {})
    by_pid = {line.pid: line for line in found}
    assert {pid: line.hbm_mb for pid, line in by_pid.items()} == {47881: 4274, 47882: 4190, 47883: 90}
    assert {pid: line.chips for pid, line in by_pid.items()} == {47881: "0", 47882: "1", 47883: "0"}
    assert (by_pid[47881].folded, by_pid[47883].folded) == (1, 0)
    assert by_pid[47881].note == Note("live.note.context")
    assert by_pid[47883].note is None


def test_memory_that_is_not_known_is_not_0():
    (line,) = lines_of(reading(NpuProcess(0, 0, 7, "x")), CHIPS, {})
    assert line.hbm_mb is None
    assert sort_value(line, "hbm", 0.0) is None


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([0, 1, 2, 3], "0-3"), ([6, 7], "6 7"), ([4], "4"), ([0, 2, 3, 4, 7], "0 2-4 7"), ([], "")],
)
def test_runs_of_numbers(numbers, expected):
    assert ranges(numbers) == expected


def test_cards_with_both_dies_are_called_by_their_number():
    both = [(n, d) for n in range(5) for d in (0, 1)]
    assert chip_names(both, CARDS) == "0-4"
    assert chip_names([(6, 0), (6, 1), (7, 1)], CARDS) == "6 7/1"
    assert chip_names([(3, 0), (0, 0), (1, 0), (2, 0)], CHIPS) == "0-3"
    assert chip_names([(1, 1), (9, 0)], [Chip(1, 0, "310P3", "OK"), Chip(1, 1, "310P3", "OK")]) == "1/1 9/0"


LI = LocalProcess(1, "li", 96.0, 2048.0, 100.0, "python3 train.py --tp 4")


@pytest.mark.parametrize(
    ("cpu", "noted"), [(96.0, True), (100.0, True), (91.9, False), (212.0, False), (None, False), (0.0, False)]
)
def test_one_full_core_is_worth_a_question(cpu, noted):
    known = LocalProcess(1, "li", cpu, 1.0, 0.0, "x")
    (line,) = lines_of(reading(NpuProcess(0, 0, 1, "x"), known=known), CHIPS, {})
    assert (line.note == Note("live.note.one_core")) is noted


def test_the_doubt_about_a_chip_is_a_doubt_about_its_process():
    low, health = Note("live.note.busy-low-power", True), Note("live.note.health-not-ok", True)
    (line,) = lines_of(reading(NpuProcess(0, 0, 1, "x")), CHIPS, {(0, 0): low})
    assert line.note == low
    (line,) = lines_of(reading(NpuProcess(0, 0, 1, "x")), CHIPS, {(0, 0): health})
    assert line.note is None


def test_the_command_is_the_boxs_own_or_what_npu_smi_calls_it():
    here, foreign = lines_of(
        reading(NpuProcess(0, 0, 1, "python3"), NpuProcess(1, 0, 2, "VLLMEngineCor"), li=LI), CHIPS, {}
    )
    assert (here.command, foreign.command) == ("python3 train.py --tp 4", "VLLMEngineCor")


@pytest.mark.parametrize(
    ("column", "expected"),
    [("pid", 1), ("user", "li"), ("hbm", 4.0), ("cpu", 96.0), ("rss", 2.0), ("up", 50.0), ("chips", 200)],
)
def test_what_a_column_sorts_by(column, expected):
    (line,) = lines_of(reading(NpuProcess(2, 0, 1, "python3", 4096), li=LI), CHIPS, {})
    assert sort_value(line, column, 150.0) == expected


@pytest.mark.parametrize(
    ("text", "kept"),
    [("hbm>3 & cpu>90", True), ("user=li", True), ("train", True), ("pid=2", False), ("npu=2", True), ("rss>2", False)],
)
def test_filters(text, kept):
    (line,) = lines_of(reading(NpuProcess(2, 0, 1, "python3", 4096), li=LI), CHIPS, {})
    assert matches(line, parse(text, TEXT_FIELDS, NUMBER_FIELDS), "") is kept


def test_what_runs_on_a_chip_in_words():
    words = words_on(reading(NpuProcess(2, 0, 1, "python3"), NpuProcess(2, 0, 5, "k_gemm"), li=LI))
    assert "train.py" in words[2, 0] and "k_gemm" in words[2, 0] and "li" in words[2, 0]
    assert words_on(None) == {}


def test_a_pid_that_is_no_process_here_says_so_where_the_box_was_asked():
    said = reading(NpuProcess(0, 0, 1, "python3"))
    assert lines_of(said, CHIPS, {})[0].note is None
    (line,) = lines_of(replace(said, host=Host(1.0)), CHIPS, {})
    assert line.note == Note("live.note.foreign")
