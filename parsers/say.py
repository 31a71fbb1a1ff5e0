"""What went wrong, as data: the catalogue in tui/words turns it into a sentence in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

Value = Union[str, int, float, None]


@dataclass(frozen=True)
class Say:
    """A sentence of the catalogue: its key and the values it speaks of (raw numbers; the template names the unit)."""

    key: str
    params: Mapping[str, Value] = field(default_factory=dict)


def say(key: str, **params: Value) -> Say:
    """`Say(key, params)` without the braces."""
    return Say(key, params)


@dataclass(frozen=True)
class Problem:
    """One thing a person must know about an input: a stable code, a sentence, a hint, and where."""

    code: str
    message: Say
    hint: Say | None = None
    file: str | None = None
    line: int | None = None


class ParseError(Exception):
    """The only exception that leaves a parser."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.file or ''}: {problem.code} {dict(problem.message.params)}")
        self.problem = problem
