"""Hints about chips that stop, and what must not be said beside a stop."""

from __future__ import annotations

import math

import pytest
from tests.analysis.test_hints import GB, chip, codes, given, process, reading, said, work

from npuscope.parsers.readings import Reading


def swinging(chips: int, seconds: int, then_zero: int) -> list[Reading]:
    """A load that swings between 5 and 95 %, each chip at another height, and is then 0 everywhere at once."""
    rows = [process(n, pid=100 + n, mb=62 * GB) for n in range(chips)]
    heights = [[int(50 + 45 * math.sin(second / 7 + n)) for n in range(chips)] for second in range(seconds)]
    values = [*heights, *([0] * chips for _ in range(then_zero))]
    return [
        reading(*(chip(n, pct=pct) for n, pct in enumerate(row)), at=1000.0 + second, processes=rows)
        for second, row in enumerate(values)
    ]


@pytest.mark.parametrize("seconds", [60, 65, 71, 77])
def test_a_swinging_load_that_stops_names_every_chip_and_no_room(seconds: int) -> None:
    found = given(*swinging(8, seconds, 12))
    assert codes(found) == [("sudden-stop", None, None)]
    assert said(found[0]).startswith("Chips 0-7 went from busy to 0 % at ")


def test_a_load_with_many_pauses_has_not_stopped() -> None:
    assert "sudden-stop" not in [hint.code for hint in given(*work([90, 0, 0, 0, 0] * 12 + [0] * 8))]


def test_no_room_is_said_of_a_chip_at_0_nor_beside_a_stop() -> None:
    low = work([30] * 60 + [0] * 3, chips=2, processes=0)
    assert given(*low) == []
    rows = [process(n, pid=100 + n) for n in range(3)]
    mixed = [
        reading(
            chip(0, pct=90 if s < 70 else 0), chip(1, pct=90 if s < 70 else 0), chip(2, pct=20), at=s, processes=rows
        )
        for s in range(80)
    ]
    assert [hint.code for hint in given(*mixed)] == ["sudden-stop"]
    assert [hint.code for hint in given(*mixed[:70])] == ["room"]
