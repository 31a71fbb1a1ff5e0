"""What the table of ranks shows: rows, order, cursor and window, as pure state without a screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from npuscope.analysis.ranks.compare import RankTable, compare
from npuscope.analysis.ranks.jobs import Job
from npuscope.analysis.ranks.lateness import RankLine
from npuscope.analysis.ranks.times import RankTimes
from npuscope.parsers.profile import Run

COLUMNS = ("rank", "device", "computing", "communication", "free", "stage", "late", "reason")
TIMES = {
    "computing": "computing_us",
    "communication": "communication_us",
    "free": "free_us",
    "stage": "stage_us",
}


@dataclass(frozen=True)
class RankRow:
    """A line of the table: a rank that was read, one that is still to be read (no line), or a missing one (no run)."""

    rank: int | None
    run: Run | None = None
    line: RankLine | None = None

    @property
    def times(self) -> RankTimes | None:
        """What was read of it."""
        return self.line.times if self.line is not None else None

    @property
    def key(self) -> tuple[int | None, str, int | None]:
        """What tells it from the others."""
        device = self.times.device if self.times is not None else None
        return self.rank, self.run.path if self.run is not None else "", device


class RankRows:
    """One way to look at the ranks of a job. `times` tells what was read of a run, or None."""

    def __init__(self, job: Job, times: Callable[[Run], tuple[RankTimes, ...] | None]) -> None:
        self.job = job
        self._known = times
        self.table: RankTable = compare(())
        self.rows: tuple[RankRow, ...] = ()
        self.unread: tuple[Run, ...] = ()
        self.sort_column = "rank"
        self.descending = False
        self.cursor = 0
        self.top = 0
        self.take(job)

    def take(self, job: Job) -> None:
        """The runs of the job now, with what is known of them; the cursor stays on its rank."""
        self.job = job
        found: list[RankTimes] = []
        unread: list[Run] = []
        for run in job.runs:
            times = self._known(run)
            if times is None:
                unread.append(run)
            else:
                found += times
        self.unread = tuple(unread)
        self.table = compare(found)
        self._arrange()

    @property
    def row(self) -> RankRow | None:
        """The row under the cursor."""
        return self.rows[self.cursor] if self.rows else None

    @property
    def missing(self) -> tuple[int, ...]:
        """Ranks of which there is no run."""
        read = (line.times.rank for line in self.table.lines)
        present = {rank for rank in (*read, *(run.rank for run in self.unread)) if rank is not None}
        world = max(self.table.world_size or 0, max(present, default=-1) + 1)
        return tuple(rank for rank in range(world) if rank not in present)

    def __len__(self) -> int:
        return len(self.rows)

    def go_to(self, times: RankTimes) -> None:
        """The cursor on the row of these times."""
        self.cursor = next((at for at, row in enumerate(self.rows) if row.times is times), self.cursor)

    def move(self, steps: int) -> None:
        """The cursor, bounded."""
        self.cursor = max(0, min(len(self.rows) - 1, self.cursor + steps))

    def window(self, height: int) -> tuple[RankRow, ...]:
        """The rows in a window of `height` lines; it moves as little as the cursor demands."""
        height = max(1, height)
        self.top = min(self.top, self.cursor, max(0, len(self.rows) - height))
        self.top = max(self.top, self.cursor - height + 1, 0)
        return self.rows[self.top : self.top + height]

    def sort(self, column: str) -> None:
        """Order by a column, ranks and devices upwards, times downwards; the same column again reverses."""
        if column == self.sort_column:
            self.descending = not self.descending
        else:
            self.sort_column, self.descending = column, column not in ("rank", "device", "reason")
        self.top = 0  # what comes first is what was asked for: the window moves only as far as the cursor demands
        self._arrange()

    def _arrange(self) -> None:
        before = self.row
        rows = [RankRow(line.times.rank, line.times.run, line) for line in self.table.lines]
        rows += [RankRow(run.rank, run) for run in self.unread]
        rows += [RankRow(rank) for rank in self.missing]
        rows.sort(key=lambda row: (row.rank is None, row.rank or 0))
        if (self.sort_column, self.descending) != ("rank", False):
            known = [row for row in rows if _value(row, self.sort_column) is not None]
            known.sort(key=lambda row: _value(row, self.sort_column) or 0.0, reverse=self.descending)
            rows = known + [row for row in rows if _value(row, self.sort_column) is None]
        self.rows = tuple(rows)
        self.cursor = max(0, min(self.cursor, len(rows) - 1))
        if before is not None:
            self.cursor = next((at for at, row in enumerate(rows) if _same(row, before)), self.cursor)


def _same(row: RankRow, before: RankRow) -> bool:
    """A rank that was read meanwhile is the same row."""
    if row.key == before.key:
        return True
    return row.run is not None and before.run is not None and before.line is None and row.run.path == before.run.path


def _value(row: RankRow, column: str) -> float | None:
    if column == "rank":
        return None if row.rank is None else float(row.rank)
    times = row.times
    if times is None or row.line is None:
        return None
    if column == "device":
        return None if times.device is None else float(times.device)
    if column == "late":
        return row.line.late_by_us
    if column == "reason":
        return {"compute": 0.0, "free": 1.0, "wait": 2.0}.get(row.line.code)
    value: float | None = getattr(times, TIMES[column])
    return value
