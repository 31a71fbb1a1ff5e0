"""What must hold of whatever comes out of a reader, however broken the input was."""

from __future__ import annotations

import dataclasses
import json
import math
from typing import Any

import numpy as np

from npuscope.parsers.columns import is_counter
from npuscope.parsers.profile import STATES, UNKNOWN, Profile
from npuscope.parsers.say import ParseError, Problem, Say
from npuscope.parsers.table import Strings, Table
from npuscope.tui import text

_INT64 = 1 << 63


def check_table(table: Table, counters: bool = False) -> None:
    """Columns of one length, numbers finite or unknown, text that can be printed.

    `counters`: those of operators may be infinite, which is told of the profile they are in.
    """
    assert len({len(column) for column in table.columns.values()}) <= 1, "columns of several lengths"
    for name, column in table.columns.items():
        assert isinstance(name, str)
        if isinstance(column, Strings):
            codes = column.codes
            assert not len(codes) or (codes.min() >= -1 and codes.max() < len(column.values)), name
            for value in column.values:
                assert isinstance(value, str), name
                value.encode("utf-8")
        else:
            assert column.dtype.kind in "iuf", f"{name} is {column.dtype}"
            if not (counters and is_counter(name)):
                assert column.dtype.kind != "f" or not np.isinf(column).any(), f"{name} is infinite"
    starts = table.columns.get("start_ns")
    if starts is not None:
        assert not isinstance(starts, Strings) and (np.asarray(starts) >= UNKNOWN).all(), "a start before 1970"


def check_problem(problem: Problem) -> None:
    """A problem can be told in every language."""
    assert problem.code
    for language in text.LANGUAGES:
        text.set_language(language)
        for sentence in (problem.message, problem.hint):
            if sentence is not None:
                check_say(sentence)
    text.set_language("en")


def check_say(sentence: Say) -> None:
    """A sentence of the catalogue, all its words there and printable."""
    told = text.plain(text.told(sentence))
    assert told
    told.encode("utf-8")


def check_refusal(error: ParseError) -> None:
    """What a reader refuses it refuses in words."""
    check_problem(error.problem)


def check_profile(profile: Profile) -> None:
    """A profile as a whole: tables, state, problems, and durations that are not what they were not."""
    assert profile.run.state in STATES
    for table in (profile.statistic, profile.cores, *profile.extras.values()):
        if table is not None:
            check_table(table)
    check_table(profile.ops, counters=True)
    for problem in profile.problems:
        check_problem(problem)
    if profile.run.reason is not None:
        check_say(profile.run.reason)
    durations = profile.ops.numbers("duration_us")
    told = {problem.code for problem in profile.problems}
    assert not (durations < 0).any(), "negative durations"
    for name, column in profile.ops.columns.items():
        if is_counter(name) and not isinstance(column, Strings):
            assert not np.isinf(column).any() or "out-of-range" in told, f"{name} is infinite and not told"
    for step in profile.file_steps:
        assert step.us is None or math.isfinite(step.us)
    check_plain(dataclasses.asdict(profile.metadata))


def check_plain(value: Any) -> None:
    """A document as it is printed: finite numbers, whole numbers of 64 bits, text that can be encoded."""
    if isinstance(value, dict):
        for name, inner in value.items():
            check_plain(name)
            check_plain(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            check_plain(inner)
    elif isinstance(value, str):
        value.encode("utf-8")
    elif isinstance(value, float):
        assert math.isfinite(value), "a number that is none"
    elif isinstance(value, int):
        assert -_INT64 <= value < 2 * _INT64, "a number beyond 64 bits"


def same_tables(one: Table, other: Table, names: tuple[str, ...] | None = None) -> None:
    """Two ways to read give the same."""
    assert list(one.columns) == list(other.columns)
    for name in names or one.columns:
        mine, theirs = one.columns[name], other.columns[name]
        if isinstance(mine, Strings) or isinstance(theirs, Strings):
            assert isinstance(mine, Strings) and isinstance(theirs, Strings), name
            assert mine.tolist() == theirs.tolist(), name
        else:
            assert mine.dtype == theirs.dtype, name
            near = 0.0 if mine.dtype.kind == "i" else 1e-6 if mine.dtype == np.float32 else 1e-12
            assert np.allclose(mine, theirs, rtol=near, atol=0.0, equal_nan=near > 0), name


def parsed_json(document: str) -> Any:
    """JSON as strict readers take it: no NaN, no Infinity."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} in JSON")

    return json.loads(document, parse_constant=refuse)
