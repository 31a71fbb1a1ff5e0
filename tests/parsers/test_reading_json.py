"""The snapshot document: what it says, and that it comes back as the same reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from npuscope.analysis.live.hints import Hint
from npuscope.parsers.npu_smi.info import parse_info
from npuscope.parsers.reading_json import from_json, iso, to_json, unix
from npuscope.parsers.readings import Chip, Host, LocalProcess, NpuProcess, Reading, SourceInfo
from npuscope.parsers.say import ParseError, Problem, Say, say

FOLDER = Path(__file__).parents[1] / "fixtures" / "npu_smi"

READING = Reading(
    taken_at=1764540603.512,
    elapsed_s=0.31,
    period_s=1.002,
    source=SourceInfo("npu-smi", "npu-smi info", "24.1.0", "24.1.0"),
    chips=(
        Chip(0, 0, "910B3", "OK", "0000:C1:00.0", power_w=98.4, temp_c=50, aicore_pct=0, hbm_used_mb=3369,
             hbm_total_mb=65536, hugepages_used=0, hugepages_total=0),
        Chip(1, 0, "910B3", "Alarm", aicore_note="profiling (239)"),
    ),
    processes=(
        NpuProcess(0, 0, 52001, "python3", 6400, local=True),
        NpuProcess(1, 0, 52002, "", 90, 101, context_only=True),
    ),
    local={52001: LocalProcess(52001, "dev", 96.0, 11468.8, 1764532553.25, "python3 train.py --tp 4")},
    host=Host(23.0, 12.1, 192, 61.0),
    problems=(Problem("truncated", say("smi.cut-before"), Say("smi.hint-cut")),),
    processes_known=False,
)  # fmt: skip


def tell(sentence: Say) -> str:
    return str(sentence.params.get("text", sentence.key))


def test_the_document_to_the_letter() -> None:
    hint = Hint("hbm-held-no-process", 0, 0, say("a.text"), say("a.short"))
    document = json.loads(json.dumps(to_json(READING, [hint], tell)))
    assert {key: document[key] for key in ("schema", "taken_at", "elapsed_s", "period_s")} == {
        "schema": "npuscope.snapshot/1",
        "taken_at": "2025-11-30T22:10:03.512+00:00",
        "elapsed_s": 0.31,
        "period_s": 1.002,
    }
    assert document["source"] == {
        "kind": "npu-smi", "command": "npu-smi info", "tool_version": "24.1.0", "driver_version": "24.1.0", "ok": True,
        "lists_processes": False,
    }  # fmt: skip
    assert document["chips"][0] == {
        "npu_id": 0, "chip_id": 0, "phy_id": None, "local_index": None, "name": "910B3", "health": "OK",
        "bus_id": "0000:C1:00.0", "power_w": 98.4, "temp_c": 50, "aicore_pct": 0, "aicore_note": None,
        "memory_used_mb": None, "memory_total_mb": None, "hbm_used_mb": 3369, "hbm_total_mb": 65536,
        "hugepages_used": 0, "hugepages_total": 0, "aivector_pct": None, "aicpu_pct": None, "ctrlcpu_pct": None,
        "hbm_bandwidth_pct": None, "aicore_mhz": None,
    }  # fmt: skip
    assert document["processes"] == [
        {
            "npu_id": 0, "chip_id": 0, "pid": 52001, "container_pid": None, "name": "python3", "memory_mb": 6400,
            "local": True, "context_only": False, "user": "dev", "cpu_pct": 96.0, "rss_mb": 11468.8,
            "started_at": "2025-11-30T19:55:53.250+00:00", "command": "python3 train.py --tp 4",
        },
        {
            "npu_id": 1, "chip_id": 0, "pid": 52002, "container_pid": 101, "name": "", "memory_mb": 90,
            "local": False, "context_only": True, "user": None, "cpu_pct": None, "rss_mb": None,
            "started_at": None, "command": None,
        },
    ]  # fmt: skip
    assert document["host"] == {"cpu_pct": 23.0, "load_1m": 12.1, "cpus": 192, "mem_pct": 61.0}
    assert document["hints"] == [{"code": "hbm-held-no-process", "npu_id": 0, "chip_id": 0, "text": "a.text"}]
    assert document["problems"] == [{"code": "truncated", "message": "smi.cut-before", "hint": "smi.hint-cut"}]


def recorded(reading: Reading) -> Reading:
    return from_json(json.loads(json.dumps(to_json(reading, (), tell))))


def test_back_it_is_the_same_reading_with_its_problems_in_words() -> None:
    back = recorded(READING)
    assert back.problems == (
        Problem("truncated", say("smi.recorded", text="smi.cut-before"), say("smi.recorded", text="smi.hint-cut")),
    )
    assert recorded(back) == back
    assert {**vars(back), "problems": ()} == {**vars(READING), "problems": ()}


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*info*.txt")))
def test_every_table_comes_back(name: str) -> None:
    table = parse_info((FOLDER / f"{name}.txt").read_text(encoding="utf-8"))
    reading = Reading(1.0, 0.0, SourceInfo("npu-smi"), chips=table.chips, processes=table.processes)
    assert recorded(reading) == reading


def test_a_document_with_less_is_read_too() -> None:
    reading = from_json({"schema": "npuscope.snapshot/1", "taken_at": "2026-01-02T03:04:05Z", "source": {"kind": "x"}})
    assert reading == Reading(unix("2026-01-02T03:04:05+00:00"), 0.0, SourceInfo("x"))


@pytest.mark.parametrize(
    "broken",
    [
        {"schema": "npuscope.report/1"},
        {"schema": None},
        {"taken_at": "yesterday"},
        {"taken_at": 5},
        {"taken_at": "9999-99-99T00:00:00"},
        {"source": None},
        {"source": {}},
        {"chips": [{"npu_id": 0}]},
        {"chips": [{"npu_id": 0, "chip_id": 0, "name": "910B3", "health": "OK", "aicore_pct": "41"}]},
        {"chips": [{"npu_id": True, "chip_id": 0, "name": "910B3", "health": "OK"}]},
        {"processes": [{"pid": "x"}]},
        {"processes": 7},
        {"host": {"cpu_pct": "high"}},
        {"problems": [{"code": "timeout"}]},
    ],
)
def test_what_is_no_reading_says_so(broken: dict[str, Any]) -> None:
    document = {**to_json(READING, (), tell), **broken}
    with pytest.raises(ParseError) as caught:
        from_json(document)
    assert caught.value.problem.code == "unreadable"


@given(st.integers(0, 4_000_000_000_000))
def test_times_keep_their_milliseconds(ms: int) -> None:
    assert round(unix(iso(ms / 1000)) * 1000) == ms


@pytest.mark.parametrize("name", ["elapsed_s", "period_s", "aicore_pct", "temp_c"])
@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**30, -(10**30), {}, "nan"])
def test_numbers_that_are_none_make_no_reading(name: str, value: Any) -> None:
    document: dict[str, Any] = {
        "schema": "npuscope.snapshot/1",
        "taken_at": "2026-01-02T03:04:05Z",
        "source": {"kind": "x"},
    }
    chip = {"npu_id": 0, "chip_id": 0, "name": "910B3", "health": "OK"}
    if name.endswith("_s"):
        document[name] = value
    else:
        document["chips"] = [{**chip, name: value}]
    with pytest.raises(ParseError):
        from_json(document)
