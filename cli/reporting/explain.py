"""`report --explain LABEL`: the rule as applied to the longest row of that label, every condition with its numbers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from npuscope.analysis.labels.verdict import LABELS
from npuscope.cli.printing.textcolumns import cut, hanging
from npuscope.tui import numbers
from npuscope.tui.text import clean, t

if TYPE_CHECKING:
    from npuscope.analysis.arrays import Ints
    from npuscope.analysis.labels.verdict import Verdict
    from npuscope.analysis.summary import Summary
    from npuscope.cli.report import Looked
    from npuscope.parsers.table import Table

NAME = 60
INDENT = "    "


def asked(word: str) -> tuple[str, str]:
    """LABEL or LABEL:NAME of the command line, as (label, name)."""
    label, _, name = word.partition(":")
    if label not in LABELS:
        raise argparse.ArgumentTypeError(t("report.explain.bad", word=word, labels=", ".join(LABELS)))
    return label, name.strip()


def lines(looked: Looked, label: str, name: str) -> Iterator[str]:
    """All about one row of the run; one line where it has none such. Nothing where the run was not read."""
    summary = looked.summary
    if summary is None or not len(summary.types):
        return
    yield f"{clean(looked.run.name)}"
    by_type = label == "mixed" or not len(summary.ops)
    found = _of_types(summary, name, label) if by_type else _of_ops(summary, label, name)
    if found is None:
        there = t("report.comma").join(t(f"label.{one}") for one in summary.label_us)
        key = "report.explain.none" if name else "report.explain.none.any"
        yield from hanging(t(key, label=t(f"label.{label}.long"), name=name, labels=there))
        return
    level, row, verdict, count = found
    table = summary.types if level == "types" else summary.ops
    yield from hanging(_head(table, row, count))
    yield from _sections(summary, level, row, verdict)


def has(looked: Looked, label: str, name: str) -> bool:
    """Whether the run has such a row."""
    summary = looked.summary
    if summary is None or not len(summary.types):
        return False
    if label == "mixed" or not len(summary.ops):
        return _of_types(summary, name, label) is not None
    return len(_rows(summary, label, name)) > 0


def _rows(summary: Summary, label: str, name: str) -> Ints:
    """Rows of ops with the label; of a type or instance of that name, or else of one whose name holds it."""
    ops = summary.ops
    rows = np.flatnonzero(ops.strings("label").mask((label,)))
    if not name:
        return rows
    return _named(ops, rows, name, ("type", "name"))


def _named(table: Table, rows: Ints, name: str, columns: tuple[str, ...]) -> Ints:
    wanted = name.casefold()
    texts = [[(table.strings(column)[row] or "").casefold() for column in columns] for row in rows.tolist()]
    same = [row for row, text in zip(rows.tolist(), texts) if wanted in text]
    holds = [row for row, text in zip(rows.tolist(), texts) if any(wanted in one for one in text)]
    return np.array(same or holds, dtype=np.int64)


def _of_ops(summary: Summary, label: str, name: str) -> tuple[str, int, Verdict, int] | None:
    from npuscope.analysis.labels.label import explain

    rows = _rows(summary, label, name)
    if not len(rows):
        return None
    row = int(rows[np.argmax(np.nan_to_num(summary.ops.numbers("duration_us")[rows]))])
    return "instances", row, explain(summary, row), len(rows)


def _of_types(summary: Summary, name: str, label: str) -> tuple[str, int, Verdict, int] | None:
    """The largest type with the label."""
    rows = np.flatnonzero(summary.types.strings("label").mask((label,)))
    rows = _named(summary.types, rows, name, ("type",)) if name else rows
    if not len(rows):
        return None
    return "types", int(rows[0]), summary.type_verdicts[int(rows[0])], len(rows)


def _head(table: Table, row: int, count: int) -> str:
    values = table.row(row)
    many = "report.explain.longest" if count > 1 else "report.explain.only"
    kind = values.get("type") or values.get("name") or numbers.DASH
    parts = [cut(values.get("name") or kind, NAME)]
    if values.get("name") and values["name"] != kind:
        parts.append(cut(kind, NAME))
    parts += [one for one in (values.get("core"), (values.get("input_shapes") or "").strip(";")) if one]
    if "duration_us" in values:
        parts.append(numbers.time_in_words(values["duration_us"]))
    else:
        parts.append(t("report.explain.type", n=int(values["count"]), us=values["total_us"]))
    return t("report.comma").join(cut(one, NAME) for one in parts) + t("report.inner", text=t(many, n=count))


def _sections(summary: Summary, level: str, row: int, verdict: Verdict) -> Iterator[str]:
    from npuscope.tui.operators.labeltext import sections

    table = summary.types if level == "types" else summary.ops
    for name, terms in sections(summary, level, row, table.row(row), verdict):
        yield ""
        yield f"  {t(f'labelpage.{name}')}"
        for term, text, depth in terms:
            joint = t("report.colon") if term else ""
            yield from hanging(f"{term}{joint}{text}", INDENT + "  " * depth)
