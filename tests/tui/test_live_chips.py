"""Rows of chips: names, dies of one card, memory without HBM, filter and order."""

from __future__ import annotations

import pytest

from npuscope.parsers.readings import Chip
from npuscope.tui.filtering import FilterError, parse
from npuscope.tui.live.chips import (
    NUMBER_FIELDS,
    TEXT_FIELDS,
    Note,
    has_two_dies,
    lines_of,
    matches,
    memory_mb,
    severity,
    sort_value,
    traits,
)
from npuscope.tui.live.meta import memory_head


def chip(npu: int, die: int = 0, **values: object) -> Chip:
    made = {"name": "910B3", "health": "OK", "hbm_used_mb": 32_768, "hbm_total_mb": 65_536, **values}
    return Chip(npu, die, **made)  # type: ignore[arg-type]


def duo(npu: int, die: int) -> Chip:
    return chip(
        npu, die, name="310P3", hbm_used_mb=None, hbm_total_mb=None, memory_used_mb=3400, memory_total_mb=21_534
    )


def lines(*chips: Chip, **notes: Note):
    by_key = {chip.key: notes[f"n{chip.npu_id}"] for chip in chips if f"n{chip.npu_id}" in notes}
    return lines_of(chips, by_key, {}, {}, lambda note: note.key)


def test_a_chip_is_called_by_its_npu_and_by_both_where_a_card_has_several():
    assert [line.label for line in lines(chip(0), chip(2144))] == ["0", "2144"]
    assert [line.label for line in lines(duo(1, 0), duo(1, 1), duo(4, 0))] == ["1/0", "1/1", "4/0"]
    assert traits([duo(2144, 0), duo(2144, 1)]).label == 6


def test_two_dies_of_one_card_share_a_row():
    cards = [chip(n, d, power_w=162.8 if d == 0 else None, aicore_pct=10 * n + d) for n in (0, 1) for d in (0, 1)]
    found = lines(*cards)
    assert [line.label for line in found] == ["0", "1"]
    assert found[1].keys == ((1, 0), (1, 1))
    assert found[0].power_w == 162.8
    assert sort_value(found[1], "core") == 11
    assert traits(cards).dies == 2


def test_two_chips_without_hbm_or_one_die_of_a_card_are_rows_of_their_own():
    assert not has_two_dies([duo(1, 0), duo(1, 1)])
    assert not has_two_dies([chip(0, 0), chip(0, 1), chip(1, 0)])
    assert not has_two_dies([])


def test_the_worst_die_gives_the_health_of_the_card():
    (line,) = lines(chip(0, 0), chip(0, 1, health="Alarm"))
    assert (line.health, line.attention) == ("Alarm", True)
    assert severity("Strange") == severity("UNKNOWN") > severity("Critical") > severity("Warning") > severity("OK")


def test_attention_is_for_what_wants_a_look():
    quiet, loud = lines(chip(0), chip(1), n0=Note("room"), n1=Note("held", warn=True))
    assert (quiet.attention, loud.attention) == (False, True)


def test_memory_is_hbm_or_ddr():
    assert memory_mb(chip(0)) == (32_768, 65_536)
    assert memory_mb(duo(1, 0)) == (3400, 21_534)
    # 910A has both: HBM counts
    assert memory_mb(chip(0, memory_used_mb=1, memory_total_mb=15_000)) == (32_768, 65_536)
    assert memory_head([chip(0), chip(1)]) == ("hbm", 64.0)
    assert memory_head([duo(1, 0)]) == ("ddr", pytest.approx(21.03, abs=0.01))
    assert memory_head([chip(0), chip(1, hbm_total_mb=32_768)]) == ("hbm", None)


def test_what_the_columns_must_show():
    assert not traits([chip(0)]).mhz
    assert traits([chip(0), chip(1, aicore_mhz=1800)]).mhz
    assert traits([chip(0, hbm_bandwidth_pct=3)]).engines == ("bandwidth",)
    assert traits([chip(0), chip(1, name="310P3")]).mixed
    assert traits([chip(0), chip(1, hbm_total_mb=32_768)]).totals_differ


def kept(text: str, *chips: Chip, **notes: Note) -> list[str]:
    conditions = parse(text, TEXT_FIELDS, NUMBER_FIELDS)
    found = lines(*chips, **notes)
    return [line.label for line in found if matches(line, conditions, line.note.key if line.note else "")]


BOX = (
    chip(0, aicore_pct=35, hbm_used_mb=60_000, power_w=120.0, temp_c=50),
    chip(1, aicore_pct=98, hbm_used_mb=60_000, power_w=305.0, temp_c=66),
    chip(2, aicore_pct=12, hbm_used_mb=3_000, power_w=95.0, temp_c=41, health="Warning"),
    chip(3, aicore_pct=None, hbm_used_mb=None),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("util<40 & hbm>50", ["0"]),
        ("health!=OK", ["2"]),
        ("health=warn", ["2"]),
        ("w>=300", ["1"]),
        ("c<45", ["2"]),
        ("hbm%>90", ["0", "1"]),
        ("npu=3", ["3"]),
        ("910b3", ["0", "1", "2", "3"]),
        ("Warning", ["2"]),
        ("util>=0", ["0", "1", "2"]),
        ("", ["0", "1", "2", "3"]),
    ],
)
def test_filters(text, expected):
    assert kept(text, *BOX) == expected


def test_a_card_matches_when_one_die_meets_everything():
    card = (chip(5, 0, aicore_pct=10, temp_c=70), chip(5, 1, aicore_pct=90, temp_c=40))
    assert kept("util>50", *card) == ["5"]
    assert kept("util>50 & c>60", *card) == []


def test_a_filter_by_note_and_by_the_command_on_the_chip():
    assert kept("note=room", *BOX, n1=Note("room")) == ["1"]
    found = lines_of(BOX, {}, {}, {(2, 0): "python3 train.py li"}, lambda note: "")
    conditions = parse("train", TEXT_FIELDS, NUMBER_FIELDS)
    assert [line.label for line in found if matches(line, conditions, "")] == ["2"]


def test_an_unknown_field_is_refused():
    with pytest.raises(FilterError):
        kept("memory>3", *BOX)


@pytest.mark.parametrize(
    ("column", "expected"),
    [("npu", 2), ("health", 1), ("core", 12), ("hbm", 3000 / 1024), ("power", 95.0), ("temp", 41), ("mhz", None)],
)
def test_what_a_column_sorts_by(column, expected):
    assert sort_value(lines(*BOX)[2], column) == expected
