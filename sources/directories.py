"""Folders with profiles, watched: by the kernel's events where it has them, and always by a cheap poll beside them."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from npuscope.sources import events
from npuscope.sources.events import Events
from npuscope.sources.quiet import GATHER_S, SPACING_S, Quiet
from npuscope.sources.tree import TABLES, Tree, noise, owner

SETTLE_MARGIN_S = 0.2
QUIET_S = 30.0  # raw data that did not grow for so long belongs to a job that was killed
STOP_S = 0.4
MOST_POLLS_APART = 5
POLL_SHARE = 0.01  # of a core, for looking when nothing happens
BESIDE_SHARE = 0.003  # the same where events tell nearly everything
BUSY_SHARE = 0.1  # the same while folders come and go
CALLBACK_SHARE = 0.2
MOST_SPACING_S = 10.0


@dataclass(frozen=True)
class Changed:
    """Something under `root` may differ: in these runs and tables, or anywhere (None). A path may be gone.

    No paths at all: only `how` the root is watched differs.
    """

    root: Path
    paths: tuple[Path, ...] | None = None


class DirectorySource:
    """Calls back from its own thread: once for every root at the start, then soon after whatever changes under it.

    A run that is being written is told about at most every second, and again `settle_s` and 30 s after its last change.
    A root may be a folder of runs, a run, a file, or not there yet.
    """

    def __init__(self, roots: Sequence[Path], poll_s: float = 1.0, settle_s: float = 3.0) -> None:
        self._roots = {os.path.abspath(root): root for root in roots}  # noqa: PTH100 (links stay as they were named)
        self._trees = {root: Tree(root) for root in self._roots}
        self._reasons: dict[str, str | None] = dict.fromkeys(self._roots, events.BEGINNING)
        self._poll_s = poll_s
        self._quiet: Quiet[tuple[str, str]] = Quiet(
            settle_s + SETTLE_MARGIN_S, max(QUIET_S, settle_s) + 2 * SETTLE_MARGIN_S
        )
        self._events = Events(self._heard)
        self._wake = threading.Condition()  # guards the five below
        self._heard_of: set[tuple[str, str]] = set()
        self._look_at = math.inf
        self._next_poll = 0.0
        self._rescan = False
        self._stopped = False
        self._look_again_at = 0.0
        self._callback: Callable[[Changed], None] = lambda changed: None
        self._thread: threading.Thread | None = None

    @property
    def how(self) -> str:
        """How the roots are watched: "events", "polling (nfs)", "polling (inotify limit)", or several of them."""
        ways = dict.fromkeys("events" if reason is None else f"polling ({reason})" for reason in self._reasons.values())
        return ", ".join(ways)

    def start(self, callback: Callable[[Changed], None]) -> None:
        """Begin; returns at once."""
        self._callback = callback
        self._thread = threading.Thread(target=self._run, name="npuscope-directories", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End within half a second; a call back that is under way is not waited for longer."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join(STOP_S)

    def rescan(self) -> None:
        """Tell about every root again, now."""
        with self._wake:
            self._rescan = True
            self._wake.notify()

    def _heard(self, root: str, path: str, is_folder: bool) -> None:
        """An event, in watchdog's thread; 20,000 events of one run are one entry."""
        run = owner(root, path)
        if noise(run, path) if run else not (is_folder or path.endswith(TABLES)):
            return
        with self._wake:
            if run:
                self._heard_of.add((root, run))
            elif self._look_at == math.inf:
                self._look_at = max(time.monotonic() + GATHER_S, self._look_again_at)
            self._wake.notify()

    def _run(self) -> None:
        """The thread: looks, listens, and speaks of what is due."""
        self._look()  # only names, so that the first word comes soon
        self._tell_roots(self._roots)
        self._listen(self._roots)
        self._next_poll = 0.0  # what came before the watches stood is found now
        while self._wait():
            with self._wake:
                heard, self._heard_of = self._heard_of, set()
                rescan, self._rescan = self._rescan, False
                look = rescan or min(self._look_at, self._next_poll) <= time.monotonic()
            self._touch(heard)
            if look:
                self._look()
            if rescan:
                self._tell_roots(self._roots)
            self._tell(self._quiet.due(time.monotonic()))
            self._mind_the_events()
        self._events.stop()

    def _wait(self) -> bool:
        """Sleep until there is something to do; False when it is over."""
        with self._wake:
            while not (self._stopped or self._rescan or self._heard_of):
                pause = min(self._next_poll, self._look_at, self._quiet.next_at()) - time.monotonic()
                if pause <= 0:
                    break
                self._wake.wait(pause)
            return not self._stopped

    def _touch(self, heard: Iterable[tuple[str, str]]) -> None:
        now = time.monotonic()
        for root, run in heard:
            self._quiet.touch((root, run), now)
            self._trees[root].heat(run)

    def _look(self) -> None:
        """Compare all roots with the look before, and plan the next one by what this one cost."""
        with self._wake:
            self._look_at = math.inf
        cpu, began = time.thread_time(), time.monotonic()
        replaced = [root for root in self._roots if self._compare(root)]
        cpu, ended = time.thread_time() - cpu, time.monotonic()
        share = POLL_SHARE if any(self._reasons.values()) else BESIDE_SHARE
        pause = max(self._poll_s, cpu / share, 2 * (ended - began))
        with self._wake:
            self._next_poll = ended + min(pause, MOST_POLLS_APART * self._poll_s)
            self._look_again_at = ended + cpu / BUSY_SHARE
        self._tell_roots(replaced)
        self._listen(replaced)

    def _compare(self, root: str) -> bool:
        """Look at one root; whether it came, went or was replaced since the look before."""
        tree = self._trees[root]
        first = not tree.looks
        seen, now = tree.look(time.time()), time.monotonic()
        for path in seen.young | (seen.paths if seen.whole else frozenset()):
            self._quiet.expect((root, path), now)
        for path in frozenset() if seen.whole else seen.paths:
            self._quiet.touch((root, path), now)
        return seen.whole and not first

    def _listen(self, roots: Iterable[str]) -> None:
        """(Re)place the watches; a watch on a folder that was replaced hears nothing of the new one."""
        for root in roots:
            before = self.how
            if not self._stopped:
                self._events.unwatch(root)
                self._reasons[root] = self._events.watch(root)
            if self.how != before:
                self._call(Changed(self._roots[root], ()))

    def _mind_the_events(self) -> None:
        """When watchdog broke down only the poll is left; a root that may be read by now is listened to."""
        if self._events.broken:
            self._events.stop()
            self._events = Events(self._heard)
            self._reasons = {root: reason or events.LIMIT for root, reason in self._reasons.items()}
            self._call(Changed(next(iter(self._roots.values())), ()))
        self._listen([
            root
            for root, reason in self._reasons.items()
            if reason == events.PERMISSION and os.access(root, os.R_OK | os.X_OK)
        ])  # fmt: skip

    def _tell(self, keys: Iterable[tuple[str, str]]) -> None:
        """Call back, once a root."""
        paths: dict[str, list[Path]] = {}
        for root, path in sorted(keys):
            paths.setdefault(root, []).append(self._roots[root] / path[len(root) :].lstrip(os.sep))
        for root, changed in paths.items():
            self._call(Changed(self._roots[root], tuple(changed)))

    def _tell_roots(self, roots: Iterable[str]) -> None:
        for root in roots:
            self._call(Changed(self._roots[root]))

    def _call(self, changed: Changed) -> None:
        if self._stopped:
            return
        began = time.monotonic()
        self._callback(changed)
        # a listener that needs a second to list 3,000 runs is not called every second
        spacing = max(SPACING_S, (time.monotonic() - began) / CALLBACK_SHARE)
        self._quiet.spacing_s = min(spacing, MOST_SPACING_S)
