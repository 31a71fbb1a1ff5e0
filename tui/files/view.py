"""What the list of a run's files shows: order, filter, cursor and window, as pure state without a screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from npuscope.parsers.msprof.run_files import RunFile
from npuscope.parsers.say import Problem
from npuscope.tui.files.sheetwords import kind_words
from npuscope.tui.files.words import use_words
from npuscope.tui.filtering import Condition, parse

COLUMNS = ("file", "kind", "size", "rows", "use")
TEXTS, NUMBERS = ("file", "kind", "use"), ("kb", "rows")
_DOWNWARDS = ("size", "rows")


class FileRows:
    """One way to look at the files of a run; without an order they stand as they were listed, those read first.

    `rows` tells how many rows a file has, or None.
    """

    def __init__(self, rows: Callable[[RunFile], int | Problem | None]) -> None:
        self._rows = rows
        self.files: Sequence[RunFile] = ()
        self.shown: list[RunFile] = []
        self.sort_column = ""
        self.descending = False
        self.cursor = 0
        self.top = 0
        self._conditions: tuple[Condition, ...] = ()

    def __len__(self) -> int:
        return len(self.shown)

    @property
    def file(self) -> RunFile | None:
        """The file at the cursor."""
        return self.shown[self.cursor] if self.shown else None

    def take(self, files: Sequence[RunFile]) -> None:
        """The files there are now; the cursor stays on its file."""
        self.files = files
        self._arrange()

    def filter(self, text: str) -> None:
        """Only what meets a filter line. Raises FilterError."""
        self._conditions = parse(text, TEXTS, NUMBERS)
        self._arrange()

    def sort(self, column: str) -> None:
        """Order by a column, sizes and rows downwards; by the same one again the other way round."""
        if column == self.sort_column:
            self.descending = not self.descending
        else:
            self.sort_column, self.descending = column, column in _DOWNWARDS
        self._arrange()

    def move(self, steps: int) -> None:
        """The cursor, bounded."""
        self.cursor = max(0, min(len(self.shown) - 1, self.cursor + steps))

    def window(self, height: int) -> Sequence[RunFile]:
        """The files in a window of `height` lines; it moves as little as the cursor demands."""
        height = max(1, height)
        self.top = min(self.top, self.cursor, max(0, len(self.shown) - height))
        self.top = max(self.top, self.cursor - height + 1, 0)
        return self.shown[self.top : self.top + height]

    def rows_of(self, one: RunFile) -> int | None:
        """How many rows it has, as far as that is known."""
        found = self._rows(one)
        return None if isinstance(found, Problem) else found

    def problem_of(self, one: RunFile) -> Problem | None:
        """What is wrong with it, as far as that is known."""
        found = self._rows(one)
        return found if isinstance(found, Problem) else None

    def _arrange(self) -> None:
        before = self.file
        shown = [one for one in self.files if all(self._meets(one, condition) for condition in self._conditions)]
        if self.sort_column:
            known = [one for one in shown if self._value(one) is not None]
            known.sort(key=self._value, reverse=self.descending)
            shown = known + [one for one in shown if self._value(one) is None]
        self.shown = shown
        self.cursor = max(0, min(self.cursor, len(shown) - 1))
        if before is not None:
            self.cursor = next((at for at, one in enumerate(shown) if one.path == before.path), self.cursor)

    def _value(self, one: RunFile) -> Any:
        column = self.sort_column
        if column == "size":
            return float(one.size)
        if column == "rows":
            return self.rows_of(one)
        texts = {
            "file": "/".join(reversed(one.file.rpartition("/"))),
            "kind": kind_words(one.kind),
            "use": use_words(one),
        }
        return texts[column].casefold()

    def _meets(self, one: RunFile, condition: Condition) -> bool:
        values: dict[str, str | float | None] = {
            "file": one.file, "kind": kind_words(one.kind), "use": use_words(one), "kb": one.size / 1000,
            "rows": self.rows_of(one),
        }  # fmt: skip
        if condition.field:
            return condition.holds(values[condition.field])
        return any(condition.holds(values[name]) for name in ("file", "kind"))
