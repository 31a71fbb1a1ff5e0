"""From the sources' threads to the application's messages."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.parsers.discovery.listing import Listing
from npuscope.parsers.discovery.runs import list_runs, look_at
from npuscope.parsers.readings import Reading
from npuscope.sources.directories import Changed, DirectorySource
from npuscope.tui.messages import ReadingArrived, RunsFound

if TYPE_CHECKING:
    from textual.message import Message

    from npuscope.sources.source import Source


class RunFeed:
    """Watches folders and says which runs they hold: all of them at the start, and again whenever something changed."""

    def __init__(self, roots: Sequence[Path], post: Callable[[Message], object]) -> None:
        self.roots = tuple(roots)
        self._post = post
        self._listings: dict[Path, Listing] = {}
        self._sources = [DirectorySource(self.roots)]
        self._one_at_a_time = threading.Lock()

    def start(self) -> None:
        """Begin; returns at once."""
        self._sources[0].start(self._changed)

    def watch(self, root: Path) -> None:
        """One more folder, from now on."""
        if root in self.roots:
            self.rescan()
            return
        self.roots = (*self.roots, root)
        source = DirectorySource([root])
        self._sources.append(source)
        source.start(self._changed)

    def stop(self) -> None:
        """End, with its threads."""
        for source in self._sources:
            source.stop()

    def rescan(self) -> None:
        """Look again now."""
        for source in self._sources:
            source.rescan()

    def _changed(self, changed: Changed) -> None:
        # in the source's thread: listing 3,000 runs takes most of a second
        with self._one_at_a_time:
            self._listings[changed.root] = listing_after(changed, self._listings.get(changed.root), time.time())
            unique = {run.path: run for listing in self._listings.values() for run in listing.runs}
            closed = dict.fromkeys(path for listing in self._listings.values() for path in listing.closed)
            newest_first = sorted(unique.values(), key=lambda run: run.started_at or run.changed_at, reverse=True)
            how = dict.fromkeys(source.how for source in self._sources if source.how)
            self._post(RunsFound(tuple(newest_first), ", ".join(how), tuple(closed)))


def listing_after(changed: Changed, known: Listing | None, now: float) -> Listing:
    """The runs of a root after a change: only those that changed are looked at, where no run came or went."""
    if known is None or changed.paths is None:
        return list_runs(changed.root, now)
    runs = {run.path: run for run in known.runs}
    for path in changed.paths:
        run = look_at(path, now) if os.path.lexists(path) else None
        if run is None or run.path not in runs:
            return list_runs(changed.root, now)
        runs[run.path] = run
    return replace(known, runs=tuple(runs.values()))


class Feeds:
    """The live source and the watched folders of the application; both can be exchanged while it runs."""

    def __init__(self, source: Source | None, roots: Sequence[Path], post: Callable[[Message], object]) -> None:
        self._post = post
        self._source = source
        self.runs = RunFeed(roots, post)

    def start(self) -> None:
        """Begin with both."""
        if self._source is not None:
            self._source.start(self._read)
        self.runs.start()

    def _read(self, reading: Reading) -> None:
        # in the source's thread
        self._post(ReadingArrived(reading))

    def exchange(self, source: Source, folder: Path) -> None:
        """Another box: its readings and its folder."""
        self.stop()
        self._source = source
        self.runs = RunFeed([folder], self._post)
        self.start()

    def stop(self) -> None:
        """End both, with their threads."""
        if self._source is not None:
            self._source.stop()
        self.runs.stop()
