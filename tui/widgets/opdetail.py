"""The pane under the table: the pipes of the row under the cursor, and why, floor, next, lacks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from textual.strip import Strip

from npuscope.analysis.labels.label import explain
from npuscope.analysis.labels.verdict import Verdict
from npuscope.analysis.lines import verdicts
from npuscope.analysis.summary import Summary
from npuscope.tui.fitting import at_word, in_room
from npuscope.tui.operators.drillfacts import cores_words
from npuscope.tui.operators.floor import floor_sentence, known
from npuscope.tui.operators.pipes import Pipe, leading, pipes_of
from npuscope.tui.operators.words import inner_words, label_words, lack_words
from npuscope.tui.paint import Row
from npuscope.tui.text import t, told
from npuscope.tui.widgets.canvas import Canvas
from npuscope.tui.wrapping import wrap

LINES = 5
WIDE = 100


class OperatorDetail(Canvas):
    """Five lines about one row."""

    DEFAULT_CSS = f"OperatorDetail {{ height: {LINES}; }}"

    def __init__(self) -> None:
        super().__init__()
        self._row: Mapping[str, Any] = {}
        self._pipes: list[Pipe] = []
        self._verdict: Verdict | None = None
        self._said: dict[str, str] = {}
        self._cores = ""

    def clear(self) -> None:
        """Nothing under the cursor."""
        self._verdict = None
        self._pipes = []
        self.repaint()

    def show(self, summary: Summary, level: str, row: int) -> tuple[str, str]:
        """A row of a level; returns the panel's title and meta."""
        verdict, values = row_and_verdict(summary, level, row)
        self._row, self._verdict, self._pipes = values, verdict, pipes_of(values)
        self._said = said(verdict, values, summary)
        self._cores = cores_words(summary, values)
        self.repaint()
        return title_and_meta(with_shapes(summary, level, row, values), level)

    def lines(self, width: int, height: int) -> Sequence[Strip]:
        if self._verdict is None:
            return []
        return self._wide(width, height, self._verdict) if width >= WIDE else self._small(width, self._verdict)

    def _wide(self, width: int, height: int, verdict: Verdict) -> list[Strip]:
        rows = [Row(self.look, width) for _ in range(max(LINES, height))]
        top = leading(self._pipes)
        for row, pipe in zip(rows, self._pipes):
            token = self.look.hue(verdict.label) if pipe is top else "neutral"
            row.put(2, pipe.name, width=10).number(12, ratio(pipe.ratio), 5, "bright" if pipe is top else "text")
            row.bar(18, 26, pipe.ratio, token)
        if not self._pipes:
            rows[0].put(2, t("operators.no_pipes"), "dim", 44)
        elif len(self._pipes) < len(rows):
            rows[len(self._pipes)].put(2, self._cores, "dim", 44)
        word, rest = label_words(verdict)
        rows[0].parts(48, [(word, self.look.hue(verdict.label) + "!"), (rest, "text")])
        sentences = [
            (name, list(wrap(self._said[name], width - 58)))
            for name in ("why", "floor", "next", "lacks")
            if self._said.get(name)
        ]
        for row, (name, text) in zip(rows[1:], in_room(sentences, len(rows) - 1)):
            row.put(48, t(f"detail_pane.{name}") if name else "", "dim").put(56, at_word(text, width - 58))
        return [row.strip() for row in rows]

    def _small(self, width: int, verdict: Verdict) -> list[Strip]:
        rows = [Row(self.look, width) for _ in range(LINES)]
        top = leading(self._pipes)
        for index, pipe in enumerate(self._pipes[:6]):
            row, x = rows[index // 3], 2 + 26 * (index % 3)
            token = self.look.hue(verdict.label) if pipe is top else "neutral"
            row.put(x, pipe.name, width=10).number(x + 10, ratio(pipe.ratio), 5, "bright" if pipe is top else "text")
            row.bar(x + 16, 8, pipe.ratio, token)
        if not self._pipes:
            rows[0].put(2, t("operators.no_pipes"), "dim")
        elif len(self._pipes) < 6:
            rows[len(self._pipes) // 3].put(2 + 26 * (len(self._pipes) % 3), self._cores, "dim")
        word, _ = label_words(verdict)
        sure = inner_words(verdict) + t(
            "detail_pane.sure", confidence=t(f"confidence.{verdict.confidence}"), why=self._said.get("why", "")
        )
        end = rows[2].parts(2, [(word, self.look.hue(verdict.label) + "!")])
        rows[2].put(end, at_word(sure, width - end - 2))
        names = ("next", "floor") if self._said.get("next") else ("lacks", "floor")
        for row, name in zip(rows[3:], names):
            row.put(2, t(f"detail_pane.{name}"), "dim").put(9, at_word(self._said.get(name, ""), width - 11))
        return [row.strip() for row in rows]


def ratio(value: float) -> str:
    """A pipe's share as read: out of range stays visible."""
    return f"{value:.2f}" if math.isfinite(value) else str(value)


def row_and_verdict(summary: Summary, level: str, row: int) -> tuple[Verdict, dict[str, Any]]:
    """A row's values and its explanation."""
    if level == "types":
        return summary.type_verdicts[row], summary.types.row(row)
    if level == "shapes":
        return verdicts(summary, summary.shapes.take(np.array([row])))[0], summary.shapes.row(row)
    return explain(summary, row), summary.ops.row(row)


def said(verdict: Verdict, row: Mapping[str, Any], summary: Summary) -> dict[str, str]:
    """The four sentences."""
    join = t("sentence.join")
    lacks = ""
    if verdict.lacks:
        lacks = lack_words(verdict.lacks[0])
    return {
        "why": join.join(told(evidence.text) for evidence in verdict.evidence),
        "floor": floor_sentence(row, summary.chip, verdict),
        "next": join.join(told(advice) for advice in verdict.advice),
        "lacks": lacks,
    }


def title_and_meta(row: Mapping[str, Any], level: str, count: bool = True) -> tuple[str, str]:
    """Operator on the left; calls (where they are not told elsewhere), shapes, dtype and format on the right."""
    name = row.get("name" if level == "instances" else "type") or row.get("name") or row.get("type") or ""
    parts = []
    if count and known(row.get("count")):
        parts.append(t("detail_pane.calls", n=row["count"]))
    if level == "types" and known(row.get("shapes")) and row["shapes"] > 1:
        parts.append(t("detail_pane.shapes", n=row["shapes"]))
    shapes = (row.get("input_shapes") or "").strip(";")
    if shapes:
        parts.append("; ".join(shape for shape in shapes.split(";") if shape))
    parts += [first_of(row.get("input_dtypes")), first_of(row.get("input_formats"))]
    return name, "   ".join(part for part in parts if part)


def with_shapes(summary: Summary, level: str, row: int, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """A type whose calls all have one shape carries it too."""
    if level != "types" or values.get("shapes") != 1:
        return values
    found = np.flatnonzero(summary.ops.numbers("type_row") == row)
    if not len(found):
        return values
    call = summary.ops.row(int(found[0]))
    return {**values, **{name: call.get(name) for name in ("input_shapes", "input_dtypes", "input_formats")}}


def first_of(joined: str | None) -> str:
    """The first of a ';' list, in the short spelling: DT_BF16 -> bf16."""
    text = (joined or "").split(";")[0].strip()
    return {"DT_BF16": "bf16", "FLOAT16": "fp16", "FLOAT": "fp32"}.get(
        text, text.replace("DT_", "").replace("FORMAT_", "")
    )
