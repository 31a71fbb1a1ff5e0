"""What the list of runs shows: order, filter, cursor and window, as pure state without a screen.

The order is made when the runs, the filter or the sort change, not when a run's contents become known: rows keep
their place while they are read.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.parsers.profile import Run
from npuscope.tui.filtering import Condition, parse
from npuscope.tui.runs.folds import JOB, Folds
from npuscope.tui.runs.marks import Marks
from npuscope.tui.session import UNKNOWN_SHAPES

if TYPE_CHECKING:
    from npuscope.tui.session import Headline

READABLE = ("ready", "partial")
COLUMNS = ("time", "run", "kind", "state", "chip", "rank", "ops", "total", "core", "label", "change")
TEXTS = ("run", "kind", "state", "chip", "label")
NUMBERS = ("ops", "total", "core", "change", "rank")
STATE_ORDER = ("exporting", "collecting", "collected", "partial", "ready", "empty", "unreadable", "damaged")
ALIKE = 0.8  # a change is told between runs whose numbers of operators differ by less than a fifth
SHARED = 0.5  # and that share half of their leading operators, shapes included
FARTHEST = 5.0  # where no shapes are told, more than this many times is another problem, not a change


class RunView:
    """One way to look at the runs. `headline` tells what is known about the contents of a run, or None."""

    def __init__(self, headline: Callable[[Run], Headline | None]) -> None:
        self.headline = headline
        self.sort_column = "time"
        self.descending = True
        self.conditions: Sequence[Condition] = ()
        self.runs: tuple[Run, ...] = ()
        self.shown: tuple[Run, ...] = ()
        self.cursor = 0
        self.top = 0
        self.roots: tuple[str, ...] = ()
        self.doubles: Mapping[str, str] = {}
        self.folds = Folds()
        self.marks = Marks()
        self._before: dict[str, tuple[Run, ...]] = {}

    @property
    def run(self) -> Run | None:
        """The run under the cursor."""
        return self.shown[self.cursor] if self.shown else None

    def take(self, runs: Iterable[Run]) -> None:
        """The runs on disk now; the cursor stays on its run."""
        self.runs = tuple(sorted(runs, key=started, reverse=True))
        self._before = runs_before(self.runs)
        self.folds.take(self.runs)
        self.doubles = told_apart(self.runs)
        self._arrange()

    def filter(self, text: str) -> None:
        """Show only runs that meet the filter. Raises FilterError when it means nothing, and then shows all."""
        self.conditions = ()
        try:
            self.conditions = parse(text, TEXTS, NUMBERS)
        finally:
            self._arrange()

    def sort(self, column: str) -> None:
        """Order by a column: text upwards, time and numbers downwards; the same column again reverses."""
        if column == self.sort_column:
            self.descending = not self.descending
        else:
            self.sort_column, self.descending = column, column in ("time", *NUMBERS)
        self.top = 0  # what comes first is what was asked for: the window moves only as far as the cursor demands
        self._arrange()

    def __len__(self) -> int:
        return len(self.shown)

    def move(self, steps: int) -> None:
        """The cursor, bounded."""
        self.cursor = max(0, min(len(self.shown) - 1, self.cursor + steps))

    def go_to(self, path: str) -> None:
        """The cursor on a run, or on the line it is folded into, if it is shown."""
        path = self.folds.home(path)
        self.cursor = next((at for at, run in enumerate(self.shown) if run.path == path), self.cursor)

    def window(self, height: int) -> tuple[Run, ...]:
        """The runs in a window of `height` lines; the window moves as little as the cursor demands."""
        height = max(1, height)
        self.top = min(self.top, self.cursor, max(0, len(self.shown) - height))
        self.top = max(self.top, self.cursor - height + 1, 0)
        return self.shown[self.top : self.top + height]

    def before(self, run: Run) -> Run | None:
        """The run a change is measured against, see `runs_before` and `against`."""
        return against(run, self._before.get(run.path, ()), self.headline)

    def change_pct(self, run: Run) -> float | None:
        """How much longer (+) or shorter (-) the operators of a run take than those of the run before it, in %."""
        earlier = self.before(run)
        if earlier is None:
            return None
        return change_pct(self.headline(run), self.headline(earlier))

    def value(self, run: Run, column: str) -> str | float | None:
        """What a column says about a run, raw: us, %, seconds; None where nothing is known."""
        if column == "time":
            return started(run)
        if column == "run":
            return run.name
        if column in ("kind", "state"):
            return run.kind if column == "kind" else run.state
        if column == "rank":
            return run.rank
        if column == "change":
            return self.change_pct(run)
        known = self.headline(run)
        if known is None or not told(known):
            return None
        return {
            "chip": known.chip,
            "ops": known.ops,
            "total": known.total_us,
            "core": known.aicore_pct,
            "label": known.label,
        }[column]

    def place(self, run: Run) -> str:
        """A run's path below the folder it was found in: what a name is searched in."""
        return below(run.path, self.roots)

    def toggle_fold(self) -> bool:
        """Unfold the job under the cursor, or fold the one its run belongs to; False when it belongs to none."""
        done = self.run is not None and self.folds.toggle(self.run)
        self._arrange()
        return done

    def _arrange(self) -> None:
        before = self.run
        shown = self.folds.fold([run for run in self.runs if self._meets(run)])
        if (self.sort_column, self.descending) != ("time", True):
            shown = ordered(shown, self._key, self.descending)
        self.shown = tuple(shown)
        self.cursor = max(0, min(self.cursor, len(self.shown) - 1))
        if before is not None:
            self.go_to(before.path)

    def _meets(self, run: Run) -> bool:
        for condition in self.conditions:
            value = self.place(run) if condition.field in ("", "run") else self.value(run, condition.field)
            if not condition.holds(value):
                return False
        return True

    def _key(self, run: Run) -> str | float | None:
        value = self.value(run, self.sort_column)
        if self.sort_column == "state":
            return STATE_ORDER.index(run.state) if run.state in STATE_ORDER else None
        return value.casefold() if isinstance(value, str) else value


