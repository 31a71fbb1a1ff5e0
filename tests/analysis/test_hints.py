"""Hints: when each is given, and when it must not be."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from npuscope.analysis.live.hints import RULES, Hint, baseline_mb, hints, names_of
from npuscope.analysis.live.history import History
from npuscope.parsers.readings import Chip, Host, LocalProcess, NpuProcess, Reading, SourceInfo
from npuscope.parsers.say import Problem, say
from npuscope.tui import text

SOURCE = SourceInfo("npu-smi")
GB = 1024


def chip(
    npu: int = 0, die: int = 0, pct: int | None = 0, watts: float | None = 95.0, mb: int = 3400, **more: object
) -> Chip:
    made = Chip(npu, die, "910B3", "OK", power_w=watts, aicore_pct=pct, hbm_used_mb=mb, hbm_total_mb=65536)
    return replace(made, **more)  # type: ignore[arg-type]


def process(npu: int = 0, pid: int = 7, mb: int = 60 * GB, **more: object) -> NpuProcess:
    return replace(NpuProcess(npu, 0, pid, "python3", mb, local=True), **more)  # type: ignore[arg-type]


def reading(*chips: Chip, at: float = 1000.0, processes: Sequence[NpuProcess] = (), **more: object) -> Reading:
    made = Reading(at, 0.1, SOURCE, chips=chips, processes=tuple(processes), host=Host())
    return replace(made, **more)  # type: ignore[arg-type]


def given(*readings: Reading, profiling: bool = False) -> list[Hint]:
    history = History()
    for one in readings:
        history.append(one)
    return list(hints(history, profiling))


def codes(found: list[Hint]) -> list[tuple[str, int | None, int | None]]:
    return [(hint.code, hint.npu_id, hint.chip_id) for hint in found]


def said(hint: Hint, language: str = "en") -> str:
    text.set_language(language)
    try:
        assert text.told(hint.short)
        return text.told(hint.text)
    finally:
        text.set_language("en")


def test_an_idle_healthy_box_gives_no_hint() -> None:
    assert given(reading(chip(0), chip(1), chip(2, die=1))) == []
    assert given() == []
    assert given(reading()) == []


@pytest.mark.parametrize("health", ["Warning", "Alarm", "Critical", "UNKNOWN", "-"])
def test_health(health: str) -> None:
    (hint,) = given(reading(chip(3, health=health)))
    assert codes([hint]) == [("health-not-ok", 3, 0)]
    assert health in said(hint) and "npu-smi info -t health -i 3 -c 0" in said(hint)


def test_health_of_a_950_is_asked_without_a_chip() -> None:
    (hint,) = given(reading(chip(3, health="Alarm", name="Ascend950PR")))
    assert "-t health -i 3 shows" in said(hint)


@pytest.mark.parametrize(
    ("name", "own"),
    [("910B3", 4403), ("Ascend910", 4403), ("310P3", 1946), ("310", 2900), ("Ascend950PR", 5120), ("310B4", None)],
)
def test_the_driver_s_own_memory(name: str, own: int | None) -> None:
    assert baseline_mb(chip(name=name)) == own


def test_memory_without_process() -> None:
    found = given(reading(chip(0, mb=62772), chip(1, mb=4403), chip(2, mb=9000), processes=[process(2, mb=100)]))
    assert codes(found) == [("hbm-held-no-process", 0, 0)]
    assert said(found[0]) == ("Chip 0 holds 61.3 GB and no process is visible. A defunct parent, or another container?")


def test_memory_of_a_whole_box_without_processes_is_one_sentence_with_its_time() -> None:
    ending = "A defunct parent, or another container?"
    even = given(reading(*(chip(n, mb=62768) for n in range(8))))
    assert len(codes(even)) == 8 and len({said(hint) for hint in even}) == 1
    assert said(even[3]) == f"Chips 0-7 hold 61.3 GB each and no process is visible. {ending}"
    uneven = given(reading(chip(0, mb=20 * GB), chip(1, mb=60 * GB)))
    assert said(uneven[0]) == f"Chips 0-1 hold 80.0 GB together and no process is visible. {ending}"
    at = time.mktime((2026, 1, 2, 2, 21, 23, 0, 0, -1))
    box = [reading(*(chip(n, pct=90, mb=62768) for n in range(8)), at=at - s, processes=[]) for s in range(9, 0, -1)]
    dropped = given(*box, *(reading(*(chip(n, mb=62768) for n in range(8)), at=at + s) for s in range(3)))
    assert said(dropped[0]) == f"Chips 0-7 hold 61.3 GB each and no process is visible. Busy until 02:21:23. {ending}"
    one = given(reading(chip(3, pct=90, mb=62768), at=at - 1), reading(chip(3, mb=62768), at=at))
    assert said(one[0]) == f"Chip 3 holds 61.3 GB and no process is visible. Busy until 02:21:23. {ending}"
    for hint in (*even, *uneven, *dropped, *one):
        assert said(hint, "zh") != said(hint)


def test_no_process_table_no_claim() -> None:
    assert given(reading(chip(0, mb=62772), processes_known=False)) == []


def test_memory_of_a_chip_without_hbm() -> None:
    duo = Chip(2, 1, "310P3", "OK", aicore_pct=0, memory_used_mb=21412, memory_total_mb=43693)
    (hint,) = given(reading(duo))
    assert said(hint).startswith("Chip 2/1 holds 20.9 GB")


def test_busy_at_idle_power_is_a_question() -> None:
    found = given(reading(chip(7, pct=100, watts=101.4), chip(1, pct=100, watts=305.0), chip(2, pct=95, watts=301.0)))
    assert codes(found) == [("busy-low-power", 7, 0)]
    assert said(found[0]) == (
        "Chip 7 says 100 % busy but draws 101 W; its neighbours draw 303 W. Is it waiting in a loop?"
    )


@pytest.mark.parametrize(
    "other",
    [
        None,
        chip(1, pct=0, watts=305.0),
        chip(1, pct=100, watts=305.0, name="910B1"),
        chip(1, pct=100, watts=None),
        chip(1, pct=100, watts=200.0),
    ],
)
def test_without_a_reference_there_is_no_power_hint(other: Chip | None) -> None:
    chips = [chip(0, pct=100, watts=101.0), *([other] if other else [])]
    assert "busy-low-power" not in [code for code, _, _ in codes(given(reading(*chips)))]


def work(values: Sequence[int], chips: int = 8, processes: int = 8) -> list[Reading]:
    """A box whose chips all have these values, one reading a second."""
    rows = [process(n % chips, pid=100 + n, mb=62 * GB) for n in range(processes)]
    return [
        reading(*(chip(n, pct=value) for n in range(chips)), at=1000.0 + second, processes=rows)
        for second, value in enumerate(values)
    ]


def test_chips_that_fell_off_the_bus() -> None:
    at = time.mktime((2026, 1, 2, 2, 21, 23, 0, 0, -1))
    box = [chip(n, pct=30) for n in range(8)]
    left = [one for one in box if one.npu_id not in (2, 3)]
    found = given(reading(*box, at=at - 1), reading(*left, at=at), reading(*left, at=at + 9))
    assert codes(found) == [("chip-gone", None, None)]
    assert said(found[0]).startswith("Chips 2-3 are gone since 02:21:23: npu-smi no longer lists them.")
    one_more = given(reading(*box, at=at - 1), reading(*left, at=at), reading(*left[1:], at=at + 9))
    assert codes(one_more) == [("chip-gone", None, None), ("chip-gone", 0, 0)]
    assert given(reading(*box, at=at - 1), reading(*left, at=at), reading(*box, at=at + 1)) == []


@pytest.mark.parametrize("code", ["truncated", "timeout"])
def test_a_cut_table_is_no_proof_that_a_chip_is_gone(code: str) -> None:
    cut = Problem(code, say("smi.recorded", text="cut"))
    assert given(reading(chip(0), chip(1)), reading(chip(0), at=1001.0, problems=(cut,))) == []
    none = reading(at=1001.0, problems=(Problem("dcmi-8005", say("smi.recorded", text="no")),))
    assert given(reading(chip(0), chip(1)), none, reading(chip(0), chip(1), at=1002.0)) == []


def test_sudden_stop() -> None:
    found = given(*work([90] * 40 + [0] * 12))
    assert codes(found) == [("sudden-stop", None, None)]
    sentence = said(found[0])
    assert sentence.startswith("Chips 0-7 went from busy to 0 % at ")
    assert sentence.endswith(", 11 s ago, while 8 processes hold 62.0 GB each. Stalled, or starved by the host?")


@pytest.mark.parametrize(
    "readings",
    [
        work([90] * 40 + [0] * 4),
        work([20] * 40 + [0] * 12),
        work([90] * 40 + [0] * 12, processes=0),
        work([90] * 40 + [0] * 12, chips=1, processes=1),
        work([90] * 40 + [0] * 8 + [3] + [0] * 3),
    ],
)
def test_no_sudden_stop(readings: list[Reading]) -> None:
    assert "sudden-stop" not in [hint.code for hint in given(*readings)]


def test_zero_while_profiling_is_no_stop() -> None:
    found = given(*work([90] * 40 + [0] * 12, chips=2, processes=2), profiling=True)
    assert codes(found) == [("profiling-conflict", 0, 0), ("profiling-conflict", 1, 0)]


def test_all_idle_with_memory_held() -> None:
    found = given(*work([0, 0], chips=2, processes=2))
    assert codes(found) == [("all-idle-memory-held", None, None)]
    assert "2 processes hold 62.0 GB each" in said(found[0])
    uneven = reading(chip(0), chip(1), processes=[process(0, 1, 2 * GB), process(1, 2, 50 * GB)])
    assert "2 processes hold 52.0 GB together" in said(given(uneven)[0])
    one = reading(chip(0), chip(1), processes=[process(0, 1, 30 * GB), process(1, 1, 20 * GB)])
    assert "process 1 holds 50.0 GB" in said(given(one)[0])


def test_not_all_idle() -> None:
    rows = [process(0)]
    assert given(reading(chip(0), chip(1, pct=1), processes=rows)) == []
    assert given(reading(chip(0), chip(1, pct=None), processes=rows)) == []
    assert given(reading(chip(0), processes=[process(0, mb=100)])) == []


def test_host_bound() -> None:
    local = {7: LocalProcess(7, cpu_pct=98.0)}
    rows = [process(0), process(1)]
    found = given(reading(chip(0, pct=12), chip(1, pct=20), processes=rows, local=local))
    assert codes(found) == [("host-bound", 0, 0)]
    assert said(found[0]) == (
        "Process 7 keeps one core full (98 %) while chips 0-1 work at 16 %. Is the host the bottleneck?"
    )


@pytest.mark.parametrize(
    ("pct", "cpu"), [(12, 60.0), (12, 800.0), (12, None), (70, 98.0)], ids=["half a core", "many", "unknown", "busy"]
)
def test_not_host_bound(pct: int, cpu: float | None) -> None:
    local = {7: LocalProcess(7, cpu_pct=cpu)}
    assert given(reading(chip(0, pct=pct), processes=[process(0)], local=local)) == []


def test_a_counter_held_by_the_profiler() -> None:
    (hint,) = given(reading(chip(0, pct=None, aicore_note="profiling (239)"), chip(1, pct=60)))
    assert codes([hint]) == [("profiling-conflict", 0, 0)]
    assert given(reading(chip(0, pct=60)), profiling=True) == []


def test_pids_of_elsewhere() -> None:
    rows = [process(0, pid=1, local=False), process(0, pid=2, local=False), process(1, pid=3, local=True)]
    context = process(1, pid=1, mb=90, local=False, context_only=True)
    found = given(reading(chip(0, pct=5), chip(1, pct=5), processes=[*rows, context]))
    assert codes(found) == [("pid-not-visible", 0, 0)]
    assert found[0].text.params["count"] == 2


def test_a_recording_of_elsewhere_tells_nothing_about_pids_here() -> None:
    rows = [process(0, local=False)]
    assert given(reading(chip(0, pct=5), processes=rows, host=None)) == []


def test_room() -> None:
    busy = work([90] + [30] * 61, chips=2, processes=0)
    assert codes(given(*busy)) == [("room", 0, 0), ("room", 1, 0)]
    assert said(given(*busy)[0]) == ("Chip 0 works at 30 % AI Core, never over 40 % for 60 s: there is room for more.")
    assert given(*busy[:-1]) == []
    assert given(*work([0] * 70, chips=2, processes=0)) == []
    assert given(*busy, profiling=True) == []


def test_names() -> None:
    box = reading(*(chip(n) for n in range(6)))
    assert names_of([(0, 0), (2, 0), (3, 0), (5, 0)], box) == "0, 2-3, 5"
    dies = reading(*(chip(n, die) for n in range(3) for die in (0, 1)))
    assert names_of([(0, 0), (0, 1)], dies) == "0/0, 0/1"
    assert names_of([c.key for c in dies.chips], dies) == "0/0, 0/1, 1/0, …, 2/1"


def test_every_sentence_is_there_in_both_languages() -> None:
    boxes = [
        reading(chip(0, health="Alarm", pct=100, watts=90.0), chip(1, pct=100, watts=300.0), chip(2, mb=60000)),
        reading(chip(0, pct=None, aicore_note="profiling (239)"), processes=[process(0, local=False)]),
        reading(chip(0, pct=9), processes=[process(0)], local={7: LocalProcess(7, cpu_pct=99.0)}),
    ]
    found = [hint for box in boxes for hint in given(box)]
    found += given(*work([0, 0])) + given(*work([90] * 40 + [0] * 12)) + given(*work([30] * 62))
    found += given(reading(chip(0), chip(1)), reading(chip(0), at=1001.0))
    assert len({hint.code for hint in found}) == len(RULES)
    for hint in found:
        assert said(hint) and said(hint, "zh") and said(hint) != said(hint, "zh")
