"""Which call of one run is which call of another: by their place among the calls of their type on their device."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from npuscope.parsers.profile import UNKNOWN, Profile
from npuscope.parsers.say import ParseError, Problem, Say, say
from npuscope.parsers.table import Strings, Table

Rows = NDArray[np.int64]
Calls = dict[tuple[int, str], Rows]

SAME = ("name", "input_shapes", "input_dtypes", "output_shapes")
_COMMUNICATION = re.compile(r"COMMUNICATION|HCCL")  # such names carry numbers of the process group: no two are alike


def partners(first: Profile, other: Profile) -> Rows:
    """For each row of the first run the row of the other. Raises ParseError at the first that has none."""
    for profile in (first, other):
        if not len(profile.ops):
            raise refused(say("opprof.join.empty", run=profile.run.name))
    here, there = (len(np.unique(_devices(profile.ops))) for profile in (first, other))
    if here != there:
        raise refused(say("opprof.join.devices", run=first.run.name, other=other.run.name, here=here, there=there))
    mine, theirs = _calls(first.ops), _calls(other.ops)
    partner = np.full(len(first.ops), UNKNOWN, dtype=np.int64)
    for key, rows in mine.items():
        count = len(theirs.get(key, ()))
        if count:
            partner[rows[:count]] = theirs[key][: len(rows)]
    order = _in_order(first.ops)
    lacking = order[partner[order] == UNKNOWN]
    differing = _first_difference(first, other, partner, order)
    at_lack = int(np.flatnonzero(order == lacking[0])[0]) if len(lacking) else len(order)
    if differing is not None and differing[0] < at_lack:
        row, column = int(order[differing[0]]), differing[1]
        raise refused(
            _one_more(first, other, row, int(partner[row]), mine, theirs)
            or _difference(first, other, row, partner, column)
        )
    if len(lacking):
        raise refused(_lack(first, other, int(lacking[0]), mine, theirs))
    surplus = next((key for key in theirs if len(theirs[key]) > len(mine.get(key, ()))), None)
    if surplus is not None:
        raise refused(_lack(other, first, int(theirs[surplus][len(mine.get(surplus, ()))]), theirs, mine))
    return partner


def _calls(ops: Table) -> Calls:
    """Rows by device (counted from 0) and type, in the order of their start."""
    types, order = types_of(ops), _in_order(ops)
    group = _devices(ops) * (len(types.values) + 1) + types.codes + 1
    found: Calls = {}
    for rows in grouped(group, order):
        device, code = divmod(int(group[rows[0]]), len(types.values) + 1)
        found[device, types.values[code - 1] if code else ""] = rows
    return found


def grouped(group: Rows, order: Rows) -> list[Rows]:
    """The rows of each group, in the order given."""
    rows = order[np.argsort(group[order], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(group[rows])) + 1) if len(rows) else []


def _in_order(ops: Table) -> Rows:
    """Rows by their start; as they stand where starts are not known."""
    starts = ops.columns.get("start_ns")
    if starts is None or isinstance(starts, Strings) or bool((starts == UNKNOWN).any()):
        return np.arange(len(ops))
    return np.argsort(starts, kind="stable")


def types_of(ops: Table) -> Strings:
    """The type of each row; its name where no row has one."""
    types = ops.strings("type")
    return types if (types.codes >= 0).any() else ops.strings("name")


def _devices(ops: Table) -> NDArray[np.int64]:
    devices = ops.columns.get("device")
    if devices is None or isinstance(devices, Strings):
        return np.zeros(len(ops), dtype=np.int64)
    return np.unique(devices, return_inverse=True)[1].astype(np.int64)


def _first_difference(first: Profile, other: Profile, partner: Rows, order: Rows) -> tuple[int, str] | None:
    """Place in the order and column of the first call whose name or shapes differ."""
    paired = partner[order] != UNKNOWN
    communication = _is_communication(first.ops)[order]
    found: tuple[int, str] | None = None
    for name in SAME:
        one, two = _texts(first.ops, other.ops, name)
        different = np.zeros(len(order), dtype=bool)
        mine, theirs = one[order[paired]], two[partner[order[paired]]]
        different[paired] = (mine != theirs) & (mine >= 0) & (theirs >= 0)
        different &= ~communication
        places = np.flatnonzero(different)
        if len(places) and (found is None or places[0] < found[0]):
            found = int(places[0]), name
    return found


def _texts(one: Table, two: Table, name: str) -> tuple[Rows, Rows]:
    """A text column of both tables as numbers: equal texts, equal numbers; -1 unknown."""
    mine, theirs = one.strings(name), two.strings(name)
    known = {text: number for number, text in enumerate(mine.values)}
    codes = [known.setdefault(text, len(known)) for text in theirs.values]
    return mine.codes.astype(np.int64), np.array([*codes, UNKNOWN], dtype=np.int64)[theirs.codes]


def _is_communication(ops: Table) -> NDArray[np.bool_]:
    cores = ops.strings("core")
    return cores.mask([value for value in cores.values if _COMMUNICATION.search(value)])


# ---- what is said about rows that do not line up


def refused(message: Say) -> ParseError:
    """Why runs are not joined."""
    return ParseError(Problem("join", message, say("opprof.join.hint")))


def _one_more(first: Profile, other: Profile, row: int, there: int, mine: Calls, theirs: Calls) -> Say | None:
    """Where one run has more calls of the type, the call at the first difference is the one that came in between."""
    key = next(key for key, rows in mine.items() if row in rows)
    if len(mine[key]) > len(theirs[key]):
        return _lack(first, other, row, mine, theirs)
    return _lack(other, first, there, theirs, mine) if len(mine[key]) < len(theirs[key]) else None


def _difference(first: Profile, other: Profile, row: int, partner: Rows, name: str) -> Say:
    there = int(partner[row])
    return say(
        f"opprof.join.differs.{'name' if name == 'name' else 'shapes'}",
        row=row + 1,
        type=types_of(first.ops)[row],
        run=first.run.name,
        other=other.run.name,
        here=first.ops.strings(name)[row],
        there=other.ops.strings(name)[there],
    )


def _lack(has: Profile, lacks: Profile, row: int, mine: Calls, theirs: Calls) -> Say:
    key = next(key for key, rows in mine.items() if row in rows)
    return say(
        "opprof.join.count",
        row=row + 1,
        type=types_of(has.ops)[row] or key[1],
        run=has.run.name,
        other=lacks.run.name,
        here=len(mine[key]),
        there=len(theirs.get(key, ())),
    )
