"""A problem as a sentence, for every command that prints one."""

from __future__ import annotations

from npuscope.parsers.say import Problem
from npuscope.tui.text import t, told


def problem_words(problem: Problem) -> str:
    """What is so, and what to do."""
    message = told(problem.message)
    if problem.hint is None:
        return message
    ended = message.endswith((".", "。", "?", "？"))
    return message + t("report.blank" if ended else "report.semicolon") + told(problem.hint)
