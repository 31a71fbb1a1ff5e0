"""Records as JSON by their declared types: what goes in comes out, and nothing else is let in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pytest
from same_records import spelled

from npuscope.parsers.profile import IgnoredFile, Metadata, Profile, Run
from npuscope.parsers.say import Problem, Say, say
from npuscope.parsers.table import Strings, Table
from npuscope.sources.mapped import DamagedError
from npuscope.sources.records import pack, unpack


@dataclass(frozen=True)
class Odd:
    number: float
    pair: tuple[int, str]
    many: tuple[bool, ...]
    named: Mapping[int, Say]
    maybe: Odd | None = None


@dataclass(frozen=True)
class Unheard:
    things: set[int]


def kept(record):
    arrays = []

    def put(array):
        arrays.append(array)
        return len(arrays) - 1

    packed = json.loads(json.dumps(pack(record, put)))
    return unpack(type(record), packed, arrays.__getitem__)


def test_a_profile_comes_back_as_it_was():
    problem = Problem("code", say("a.b", n=3, us=1.5, name="x\udc80", none=None), Say("hint"), "/f", 7)
    run = Run("/p", "p", "msprof", "ready", files=("a", "b"), ignored=(IgnoredFile("c", say("why")),), rank=0,
              started_at=1.25, problems=(problem,))  # fmt: skip
    table = Table({"us": np.array([1.5, np.nan]), "name": Strings.of(["a", None]), "n": np.array([1, -1])})
    profile = Profile(run, table, Table({}), Metadata(chip="910B3", devices=(0, 1)), {"us": "f:us"}, 3, (problem,))
    again = kept(profile)
    assert spelled(again) == spelled(profile)
    assert (again.run, again.metadata, again.problems) == (run, profile.metadata, (problem,))
    assert again.statistic is not None and len(again.statistic) == 0


def test_every_form_of_a_field():
    odd = Odd(2, (1, "x"), (True, False), {3: say("k", yes=True)}, Odd(0.5, (0, ""), (), {}))
    assert kept(odd) == odd


def test_numbers_of_numpy_are_numbers():
    assert kept(Odd(np.float32(0.5), (np.int64(2), "x"), (np.bool_(True),), {})) == Odd(0.5, (2, "x"), (True,), {})


@pytest.mark.parametrize(
    "wrong",
    [
        Odd("1", (1, "x"), (), {}),
        Odd(1.0, (1, 2), (), {}),
        Odd(1.0, (1,), (), {}),
        Odd(1.0, (True, "x"), (), {}),
        Odd(1.0, (1, "x"), [True], {}),
        Odd(1.0, (1, "x"), (1,), {}),
        Odd(1.0, (1, "x"), (), {"3": Say("k")}),
        Odd(1.0, (1, "x"), (), {3: "k"}),
        Odd(1.0, (1, "x"), (), {}, Say("k")),
        Unheard({1}),
        "no record",
    ],
)
def test_what_is_of_another_type_is_refused(wrong):
    with pytest.raises(TypeError):
        kept(wrong)


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        {},
        [],
        [1.0, [1, "x"], [], []],
        [1.0, [1, "x"], [], [], None, None],
        ["1", [1, "x"], [], [], None],
        [True, [1, "x"], [], [], None],
        [1.0, [1], [], [], None],
        [1.0, [1, "x"], {}, [], None],
        [1.0, [1, "x"], [0], [], None],
        [1.0, [1, "x"], [], [[3]], None],
        [1.0, [1, "x"], [], [["3", ["k", []]]], None],
        [1.0, [1, "x"], [], [], [1.0]],
    ],
)
def test_what_was_not_written_like_this_is_refused(damaged):
    assert unpack(Odd, [1.0, [1, "x"], [], [], None], None) == Odd(1.0, (1, "x"), (), {})
    with pytest.raises(DamagedError):
        unpack(Odd, damaged, None)


@pytest.mark.parametrize(
    "damaged",
    [
        None,
        [["a"]],
        [["a", 0, ["x"], 1]],
        [[7, 0]],
        [["a", 0, "x"]],
        [["a", 0, [7]]],
        [["a", 1, ["x"]]],
        [["a", 0], ["b", 2]],
    ],
)
def test_a_damaged_table_is_refused(damaged):
    arrays = [np.zeros(2, dtype=np.int32), np.zeros(2), np.zeros(3)]
    assert len(unpack(Table, [["a", 0, ["x"]], ["b", 1]], arrays.__getitem__)) == 2
    with pytest.raises(DamagedError):
        unpack(Table, damaged, arrays.__getitem__)
