"""The filter line: `MatMul`, `label=memory & us>100`, `util<40 & hbm>50`, `health!=OK`."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

OPERATORS = ("<=", ">=", "!=", "=", "<", ">")
_CONDITION = re.compile(r"^\s*([A-Za-z_][\w%]*)\s*(<=|>=|!=|==|=|<|>)\s*(.*?)\s*$")


class FilterError(Exception):
    """A filter that means nothing; `word` is what was not understood, `known` what would be."""

    def __init__(self, word: str, known: Collection[str], number: bool = False) -> None:
        super().__init__(word)
        self.word = word
        self.known = tuple(known)
        self.number = number  # the field is known; what stands behind it is no number


@dataclass(frozen=True)
class Condition:
    """One condition; an empty field means: the text stands anywhere in the name."""

    field: str
    operator: str
    text: str
    number: float | None = None

    def holds(self, value: float | str | None) -> bool:
        """Whether a value meets it; an unknown value meets nothing but `!=`."""
        if self.operator == "=" and not isinstance(value, str) and self.number is None:
            return False
        if value is None or (isinstance(value, float) and value != value):
            return self.operator == "!="
        if isinstance(value, str):
            return self._holds_text(value)
        return self.number is not None and compare(float(value), self.operator, self.number)

    def _holds_text(self, value: str) -> bool:
        inside = self.text.casefold() in value.casefold()
        return inside if self.operator == "=" else not inside if self.operator == "!=" else False


def compare(value: float, operator: str, limit: float) -> bool:
    """value <operator> limit."""
    return {
        "<": value < limit,
        ">": value > limit,
        "<=": value <= limit,
        ">=": value >= limit,
        "=": value == limit,
        "!=": value != limit,
    }[operator]


def parse(text: str, texts: Collection[str], numbers: Collection[str]) -> tuple[Condition, ...]:
    """The conditions of a filter line, joined by `&`. `texts` and `numbers` are the fields there are.

    A limit in % means the field in percent where there is one: `hbm>90%` is `hbm%>90`. Raises FilterError for a field
    that is not there, for a number that is none, and for `|`, for there is no "or".
    """
    conditions = []
    if "|" in text:
        raise FilterError("|", ["&", *texts, *numbers])
    for piece in text.split("&"):
        if not piece.strip():
            continue
        match = _CONDITION.match(piece)
        if match is None:
            conditions.append(Condition("", "=", piece.strip()))
            continue
        field, operator, wanted = match.group(1).casefold(), match.group(2).replace("==", "="), match.group(3)
        if wanted.endswith("%") and f"{field}%" in numbers:
            field += "%"
        if field in texts:
            conditions.append(Condition(field, operator, wanted))
        elif field in numbers:
            conditions.append(Condition(field, operator, wanted, _number(wanted, field)))
        else:
            raise FilterError(field, [*texts, *numbers])
    return tuple(conditions)


def _number(text: str, field: str) -> float:
    try:
        return float(text.rstrip("%"))
    except ValueError:
        raise FilterError(f"{field} {text}".strip(), ["1", "2.5"], number=True) from None
