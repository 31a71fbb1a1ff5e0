"""When a change is spoken of: times are handed in, so nothing here waits."""

from __future__ import annotations

import math

from npuscope.sources.quiet import GATHER_S, SPACING_S, Quiet


def test_nothing_waits_at_first():
    quiet = Quiet(3.0)
    assert quiet.due(100.0) == []
    assert quiet.next_at() == math.inf


def test_a_change_is_told_soon_and_again_when_it_settled():
    quiet = Quiet(3.0)
    quiet.touch("a", 10.0)
    assert quiet.due(10.0) == []
    assert quiet.next_at() == 10.0 + GATHER_S
    assert quiet.due(10.1) == ["a"]
    assert quiet.due(12.9) == []
    assert quiet.due(13.0) == ["a"]
    assert quiet.next_at() == math.inf


def test_every_settle_time_counts_from_the_last_change():
    quiet = Quiet(3.0, 30.0)
    quiet.touch("a", 0.0)
    told = [now for now in range(1, 100) if quiet.due(float(now))]
    assert told == [1, 3, 30]


def test_a_file_that_grows_is_told_once_a_second_not_once_a_write():
    quiet = Quiet(3.0)
    told = []
    for tick in range(640):
        now = tick / 128
        quiet.touch("a", now)
        told += [now for _ in quiet.due(now)]
    assert 5 <= len(told) <= 6
    assert min(later - earlier for earlier, later in zip(told, told[1:])) >= SPACING_S


def test_a_change_after_settling_starts_anew():
    quiet = Quiet(3.0)
    quiet.touch("a", 0.0)
    assert quiet.due(1.0) == ["a"]
    quiet.touch("a", 2.9)
    assert quiet.due(3.0) == ["a"]  # the change at 2.9, not the settling of the one at 0
    assert quiet.due(5.8) == []
    assert quiet.due(5.9) == ["a"]


def test_an_expected_key_is_told_only_when_it_settled():
    quiet = Quiet(3.0)
    quiet.expect("a", 0.0)
    assert quiet.due(2.0) == []
    assert quiet.due(3.0) == ["a"]
    assert quiet.due(100.0) == []


def test_expecting_does_not_hide_a_change():
    quiet = Quiet(3.0)
    quiet.touch("a", 0.0)
    quiet.expect("a", 0.0)
    assert quiet.due(0.5) == ["a"]


def test_keys_do_not_mix():
    quiet = Quiet(3.0)
    quiet.touch("a", 0.0)
    quiet.touch("b", 1.0)
    assert quiet.due(0.5) == ["a"]
    assert quiet.due(1.5) == ["b"]
    assert quiet.due(3.5) == ["a"]
    assert quiet.due(4.5) == ["b"]


def test_wider_spacing_holds_back_what_goes_on():
    quiet = Quiet(3.0)
    quiet.spacing_s = 10.0
    quiet.touch("a", 0.0)
    assert quiet.due(0.1) == ["a"]
    quiet.touch("a", 0.2)
    assert quiet.due(5.0) == []
    assert quiet.due(10.1) == ["a"]
