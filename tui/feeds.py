"""From the sources' threads to the application's messages."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from npuscope.parsers.discovery import find_runs
from npuscope.parsers.profile import Run
from npuscope.sources.directories import Changed, DirectorySource
from npuscope.tui.messages import RunsFound

if TYPE_CHECKING:
    from textual.message import Message


class RunFeed:
    """Watches folders and says which runs they hold: all of them at the start, and again whenever something changed."""

    def __init__(self, roots: Sequence[Path], post: Callable[[Message], object]) -> None:
        self.roots = tuple(roots)
        self._post = post
        self._runs: dict[Path, tuple[Run, ...]] = {}
        self._directories = DirectorySource(self.roots)

    def start(self) -> None:
        """Begin; returns at once."""
        self._directories.start(self._changed)

    def stop(self) -> None:
        """End, with its thread."""
        self._directories.stop()

    def rescan(self) -> None:
        """Look again now."""
        self._directories.rescan()

    def _changed(self, changed: Changed) -> None:
        # in the source's thread: listing 3,000 runs takes most of a second
        self._runs[changed.root] = find_runs(changed.root, time.time())
        unique = {run.path: run for runs in self._runs.values() for run in runs}
        newest_first = sorted(unique.values(), key=lambda run: run.started_at or run.changed_at, reverse=True)
        self._post(RunsFound(tuple(newest_first), self._directories.how))
