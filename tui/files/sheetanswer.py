"""What stands over a file's table: what it holds, how far its reading is, or what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npuscope.parsers.say import Problem
from npuscope.tui.files.sheetcells import forms_of
from npuscope.tui.files.sheetwords import kind_words
from npuscope.tui.text import t, told
from npuscope.tui.widgets.answer import Answer

if TYPE_CHECKING:
    from npuscope.tui.files.jobs import FileSheet


def sheet_answer(
    file: str, run: str, found: FileSheet | Problem | float | None, bytes_per_s: float | None = None
) -> Answer:
    """What a file holds, how far its reading is, and how fast, or what is wrong with it."""
    if isinstance(found, float) and bytes_per_s is not None:
        text = t("files.reading.pace", file=file, pct=100 * found, n=bytes_per_s)
        return Answer("none", text, t("files.reading.stop"), progress=found)
    if isinstance(found, float):
        return Answer("none", t("files.reading", file=file, pct=100 * found), t("files.reading.stop"), progress=found)
    if found is None:
        return Answer("none", t("files.not-read", file=file))
    if isinstance(found, Problem):
        return Answer("bad", told(found.message), told(found.hint) if found.hint is not None else "")
    first = t("files.holds", file=file, kind=kind_words(found.kind), run=run)
    problem = next(iter(found.problems), None)
    if problem is not None:
        return Answer("warn", first, told(problem.message))
    if found.note is not None:
        return Answer("info", first, told(found.note))
    sums = [one for one in forms_of(found.columns, None) if one.told.total is not None]
    text = t("report.comma").join(f"{one.head} {one.cell(one.told.total)}" for one in sums[:4])
    return Answer("info", first, t("files.sums", sums=text) if sums else "")


def sheet_meta(sheet: FileSheet, shown: int | None, hidden: int) -> str:
    """`1204 rows · 9 columns`, of a filter how many of them."""
    rows = t("files.rows", n=sheet.rows) if shown is None else t("files.matching", n=shown, of=sheet.rows)
    parts = [rows, t("files.columns", n=len(sheet.table.columns))]
    return " · ".join([*parts, t("files.hidden", n=hidden)] if hidden > 0 else parts)
