"""A timeline as tables: its lanes first, what runs in them by name, every event, how many there are of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from npuscope.parsers.csv_table import CsvTable
from npuscope.parsers.msprof.sight import Held, Sight
from npuscope.parsers.msprof.traces import timeline
from npuscope.parsers.msprof.traces.timeline import Timeline
from npuscope.parsers.msprof.traces.trace_tally import Tally, tally
from npuscope.parsers.progress import Progress
from npuscope.parsers.say import ParseError, Problem, Say, say
from npuscope.parsers.table import Strings, Table

LANES, NAMES, EVENTS, KINDS = "lanes", "names", "events", "kinds"
# the letters of the trace event format
PHASES: Mapping[str, str] = {
    "X": "slice", "B": "slice begin", "E": "slice end", "i": "instant", "I": "instant", "C": "counter", "M": "name",
    "s": "flow begin", "t": "flow step", "f": "flow end",
}  # fmt: skip


def read(path: str, kind: str, table: str | None = None, progress: Progress | None = None) -> Sight:
    """The table of that name, without one the lanes. All but the events are read in flat memory. Raises ParseError."""
    wanted = LANES if table is None else table.casefold()
    if wanted == EVENTS:
        whole = timeline.read(path, progress)
        return Sight(kind, CsvTable(path, whole.table(), (), 0, whole.problems), EVENTS, _held_by(whole))
    if wanted not in _MADE:
        listed = ", ".join((LANES, NAMES, EVENTS, KINDS))
        text = say("files.problem.no-table", file=Path(path).name, table=table, tables=listed)
        raise ParseError(Problem("no-table", text, file=path))
    found = tally([path], progress)
    held = _held(len(found.lanes()), len(found.table), int(found.table.numbers("count").sum()), found.phases)
    return Sight(kind, CsvTable(path, _MADE[wanted](found), (), 0, found.problems), wanted, held, _note(found))


def _note(found: Tally) -> Say | None:
    rows = found.table
    if not len(rows):
        return None
    longest = int(np.argmax(rows.numbers("max_us")))
    return say(
        "files.trace",
        slices=int(rows.numbers("count").sum()),
        lanes=len(found.lanes()),
        us=(int(rows.numbers("last_ns").max()) - int(rows.numbers("first_ns").min())) / 1000,
        flows=found.phases.get("s", 0),
        name=rows.strings("name")[longest],
        longest_us=float(rows.numbers("max_us")[longest]),
    )


def _held_by(whole: Timeline) -> tuple[Held, ...]:
    lane, name = whole.events.numbers("lane").astype(np.int64), whole.events.strings("name")
    names = np.unique(lane * (len(name.values) + 1) + name.codes)
    return _held(len(np.unique(lane)), len(names), len(lane), whole.phases)


def _held(lanes: int, names: int, events: int, phases: Mapping[str, int]) -> tuple[Held, ...]:
    return (
        Held(LANES, lanes, summed=True),
        Held(NAMES, names, summed=True),
        Held(EVENTS, events),
        Held(KINDS, len(phases), summed=True),
    )


def _names(found: Tally) -> Table:
    """What takes most time first."""
    return found.table.take(np.argsort(-found.table.numbers("total_us"), kind="stable"))


def _kinds(found: Tally) -> Table:
    """kind and number of events, those without a start too; most first."""
    counted = sorted(found.phases.items(), key=lambda one: -one[1])
    kinds = Strings.of(PHASES.get(phase, phase) for phase, _ in counted)
    return Table({"kind": kinds, "count": np.array([count for _, count in counted], dtype=np.int64)})


_MADE: Mapping[str, Callable[[Tally], Table]] = {LANES: Tally.lanes, NAMES: _names, KINDS: _kinds}
