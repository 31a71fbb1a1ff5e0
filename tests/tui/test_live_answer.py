"""The two sentences over the Live screen, in both languages and within their lines."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from rich.cells import cell_len

from npuscope.analysis.live.hints import Hint
from npuscope.parsers.readings import Chip, Host, NpuProcess, Reading, SourceInfo
from npuscope.parsers.say import Problem, Say, say
from npuscope.tui import text
from npuscope.tui.live.answer import answer_of, in_two_lines
from npuscope.tui.live.meta import Steady, chips_rule, processes_rule
from npuscope.tui.live.notes import notes_of, told
from npuscope.tui.live.state import LiveState

NOON = time.mktime((2026, 1, 2, 12, 0, 0, 0, 0, -1))


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    text.set_language("en")
    yield
    text.set_language("en")


def chips(*values: int | None, name: str = "910B3") -> tuple[Chip, ...]:
    return tuple(
        Chip(n, 0, name, "OK", power_w=300.0, aicore_pct=value, hbm_used_mb=62_000, hbm_total_mb=65_536)
        for n, value in enumerate(values)
    )


def state(*values: int | None, **more: object) -> LiveState:
    made = chips(*values)
    processes = tuple(NpuProcess(n, 0, 500 + n, "python3", 61_440) for n in range(len(made)))
    reading = Reading(NOON, 0.3, SourceInfo("made", tool_version="24.1.0"), 1.0, made, processes)
    given = {"now": NOON, "reading": reading, "chips": made, **more}
    return LiveState(**given)  # type: ignore[arg-type]


def hint(code: str, key: tuple[int, int] | None = None, text: Say | None = None) -> Hint:
    npu, chip = key if key is not None else (None, None)
    return Hint(code, npu, chip, text or say("smi.recorded", text=f"{code} of {npu}."), say("smi.recorded", text=code))


LOW = hint("busy-low-power", (7, 0), say("smi.low-power", chip="7", pct=100, watts=101.0, others=305.0))


def test_all_well():
    answer = answer_of(state(*[86] * 8), 120)
    assert (answer.kind, answer.first, answer.second) == ("info", "8 chips work at 86 % AI Core on average.", "")
    text.set_language("zh")
    assert answer_of(state(*[86] * 8), 120).first == "8 个芯片平均 AI Core 利用率 86 %。"


def test_who_works_who_is_idle_and_who_has_room():
    rooms = (hint("room", (2, 0)),)
    answer = answer_of(state(90, 80, 20, 0, hints=rooms), 120)
    assert answer.first == "3 chips work at 63 % AI Core on average."
    assert answer.second == "Chip 2 has room; chip 3 is idle."


def test_all_idle():
    busy = state(0, 0)
    assert answer_of(busy, 120).first == "All 2 chips are idle."
    assert answer_of(busy, 120).second == "2 processes hold 120.0 GB."
    free = replace(busy, reading=replace(busy.reading, processes=()))
    assert answer_of(free, 120).first == "All 2 chips are idle; no process holds memory."
    unlisted = replace(free, reading=replace(free.reading, processes_known=False))
    assert answer_of(unlisted, 120).first == "All 2 chips are idle."
    text.set_language("zh")
    assert answer_of(free, 120).first == "2 个芯片都空闲，没有进程占用显存。"


def test_a_hint_stands_first_and_the_others_follow():
    profiled = hint("profiling-conflict", (6, 0))
    answer = answer_of(state(97, 97, 97, 97, 36, 92, None, 100, hints=(LOW, profiled)), 120)
    assert answer.kind == "warn"
    assert answer.first == (
        "Chip 7 says 100 % busy but draws 101 W; its neighbours draw 305 W. Is it waiting in a loop?"
    )
    assert answer.second == (
        "The others: 6 chips work at 86 % on average; chip 6 is being profiled, so it gives no reading."
    )
    narrow = answer_of(state(97, 97, 97, 97, 36, 92, None, 100, hints=(LOW, profiled)), 80)
    assert narrow.first == "Chip 7 says 100 % busy but draws 101 W; its neighbours draw 305 W."
    assert narrow.second == "Is it waiting in a loop? The others: 6 chips work at 86 % on average."


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 100, 120, 150])
def test_every_answer_keeps_within_its_lines(language, width):
    text.set_language(language)
    hints = (LOW, hint("health-not-ok", (5, 0)), hint("room", (1, 0)), hint("profiling-conflict", (6, 0)))
    for several in (hints, hints[1:], hints[2:], ()):
        answer = answer_of(state(97, 20, 97, 97, 36, 92, None, 100, hints=several), width)
        assert cell_len(answer.second) <= width - 4
        assert cell_len(answer.first) <= width - 4


def test_the_most_pressing_hint_is_the_first_line():
    box = hint("sudden-stop", None, say("smi.recorded", text="All stopped."))
    answer = answer_of(state(0, 0, hints=(hint("health-not-ok", (1, 0)), box), stopped={(0, 0): NOON}), 120)
    assert answer.first == "All stopped."
    text_of_others = answer_of(state(0, 90, hints=(hint("health-not-ok", (1, 0)), box), stopped={(0, 0): NOON}), 120)
    assert text_of_others.second == "1 chip works at 90 %; look at chip 1 too."


def test_a_source_that_does_not_answer():
    problem = Problem("timeout", say("smi.timeout", us=1e7), Say("smi.hint-timeout"))
    answer = answer_of(state(86, now=NOON + 12, problem=problem), 120)
    assert answer.kind == "bad"
    assert answer.first == "npu-smi has not answered for 12 s; the values are from 12:00:00. Trying again every 30 s."
    assert answer.second == text.told(Say("smi.hint-timeout"))
    later = answer_of(state(86, now=NOON + 200, problem=problem), 120)
    assert "for 3 min;" in later.first
    text.set_language("zh")
    said = answer_of(state(86, now=NOON + 12, problem=problem), 120)
    assert said.first == "npu-smi 已 12 秒未响应，数值停在 12:00:00，每 30 秒重试。"


def test_another_failure_is_told_in_the_tools_words_with_the_age_of_the_values():
    line = "dcmi module initialize failed. ret is -8005"
    problem = Problem("dcmi-8005", say("smi.says", line=line), Say("smi.hint-dcmi-8005"))
    answer = answer_of(state(86, now=NOON + 5, problem=problem), 120)
    assert line in answer.first
    assert answer.second.startswith("The values are from 12:00:00, 5 s ago.")
    never = LiveState(now=NOON, reading=Reading(NOON, 0.1, SourceInfo("made")), problem=problem)
    assert answer_of(never, 120).kind == "bad"
    assert "The values" not in answer_of(never, 120).second


def test_a_cut_table_says_which_chips_are_older():
    cut = Problem("truncated", say("smi.cut-after-exit", npu=2, chip=0, returncode=137), Say("smi.hint-cut"))
    whole = state(0, 10, 20, 30, 40)
    reading = replace(whole.reading, chips=whole.chips[:3], problems=(cut,))
    answer = answer_of(replace(whole, reading=reading, stale={(3, 0): NOON - 8, (4, 0): NOON - 8}), 120)
    assert answer.kind == "warn"
    assert "137" in answer.first
    assert answer.second == "Chips 3, 4 are shown as of 11:59:52."
    assert answer_of(replace(whole, reading=reading), 120).second.startswith("The next reading may be whole.")


def test_paused_says_so_and_keeps_the_answer_under_it():
    answer = answer_of(state(*[86] * 8), 120, paused=True)
    assert answer.first == "Paused at 12:00:00; reading goes on. space: go on"
    assert answer.second == "8 chips work at 86 % AI Core on average."


def test_before_anything_was_read():
    assert answer_of(LiveState(now=0.0), 120).kind == "none"
    assert "first reading" in answer_of(LiveState(now=0.0), 120).first


def test_cards_are_called_cards_and_dies_dies():
    dies = tuple(
        Chip(n, d, "Ascend910", "OK", aicore_pct=0 if n == 5 else 90, hbm_used_mb=1, hbm_total_mb=65_536)
        for n in range(8)
        for d in (0, 1)
    )
    answer = answer_of(state(chips=dies), 120)
    assert answer.first == "14 dies work at 90 % AI Core on average."
    assert answer.second == "Card 5 is idle."


def test_sentences_are_parted_between_sentences():
    assert in_two_lines("One. Two is long.", 8) == ("One.", "Two is long.")
    assert in_two_lines("短句。第二句很长。", 8) == ("短句。", "第二句很长。")
    assert in_two_lines("no end in sight at all", 8) == ("no end in sight at all", "")
    assert in_two_lines("fits", 8) == ("fits", "")


# ---- notes and rules


def test_notes_long_and_short():
    said = state(36, 0, None, 100, hints=(hint("room", (0, 0)), hint("profiling-conflict", (2, 0)), LOW))
    notes = notes_of(replace(said, stale={(1, 0): NOON - 8}))
    assert {key: told(note, 24) for key, note in notes.items()} == {
        (0, 0): "< 40 % for 60 s: room",
        (1, 0): "as of 11:59:52",
        (2, 0): "profiling: no reading",
        (7, 0): "busy at idle power?",
    }
    assert [told(notes[key], 12) for key in ((0, 0), (2, 0), (7, 0))] == ["room", "profiling", "idle power?"]
    assert (notes[0, 0].warn, notes[7, 0].warn) == (False, True)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_note_fits_its_column(language):
    text.set_language(language)
    words = text.load(language)
    for key in words:
        if key.startswith("live.note."):
            assert cell_len(text.t(key, at="22:09:52")) <= (12 if key.endswith(".short") else 24), key


def rule_of(width: int, host: str = "a2-07", **more: object) -> tuple[str, str, str]:
    said = state(*[97] * 8)
    machine = Host(23.0, 12.1, 192, 61.0)
    return chips_rule(replace(said, reading=replace(said.reading, host=machine, **more)), width, host, Steady())


def test_the_rule_over_the_chips():
    assert rule_of(120) == (
        "Chips",
        "8 × 910B3   npu-smi 24.1.0",
        "every 1.0 s, took 0.30   host CPU 23 %, load 12 of 192, memory 61 %",
    )
    assert rule_of(80) == ("8 × 910B3", "", "a2-07  every 1.0 s (0.30)  host CPU 23 % load 12 mem 61 %")
    title, _, moving = rule_of(80, host="ip-10-22-33-44.internal")
    assert cell_len(title) + cell_len(moving) + 8 <= 80
    assert "took 0.30 s" in rule_of(120, period_s=None)[2]


def test_a_trembling_period_stands_still():
    steady = Steady()
    assert steady.value("period", 1.0) == 1.0
    assert steady.value("period", 1.04) == 1.0
    assert steady.value("period", 1.2) == 1.2
    assert steady.value("took", 0.0) == 0.0
    assert steady.value("took", 0.004) == 0.0


def test_the_rule_over_the_processes():
    assert processes_rule(120, 4, 8, 8, "hbm", "", False) == ("Processes", "by HBM   4 of 8, p: all")
    assert processes_rule(80, 4, 3, 3, "cpu", "", False) == ("Processes by CPU", "")
    assert processes_rule(120, 4, 2, 2, "hbm", "chip 4", True)[1] == "by HBM   marked: of chip 4"
    assert "no visible process" in processes_rule(120, 4, 2, 2, "hbm", "chip 4", False)[1]


def test_the_title_tells_an_overdue_reading_and_the_period_from_the_start():
    late = state(86, late_s=15.0)
    assert "values are 15 s old" in chips_rule(late, 120, "", Steady())[2]
    assert "values are 15 s old" in chips_rule(late, 80, "a2-07", Steady())[2]
    well = state(86)
    first = replace(well, reading=replace(well.reading, period_s=None))
    for width in (80, 120):
        assert "every 30.0 s" in chips_rule(first, width, "", Steady(), 30.0)[2]


def test_a_sentence_about_several_chips_does_not_point_at_them_again():
    text_of_all = say("smi.held-each", chips="0-1", mb=62_768.0)
    held = tuple(hint("hbm-held-no-process", (n, 0), text_of_all) for n in (0, 1))
    answer = answer_of(state(0, 0, 90, hints=held), 120)
    assert "look at" not in answer.second and "1 chip works at 90 %" in answer.second


def test_one_card_of_two_dies():
    dies = tuple(Chip(0, n, "Ascend910", "OK", aicore_pct=9, hbm_used_mb=9, hbm_total_mb=65_536) for n in (0, 1))
    assert chips_rule(replace(state(1), chips=dies), 80, "", Steady())[0] == "1 card, 2 dies"


@pytest.mark.parametrize("width", [80, 100, 120])
def test_an_advice_that_fits_two_lines_is_not_cut(width):
    line = "dcmi module initialize failed. ret is -8005"
    advice = say("smi.recorded", text="x" * 10 + " word" * ((2 * width - 133) // 5))
    problem = Problem("dcmi-8005", say("smi.says", line=line), advice)
    answer = answer_of(state(86, now=NOON + 5, problem=problem), width)
    assert cell_len(answer.first) <= width - 4 and cell_len(answer.second) <= width - 4
    assert f"{answer.first} {answer.second}".endswith(" word")
