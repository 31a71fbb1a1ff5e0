"""The desk where files of runs are looked at: asks the child process, and keeps what it answered."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Union

from npuscope.parsers.profile import Run
from npuscope.parsers.say import Problem
from npuscope.sources.worker import Answer
from npuscope.tui.part import Part
from npuscope.tui.session import Pace

if TYPE_CHECKING:  # numpy comes with the first answer
    from npuscope.parsers.msprof.run_files import RunFile, RunFiles
    from npuscope.tui.files.jobs import FileSheet

JOBS = "npuscope.tui.files.jobs"
LISTED, COUNTED, OPENED = "files", "file-rows", "file"
KEPT_SHEETS = 3
Found = Union["FileSheet", Problem, float]  # a file that was read, what was wrong, or how far (0..1) it is


class FileDesk:
    """The files of runs, how many rows small ones have, and the few that were opened last."""

    def __init__(
        self, ask: Callable[..., None], cancel: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ask, self._cancel = ask, cancel  # Worker's
        self._clock = clock
        self._paces: dict[str, Pace] = {}
        self._share_per_s: dict[str, float] = {}
        self._asked: dict[str, Any] = {}
        self._listed: dict[str, tuple[str, RunFiles | Problem]] = {}
        self._rows: dict[str, int | Problem] = {}
        self._sheets: OrderedDict[str, Found] = OrderedDict()

    # ---- the files of a run

    def files(self, run: Run) -> RunFiles | Problem | None:
        """What is known of a run's files as they lie on disk now; None until they were listed."""
        known = self._listed.get(run.path)
        return known[1] if known is not None and known[0] == run.signature else None

    def want(self, run: Run) -> None:
        """List a run's files, unless that was done."""
        if self.files(run) is None:
            self._send(f"{LISTED} {run.path} {run.signature}", run, f"{JOBS}:list_files", run)

    def forget(self, run: Run) -> None:
        """List them anew when they are wanted again."""
        self._listed.pop(run.path, None)

    def rows(self, one: RunFile) -> int | Problem | None:
        """How many rows a file has, or what is wrong with it; None where that is not known."""
        for table in (None, *self._tables_of(one)):
            found = self._sheets.get(key_of(one, table))
            if found is not None and not isinstance(found, (float, Problem)):
                return found.all_rows
        return self._rows.get(key_of(one))

    def _tables_of(self, one: RunFile) -> Iterator[str]:
        start = key_of(one, "")
        return (key[len(start) :] for key in self._sheets if key.startswith(start))

    # ---- one file

    def sheet(self, one: RunFile, table: str | None) -> Found | None:
        """A file as it was read, how far it is, or what was wrong; None when nobody asked."""
        return self._sheets.get(key_of(one, table))

    def bytes_per_s(self, one: RunFile, table: str | None) -> float | None:
        """How fast a file is being read; None where that is not known yet, or it is not."""
        share = self._share_per_s.get(key_of(one, table))
        return None if share is None else share * one.size

    def open(self, one: RunFile, table: str | None) -> None:
        """Read a file, unless that was done."""
        key = key_of(one, table)
        if isinstance(self._sheets.get(key), (type(None), Problem)):
            self._forget_pace(key)
            self._sheets[key] = 0.0
            self._send(f"{OPENED} {key}", (key, one), f"{JOBS}:open_file", one.path, table)
        self._sheets.move_to_end(key)

    def drop(self, one: RunFile, table: str | None) -> None:
        """Stop reading a file; what was read stays."""
        key = key_of(one, table)
        if self._asked.pop(f"{OPENED} {key}", None) is not None:
            self._cancel(f"{OPENED} {key}")
            self._forget_pace(key)
            self._sheets.pop(key, None)

    def _pace(self, key: str, share: float) -> None:
        per_s = self._paces.setdefault(key, Pace()).per_s(share, self._clock())
        if per_s is not None:
            self._share_per_s[key] = per_s

    def _forget_pace(self, key: str) -> None:
        self._paces.pop(key, None)
        self._share_per_s.pop(key, None)

    def _send(self, ticket: str, about: Any, job: str, *args: Any) -> None:
        if ticket not in self._asked:
            self._asked[ticket] = about
            self._ask(ticket, job, *args)

    # ---- what arrives

    def take(self, answer: Answer) -> Part:
        """Keep an answer; returns what changed."""
        ticket = str(answer.ticket)
        if ticket not in self._asked:
            return Part(0)
        about, what = self._asked[ticket], ticket.partition(" ")[0]
        if answer.progress is not None and answer.problem is None:
            if what == OPENED:
                self._sheets[about[0]] = answer.progress
                self._pace(about[0], answer.progress)
            return Part.RUNS
        del self._asked[ticket]
        found = answer.value if answer.problem is None else answer.problem
        if what == LISTED:
            self._listed[about.path] = (about.signature, found)
            self._count(found)
        elif what == COUNTED and isinstance(found, dict):
            self._rows.update({about[path]: rows for path, rows in found.items()})
        elif what == OPENED:
            self._forget_pace(about[0])
            self._sheets[about[0]] = found
            self._make_room()
        return Part.RUNS

    def _count(self, found: RunFiles | Problem) -> None:
        """The rows of small files, as many as are read in a moment."""
        if isinstance(found, Problem):
            return
        from npuscope.tui.files.jobs import COUNTED_BYTES, COUNTED_TOGETHER

        wanted: dict[str, str] = {}
        left = COUNTED_TOGETHER
        for one in found.files:
            if one.opens and one.size <= min(COUNTED_BYTES, left) and self.rows(one) is None:
                wanted[one.path] = key_of(one)
                left -= one.size
        if wanted:
            first = next(iter(wanted))
            self._send(f"{COUNTED} {first} {len(wanted)}", wanted, f"{JOBS}:count_rows", tuple(wanted))

    def _make_room(self) -> None:
        read = [key for key, found in self._sheets.items() if not isinstance(found, float)]
        for key in read[:-KEPT_SHEETS]:
            found = self._sheets.pop(key)
            if not isinstance(found, (Problem, float)):
                self._rows[key.partition("\n")[0]] = found.all_rows


def key_of(one: RunFile, table: str | None = None) -> str:
    """What a file is kept under: as it lies on disk now, and of one that holds several tables which."""
    name = f"{one.path} {one.size} {one.changed_at}"
    return name if table is None else f"{name}\n{table}"
