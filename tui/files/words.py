"""Sentences about the files of a run: how each is used, what the list says on top, the pane under it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from npuscope.parsers.msprof.run_files import IGNORED, READ, RunFile, RunFiles
from npuscope.parsers.profile import Run
from npuscope.parsers.say import Problem
from npuscope.tui.files.sheetwords import kind_words
from npuscope.tui.runs.words import Line
from npuscope.tui.text import t, told
from npuscope.tui.widgets.answer import Answer

if TYPE_CHECKING:
    from npuscope.tui.files.view import FileRows


def use_words(one: RunFile) -> str:
    """`read`, `ignored: older export`."""
    word = t(f"files.use.{one.use}")
    return word if one.reason is None else t("files.use.why", use=word, reason=told(one.reason))


def answer(found: RunFiles | Problem | None, view: FileRows) -> Answer:
    """How many files there are, and what of them is used."""
    if found is None:
        return Answer("none", t("files.listing"))
    if isinstance(found, Problem):
        return Answer("warn", told(found.message))
    if not found.files:
        return Answer("warn", _why_none(found))
    size = sum(one.size for one in found.files)
    uses = [one.use for one in found.files]
    first = t("files.answer", n=len(uses), size=size, read=uses.count(READ), ignored=uses.count(IGNORED),
              opens=sum(one.opens for one in found.files))  # fmt: skip
    if found.problems:
        return Answer("warn", first, told(found.problems[0].message))
    empty = [one.file.rpartition("/")[2] for one in found.files if not one.size and one.use == READ]
    return Answer("info", first, t("files.answer.empty", file=empty[0], n=len(empty)) if empty else "")


def _why_none(found: RunFiles) -> str:
    return told(found.problems[0].message) if found.problems else t("files.none")


def pane(one: RunFile, view: FileRows) -> Sequence[Line]:
    """Where the file lies, what it is, what of it is used, what is wrong with it."""
    lines = [Line("file", one.path, "dim")]
    rows, problem = view.rows_of(one), view.problem_of(one)
    parts = [kind_words(one.kind), t("files.bytes", size=one.size)]
    parts += [t("files.rows", n=rows)] if rows is not None else []
    lines.append(Line("holds", " · ".join(parts)))
    if problem is not None:
        lines.append(Line("lacks", told(problem.message), "warn"))
    lines.append(Line("use", t(f"files.use.{one.use}.long", reason=told(one.reason) if one.reason else "")))
    return lines


def title(run: Run) -> str:
    """`Files of PROF_…`."""
    return t("files.title", run=run.name)