def started(run: Run) -> float:
    """When a run began, Unix seconds: by the stamp in its name, else when it last changed."""
    return run.started_at if run.started_at is not None else run.changed_at


def told(headline: Headline) -> bool:
    """Whether the run could be read, and holds operators."""
    return headline.ops > 0 and not math.isnan(headline.total_us)


def state_of(run: Run, headline: Headline | None) -> str:
    """The state of a run: what reading has shown, where its files alone passed for ready."""
    return headline.state if run.state == "ready" and headline is not None and headline.state else run.state


def told_apart(runs: Sequence[Run]) -> dict[str, str]:
    """For each run that shares its name, by path: the end of its path, as far up as tells it from its namesakes."""
    count = Counter(run.name for run in runs)
    left = {run.path: (*Path(run.path).parts[:-1], run.name) for run in runs if count[run.name] > 1}
    found: dict[str, str] = {}
    length = 2
    while left:
        ends = Counter(parts[-length:] for parts in left.values())
        done = [path for path, parts in left.items() if ends[parts[-length:]] == 1 or len(parts) <= length]
        found.update((path, "/".join(left.pop(path)[-length:])) for path in done)
        length += 1
    return found


def runs_before(newest_first: Sequence[Run]) -> dict[str, tuple[Run, ...]]:
    """For each run that can be read, by path, the earlier ones of its kind and rank a change may be told against.

    First the one of its name with which it has most folders in common, the newest of these; then the one just before.
    """
    count = Counter(run.name for run in newest_first)
    before: dict[str, tuple[Run, ...]] = {}
    latest: dict[tuple[object, ...], Run] = {}
    for run in reversed(newest_first):
        if run.state not in READABLE:
            continue
        kind = (run.kind, run.rank)
        parts = run.path.split("/") if count[run.name] > 1 else []
        places = [(*kind, run.name, "/".join(parts[:length])) for length in range(len(parts) - 1, 0, -1)]
        namesake = next((latest[place] for place in places if place in latest), None)
        newest = latest.get(kind)
        if newest is not None:
            before[run.path] = (newest,) if namesake in (None, newest) else (namesake, newest)
        latest.update(dict.fromkeys((kind, *places), run))
    return before


def against(run: Run, earlier: Sequence[Run], headline: Callable[[Run], Headline | None]) -> Run | None:
    """The one of `earlier` that a run is set against: the first that ran any of its operators, or is still unread."""
    now = headline(run)
    for one in earlier[:-1]:
        then = headline(one)
        if now is None or then is None:
            return one
        if told(then) and (not now.work or not then.work or set(now.work) & set(then.work)):
            return one
    return earlier[-1] if earlier else None


def change_pct(now: Headline | None, before: Headline | None) -> float | None:
    """The change of the total in %; None unless both are known and did the same work."""
    if now is None or before is None or not told(now) or not told(before) or before.total_us <= 0:
        return None
    return 100 * (now.total_us / before.total_us - 1) if comparable(now, before) else None


def comparable(now: Headline, before: Headline) -> bool:
    """Whether two runs did the same work: one chip, about as many operators, mostly the same ones."""
    if now.chip and before.chip and now.chip != before.chip:
        return False
    if min(now.ops, before.ops) < ALIKE * max(now.ops, before.ops):
        return False
    one, other = set(now.work), set(before.work)
    if not one or not other:
        return True
    if len(one & other) < SHARED * max(len(one), len(other)):
        return False
    told_shapes = any(not work.endswith(UNKNOWN_SHAPES) for work in one & other)
    return told_shapes or 1 / FARTHEST <= now.total_us / before.total_us <= FARTHEST


def ordered(runs: Iterable[Run], key: Callable[[Run], str | float | None], descending: bool) -> list[Run]:
    """Sorted by a key; unknown stands last in both directions, equals keep their order."""
    keyed = [(key(run), run) for run in runs]
    known = [(value, run) for value, run in keyed if value is not None and value == value]
    known.sort(key=lambda pair: pair[0], reverse=descending)
    return [run for _, run in known] + [run for value, run in keyed if value is None or value != value]


def below(path: str, roots: Iterable[str]) -> str:
    """The path below the longest of the roots that holds it; the whole path under none."""
    parents = [root.rstrip("/") + "/" for root in roots]
    longest = max((root for root in parents if path.startswith(root)), key=len, default="")
    return path[len(longest) :]


def wanted_of(view: RunView, window: Sequence[Run]) -> tuple[Run, ...]:
    """What nobody has read yet of: the run at the cursor, the newest ready one, the window, and what these are
    compared with."""
    newest = next((run for run in view.runs if run.state == "ready"), None)
    first = [run for run in (view.run, newest) if run is not None]
    shown = [run for run in (*first, *window) if run.kind != JOB]
    earlier = [before for run in shown if (before := view.before(run)) is not None]
    asked = {run.path: run for run in (*shown, *earlier)}
    return tuple(run for run in asked.values() if run.state in READABLE and view.headline(run) is None)
