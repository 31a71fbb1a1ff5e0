"""The filter line: `MatMul`, `label=memory & us>100`, `type==Add|Mul`, `util<40 & hbm>50`, `health!=OK`."""

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
    """One condition; an empty field means: the text stands anywhere in the name. Of a text field `text` may be several
    with `|` between them: one is enough (of `!=`: none may be).
    """

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
        value, text = value.casefold(), self.text.casefold()
        texts = [one for one in text.split("|") if one] if self.field and text else [text]
        if self.operator == "==":
            return value in texts
        inside = any(one in value for one in texts)
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
    that is not there, for a number that is none, and for a `|` that does not stand between texts of one field.
    """
    conditions = []
    for piece in text.split("&"):
        if not piece.strip():
            continue
        match = _CONDITION.match(piece)
        if "|" in piece and (match is None or any(map(_CONDITION.match, match.group(3).split("|")))):
            raise FilterError("|", ["&", *texts, *numbers])
        if match is None:
            conditions.append(Condition("", "=", piece.strip()))
            continue
        field, operator, wanted = match.group(1).casefold(), match.group(2), match.group(3)
        if wanted.endswith("%") and f"{field}%" in numbers:
            field += "%"
        if field in texts:
            conditions.append(Condition(field, operator, "|".join(one.strip() for one in wanted.split("|"))))
        elif field in numbers:
            conditions.append(Condition(field, operator.replace("==", "="), wanted, _number(wanted, field)))
        else:
            raise FilterError(field, [*texts, *numbers])
    return tuple(conditions)


def any_of(field: str, values: Collection[str]) -> str:
    """The filter line for rows whose field is exactly one of these; what a line cannot spell is left out."""
    spelled = [value for value in values if value and not set(value) & set("|&<>=")]
    return f"{field}=={'|'.join(spelled)}" if spelled else ""


def _number(text: str, field: str) -> float:
    try:
        return float(text.rstrip("%"))
    except ValueError:
        raise FilterError(f"{field} {text}".strip(), ["1", "2.5"], number=True) from None
